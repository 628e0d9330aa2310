"""Which files are core in a week, by the history before it: those that many different people had to change.

A file that many people change is a place where work meets: a scheduler, a memory pool. So is a list of settings, on
which nothing hangs; such files weigh less, by rules of the table below. Where diffs were read, a file that many others
import weighs in full, whatever its name (``imports.py``).
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.rules import globs
from pipelines.rules.files import kind_of
from pipelines.rules.imports import importers
from pipelines.rules.inputs import FileColumns, PullRow, WeekInputs
from pipelines.rules.people import is_person
from pipelines.rules.rows import Frames, frame_of
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
_Ints = npt.NDArray[np.int64]


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


@dataclass(frozen=True)
class _Seen:
    """How many people, pull requests and weeks changed each source file; how many files import it, where that is known."""

    paths: list[str]
    people: _Ints
    pulls: _Ints
    weeks: _Ints
    importers: dict[str, int] | None

    def counts(self, place: int) -> _Row:
        """The columns that one of the paths gets; the place after the last stands for a path that nobody changed."""
        is_known = place < len(self.paths)
        return {
            "people_count": int(self.people[place]) if is_known else 0,
            "pull_requests_count": int(self.pulls[place]) if is_known else 0,
            "changed_weeks_count": int(self.weeks[place]) if is_known else 0,
            "importers_count": self.importers.get(self.paths[place], 0) if is_known and self.importers is not None else None,
        }


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


def _history(inputs: WeekInputs, *, with_week: bool) -> tuple[_Seen, int]:
    """Files that people changed in the weeks before (and in this one where those are too few), by newest name; how many people.

    Files are told apart by numbers and counted as arrays: there are ten thousand, too many for a loop over each.
    """
    bots = inputs.bot_logins()
    pulls = [*inputs.past_pulls, *(inputs.pulls if with_week else ())]
    people = [pull for pull in pulls if is_person(pull.author_login, pull.author_type, bots)]
    people.sort(key=lambda pull: (pull.merged_at, pull.number))
    files = inputs.past_files.joined(inputs.files) if with_week else inputs.past_files
    names = pa.array(files.paths, pa.string()).dictionary_encode()
    paths, codes = names.dictionary.to_pylist(), names.indices.to_numpy()
    rows, places = _oldest_first(files, people, codes, pc.rank(names.dictionary).to_numpy())
    codes = _newest_codes(files, rows, paths)[codes[rows]]
    changed = {people[place].author_login for place in set(places.tolist())}
    return _seen(paths, codes, places, [files.change_types[row] for row in rows.tolist()], people, inputs), len(changed)


def _oldest_first(files: FileColumns, people: list[PullRow], codes: _Ints, ranks: _Ints) -> tuple[_Ints, _Ints]:
    """Rows of files of these pull requests, oldest first and by path, and beside each the place of its pull request.

    Of a number that occurs twice the later merge stands.
    """
    last = {pull.number: place for place, pull in enumerate(people)}
    places = np.fromiter((last.get(number, -1) for number in files.numbers), np.int64, len(files.numbers))
    rows = np.flatnonzero(places >= 0)
    rows = rows[np.lexsort((ranks[codes[rows]], places[rows]))]
    return rows, places[rows]


def _newest_codes(files: FileColumns, rows: _Ints, paths: list[str]) -> _Ints:
    """The number of the path that each path, by its number, bears after all renames; ``rows`` are oldest first."""
    newest: dict[str, str] = {}
    for row in reversed([row for row in rows.tolist() if files.previous_paths[row] is not None]):
        old, new = files.previous_paths[row], files.paths[row]
        if old is not None and old != new and files.change_types[row] == "renamed":
            newest[old] = newest.get(new, new)
    found, numbers = np.arange(len(paths)), {path: place for place, path in enumerate(paths)}
    for old, new in newest.items():
        if old in numbers:
            found[numbers[old]] = numbers[new]
    return found


def _seen(paths: list[str], codes: _Ints, places: _Ints, changes: list[str], people: list[PullRow], inputs: WeekInputs) -> _Seen:
    """What rows of files, oldest first, say of each source file that is still there."""
    settings, many = inputs.settings, max(len(people), 1)
    last = dict(zip(codes.tolist(), changes, strict=True))
    sources = [code for code in last if kind_of(paths[code], settings.test_paths, settings.generated_paths)[0] == "source"]
    kept = np.array([code for code in sources if last[code] != "removed"], dtype=np.int64)

    def different(texts: list[str]) -> _Ints:
        """How many different ones of the texts, one a pull request, each kept path has."""
        numbers: dict[str, int] = {}
        coded = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
        pairs = np.unique(codes * many + coded[places])
        return np.bincount(pairs // many, minlength=len(paths))[kept]

    return _Seen(
        [paths[code] for code in kept.tolist()],
        different([pull.author_login for pull in people]),
        different([str(place) for place in range(len(people))]),
        different([pull.week for pull in people]),
        importers(inputs.past("raw_files", "path", "patch"), [paths[code] for code in sources]),
    )


def _row(place: int, seen: _Seen) -> _Row:
    path, counts = seen.paths[place], seen.counts(place)
    weight, rule = _weight(path)
    if (counts["importers_count"] or 0) >= _MANY_IMPORTERS:
        weight, rule = _SOURCE_WEIGHT, "imported_by_many"
    score = round(counts["people_count"] * weight, _DECIMALS)
    return {"path": path, "weight": weight, "weight_rule": rule, "score": score, **counts}


@lru_cache(maxsize=65_536)
def _weight(path: str) -> tuple[float, str]:
    low = path.lower()
    return next(((rule.weight, rule.id) for rule in WEIGHT_RULES if rule.pattern.search(low)), (_SOURCE_WEIGHT, "source"))


def _chosen(seen: _Seen, people: int, inputs: WeekInputs, basis: str) -> list[_Row]:
    bar = max(float(_LEAST_PEOPLE), people * _SHARE_OF_PEOPLE)
    stays, last = round(bar * _STAYS_AT, _DECIMALS), _last_core(inputs)
    # No file weighs more than source, so whatever fewer people changed is below every bar.
    counted = [_row(place, seen) for place in np.flatnonzero(seen.people * _SOURCE_WEIGHT >= stays).tolist()]
    above = [row for row in counted if row["score"] >= (stays if row["path"] in last else bar)]
    most = math.ceil(len(seen.paths) * _SHARE_OF_FILES)
    kept = sorted(above, key=lambda row: (-row["score"], row["path"]))[:most]
    allowed = [row | {"basis": basis} for row in kept if not globs.holds(inputs.settings.core_paths_forbid, row["path"])]
    return [*allowed, *_configured({row["path"] for row in allowed}, seen, inputs)]


def _last_core(inputs: WeekInputs) -> set[str]:
    last = inputs.history_weeks[-1:]
    return {path for week, path in inputs.past("derived_core_paths", "week", "path") if week in last}


def _configured(chosen: set[str], seen: _Seen, inputs: WeekInputs) -> Iterable[_Row]:
    """The files that the settings add, as far as this week or the weeks before know them."""
    wanted = inputs.settings.core_paths_add
    if not wanted:
        return
    fixed = {"weight": _SOURCE_WEIGHT, "weight_rule": "configured", "basis": "configured"}
    known = {path: place for place, path in enumerate(seen.paths)}
    for path in sorted(known.keys() | set(inputs.files.paths)):
        if path not in chosen and globs.holds(wanted, path):
            counts = seen.counts(known.get(path, len(seen.paths)))
            yield {"path": path, **counts, **fixed, "score": float(counts["people_count"])}


def history_note(weeks_count: int) -> str:
    """What a reader should know of the history that core paths stand on."""
    if weeks_count >= HISTORY_WEEKS:
        return ""
    return f"{weeks_count} of {HISTORY_WEEKS} weeks of history" + (
        "" if weeks_count >= _ENOUGH_WEEKS else ": too few, core paths stand on breadth"
    )
