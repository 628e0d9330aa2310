"""Weeks of one repository, one after another: each is fetched and derived before the next begins.

A week stands on the weeks before it, so the oldest comes first; a failing week stops no other. Reports stand on
nothing but tables, so they are made beside, in other processes where there are many, and told in the order of weeks.
"""

import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field

from pipelines.defs.current import Trust, is_current, is_published, made_of
from pipelines.defs.publishing import Publisher, publisher, result_of
from pipelines.defs.steps import StepResult, derive_week, fetch_week, raw_rows
from pipelines.defs.watching import STEPS, Watcher, WeekOutcome
from pipelines.errors import PullweekError, SourceUnavailableError
from pipelines.settings import RepositorySettings
from pipelines.sources.records import Source
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week


@dataclass(frozen=True)
class Work:
    """What a run is asked to do: which steps, which weeks to fetch again, what to redo although it is current.

    ``rerun`` derives again, and renders where the tables or a published file came out different; ``rerender`` renders as well.
    """

    warehouse: Warehouse
    entry: RepositorySettings
    open_source: Callable[[], Source]
    steps: frozenset[str] = frozenset(STEPS)
    refresh: frozenset[str] = frozenset()
    rerun: bool = False
    rerender: bool = False

    @property
    def trust(self) -> Trust:
        """What is taken for granted of a published week whose tables are those it was made of."""
        return "nothing" if self.rerender else "bytes" if self.rerun else "names"

    def is_done(self, week: Week) -> bool:
        """Whether nothing is asked of a week but what is there already and current."""
        return self.trust == "names" and str(week) not in self.refresh and is_current(self.warehouse, self.entry, week)


@dataclass
class _Begun:
    """A week at work: what its steps gave so far, and its report, which may still be made elsewhere."""

    week: Week
    rows: dict[str, int] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    report: "Future[StepResult] | None" = None
    failure: Exception | None = None

    def add(self, step: str, result: StepResult) -> None:
        """Take in what a step gave."""
        self.rows |= result.rows
        if result.skipped:
            self.skipped.add(step)


def run_weeks(work: Work, weeks: Iterable[Week], watcher: Watcher, log_traceback: Callable[[str], None]) -> Iterator[WeekOutcome]:
    """Run the steps for every week, oldest first; yields how each ended, in that order."""
    in_order = sorted(weeks)
    waiting: deque[_Begun] = deque()
    with publisher(work.warehouse, work.entry, len(in_order)) as reports:
        for week in in_order:
            watcher.begin(week)
            waiting.append(_begin_week(work, week, watcher, reports))
            while waiting and (waiting[0].report is None or waiting[0].report.done()):
                yield _ended(work, waiting.popleft(), watcher, log_traceback)
        while waiting:
            watcher.progress(0, None, "rendering pages")
            yield _ended(work, waiting.popleft(), watcher, log_traceback)


def _begin_week(work: Work, week: Week, watcher: Watcher, reports: Publisher) -> _Begun:
    """Fetch and derive a week, and have its report made."""
    begun = _Begun(week)
    try:
        if work.is_done(week):
            begun.skipped |= work.steps
            begun.rows |= raw_rows(work.warehouse, work.entry.name, week)
            return begun
        if "report" in work.steps and work.trust != "bytes":  # where tables come out as before there is nothing to render
            reports.prepare()
        if "fetch" in work.steps:
            refresh = str(week) in work.refresh
            begun.add("fetch", fetch_week(work.warehouse, work.open_source, work.entry, week, watcher.progress, refresh=refresh))
        if "derive" in work.steps:
            watcher.progress(0, None, "deriving tables")
            begun.add("derive", derive_week(work.warehouse, work.entry, week, rerun=work.trust != "names"))
        if "report" in work.steps:
            watcher.progress(0, None, "rendering pages")
            if is_published(work.warehouse, work.entry, week, made_of(work.warehouse, work.entry, week), work.trust):
                begun.skipped.add("report")
            else:
                begun.report = reports.submit(week, work.trust)
    except Exception as error:  # noqa: BLE001  because: a defect that one week meets must not take the other weeks with it
        begun.failure = error
    return begun


def _ended(work: Work, begun: _Begun, watcher: Watcher, log_traceback: Callable[[str], None]) -> WeekOutcome:
    """How a week ended, once its report is made."""
    try:
        if begun.report is not None:
            begun.add("report", result_of(begun.report, work.entry, begun.week))
    except Exception as error:  # noqa: BLE001  because: as above, in the other process
        begun.failure = error
    outcome = WeekOutcome(begun.week, None, rows=begun.rows, skipped=frozenset(begun.skipped))
    if begun.failure is not None:
        outcome = _failed(work.entry, begun, begun.failure, log_traceback)
    watcher.end(outcome)
    return outcome


def _failed(entry: RepositorySettings, begun: _Begun, error: Exception, log_traceback: Callable[[str], None]) -> WeekOutcome:
    if isinstance(error, PullweekError):
        may_pass = isinstance(error, SourceUnavailableError)
        return WeekOutcome(begun.week, str(error), may_pass, begun.rows, frozenset(begun.skipped))
    log_traceback("".join(traceback.format_exception(error)))
    return WeekOutcome(
        begun.week, f"{entry.name} {begun.week}: unexpected {type(error).__name__}: {error}. This is a defect of pullweek."
    )
