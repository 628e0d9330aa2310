"""The report's charts: inline SVG, each with its finding as title; the tables below them are the templates' part.

Every value drawn is one of ``report.json``; quartiles of a tile's stored weeks are taken here, as its facts do for themes.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pipelines.report.charts_spark import spark
from pipelines.report.charts_svg import Scale, Value, element, line, svg, text, ticks
from pipelines.report.model import PullFacts, ThemeFacts, Tile
from pipelines.report.render import Context

#: Fewer known weeks than this make no band: the contract of derived_theme_trends says the same of its quartiles.
BAND_WEEKS = 4
#: Modules drawn: what fits a screen; the table below holds all.
BARS = 12
_SMALL_LINES = 100  # a change that one sitting reviews
#: Dots that are named where there is room; a label's size in the picture's own pixels.
LABELS, _LABEL_WIDTH, _LABEL_HEIGHT = 10, 38, 8


@dataclass(frozen=True)
class Band:
    """Median and quartiles of the stored weeks before this one; None where fewer than four are known."""

    known: int
    median: float | None
    low: float | None
    high: float | None


def band_of(series: Sequence[Value]) -> Band:
    """The band of a series whose last value is this week's."""
    known = [float(value) for value in series[:-1] if value is not None]
    if len(known) < BAND_WEEKS:
        return Band(len(known), None, None, None)
    low, median, high = statistics.quantiles(known, n=4, method="inclusive")
    return Band(len(known), median, low, high)


@dataclass(frozen=True)
class Figure:
    """A chart with its finding."""

    finding: str
    picture: Markup


