"""Sparklines: a dozen values the size of a word, beside the number they lead to."""

from collections.abc import Sequence

from markupsafe import Markup

from pipelines.report.charts_svg import Scale, Value, element, line


def spark(series: Sequence[Value], width: int = 96, height: int = 24) -> Markup:
    """A sparkline from zero up: decoration beside its number, so hidden from those who listen. Empty for one value."""
    known = [float(value) for value in series if value is not None]
    if len(known) < 2:  # noqa: PLR2004  # because: one point is no line
        return Markup("")
    x, y = Scale(0, len(series) - 1, 3, width - 4), Scale(min(0.0, *known), max(known) or 1.0, height - 4, 4)
    parts = line(series, x, y)
    if series[-1] is not None:
        parts.append(element("circle", class_="now", cx=x(len(series) - 1.0), cy=y(float(series[-1])), r=2.5))
    inside = Markup("").join(parts)
    return element("svg", inside, class_="spark", viewBox=f"0 0 {width} {height}", aria_hidden="true", width=width, height=height)
