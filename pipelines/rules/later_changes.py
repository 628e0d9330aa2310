"""What was merged in the stored weeks and this one, looked up by what follow-ups wait for: tests, links, paths, people."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import compress
from typing import Any, NamedTuple, TypeVar

from pipelines.rules.inputs import WeekInputs
from pipelines.rules.people import HUMAN, is_person
from pipelines.rules.rows import Frames, tuples
from pipelines.rules.words import word_set, words_of

#: Lines a test file must gain to hold a new test, and test files beyond which a change is a sweep (a rename, a move).
LEAST_TEST_LINES, MOST_TEST_FILES = 10, 20
#: Names of files and folders that say nothing of what a test is about.
_COMMON = word_set(
    "init main index mod lib utils util common base core src source types helpers test tests model models python packages pkg",
    "internal include layers runtime server app api config srt",
)


Key = TypeVar("Key")
Value = TypeVar("Value")


class Change(NamedTuple):
    """One merged pull request of the weeks looked at."""

    number: int
    week: str
    merged_at: datetime
    author: str
    title: str
    is_by_person: bool
    module: str
    source_files_count: int


class TestFile(NamedTuple):
    """A test file that such a pull request brought or made longer."""

    number: int
    path: str
    is_new: bool
    added_lines: int


class LaterChanges:
    """The pull requests, files and links of the last stored weeks and this one."""

    def __init__(self, inputs: WeekInputs, made: Frames, weeks: Iterable[str]) -> None:
        self.weeks = frozenset(weeks)
        self._inputs = inputs
        self._made = made
        self.changes = self._changes()
        self._touched: dict[str, list[int]] = {}
        self._tests: list[TestFile] = []
        self._docs: set[tuple[int, str]] = set()
        #: Who deleted a path, the last of several.
        self.deleting: dict[str, int] = {}
        self._read_files()
        self._links: dict[int, list[tuple[str, int]]] = {}
        for number, kind, target, repo in self._rows("derived_links", "number", "kind", "target_number", "target_repo"):
            if repo.lower() == inputs.repo.lower():
                self._links.setdefault(target, []).append((kind, number))

    def _rows(self, table: str, *names: str) -> Iterator[tuple[Any, ...]]:
        """Rows of a table of the weeks looked at, this week's last."""
        kept = (week in self.weeks for (week,) in self._inputs.past(table, "week"))
        yield from compress(self._inputs.past(table, *names), kept)
        yield from tuples(self._made, table, *names)

    def _read_files(self) -> None:
        """Sort out in one pass what is asked of the changed files; an object for each of them would take longest."""
        names = ("number", "path", "kind", "change_type", "is_rename_only", "added_lines_count")
        for number, path, kind, change, is_moved, added in self._rows("derived_files", *names):
            if path in self._touched:
                self._touched[path].append(number)
            else:
                self._touched[path] = [number]
            if change == "removed":
                self.deleting[path] = number
            elif kind == "test" and not is_moved:
                self._tests.append(TestFile(number, path, change == "added", added or 0))
            if kind == "docs":
                self._docs.add((number, path))

    def touching(self, paths: Iterable[str]) -> set[int]:
        """Find who changed any of these paths."""
        return {number for path in paths for number in self._touched.get(path, ())}

    def _changes(self) -> dict[int, Change]:
        columns = ("number", "author_kind", "primary_module", "source_files_count")
        measured = {number: rest for number, *rest in self._rows("derived_pull_requests", *columns)}
        pulls = [*(pull for pull in self._inputs.past_pulls if pull.week in self.weeks), *self._inputs.pulls]
        found = {}
        for pull in pulls:
            kind, module, sources = measured.get(pull.number, ["person", "", 0])
            found[pull.number] = Change(
                pull.number, pull.week, pull.merged_at, pull.author, pull.title, kind in HUMAN, module, int(sources)
            )
        return found

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
        found: dict[int, set[int]] = {}
        for target in set(numbers):
            for kind, number in self._links.get(target, ()):
                if kind in kinds:
                    found.setdefault(target, set()).add(number)
        return found

    @cached_property
    def tests(self) -> list[TestFile]:
        """Test files that gained a test: a new one, or some lines in a change that is not a sweep over all tests."""
        counts = Counter(one.number for one in self._tests)
        return [
            one
            for one in self._tests
            if one.added_lines >= LEAST_TEST_LINES and (one.is_new or counts[one.number] <= MOST_TEST_FILES)
        ]

    @cached_property
    def testing(self) -> dict[str, set[int]]:
        """Pull requests that gained a test, by each run of words in the test's name: ``radix cache`` of ``test_radix_cache.py``."""
        return _indexed((run, one.number) for one in self.tests for run in _runs(telling_stem(one.path)))

    @cached_property
    def newly_testing(self) -> dict[str, set[int]]:
        """Pull requests that brought a new test file, by the name of its folder and its own."""
        new = [one for one in self.tests if one.is_new]
        return _indexed((name, one.number) for one in new for name in (telling_folder(one.path), telling_stem(one.path)))

    @cached_property
    def documenting(self) -> set[int]:
        """Pull requests that change documentation."""
        return {number for number, _ in self._docs}

    def open_threads(self, numbers: Iterable[int]) -> set[str] | None:
        """Find the threads of these still open by the newest stored state; None where no thread of them is stored."""
        wanted = [self._threads[number] for number in set(numbers) if number in self._threads]
        return {thread for threads in wanted for thread, is_open in threads if is_open} if wanted else None

    @cached_property
    def _threads(self) -> dict[int, list[tuple[str, bool]]]:
        found: dict[int, list[tuple[str, bool]]] = {}
        columns = ("number", "thread_id", "is_resolved", "is_outdated")
        for number, thread, resolved, outdated in _both(self._inputs, "raw_review_threads", *columns):
            found.setdefault(number, []).append((thread, not resolved and not outdated))
        return found

    def approvals(self, numbers: Iterable[int]) -> set[int]:
        """Find which of these have an approval by somebody else than their author in the newest stored reviews."""
        return {
            number
            for number in set(numbers)
            if number in self.changes and self._approvers.get(number, set()) - {self.changes[number].author}
        }

    @cached_property
    def _approvers(self) -> dict[int, set[str]]:
        bots, columns = self._inputs.bot_logins(), ("state", "number", "author_login", "author_type")
        approving = [row for row in _both(self._inputs, "raw_reviews", *columns) if row[0] == "APPROVED"]
        return _indexed((number, login.lower()) for _, number, login, kind in approving if is_person(login, kind, bots))

    def patches_saying(self, words: Iterable[str], numbers: Iterable[int]) -> set[int]:
        """Find which of these have a stored diff of documentation that adds one of the words."""
        texts = [word for word in words if word]
        return {
            number for number in set(numbers) if any(text in line for line in self._documented.get(number, ()) for text in texts)
        }

    @cached_property
    def _documented(self) -> dict[int, list[str]]:
        """Lines that stored diffs of documentation add, by number."""
        found: dict[int, list[str]] = {}
        rows = _both(self._inputs, "raw_files", "number", "path", "patch")
        patches = [(row[0], row[2]) for row in rows if row[2] is not None and row[:2] in self._docs]
        for number, patch in patches:
            found.setdefault(number, []).extend(line for line in patch.splitlines() if line[:1] == "+")
        return found


def _both(inputs: WeekInputs, table: str, *names: str) -> Iterator[tuple[Any, ...]]:
    """Rows of a raw table of the stored weeks, then of this one."""
    yield from inputs.past(table, *names)
    yield from tuples(inputs.raw, table, *names)


def _indexed(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, set[Value]]:
    found: dict[Key, set[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, set()).add(value)
    return found


@lru_cache(maxsize=65536)
def _runs(name: str) -> frozenset[str]:
    """Every run of neighbouring words of a name."""
    words = name.split()
    return frozenset(" ".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, len(words) + 1))


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
