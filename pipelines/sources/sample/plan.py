"""When each change was opened and merged, by whom, and the number it got: the timeline of the sample.

Pull requests and issues share one sequence of numbers, in the order in which they were opened, as on GitHub.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache

from pipelines.errors import SourceError
from pipelines.sources.sample.areas import area_of, people_of
from pipelines.sources.sample.choice import between, draw, oid, pick, weighted
from pipelines.sources.sample.content import Change, changes
from pipelines.weeks import Week

_YEAR = 2026
WEEKS = ("2026-W12", "2026-W13", "2026-W14", "2026-W15", "2026-W16", "2026-W17")

#: Pull requests opened and not merged by the end of the sample. In the empty week everybody was at the offsite
#: and merging was frozen, yet people went on opening them.
_UNMERGED = {"2026-W12": 9, "2026-W13": 11, "2026-W14": 8, "2026-W15": 6, "2026-W16": 12, "2026-W17": 19}
_FIRST_NUMBER = 3807
_DAYS = ((0, 0.19), (1, 0.21), (2, 0.2), (3, 0.2), (4, 0.16), (5, 0.03), (6, 0.01))
_REFERENCE = re.compile(r"#?\{([a-z0-9-]+)\}")
_MEDIAN_OPEN_HOURS = 21.0


@dataclass(frozen=True)
class Planned:
    """A change with its place in time. ``number`` is known once all are in order."""

    change: Change
    author: str
    created: datetime
    merged: datetime
    number: int = 0

    @property
    def merge_oid(self) -> str:
        """The commit it became on its base branch."""
        return oid("merge", self.change.week, self.change.title)


@dataclass(frozen=True)
class Timeline:
    """Everything that has a number, and where each name in the texts points to."""

    pulls: tuple[Planned, ...]
    issues: dict[str, tuple[int, datetime]] = field(default_factory=dict)
    opened: tuple[tuple[int, datetime], ...] = ()
    keys: dict[str, Planned] = field(default_factory=dict)


def references(change: Change) -> list[str]:
    """Keys of other changes that this one names in its texts, in their order."""
    return [key for key in dict.fromkeys(_REFERENCE.findall(change.texts)) if key in _keys()]


@cache
def _keys() -> frozenset[str]:
    return frozenset(change.key for change in changes() if change.key)


@cache
def timeline() -> Timeline:
    """The whole sample in order of opening."""
    merged = {id(c): _merged_at(c) for c in changes()}
    by_key = {c.key: c for c in changes() if c.key}
    planned = []
    for change in changes():
        at = merged[id(change)]
        before = [merged[id(by_key[key])] for key in references(change)]
        planned.append(Planned(change, _author(change), _created_at(change, at, before), at))
    return _numbered(planned)


def _monday(week: int) -> datetime:
    return datetime.combine(Week(_YEAR, week).monday, datetime.min.time(), UTC)


def _merged_at(change: Change) -> datetime:
    if change.merged is not None:
        if change.merged.isocalendar()[:2] != (_YEAR, change.week):
            raise SourceError(
                f"sample change {change.title!r}: merged {change.merged} is not in week {change.week}. Correct the data."
            )
        return change.merged
    key = (change.week, change.title)
    hours = {"morning": between(7, 11, "h", *key), "afternoon": between(12, 16, "h", *key), "evening": between(17, 21, "h", *key)}
    part = weighted((("morning", 0.3), ("afternoon", 0.45), ("evening", 0.25)), "part", *key)
    at = _monday(change.week) + timedelta(
        days=weighted(_DAYS, "day", *key), hours=hours[part], minutes=between(0, 59, "m", *key), seconds=between(0, 59, "s", *key)
    )
    return _clear_of_the_empty_week(at)


def _clear_of_the_empty_week(at: datetime) -> datetime:
    """Holds merges half a day away from the empty week, so that it is empty in every time zone."""
    start, end = _monday(15) - timedelta(hours=14), _monday(16) + timedelta(hours=14)
    if start <= at < end:
        return at - timedelta(days=2) if at < _monday(15) else at + timedelta(days=1)
    return at


def _created_at(change: Change, merged: datetime, named: list[datetime]) -> datetime:
    if change.open_hours is not None:
        return merged - timedelta(hours=change.open_hours)
    key = (change.week, change.title)
    # Twelve draws make a bell; its exponential is the long tail that times to merge have.
    bell = sum(draw("open", i, *key) for i in range(12)) - 6.0
    size = 0.6 + min(1.6, change.lines / 350)
    created = merged - timedelta(seconds=round(3600 * max(0.4, _MEDIAN_OPEN_HOURS * size * math.exp(1.1 * bell))))
    # What names an earlier change was opened after that one was merged.
    earlier = [at for at in named if at < merged]
    if earlier and created <= max(earlier):
        span = (merged - max(earlier)).total_seconds()
        created = merged - timedelta(seconds=round(span * (0.3 + 0.5 * draw("after", *key))))
    return created


def _author(change: Change) -> str:
    return change.by or pick(people_of(area_of(change)), "author", change.week, change.title)


def _numbered(planned: list[Planned]) -> Timeline:
    issues: dict[str, datetime] = {}
    for plan in sorted(planned, key=lambda p: p.created):
        for title in plan.change.closes:
            issues.setdefault(title, _issue_opened(title, plan.created))
    entries: list[tuple[datetime, str, Planned | None]] = [(p.created, p.change.title, p) for p in planned]
    entries += [(at, title, None) for title, at in issues.items()]
    entries += [(at, "", None) for at in _unmerged()]
    pulls: list[Planned] = []
    opened: list[tuple[int, datetime]] = []
    found: dict[str, tuple[int, datetime]] = {}
    number = _FIRST_NUMBER
    for at, title, entry in sorted(entries, key=lambda e: (e[0], e[1])):
        number += between(1, 3, "gap", at.isoformat(), title)  # issues and discussions that nothing here names
        if entry is not None:
            pulls.append(replace(entry, number=number))
        if entry is None and title:
            found[title] = (number, at)
        else:
            opened.append((number, at))
    return Timeline(tuple(pulls), found, tuple(opened), {p.change.key: p for p in pulls if p.change.key})


def _issue_opened(title: str, before: datetime) -> datetime:
    return before - timedelta(minutes=between(90, 20 * 24 * 60, "issue", title))


def _unmerged() -> Iterator[datetime]:
    for week, count in _UNMERGED.items():
        for index in range(count):
            yield _monday(int(week[-2:])) + timedelta(minutes=between(300, 6 * 24 * 60, "unmerged", week, index))
