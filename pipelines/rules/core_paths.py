"""Which files are core in a week, by the history before it: those that many different people had to change.

A file that many people change is a place where work meets: a scheduler, a memory pool. So is a list of settings, on
which nothing hangs; such files weigh less, by rules of the table below and by how the file is changed. Whether other
files import it would tell more, but no source is read here; the weights stand in for it.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import pandas as pd

from pipelines.rules import globs
from pipelines.rules.files import kind_of
from pipelines.rules.inputs import HISTORY_WEEKS, FileRow, Frames, PullRow, WeekInputs
from pipelines.rules.people import is_person
from pipelines.rules.rows import frame_of, tuples
from pipelines.settings import RuleSettings

# With fewer weeks than a month, a file that one feature made three people change would look core.
_ENOUGH_WEEKS = 4
# People who changed a core file: at least three (two is a pair of colleagues), and in a large project at least one in
# thirty of those active, so that core stays a small part of the code however many people there are.
_LEAST_PEOPLE = 3
_SHARE_OF_PEOPLE = 1 / 30
# A file that was core the week before stays so until it falls a fifth below the bar: without this, files at the bar would flicker.
_STAYS_AT = 0.8
# Of all source files changed in the history, at most one in twenty is core: a reader can hold no longer list in mind.
_SHARE_OF_FILES = 1 / 20


_Row = dict[str, Any]


@dataclass(frozen=True)
class WeightRule:
    """A row of the table of weights: files whose lower-case path holds ``pattern`` weigh ``weight``."""

    id: str
    weight: float
    pattern: re.Pattern[str]


def _named(name: str, weight: float, *patterns: str) -> WeightRule:
    return WeightRule(name, weight, re.compile("|".join(patterns)))


# Everyone adds a line to these, and nothing breaks elsewhere when one is wrong: half, and a third where it is only listing.
WEIGHT_RULES = (
    _named("package_listing", 0.3, r"(^|/)(__init__\.py|index\.(js|ts)|mod\.rs|lib\.rs|exports?\.\w+|_?version\.\w+)$"),
    _named("registry", 0.4, r"(^|/)[\w-]*(registry|registries|catalog|constants?|enums?|errors?|exceptions?|types|typing)\.\w+$"),
    _named(
        "settings",
        0.5,
        r"(^|/)[\w-]*(settings?|config(s|uration)?|options?|flags?|args|arguments|params|envs?|environ(ment)?)\.\w+$",
    ),
    _named("helpers", 0.6, r"(^|/)[\w-]*(utils?|helpers?|common|misc)\.\w+$", r"(^|/)(utils?|helpers?|common)/"),
)
_SOURCE_WEIGHT = 1.0
_DECIMALS = 4  # of scores and bars, so that a score just at the bar is not lost to binary fractions


@dataclass
class _Touched:
    """Who changed a file in the history, in which pull requests and weeks, and how it was changed last."""

    people: set[str] = field(default_factory=set)
    pulls: set[int] = field(default_factory=set)
    weeks: set[str] = field(default_factory=set)
    last_change: str = ""


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per core file; none where nothing is known or nothing stands out. Its rank goes by its score."""
    del made  # the first step stands on the raw tables alone
    enough = len(inputs.history_weeks) >= _ENOUGH_WEEKS
    touched, people = _history(inputs, with_week=not enough)
    counted = _counted(touched, inputs.settings)
    chosen = _chosen(counted, people, inputs, basis="history" if enough else "breadth")
    ranked = sorted(chosen, key=lambda row: (-row["score"], row["path"]))
    return frame_of(
        "derived_core_paths",
        [row | {"rank": rank, "history_weeks_count": len(inputs.history_weeks)} for rank, row in enumerate(ranked, start=1)],
    )


def _history(inputs: WeekInputs, *, with_week: bool) -> tuple[dict[str, _Touched], int]:
    """Files that people changed in the weeks before (and in this one where those are too few), by newest name; how many people."""
    bots = inputs.bot_logins()
    pulls = [*inputs.past_pulls, *(inputs.pulls if with_week else ())]
    ordered = sorted(
        (pull for pull in pulls if is_person(pull.author_login, pull.author_type, bots)),
        key=lambda pull: (pull.merged_at, pull.number),
    )
    by_number = {pull.number: pull for pull in ordered}
    places = {pull.number: place for place, pull in enumerate(ordered)}
    files = [*inputs.past_files, *(inputs.files if with_week else ())]
    changes = sorted((file for file in files if file.number in places), key=lambda file: (places[file.number], file.path))
    return _touched(changes, by_number), len({by_number[change.number].author_login for change in changes})


