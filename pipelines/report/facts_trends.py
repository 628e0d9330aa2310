"""Tiles, flow, themes and modules: this week beside the weeks before, all from stored rows and medians of them."""

from collections.abc import Iterable
from statistics import median
from typing import Any, Literal

from pipelines.report.facts_rows import Row, WeekRows
from pipelines.report.facts_titles import titles_of
from pipelines.report.model import FlowFacts, SpanFacts, ThemeFacts, Tile
from pipelines.weeks import HISTORY_WEEKS

_TILE_COUNT = 5
#: A month before: what readers mean by "lately". Fewer than two stored weeks give no comparator, as in the trends.
_LATELY_WEEKS = 4
_FEWEST_FOR_MEDIAN = 2
#: Columns of derived_week in the order in which they are offered a tile; one whose value is not known gives way.
_TILES: tuple[tuple[str, str, Literal["up", "down", "neutral"]], ...] = (
    ("merged_count", "pull_requests", "neutral"),
    ("merge_hours_median", "hours", "down"),
    ("first_review_hours_median", "hours", "down"),
    ("without_tests_count", "pull_requests", "down"),
    ("with_open_threads_count", "pull_requests", "down"),
    ("core_changes_count", "pull_requests", "neutral"),
    ("authors_count", "people", "neutral"),
    ("reverts_count", "pull_requests", "down"),
)


def tile_facts(rows: WeekRows) -> list[Tile]:
    """Five numbers of the week, each with the 13 weeks up to it; of an empty week those that are still known."""
    known = [tile for tile in _TILES if rows.counts[tile[0]] is not None]
    return [_tile(rows, *tile) for tile in known[:_TILE_COUNT]]


def _tile(rows: WeekRows, key: str, unit: str, good: Literal["up", "down", "neutral"]) -> Tile:
    weeks, value = rows.weeks(HISTORY_WEEKS + 1), rows.counts[key]
    comparator = usual_of(rows, key, _LATELY_WEEKS)
    return {
        "key": key,
        "value": value,
        "unit": unit,
        "comparator": comparator,
        "change": None if comparator is None else value - comparator,
        "good": good,
        "weeks": weeks,
        "series": [*(_past_value(rows, week, key) for week in weeks[:-1]), value],
    }


def _past_value(rows: WeekRows, week: str, key: str) -> Any:
    return rows.history[week]["derived_week"][0][key] if week in rows.history else None


def usual_of(rows: WeekRows, key: str, weeks: int) -> float | None:
    """Median of a column of derived_week over the stored ones of so many weeks before; None with fewer than two."""
    past = (week_rows[0][key] for week_rows in rows.past("derived_week", weeks).values())
    return median_of(value for value in past if value is not None)


def median_of(values: Iterable[float]) -> float | None:
    """The median; None of fewer than two values."""
    known = sorted(values)
    return float(median(known)) if len(known) >= _FEWEST_FOR_MEDIAN else None


def flow_facts(rows: WeekRows) -> FlowFacts:
    """How long things took, bots apart: n, median, quartiles, and the usual median of the 12 weeks before."""
    counts = rows.counts
    return {
        "merge_hours": _span(rows, "merge_hours"),
        "first_review_hours": _span(rows, "first_review_hours"),
        "approval_hours": _span(rows, "approval_hours"),
        "reviews_per_reviewer_median": counts["reviews_per_reviewer_median"],
        "reviews_per_reviewer_max": counts["reviews_per_reviewer_max"],
    }


def _span(rows: WeekRows, name: str) -> SpanFacts:
    counts = rows.counts
    return {
        "n": counts[f"{name}_n"],
        "median": counts[f"{name}_median"],
        "quartile_1": counts[f"{name}_quartile_1"],
        "quartile_3": counts[f"{name}_quartile_3"],
        "usual": usual_of(rows, f"{name}_median", HISTORY_WEEKS),
    }


def theme_facts(rows: WeekRows, dimension: Literal["theme", "module"]) -> list[ThemeFacts]:
    """Themes or modules that count this week, largest first, then those that usually do and do not this week."""
    kept = [row for row in rows["derived_theme_trends"] if row["dimension"] == dimension and _is_telling(row)]
    return [_theme(rows, row) for row in sorted(kept, key=_trend_order)]


def _is_telling(row: Row) -> bool:
    is_named = row["is_emerging"] and row["mentions_count"] > 0
    return is_named or row["pull_requests_count"] > 0 or (row["median_4_weeks_count"] or 0) >= 1


def _trend_order(row: Row) -> tuple[int, float, str]:
    return (-row["pull_requests_count"], -(row["median_4_weeks_count"] or 0), row["name"])


def _theme(rows: WeekRows, row: Row) -> ThemeFacts:
    weeks = rows.weeks(HISTORY_WEEKS + 1)
    past = dict(zip(row["history_weeks"], row["history_counts"], strict=True))
    return {
        "dimension": row["dimension"],
        "key": row["name"],
        "title": titles_of(rows, row["name"]) if row["dimension"] == "theme" else {},
        "count": row["pull_requests_count"],
        "mentions": row["mentions_count"],
        "share": row["share"],
        "last_week": row["last_week_count"],
        "median_4": row["median_4_weeks_count"],
        "median_12": row["median_12_weeks_count"],
        "quartile_1": row["quartile_1_count"],
        "quartile_3": row["quartile_3_count"],
        "change": row["change_count"],
        "direction": row["direction"],
        "z_score": row["z_score"],
        "is_emerging": row["is_emerging"],
        "weeks": weeks,
        "series": [*(past.get(week) for week in weeks[:-1]), row["pull_requests_count"]],
        "movers": row["movers"],
    }
