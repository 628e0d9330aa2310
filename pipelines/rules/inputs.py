"""What a rule may look at: the raw week, the weeks before, and the repository's settings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from pipelines.rules.rows import Frames, Plain, column, tuples
from pipelines.settings import RuleSettings


class PullRow(NamedTuple):
    """What most rules look at of a merged pull request, of this week or before."""

    week: str
    number: int
    title: str
    author_login: str
    author_type: str
    merged_at: datetime
    merge_commit_oid: str | None

    @property
    def author(self) -> str:
        """The author's login in lower case: GitHub does not tell capitals apart."""
        return self.author_login.lower()


class FileColumns(NamedTuple):
    """Changed files as columns: there are ten thousand in a quarter, too many for an object each."""

    numbers: list[int]
    paths: list[str]
    previous_paths: list[str | None]
    change_types: list[str]

    def joined(self, more: "FileColumns") -> "FileColumns":
        """These files and then others."""
        return FileColumns(
            self.numbers + more.numbers,
            self.paths + more.paths,
            self.previous_paths + more.previous_paths,
            self.change_types + more.change_types,
        )


_PULL_COLUMNS = ("number", "title", "author_login", "author_type", "merged_at_utc", "merge_commit_oid")
_FILE_COLUMNS = ("number", "path", "previous_path", "change_type")


@dataclass(frozen=True)
class WeekInputs:
    """One repository-week with what came before it.

    ``raw`` holds every raw table of the week. ``history`` holds every raw and derived table of the stored ones of the
    twelve weeks before, each with a column ``week`` in front; ``history_weeks`` names those weeks, oldest first (a
    stored week in which nothing was merged is named there and has no rows). A week not named is unknown, not empty.
    """

    repo: str
    week: str
    raw: Frames
    history: Frames
    history_weeks: tuple[str, ...]
    settings: RuleSettings

    def bot_logins(self) -> frozenset[str]:
        """Logins of plain users that the settings declare to be bots, lower case."""
        return frozenset(login.lower() for login in self.settings.bots)

    @cached_property
    def pulls(self) -> list[PullRow]:
        """The pull requests of the week."""
        return [PullRow(self.week, *row) for row in tuples(self.raw, "raw_pull_requests", *_PULL_COLUMNS)]

    @cached_property
    def past_pulls(self) -> list[PullRow]:
        """The pull requests of the stored weeks before."""
        return list(map(PullRow._make, self.past("raw_pull_requests", "week", *_PULL_COLUMNS)))

    @cached_property
    def files(self) -> FileColumns:
        """The changed files of the week."""
        return FileColumns(*(column(self.raw, "raw_files", name) for name in _FILE_COLUMNS))

    @cached_property
    def past_files(self) -> FileColumns:
        """The changed files of the stored weeks before."""
        if "raw_files" not in self.history:
            return FileColumns([], [], [], [])
        return FileColumns(*(column(self.history, "raw_files", name) for name in _FILE_COLUMNS))

    def past(self, table: str, *names: str) -> Iterator[tuple[Any, ...]]:
        """The rows of some columns of a table of the stored weeks before, oldest week first; none where none is stored."""
        return tuples(self.history, table, *names) if table in self.history else iter(())

    def shared(self) -> "WeekInputs":
        """The same inputs, whose columns are made plain once for all rules."""
        return replace(self, raw=Plain(self.raw), history=Plain(self.history))
