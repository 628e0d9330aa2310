"""Themes and modules of this week against the weeks before: medians, quartiles, a direction, and who moved them.

A direction needs three things at once, so that it is neither noise nor the size of the week: the count lies outside the
middle half of the weeks before, by at least ``LEAST_CHANGE`` pull requests, and its share has moved too (``z_score``).
Weeks that are not stored are unknown and stand in no median. A rising term was not a theme before it rose; there its
earlier weeks count the titles that said it, so that it is not taken for new.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pipelines.rules.emerging import LEAST_HISTORY_WEEKS, log_odds, terms_of
from pipelines.rules.inputs import WeekInputs
from pipelines.rules.rows import Frames, frame_of, tuples
from pipelines.weeks import parse_week

#: Pull requests a count must differ from the median by: one more or less is no direction, however small the theme.
LEAST_CHANGE = 2.0
#: Standard deviations the share must have moved: one is weak by itself, but counts and quartiles must agree with it.
LEAST_Z = 1.0
#: Pull requests that make a theme new: the first one alone may be the last.
LEAST_NEW = 2
_FEW_WEEKS, _LEAST_FEW = 4, 2
_MOST_MOVERS = 5


#: Counts of each stored week before, oldest first, by name.
Before = dict[str, list[int]]


@dataclass(frozen=True)
class Counted:
    """Pull requests by name: first ones and mentions of this week, and first ones of each stored week before."""

    dimension: str
    now: Mapping[str, int]
    mentions: Mapping[str, int]
    before: Before
    emerging: frozenset[str]
    movers: dict[str, list[int]]


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per theme or module of this week or the twelve before."""
    merged_before = sum(pull.week in inputs.history_weeks for pull in inputs.past_pulls)
    both = (_themes(inputs, made), _modules(inputs, made))
    return frame_of("derived_theme_trends", (row for counted in both for row in _rows(counted, inputs, merged_before)))


def _themes(inputs: WeekInputs, made: Frames) -> Counted:
    themes = list(tuples(made, "derived_themes", "theme", "number", "is_primary", "is_emerging"))
    past = list(inputs.past("derived_themes", "theme", "week", "is_primary", "is_emerging"))
    emerging = frozenset(name for name, *_, rises in (*themes, *past) if rises)
    before = _crossed([(name, week) for name, week, first, _ in past if first], inputs)
    stood = {(name, week) for name, week, _, rises in past if rises}
    before = _crossed(_said_before(inputs, emerging, stood), inputs, before)
    first = Counter(name for name, _, is_first, _ in themes if is_first)
    movers = _movers(((not is_first, number, name) for name, number, is_first, _ in themes), made)
    return Counted("theme", first, Counter(name for name, *_ in themes), before, emerging, movers)


def _said_before(inputs: WeekInputs, emerging: frozenset[str], stood: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Name and week of each pull request whose title said a rising term in a week in which it was no theme yet."""
    keys = {key.replace("-", " "): key for key in emerging}
    rising = frozenset(keys)
    for pull in inputs.past_pulls:
        for term in terms_of(pull.title) & rising:
            if (keys[term], pull.week) not in stood:
                yield keys[term], pull.week


def _modules(inputs: WeekInputs, made: Frames) -> Counted:
    pulls = list(tuples(made, "derived_pull_requests", "number", "primary_module", "modules"))
    past = inputs.past("derived_pull_requests", "primary_module", "week")
    before = _crossed((row for row in past if row[0]), inputs)
    first = Counter(module for _, module, _ in pulls if module)
    mentions = Counter(module for *_, modules in pulls for module in modules)
    movers = _movers(((False, number, module) for number, module, _ in pulls if module), made)
    return Counted("module", first, mentions, before, frozenset(), movers)


def _crossed(pairs: Iterable[tuple[Any, ...]], inputs: WeekInputs, more: Before | None = None) -> Before:
    """Count pairs of name and week for each stored week, on top of what is counted already."""
    places = {week: place for place, week in enumerate(inputs.history_weeks)}
    counts = {name: list(listed) for name, listed in (more or {}).items()}
    for (name, week), count in Counter(pairs).items():
        if week in places:
            counts.setdefault(name, [0] * len(places))[places[week]] += count
    return counts


def _movers(rows: Iterable[tuple[bool, int, str]], made: Frames) -> dict[str, list[int]]:
    """List the pull requests of each name: those first under it, most important first."""
    ranks = dict(tuples(made, "derived_importance", "number", "rank"))
    listed = sorted((later, ranks.get(number, len(ranks) + 1), number, name) for later, number, name in rows)
    movers: dict[str, list[int]] = {}
    for _, _, number, name in listed:
        movers.setdefault(name, []).append(number)
    return {name: numbers[:_MOST_MOVERS] for name, numbers in movers.items()}


def _rows(counted: Counted, inputs: WeekInputs, merged_before: int) -> Iterator[dict[str, object]]:
    weeks, merged = list(inputs.history_weeks), len(inputs.pulls)
    names = sorted({*counted.now, *counted.mentions, *counted.before})
    none = [0] * len(weeks)
    past = np.array([counted.before.get(name, none) for name in names], dtype="int64").reshape(len(names), len(weeks))
    is_known = len(weeks) >= LEAST_HISTORY_WEEKS
    recent = _last_weeks(inputs.week, weeks)
    few = np.median(past[:, recent], axis=1).tolist() if len(recent) >= _LEAST_FEW else [None] * len(names)
    quartiles = np.quantile(past, [0.25, 0.5, 0.75], axis=1).T.tolist() if is_known else [[None] * 3] * len(names)
    last = weeks.index(week) if (week := str(parse_week(inputs.week).shift(-1))) in weeks else None
    for name, before, median_few, (low, middle, high) in zip(names, past.tolist(), few, quartiles, strict=True):
        count = counted.now.get(name, 0)
        z = log_odds(count, merged, sum(before), merged_before) if is_known and merged else None
        yield {
            "dimension": counted.dimension,
            "name": name,
            "pull_requests_count": count,
            "mentions_count": max(count, counted.mentions.get(name, 0)),
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
