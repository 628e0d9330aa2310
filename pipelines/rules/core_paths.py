"""Which files are core in a week, by the history before it: those that many different people had to change.

A file that many people change is a place where work meets: a scheduler, a memory pool. So is a list of settings, on
which nothing hangs; such files weigh less, by rules of the table below. Where diffs were read, a file that many others
import weighs in full, whatever its name (``imports.py``).
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import pandas as pd

from pipelines.rules import globs
from pipelines.rules.files import kind_of
from pipelines.rules.imports import importers
from pipelines.rules.inputs import HISTORY_WEEKS, FileColumns, Frames, PullRow, WeekInputs
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
# With five files importing it, something hangs on a settings file or registry after all: a wrong line breaks them too.
_MANY_IMPORTERS = 5
_DECIMALS = 4  # of scores and bars, so that a score just at the bar is not lost to binary fractions


@dataclass
class _Touched:
    """By path: how it was changed last, and how many people, pull requests and weeks changed it."""

    last_changes: dict[str, str]
    people: Counter[str]
    pulls: Counter[str]
    weeks: Counter[str]


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per core file; none where nothing is known or nothing stands out. Its rank goes by its score."""
    del made  # the first step stands on the raw tables alone
    enough = len(inputs.history_weeks) >= _ENOUGH_WEEKS
    touched, people = _history(inputs, with_week=not enough)
    diffs = tuples(inputs.history["raw_files"], "path", "patch")
    counted = _counted(touched, importers(diffs, touched.last_changes))
    chosen = _chosen(counted, people, inputs, basis="history" if enough else "breadth")
    ranked = sorted(chosen, key=lambda row: (-row["score"], row["path"]))
    return frame_of(
        "derived_core_paths",
        [row | {"rank": rank, "history_weeks_count": len(inputs.history_weeks)} for rank, row in enumerate(ranked, start=1)],
    )


def _history(inputs: WeekInputs, *, with_week: bool) -> tuple[_Touched, int]:
    """Files that people changed in the weeks before (and in this one where those are too few), by newest name; how many people."""
    bots = inputs.bot_logins()
    pulls = [*inputs.past_pulls, *(inputs.pulls if with_week else ())]
    people = [pull for pull in pulls if is_person(pull.author_login, pull.author_type, bots)]
    people.sort(key=lambda pull: (pull.merged_at, pull.number))
    last = {pull.number: place for place, pull in enumerate(people)}
    files = inputs.past_files.joined(inputs.files) if with_week else inputs.past_files
    places = [last.get(number, -1) for number in files.numbers]
    order = sorted((row for row, place in enumerate(places) if place >= 0), key=_in_order(files).__getitem__)
    order.sort(key=places.__getitem__)
    changed = {people[place].author_login for place in set(places) if place >= 0}
    return _touched(_sources(files, order, inputs.settings), files, places, people), len(changed)


def _in_order(files: FileColumns) -> list[Any]:
    """Keys by which rows of one pull request stand by path; stored files do already, and sorting them anew takes longest."""
    pairs = pairwise(zip(files.numbers, files.paths, strict=True))
    is_sorted = all(number != after or path <= later for (number, path), (after, later) in pairs)
    return list(range(len(files.paths))) if is_sorted else files.paths


def _sources(files: FileColumns, order: list[int], settings: RuleSettings) -> dict[int, str]:
    """Rows of source files, oldest first, each with the newest name of its path."""
    newest, is_source = _newest_names(files, order), dict[str, bool]()
    found: dict[int, str] = {}
    for row in order:
        path = files.paths[row]
        path = newest.get(path, path)
        if path not in is_source:
            is_source[path] = kind_of(path, settings.test_paths, settings.generated_paths)[0] == "source"
        if is_source[path]:
            found[row] = path
    return found


def _touched(sources: Mapping[int, str], files: FileColumns, places: list[int], people: list[PullRow]) -> _Touched:
    """What the rows of files, oldest first, say of each path; pairs are numbers, for objects would take longer."""
    codes, many = dict[str, int](), len(people)
    authors, weeks = _coded([pull.author_login for pull in people]), _coded([pull.week for pull in people])
    last: dict[str, str] = {}
    by_author, by_pull, by_week = set[int](), set[int](), set[int]()
    for row, path in sources.items():
        place, code = places[row], codes.setdefault(path, len(codes)) * many
        last[path] = files.change_types[row]
        by_author.add(code + authors[place])
        by_pull.add(code + place)
        by_week.add(code + weeks[place])
    names = list(codes)
    return _Touched(last, *(Counter(names[pair // many] for pair in pairs) for pairs in (by_author, by_pull, by_week)))


def _coded(texts: list[str]) -> list[int]:
    """A number for each text, equal for equal ones."""
    codes: dict[str, int] = {}
    return [codes.setdefault(text, len(codes)) for text in texts]


def _newest_names(files: FileColumns, order: list[int]) -> dict[str, str]:
    """The name that each renamed path bears after all renames; ``order`` is oldest first."""
    newest: dict[str, str] = {}
    for row in reversed(order):
        old, new = files.previous_paths[row], files.paths[row]
        if old is not None and old != new and files.change_types[row] == "renamed":
            newest[old] = newest.get(new, new)
    return newest


def _counted(touched: _Touched, importing: dict[str, int] | None) -> list[_Row]:
    """People, pull requests, weeks, weight and score of each changed source file that is still there."""
    found = []
    for path, last_change in touched.last_changes.items():
        if last_change != "removed":
            imported = None if importing is None else importing.get(path, 0)
            weight, rule = _weight(path) if (imported or 0) < _MANY_IMPORTERS else (_SOURCE_WEIGHT, "imported_by_many")
            people = touched.people[path]
            row = {"path": path, "weight": weight, "weight_rule": rule, "score": round(people * weight, _DECIMALS)}
            found.append(row | _counts(people, touched.pulls[path], touched.weeks[path], imported))
    return found


def _counts(people: int, pulls: int, weeks: int, imported: int | None) -> _Row:
    counts = {"people_count": people, "pull_requests_count": pulls, "changed_weeks_count": weeks}
    return {**counts, "importers_count": imported}


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
    for path in sorted(known.keys() | set(inputs.files.paths)):
        if path not in chosen and globs.holds(wanted, path):
            row = known.get(path) or {"path": path, **_counts(0, 0, 0, None)}
            fixed = {"weight": _SOURCE_WEIGHT, "weight_rule": "configured", "basis": "configured"}
            yield row | fixed | {"score": float(row["people_count"])}


def history_note(weeks_count: int) -> str:
    """What a reader should know of the history that core paths stand on."""
    if weeks_count >= HISTORY_WEEKS:
        return ""
    return f"{weeks_count} of {HISTORY_WEEKS} weeks of history" + (
        "" if weeks_count >= _ENOUGH_WEEKS else ": too few, core paths stand on breadth"
    )