class Charts:
    """The charts of one page."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.words = context.words
        self.t = context.t
        self.spark = spark

    def tile(self, key: str) -> Tile | None:
        """The tile of a column of derived_week, if the report has it."""
        return next((tile for tile in self.context.report["tiles"] if tile["key"] == key), None)

    def band(self, tile: Tile) -> Band:
        """The band of a tile's weeks before."""
        return band_of(tile["series"])

    def merged(self) -> Figure | None:
        """The merged pull requests of 13 weeks with median and interquartile band; None where there is no such tile."""
        tile = self.tile("merged_count")
        if tile is None:
            return None
        band = band_of(tile["series"])
        finding = self._merged_finding(tile["value"], band)
        return Figure(finding, self._line(tile["weeks"], tile["series"], band, finding))

    def _merged_finding(self, value: Value, band: Band) -> str:
        if value is None:
            return self.t("chart.merged.none")
        if band.low is None or band.high is None:
            return self.t("chart.merged.short", count=value, n=band.known)
        place = "above" if value > band.high else "below" if value < band.low else "within"
        return self.t(f"chart.merged.{place}", count=value, low=band.low, high=band.high)

    def _line(self, weeks: Sequence[str], series: Sequence[Value], band: Band, label: str) -> Markup:
        width, height, left, right, top, bottom = 640, 210, 36, 54, 14, 26
        known = [float(value) for value in series if value is not None]
        marks = ticks(max([*known, band.high or 0.0]))
        x, y = Scale(0, max(1, len(series) - 1), left + 8, width - right), Scale(0, marks[-1], height - bottom, top)
        parts = [element("path", class_="grid", d=f"M{left} {y(mark):.1f}H{width - right + 8}") for mark in marks]
        parts += [text(self.words.number(mark), left - 6, y(mark) + 4, anchor="end") for mark in marks]
        if band.low is not None and band.high is not None and band.median is not None:
            tall = max(1.0, y(band.low) - y(band.high))
            parts.append(element("rect", class_="band", x=left, y=y(band.high), width=width - right + 8 - left, height=tall))
            parts.append(element("path", class_="median", d=f"M{left} {y(band.median):.1f}H{width - right + 8}"))
        parts += line(series, x, y)
        parts += [
            element("circle", class_="dot", cx=x(i), cy=y(float(v)), r=2.0) for i, v in enumerate(series[:-1]) if v is not None
        ]
        if series and series[-1] is not None:
            last_x, last_y = x(len(series) - 1), y(float(series[-1]))
            parts.append(element("circle", class_="now", cx=last_x, cy=last_y, r=4.0))
            parts.append(text(self.words.number(series[-1]), last_x + 10, last_y + 5, "value"))
        every = max(1, math.ceil(len(weeks) / 7))
        shown = [i for i in range(len(weeks)) if (len(weeks) - 1 - i) % every == 0]
        parts += [text(weeks[i].partition("-")[2], x(i), height - 8, anchor="middle") for i in shown]
        return svg(width, height, label, parts)

    def modules(self) -> Figure | None:
        """The week's modules as bars with last week's tick; None where the week has none."""
        rows = [row for row in self.context.report["modules"] if row["count"]][:BARS]
        if not rows:
            return None
        first, last = rows[0], rows[0]["last_week"]
        change = "first" if last is None else "same" if last == first["count"] else "more" if last < first["count"] else "fewer"
        finding = self.t(f"chart.modules.{change}", module=first["key"], n=first["count"], last=0 if last is None else last)
        return Figure(finding, self._bars(rows, finding))

    def _bars(self, rows: Sequence[ThemeFacts], label: str) -> Markup:
        width, left, right, pitch = 640, 232, 10, 24
        most = max(max(row["count"], row["last_week"] or 0) for row in rows)
        x = Scale(0, most, left, width - right)
        parts = []
        for index, row in enumerate(rows):
            y = 6.0 + index * pitch
            # The value stands before its bar: at the bar's end it would read as that of the tick beside it.
            parts.append(text(_short(row["key"], 22), left - 44, y + 13, anchor="end"))
            parts.append(text(self.words.number(row["count"]), left - 8, y + 13, "value", anchor="end"))
            parts.append(element("rect", class_="bar", x=left, y=y, width=x(row["count"]) - left, height=16, rx=2))
            if row["last_week"] is not None:
                at = x(row["last_week"])
                parts.append(element("path", class_="tick", d=f"M{at:.1f} {y - 2:.0f}v20"))
        return svg(width, 12 + len(rows) * pitch, label, parts, "chart bars")

    def sizes(self) -> Figure | None:
        """Source lines (damped) against importance, a dot a pull request; None where nothing was merged."""
        pulls = self.context.ranked
        if not pulls:
            return None
        top = self.context.top
        small = sum(1 for pull in top if pull["source_lines"] < _SMALL_LINES)
        finding = self.t("chart.sizes.some" if small else "chart.sizes.none", n=len(top), small=small, lines=_SMALL_LINES)
        return Figure(finding, self._dots(pulls, finding))

    def _dots(self, pulls: Sequence[PullFacts], label: str) -> Markup:
        width, height, left, right, top, bottom = 640, 260, 36, 16, 12, 40
        most = max(10, *(pull["source_lines"] for pull in pulls))
        x = Scale(0, math.log10(1 + most), left + 10, width - right - 44)
        y = Scale(1, 10, height - bottom, top)
        parts = [element("path", class_="grid", d=f"M{left} {y(mark):.1f}H{width - right}") for mark in (1, 4, 7, 10)]
        parts += [text(self.words.number(mark), left - 6, y(mark) + 4, anchor="end") for mark in (1, 4, 7, 10)]
        for power in range(int(math.log10(1 + most)) + 1):
            at = 10**power if power else 0
            parts.append(text(self.words.number(at), x(math.log10(1 + at)), height - 22, anchor="middle"))
        parts.append(text(self.t("chart.sizes.x"), (left + width - right) / 2, height - 5, anchor="middle"))
        for class_, is_high in (("point", False), ("point high", True)):  # highlights are drawn last, on top
            dots = [(x(math.log10(1 + p["source_lines"])), y(p["importance"])) for p in pulls if p["is_highlight"] is is_high]
            parts.append(element("path", class_=class_, d="".join(f"M{at_x:.1f} {at_y:.1f}h0" for at_x, at_y in dots)))
        return svg(width, height, label, [*parts, *self._labels(pulls, x, y, width)])

    def _labels(self, pulls: Sequence[PullFacts], x: Scale, y: Scale, right: float) -> list[Markup]:
        """Numbers beside the most important dots: right of the dot or left of it, wherever no dot and no number stands."""
        dots = [(x(math.log10(1 + pull["source_lines"])), y(pull["importance"])) for pull in pulls]
        taken = [(at_x - 4, at_x + 4, at_y) for at_x, at_y in dots]
        made = []
        for pull, (at_x, at_y) in list(zip(pulls, dots, strict=True))[:LABELS]:
            for start, end, anchor, at in (
                (at_x + 6, at_x + 6 + _LABEL_WIDTH, "start", 7),
                (at_x - 6 - _LABEL_WIDTH, at_x - 6, "end", -7),
            ):
                if end < right and all(
                    end < low or start > high or abs(at_y - other) > _LABEL_HEIGHT for low, high, other in taken
                ):
                    taken.append((start, end, at_y))
                    made.append(text(f"#{pull['number']}", at_x + at, at_y + 4, "label", anchor))
                    break
        return made


def _short(name: str, most: int) -> str:
    """A long path by its end, which tells more than its beginning."""
    return name if len(name) <= most else "…" + name[-(most - 1) :]
