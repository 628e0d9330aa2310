"""Progress on standard error: a bar where a person watches, plain lines now and then where not."""

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Protocol

_LINE_EVERY_SECONDS = 5.0


class Reporter(Protocol):
    """Says how far a run of weeks is; ``week`` opens one, ``progress`` is the callback for what happens inside it."""

    def week(self, label: str) -> None:
        """A week begins."""
        ...

    def week_done(self, line: str) -> None:
        """A week ended; the line says how."""
        ...

    def progress(self, done: int, total: int | None, doing: str) -> None:
        """Something inside the week moved on."""
        ...


class PlainReporter:
    """Plain lines, for logs and pipes."""

    def __init__(self, weeks_count: int) -> None:
        self._weeks_count, self._done, self._label, self._last = weeks_count, 0, "", 0.0

    def week(self, label: str) -> None:
        """A week begins."""
        self._label = label
        self._say(f"{label}: week {self._done + 1} of {self._weeks_count}")

    def week_done(self, line: str) -> None:
        """A week ended; the line says how."""
        self._done += 1
        self._say(line)

    def progress(self, done: int, total: int | None, doing: str) -> None:
        """A line now and then."""
        now = time.monotonic()
        if now - self._last >= _LINE_EVERY_SECONDS:
            self._last = now
            self._say(f"{self._label}: {doing}, {done}{'' if total is None else f' of {total}'}")

    def _say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


class RichReporter:
    """A bar for the weeks with the time left, and one for what happens inside the week."""

    def __init__(self, weeks_count: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(compact=True))
        self.bars = Progress(*columns, console=Console(stderr=True), transient=True)
        self._weeks = self.bars.add_task("weeks", total=weeks_count, visible=weeks_count > 1)
        self._inside = self.bars.add_task("", total=None)

    def week(self, label: str) -> None:
        """A week begins."""
        self.bars.update(self._weeks, description=label)
        self.bars.reset(self._inside, description=label, total=None)

    def week_done(self, line: str) -> None:
        """A week ended; the line says how."""
        self.bars.advance(self._weeks)
        self.bars.console.print(line, markup=False, highlight=False)

    def progress(self, done: int, total: int | None, doing: str) -> None:
        """The inner bar moves."""
        self.bars.update(self._inside, description=doing, completed=done, total=total)


@contextlib.contextmanager
def reporting(weeks_count: int) -> Iterator[Reporter]:
    """A reporter for so many weeks, by whether standard error is a terminal."""
    if not sys.stderr.isatty():
        yield PlainReporter(weeks_count)
        return
    reporter = RichReporter(weeks_count)
    with reporter.bars:
        yield reporter
