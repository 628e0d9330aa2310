"""Themes and modules of this week against the weeks before: medians, quartiles, a direction, and who moved them.

A direction needs three things at once, so that it is neither noise nor the size of the week: the count lies outside the
middle half of the weeks before, by at least ``LEAST_CHANGE`` pull requests, and its share has moved too (``z_score``).
Weeks that are not stored are unknown and stand in no median. A rising term was not a theme before it rose; there its
earlier weeks count the titles that said it, so that it is not taken for new.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pipelines.rules.emerging import LEAST_HISTORY_WEEKS, log_odds, terms_of
from pipelines.rules.inputs import Frames, WeekInputs
from pipelines.tables import TABLES, conform, to_frame
from pipelines.weeks import parse_week

#: Pull requests a count must differ from the median by: one more or less is no direction, however small the theme.
LEAST_CHANGE = 2.0
#: Standard deviations the share must have moved: one is weak by itself, but counts and quartiles must agree with it.
LEAST_Z = 1.0
#: Pull requests that make a theme new: the first one alone may be the last.
LEAST_NEW = 2
_FEW_WEEKS, _LEAST_FEW = 4, 2
_MOST_MOVERS = 5


@dataclass(frozen=True)
class Counted:
    """Pull requests by name: first ones and mentions of this week, and first ones of each stored week before."""

    dimension: str
    now: "pd.Series[int]"
    mentions: "pd.Series[int]"
    before: pd.DataFrame
    emerging: frozenset[str]
    movers: dict[str, list[int]]


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per theme or module of this week or the twelve before."""
    totals = _totals(inputs)
    rows = [row for counted in (_themes(inputs, made), _modules(inputs, made)) for row in _rows(counted, inputs, totals)]
    frame = pd.DataFrame(rows, columns=[column.name for column in TABLES["derived_theme_trends"].columns])
    return to_frame(conform(TABLES["derived_theme_trends"], frame, f"{inputs.repo} {inputs.week}"))


def _totals(inputs: WeekInputs) -> "pd.Series[int]":
    """Count the pull requests of each stored week before, 0 for one in which nothing was merged."""
    past = inputs.history.get("raw_pull_requests")
    counts = past["week"].value_counts() if past is not None else pd.Series(dtype="int64")
    return counts.reindex(list(inputs.history_weeks), fill_value=0).astype("int64")


def _themes(inputs: WeekInputs, made: Frames) -> Counted:
    themes, past = made["derived_themes"], inputs.history.get("derived_themes")
    first = themes[themes["is_primary"]]
    emerging = frozenset(themes.loc[themes["is_emerging"], "theme"])
    before = _crossed([], [], inputs)
    if past is not None and len(past):
        emerging |= frozenset(past.loc[past["is_emerging"], "theme"])
        firsts = past[past["is_primary"]]
        before = _with_titles(_crossed(firsts["theme"].tolist(), firsts["week"].tolist(), inputs), emerging, past, inputs)
    movers = _movers(themes, "theme", made)
    return Counted("theme", first["theme"].value_counts(), themes["theme"].value_counts(), before, emerging, movers)


def _with_titles(before: pd.DataFrame, emerging: frozenset[str], past: pd.DataFrame, inputs: WeekInputs) -> pd.DataFrame:
    """Fill the weeks in which a rising term was no theme yet with the pull requests whose titles said it."""
    pulls = inputs.history["raw_pull_requests"]
    themes = past[past["is_emerging"]]
    stood = set(zip(themes["theme"].tolist(), themes["week"].tolist(), strict=True))
    keys = {key.replace("-", " "): key for key in emerging}
    said = [
        (keys[term], week)
        for title, week in zip(pulls["title"].tolist(), pulls["week"].tolist(), strict=True)
        for term in terms_of(title) & keys.keys()
        if (keys[term], week) not in stood
    ]
    if not said:
        return before
    extra = _crossed([name for name, _ in said], [week for _, week in said], inputs)
    return before.add(extra, fill_value=0).fillna(0).astype("int64")


def _modules(inputs: WeekInputs, made: Frames) -> Counted:
    pulls, past = made["derived_pull_requests"], inputs.history.get("derived_pull_requests")
    first = pulls.loc[pulls["primary_module"] != "", ["number", "primary_module"]]
    mentions = pulls["modules"].explode().dropna().value_counts()
    before = _crossed([], [], inputs)
    if past is not None and len(past):
        known = past[past["primary_module"] != ""]
        before = _crossed(known["primary_module"].tolist(), known["week"].tolist(), inputs)
    movers = _movers(first, "primary_module", made)
    return Counted("module", first["primary_module"].value_counts(), mentions, before, frozenset(), movers)


