"""Which files are core in a week, by the history before it: those that many different people had to change.

A file that many people change is a place where work meets: a scheduler, a memory pool. So is a list of settings, on
which nothing hangs; such files weigh less, by rules of the table below. Where diffs were read, a file that many others
import weighs in full, whatever its name (``imports.py``).
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import pandas as pd

from pipelines.rules import globs
from pipelines.rules.files import kind_of
from pipelines.rules.imports import importers
from pipelines.rules.inputs import FileColumns, Frames, PullRow, WeekInputs
from pipelines.rules.people import is_person
from pipelines.rules.rows import frame_of
from pipelines.weeks import HISTORY_WEEKS

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


class _Seen(NamedTuple):
    """How many people, pull requests and weeks changed a path, and how many files import it where that is known."""

    people: int
    pulls: int
    weeks: int
    importers: int | None = None


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per core file; none where nothing is known or nothing stands out. Its rank goes by its score."""
    del made  # the first step stands on the raw tables alone
    enough = len(inputs.history_weeks) >= _ENOUGH_WEEKS
    seen, people = _history(inputs, with_week=not enough)
    chosen = _chosen(seen, people, inputs, basis="history" if enough else "breadth")
    ranked = sorted(chosen, key=lambda row: (-row["score"], row["path"]))
    return frame_of(
        "derived_core_paths",
        [row | {"rank": rank, "history_weeks_count": len(inputs.history_weeks)} for rank, row in enumerate(ranked, start=1)],
    )


def _history(inputs: WeekInputs, *, with_week: bool) -> tuple[dict[str, _Seen], int]:
    """Files that people changed in the weeks before (and in this one where those are too few), by newest name; how many people."""
    bots = inputs.bot_logins()
    pulls = [*inputs.past_pulls, *(inputs.pulls if with_week else ())]
    people = [pull for pull in pulls if is_person(pull.author_login, pull.author_type, bots)]
    people.sort(key=lambda pull: (pull.merged_at, pull.number))
    files = inputs.past_files.joined(inputs.files) if with_week else inputs.past_files
    rows, places = _rows_of(people, files)
    changed = {people[place].author_login for place in set(places)}
    return _seen(_sources(files, rows, places, inputs), people, inputs), len(changed)


def _rows_of(people: list[PullRow], files: FileColumns) -> tuple[list[int], list[int]]:
    """Rows of files of these pull requests, oldest first and by path, and beside each the place of its pull request.

    Of a number that occurs twice the later merge stands.
    """
    by_number: dict[int, list[int]] = {pull.number: [] for pull in people}
    for row, number in enumerate(files.numbers):
        if number in by_number:
            by_number[number].append(row)
    last = {pull.number: place for place, pull in enumerate(people)}
    rows: list[int] = []
    places: list[int] = []
    for place, pull in enumerate(people):
        own = by_number[pull.number]
        if own and last[pull.number] == place:
            rows += sorted(own, key=files.paths.__getitem__)
            places += [place] * len(own)
    return rows, places


def _sources(files: FileColumns, rows: list[int], places: list[int], inputs: WeekInputs) -> dict[str, list[int]]:
    """Who changed each source file that is still there, as places, oldest first; each under the newest name of its path."""
    paths, tests, generated = files.paths, inputs.settings.test_paths, inputs.settings.generated_paths
    newest, found, last = _newest_names(files, rows), dict[str, list[int]](), dict[str, int]()
    for row, place in zip(rows, places, strict=True):
        path = newest.get(paths[row], paths[row]) if newest else paths[row]
        found.setdefault(path, []).append(place)
        last[path] = row
    return {
        path: touched
        for path, touched in found.items()
        if files.change_types[last[path]] != "removed" and kind_of(path, tests, generated)[0] == "source"
    }


def _newest_names(files: FileColumns, rows: list[int]) -> dict[str, str]:
    """The name that each renamed path bears after all renames; ``rows`` are oldest first."""
    newest: dict[str, str] = {}
    moved = [row for row in rows if files.previous_paths[row] is not None]
    for row in reversed(moved):
        old, new = files.previous_paths[row], files.paths[row]
        if old is not None and old != new and files.change_types[row] == "renamed":
            newest[old] = newest.get(new, new)
    return newest


