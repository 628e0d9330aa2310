"""Inline SVG in pieces: elements with escaped attributes, scales, ticks. No chart of its own stands here.

Colours are classes that the page's style fills from CSS variables, so that a chart follows light, dark and print.
No ``style`` attributes: the pages' content security policy refuses them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

Value = float | int | None


def element(name: str, content: Markup | str = "", /, **attributes: object) -> Markup:
    """An element; ``class_`` stands for class, ``_`` for ``-``, and every attribute and text is escaped."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value) if isinstance(value, float) else value)}"'
        for key, value in attributes.items()
    )
    return Markup(f"<{name}{shown}>{escape(content)}</{name}>" if content else f"<{name}{shown}/>")  # noqa: S704  # because: names are ours, all else is escaped


def _number(value: float) -> str:
    """A coordinate with one decimal: a tenth of a pixel, and the same bytes everywhere."""
    return f"{value:.1f}".rstrip("0").rstrip(".") if value else "0"


def text(content: str, x: float, y: float, class_: str = "", anchor: str = "start") -> Markup:
    """A text at a point."""
    more = {"class_": class_} if class_ else {}
    return element("text", content, x=x, y=y, text_anchor=anchor, **more)


def svg(width: int, height: int, label: str, parts: Iterable[Markup], class_: str = "chart") -> Markup:
    """A picture with a name for those who cannot see it."""
    inside = Markup("").join(parts)
    return element("svg", inside, class_=class_, viewBox=f"0 0 {width} {height}", role="img", aria_label=label)


@dataclass(frozen=True)
class Scale:
    """A linear scale from values to coordinates."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The coordinate of a value."""
        span = self.high - self.low or 1.0
        return self.start + (value - self.low) / span * (self.end - self.start)


def ticks(high: float, wanted: int = 4) -> list[float]:
    """Round values from 0 up to at least ``high``: steps of 1, 2 or 5 times a power of ten, whole numbers only."""
    if high <= 1:
        return [0.0, 1.0]
    raw = high / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = max(1.0, next(m * power for m in (1, 2, 5, 10) if m * power >= raw))
    return [step * index for index in range(math.ceil(high / step) + 1)]


def runs(series: Sequence[Value]) -> list[list[tuple[int, float]]]:
    """The unbroken stretches of a series: a null is a gap, never a zero."""
    found: list[list[tuple[int, float]]] = [[]]
    for index, value in enumerate(series):
        if value is None:
            found.append([])
        else:
            found[-1].append((index, float(value)))
    return [run for run in found if run]


def path_of(points: Iterable[tuple[float, float]]) -> str:
    """The path through points."""
    return "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in points)


def line(series: Sequence[Value], x: Scale, y: Scale, class_: str = "line") -> list[Markup]:
    """A line with gaps where values are not known; a lone value is a dot."""
    made = []
    for run in runs(series):
        points = [(x(float(index)), y(value)) for index, value in run]
        if len(points) == 1:
            made.append(element("circle", class_="dot", cx=points[0][0], cy=points[0][1], r=1.5))
        else:
            made.append(element("path", class_=class_, d=path_of(points)))
    return made
