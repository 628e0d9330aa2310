"""How a run of weeks says how far it is: to the run's log in Dagster, or to what the command draws."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pipelines.weeks import Week

#: What is done with a week, in this order.
STEPS = ("fetch", "derive", "report")

_LOG_EVERY_SECONDS = 10.0


@dataclass(frozen=True)
class WeekOutcome:
    """How a week ended: rows by table, the steps that found everything current, and the one line of a failure."""

    week: Week
    failure: str | None = None
    may_pass: bool = False  # whether trying again later may help
    rows: Mapping[str, int] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()


class Watcher(Protocol):
    """Told of each week as it begins, moves on and ends."""

    #: Whether a person waits before it: then nothing is tried again behind their back.
    is_attended: bool

    def begin(self, week: Week) -> None:
        """A week begins."""
        ...

    def progress(self, done: int, total: int | None, doing: str) -> None:
        """Something inside the week moved on."""
        ...

    def end(self, outcome: WeekOutcome) -> None:
        """A week ended."""
        ...


class LogWatcher:
    """Lines in the log of a Dagster run, every ten seconds at most while a week is at work."""

    is_attended = False

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log, self._last, self._week = log, 0.0, ""

    def begin(self, week: Week) -> None:
        """Name the week."""
        self._week = str(week)
        self._log(f"{week}: begins")

    def progress(self, done: int, total: int | None, doing: str) -> None:
        """Log a line now and then."""
        now = time.monotonic()
        if now - self._last >= _LOG_EVERY_SECONDS:
            self._last = now
            self._log(f"{self._week}: {doing}, {done}{'' if total is None else f' of {total}'}")

    def end(self, outcome: WeekOutcome) -> None:
        """Log how it ended."""
        skipped = f"; nothing to do: {', '.join(sorted(outcome.skipped))}" if outcome.skipped else ""
        self._log(f"{outcome.week}: {outcome.failure or 'done'}{skipped}")