def _touched(changes: list[FileRow], pulls: Mapping[int, PullRow]) -> dict[str, _Touched]:
    newest, found = _newest_names(changes), dict[str, _Touched]()
    for change in changes:
        path, pull = newest.get(change.path, change.path), pulls[change.number]
        touched = found.get(path)
        if touched is None:
            touched = found[path] = _Touched()
        touched.people.add(pull.author_login)
        touched.pulls.add(pull.number)
        touched.weeks.add(pull.week)
        touched.last_change = change.change_type
    return found


def _newest_names(changes: list[FileRow]) -> dict[str, str]:
    """The name that each renamed path bears after all renames; ``changes`` is oldest first."""
    newest: dict[str, str] = {}
    for change in reversed(changes):
        old, new = change.previous_path, change.path
        if change.change_type == "renamed" and old is not None and old != new:
            newest[old] = newest.get(new, new)
    return newest


def _counted(touched: Mapping[str, _Touched], settings: RuleSettings) -> list[_Row]:
    """People, pull requests, weeks, weight and score of each changed source file that is still there."""
    found = []
    for path, one in touched.items():
        kind, _ = kind_of(path, settings.test_paths, settings.generated_paths)
        if kind == "source" and one.last_change != "removed":
            weight, rule = _weight(path)
            row = {"path": path, "weight": weight, "weight_rule": rule, "score": round(len(one.people) * weight, _DECIMALS)}
            found.append(row | _counts(one))
    return found


def _counts(touched: _Touched) -> _Row:
    return {
        "people_count": len(touched.people),
        "pull_requests_count": len(touched.pulls),
        "changed_weeks_count": len(touched.weeks),
    }


@lru_cache(maxsize=65_536)
def _weight(path: str) -> tuple[float, str]:
    low = path.lower()
    return next(((rule.weight, rule.id) for rule in WEIGHT_RULES if rule.pattern.search(low)), (_SOURCE_WEIGHT, "source"))


def _chosen(counted: list[_Row], people: int, inputs: WeekInputs, basis: str) -> list[_Row]:
    bar = max(float(_LEAST_PEOPLE), people * _SHARE_OF_PEOPLE)
    stays, last = round(bar * _STAYS_AT, _DECIMALS), _last_core(inputs)
    above = [row for row in counted if row["score"] >= (stays if row["path"] in last else bar)]
    most = math.ceil(len(counted) * _SHARE_OF_FILES)
    kept = sorted(above, key=lambda row: (-row["score"], row["path"]))[:most]
    allowed = [row | {"basis": basis} for row in kept if not globs.holds(inputs.settings.core_paths_forbid, row["path"])]
    return [*allowed, *_configured({row["path"] for row in allowed}, counted, inputs)]


def _last_core(inputs: WeekInputs) -> set[str]:
    last = inputs.history_weeks[-1:]
    return {path for week, path in tuples(inputs.history["derived_core_paths"], "week", "path") if week in last}


def _configured(chosen: set[str], counted: list[_Row], inputs: WeekInputs) -> Iterable[_Row]:
    """The files that the settings add, as far as this week or the weeks before know them."""
    wanted = inputs.settings.core_paths_add
    if not wanted:
        return
    known = {row["path"]: row for row in counted}
    for path in sorted({file.path for file in inputs.files} | known.keys()):
        if path not in chosen and globs.holds(wanted, path):
            row = known.get(path) or {"path": path, **_counts(_Touched())}
            fixed = {"weight": _SOURCE_WEIGHT, "weight_rule": "configured", "basis": "configured"}
            yield row | fixed | {"score": float(row["people_count"])}


def history_note(weeks_count: int) -> str:
    """What a reader should know of the history that core paths stand on."""
    if weeks_count >= HISTORY_WEEKS:
        return ""
    return f"{weeks_count} of {HISTORY_WEEKS} weeks of history" + (
        "" if weeks_count >= _ENOUGH_WEEKS else ": too few, core paths stand on breadth"
    )