def _seen(sources: Mapping[str, list[int]], people: list[PullRow], inputs: WeekInputs) -> dict[str, _Seen]:
    """How many people, pull requests and weeks changed each path, given the places of those who did."""
    authors, weeks = [pull.author_login for pull in people], [pull.week for pull in people]
    importing = importers(inputs.past("raw_files", "path", "patch"), sources)
    once, found = _Seen(1, 1, 1, None if importing is None else 0), dict[str, _Seen]()
    for path, touched in sources.items():
        imported = importing.get(path, 0) if importing is not None else None
        if len(touched) == 1 and not imported:
            found[path] = once  # most files are changed by one pull request alone
            continue
        by = set(touched)
        found[path] = _Seen(len({authors[place] for place in by}), len(by), len({weeks[place] for place in by}), imported)
    return found


def _row(path: str, seen: _Seen) -> _Row:
    weight, rule = _weight(path) if (seen.importers or 0) < _MANY_IMPORTERS else (_SOURCE_WEIGHT, "imported_by_many")
    score = round(seen.people * weight, _DECIMALS)
    return {"path": path, "weight": weight, "weight_rule": rule, "score": score, **_counts(seen)}


def _counts(seen: _Seen) -> _Row:
    return {
        "people_count": seen.people,
        "pull_requests_count": seen.pulls,
        "changed_weeks_count": seen.weeks,
        "importers_count": seen.importers,
    }


@lru_cache(maxsize=65_536)
def _weight(path: str) -> tuple[float, str]:
    low = path.lower()
    return next(((rule.weight, rule.id) for rule in WEIGHT_RULES if rule.pattern.search(low)), (_SOURCE_WEIGHT, "source"))


def _chosen(seen: Mapping[str, _Seen], people: int, inputs: WeekInputs, basis: str) -> list[_Row]:
    bar = max(float(_LEAST_PEOPLE), people * _SHARE_OF_PEOPLE)
    stays, last = round(bar * _STAYS_AT, _DECIMALS), _last_core(inputs)
    # No file weighs more than source, so whatever fewer people changed is below every bar.
    counted = [_row(path, one) for path, one in seen.items() if one.people * _SOURCE_WEIGHT >= stays]
    above = [row for row in counted if row["score"] >= (stays if row["path"] in last else bar)]
    most = math.ceil(len(seen) * _SHARE_OF_FILES)
    kept = sorted(above, key=lambda row: (-row["score"], row["path"]))[:most]
    allowed = [row | {"basis": basis} for row in kept if not globs.holds(inputs.settings.core_paths_forbid, row["path"])]
    return [*allowed, *_configured({row["path"] for row in allowed}, seen, inputs)]


def _last_core(inputs: WeekInputs) -> set[str]:
    last = inputs.history_weeks[-1:]
    return {path for week, path in inputs.past("derived_core_paths", "week", "path") if week in last}


def _configured(chosen: set[str], seen: Mapping[str, _Seen], inputs: WeekInputs) -> Iterable[_Row]:
    """The files that the settings add, as far as this week or the weeks before know them."""
    wanted = inputs.settings.core_paths_add
    if not wanted:
        return
    fixed = {"weight": _SOURCE_WEIGHT, "weight_rule": "configured", "basis": "configured"}
    for path in sorted(seen.keys() | set(inputs.files.paths)):
        if path not in chosen and globs.holds(wanted, path):
            counts = _counts(seen.get(path, _Seen(0, 0, 0)))
            yield {"path": path, **counts, **fixed, "score": float(counts["people_count"])}


def history_note(weeks_count: int) -> str:
    """What a reader should know of the history that core paths stand on."""
    if weeks_count >= HISTORY_WEEKS:
        return ""
    return f"{weeks_count} of {HISTORY_WEEKS} weeks of history" + (
        "" if weeks_count >= _ENOUGH_WEEKS else ": too few, core paths stand on breadth"
    )