def _crossed(names: Iterable[str], weeks: Iterable[str], inputs: WeekInputs) -> pd.DataFrame:
    """Count names (rows) in each stored week (columns, oldest first)."""
    counts: dict[str, list[int]] = {}
    places = {week: place for place, week in enumerate(inputs.history_weeks)}
    for name, week in zip(names, weeks, strict=True):
        if week in places:
            counts.setdefault(name, [0] * len(places))[places[week]] += 1
    return pd.DataFrame.from_dict(counts, orient="index", columns=list(inputs.history_weeks), dtype="int64")


def _movers(rows: pd.DataFrame, column: str, made: Frames) -> dict[str, list[int]]:
    """List the pull requests of each name: those first under it, most important first."""
    importance = made["derived_importance"]
    ranks = dict(zip(importance["number"].tolist(), importance["rank"].tolist(), strict=True))
    is_first = rows["is_primary"].tolist() if "is_primary" in rows else [True] * len(rows)
    listed = sorted(
        (not first, ranks.get(number, len(ranks) + 1), number, name)
        for first, number, name in zip(is_first, rows["number"].tolist(), rows[column].tolist(), strict=True)
    )
    movers: dict[str, list[int]] = {}
    for _, _, number, name in listed:
        movers.setdefault(name, []).append(number)
    return {name: numbers[:_MOST_MOVERS] for name, numbers in movers.items()}


def _rows(counted: Counted, inputs: WeekInputs, totals: "pd.Series[int]") -> Iterable[dict[str, object]]:
    weeks = list(inputs.history_weeks)
    merged, merged_before = len(inputs.raw["raw_pull_requests"]), int(totals.sum())
    names = sorted({*counted.now.index, *counted.mentions.index, *counted.before.index})
    past = counted.before.reindex(names, fill_value=0).to_numpy(dtype="int64").reshape(len(names), len(weeks))
    now, mentions = counted.now.to_dict(), counted.mentions.to_dict()
    is_known = len(weeks) >= LEAST_HISTORY_WEEKS
    recent = _last_weeks(inputs.week, weeks)
    few = np.median(past[:, recent], axis=1).tolist() if len(recent) >= _LEAST_FEW else [None] * len(names)
    quartiles = np.quantile(past, [0.25, 0.5, 0.75], axis=1).T.tolist() if is_known else [[None] * 3] * len(names)
    last = weeks.index(week) if (week := str(parse_week(inputs.week).shift(-1))) in weeks else None
    for name, before, median_few, (low, middle, high) in zip(names, past.tolist(), few, quartiles, strict=True):
        count = int(now.get(name, 0))
        z = log_odds(count, merged, sum(before), merged_before) if is_known and merged else None
        yield {
            "dimension": counted.dimension,
            "name": name,
            "pull_requests_count": count,
            "mentions_count": max(count, int(mentions.get(name, 0))),
            "share": count / merged if merged else 0.0,
            "last_week_count": before[last] if last is not None else None,
            "median_4_weeks_count": median_few,
            "median_12_weeks_count": middle,
            "quartile_1_count": low,
            "quartile_3_count": high,
            "change_count": count - median_few if median_few is not None else None,
            "direction": direction(count, before, (low, middle, high), z),
            "z_score": z,
            "is_emerging": name in counted.emerging,
            "history_weeks": weeks,
            "history_counts": before,
            "movers": counted.movers.get(name, []),
        }


def direction(count: int, before: list[int], quartiles: tuple[float, float, float], z_score: float | None) -> str:
    """Tell rising, steady, falling, new or unknown from a week's count, the stored weeks' and how far the share moved."""
    if len(before) < LEAST_HISTORY_WEEKS:
        return "unknown"
    if sum(before) == 0:
        return "new" if count >= LEAST_NEW else "steady"
    low, middle, high = quartiles
    moved = z_score if z_score is not None else 0.0
    if count > high and count - middle >= LEAST_CHANGE and moved >= LEAST_Z:
        return "rising"
    if count < low and middle - count >= LEAST_CHANGE and moved <= -LEAST_Z:
        return "falling"
    return "steady"


def _last_weeks(week: str, stored: list[str]) -> list[int]:
    """Find the places of the stored ones of the four weeks before."""
    wanted = {str(parse_week(week).shift(-back)) for back in range(1, _FEW_WEEKS + 1)}
    return [place for place, name in enumerate(stored) if name in wanted]
