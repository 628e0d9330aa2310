"""Progress on standard error: a bar where a person watches, plain lines now and then where not."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pipelines.weeks import Week

if TYPE_CHECKING:
    from pipelines.defs.watching import Watcher, WeekOutcome

_LINE_EVERY_SECONDS = 5.0

#: Says in one line how a week ended; empty where the command says it itself.
Telling = Callable[["WeekOutcome"], str]


class PlainWatcher:
    """Plain lines, for logs and pipes."""

    is_attended = True

    def __init__(self, repo: str, weeks_count: int, tell: Telling) -> None:
        self._repo, self._weeks_count, self._tell = repo, weeks_count, tell
        self._begun, self._week, self._last = 0, "", 0.0

    def begin(self, week: Week) -> None:
        """Name the week."""
        self._begun, self._week = self._begun + 1, str(week)

    def progress(self, done: int, total: int | None, doing: str) -> None:
        """Print a line now and then."""
        now = time.monotonic()
        if now - self._last >= _LINE_EVERY_SECONDS:
            self._last = now
            counted = f", {done} of {total}" if total else f", {done}" if done else ""
            self._print(f"{self._repo} {self._week} (week {self._begun} of {self._weeks_count}): {doing}{counted}")

    def end(self, outcome: "WeekOutcome") -> None:
        """Print how it ended."""
        if line := self._tell(outcome):
            self._print(line)

    def _print(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


class BarWatcher:
    """A bar for the weeks with the time left, and one for what happens inside the week."""

    is_attended = True

    def __init__(self, repo: str, weeks_count: int, tell: Telling) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self.bars = Progress(*columns, console=Console(stderr=True), transient=True)
        self._repo, self._tell = repo, tell
        self._weeks = self.bars.add_task(f"{repo}: weeks", total=weeks_count, visible=weeks_count > 1)
        self._inside = self.bars.add_task("", total=None)

    def begin(self, week: Week) -> None:
        """Start the inner bar anew."""
        self.bars.reset(self._inside, description=f"{self._repo} {week}", total=None)

    def progress(self, done: int, total: int | None, doing: str) -> None:
        """Move the inner bar."""
        self.bars.update(self._inside, description=doing, completed=done, total=total)

    def end(self, outcome: "WeekOutcome") -> None:
        """Move the weeks' bar and print how it ended."""
        self.bars.advance(self._weeks)
        if line := self._tell(outcome):
            self.bars.console.print(line, markup=False, highlight=False)


@contextlib.contextmanager
def watching(repo: str, weeks_count: int, tell: Telling) -> "Iterator[Watcher]":
    """A watcher of a run of weeks, by whether standard error is a terminal."""
    if not sys.stderr.isatty():
        yield PlainWatcher(repo, weeks_count, tell)
        return
    watcher = BarWatcher(repo, weeks_count, tell)
    with watcher.bars:
        yield watcher
