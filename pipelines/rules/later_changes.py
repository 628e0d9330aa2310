"""What was merged in the stored weeks and this one, looked up by what follow-ups wait for: tests, links, paths, people."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import NamedTuple

import pandas as pd

from pipelines.rules.inputs import Frames, WeekInputs
from pipelines.rules.people import account_kinds, is_human
from pipelines.rules.week import PEOPLE
from pipelines.rules.words import word_set, words_of

#: Lines a test file must gain to hold a new test, and test files beyond which a change is a sweep (a rename, a move).
LEAST_TEST_LINES, MOST_TEST_FILES = 10, 20
#: Names of files and folders that say nothing of what a test is about.
_COMMON = word_set(
    "init main index mod lib utils util common base core src source types helpers test tests model models python packages pkg",
    "internal include layers runtime server app api config srt",
)


@dataclass(frozen=True)
class Change:
    """One merged pull request of the weeks looked at."""

    number: int
    week: str
    merged_at: datetime
    author: str
    title: str
    is_by_person: bool
    module: str
    source_files_count: int


class ChangedPath(NamedTuple):
    """One changed file of such a pull request."""

    number: int
    path: str
    kind: str
    change_type: str
    is_rename_only: bool
    added_lines: int


class LaterChanges:
    """The pull requests, files and links of the last stored weeks and this one."""

    def __init__(self, inputs: WeekInputs, made: Frames, weeks: Iterable[str]) -> None:
        self.weeks = frozenset(weeks)
        self.changes = _changes(inputs, made, self.weeks)
        self.paths = _paths(inputs, made, self.weeks)
        self.links = _links(inputs, made, self.weeks)
        self._inputs = inputs

    def after(self, numbers: Iterable[int], found: Iterable[int]) -> list[Change]:
        """Sort those of ``found`` that were merged after every one of ``numbers``, earliest first."""
        covered = set(numbers)
        merged = [self.changes[number].merged_at for number in covered if number in self.changes]
        last = max(merged) if merged else None
        changes = (self.changes[number] for number in set(found) - covered if number in self.changes)
        later = (change for change in changes if last is None or change.merged_at > last)
        return sorted(later, key=lambda change: (change.merged_at, change.number))

    def linking(self, numbers: Iterable[int], kinds: frozenset[str]) -> dict[int, set[int]]:
        """Find who links to these by one of the kinds: covered number -> later numbers."""
        wanted = set(numbers)
        found: dict[int, set[int]] = {}
        for number, kind, target in self.links:
            if target in wanted and kind in kinds:
                found.setdefault(target, set()).add(number)
        return found

    @cached_property
    def tests(self) -> list[ChangedPath]:
        """Test files that gained a test: a new one, or some lines in a change that is not a sweep over all tests."""
        files = [one for one in self.paths if one.kind == "test" and one.change_type != "removed" and not one.is_rename_only]
        counts = Counter(one.number for one in files)
        return [
            one
            for one in files
            if one.added_lines >= LEAST_TEST_LINES and (one.change_type == "added" or counts[one.number] <= MOST_TEST_FILES)
        ]

    @cached_property
    def documenting(self) -> set[int]:
        """Pull requests that change documentation."""
        return {one.number for one in self.paths if one.kind == "docs"}

    @cached_property
    def by_path(self) -> dict[str, list[ChangedPath]]:
        """Changes of each path."""
        found: dict[str, list[ChangedPath]] = {}
        for one in self.paths:
            found.setdefault(one.path, []).append(one)
        return found

    def open_threads(self, numbers: Iterable[int]) -> set[str] | None:
        """Find the threads of these still open by the newest stored state; None where no thread of them is stored."""
        stored = list(_both(self._inputs.raw, self._inputs, "raw_review_threads"))
        wanted = set(numbers)
        rows = [frame[frame["number"].isin(wanted)] for frame in stored]
        if not any(len(frame) for frame in rows):
            return None
        still = set[str]()
        for frame in rows:
            closed = frame["is_resolved"].astype("boolean").fillna(value=False) | frame["is_outdated"].astype("boolean").fillna(
                value=False
            )
            still |= set(frame.loc[~closed, "thread_id"])
        return still

    def approvals(self, numbers: Iterable[int]) -> set[int]:
        """Find which of these have an approval by somebody else than their author in the newest stored reviews."""
        wanted = set(numbers)
        found = set[int]()
        for frame in _both(self._inputs.raw, self._inputs, "raw_reviews"):
            given = frame[frame["number"].isin(wanted) & (frame["state"] == "APPROVED")]
            given = given[is_human(account_kinds(given["author_login"], given["author_type"], self._inputs.bot_logins()))]
            for number, login in zip(given["number"].tolist(), given["author_login"].tolist(), strict=True):
                change = self.changes.get(number)
                if change is not None and change.author != login.lower():
                    found.add(number)
        return found

    def patches_saying(self, words: Iterable[str], numbers: Iterable[int]) -> set[int]:
        """Find which of these have a stored diff of documentation that adds one of the words."""
        wanted, texts = set(numbers), [word for word in words if word]
        found = set[int]()
        docs = {(changed.number, changed.path) for changed in self.paths if changed.kind == "docs"}
        for frame in _both(self._inputs.raw, self._inputs, "raw_files"):
            given = frame[frame["number"].isin(wanted)].dropna(subset=["patch"])
            for number, path, patch in zip(given["number"].tolist(), given["path"].tolist(), given["patch"].tolist(), strict=True):
                if (number, path) in docs and any(text in line for line in patch.splitlines() if line[:1] == "+" for text in texts):
                    found.add(number)
        return found


def _both(raw: Frames, inputs: WeekInputs, table: str) -> Iterator[pd.DataFrame]:
    past = inputs.history.get(table)
    if past is not None and len(past):
        yield past
    yield raw[table]


def _joined(inputs: WeekInputs, table: str, this: pd.DataFrame, weeks: frozenset[str]) -> pd.DataFrame:
    past = inputs.history.get(table)
    now = this.assign(week=inputs.week)
    if past is None or past.empty:
        return now
    kept = past[past["week"].isin(weeks)]
    return pd.concat([kept, now[kept.columns]], ignore_index=True) if len(kept) and len(now) else (kept if len(kept) else now)


def _changes(inputs: WeekInputs, made: Frames, weeks: frozenset[str]) -> dict[int, Change]:
    raw = _joined(inputs, "raw_pull_requests", inputs.raw["raw_pull_requests"], weeks)
    measures = _joined(inputs, "derived_pull_requests", made["derived_pull_requests"], weeks)
    columns = (measures[name].tolist() for name in ("number", "author_kind", "primary_module", "source_files_count"))
    measured = {number: rest for number, *rest in zip(*columns, strict=True)}
    found = {}
    names = ("number", "week", "merged_at_utc", "author_login", "title")
    for number, week, merged_at, author, title in zip(*(raw[name].tolist() for name in names), strict=True):
        kind, module, sources = measured.get(number, ["person", "", 0])
        found[number] = Change(number, week, merged_at, author.lower(), title, kind in PEOPLE, module, int(sources))
    return found


def _paths(inputs: WeekInputs, made: Frames, weeks: frozenset[str]) -> list[ChangedPath]:
    files = _joined(inputs, "derived_files", made["derived_files"], weeks)
    columns = (files[name].tolist() for name in ("number", "path", "kind", "change_type", "is_rename_only"))
    lines = files["added_lines_count"].fillna(0).astype("int64").tolist()
    return [ChangedPath(*row) for row in zip(*columns, lines, strict=True)]


def _links(inputs: WeekInputs, made: Frames, weeks: frozenset[str]) -> list[tuple[int, str, int]]:
    links = _joined(inputs, "derived_links", made["derived_links"], weeks)
    inside = links[links["target_repo"].str.lower() == inputs.repo.lower()]
    return list(zip(inside["number"].tolist(), inside["kind"].tolist(), inside["target_number"].tolist(), strict=True))


@lru_cache(maxsize=65536)
def telling_stem(path: str) -> str:
    """Give a file's name without test words and ending, ``radix cache`` of ``test_radix_cache.py``; empty if it tells nothing."""
    words = [word for word in words_of(path.rpartition("/")[2].partition(".")[0]) if word not in {"test", "tests", "spec", "unit"}]
    return " ".join(words) if any(word not in _COMMON for word in words) else ""


@lru_cache(maxsize=65536)
def telling_folder(path: str) -> str:
    """Give the folder a file lies in, ``lora`` of ``src/lora/x.py``; empty where its name tells nothing."""
    words = words_of(path.rpartition("/")[0].rpartition("/")[2])
    return " ".join(words) if any(word not in _COMMON for word in words) else ""
