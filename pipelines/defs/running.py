"""Weeks of one repository, one after another: fetch, derive, report each before the next begins.

A week stands on the weeks before it, so the oldest comes first; a failing week stops no other.
One kernel, started when the first page is rendered, serves all of them.
"""

import contextlib
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from pipelines.defs.steps import StepResult, derive_week, fetch_week, report_week
from pipelines.defs.watching import Watcher, WeekOutcome
from pipelines.errors import PullweekError, SourceUnavailableError
from pipelines.settings import RepositorySettings
from pipelines.sources.records import Source
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week

if TYPE_CHECKING:
    from pipelines.report.export_kernel import Kernel

STEPS = ("fetch", "derive", "report")


@dataclass(frozen=True)
class Work:
    """What a run is asked to do: which steps, which weeks to fetch again, whether to redo what is current."""

    warehouse: Warehouse
    entry: RepositorySettings
    open_source: Callable[[], Source]
    steps: frozenset[str] = frozenset(STEPS)
    refresh: frozenset[str] = frozenset()
    rerun: bool = False


def run_weeks(work: Work, weeks: Iterable[Week], watcher: Watcher, log_traceback: Callable[[str], None]) -> Iterator[WeekOutcome]:
    """Run the steps for every week, oldest first; yields how each ended."""
    with contextlib.ExitStack() as stack:
        open_kernel = cache(lambda: stack.enter_context(_new_kernel()))
        for week in sorted(weeks):
            watcher.begin(week)
            outcome = _run_week(work, week, watcher, log_traceback, open_kernel)
            watcher.end(outcome)
            yield outcome


def _new_kernel() -> "Kernel":
    from pipelines.report.export_kernel import Kernel

    return Kernel()


def _run_week(
    work: Work, week: Week, watcher: Watcher, log_traceback: Callable[[str], None], open_kernel: "Callable[[], Kernel]"
) -> WeekOutcome:
    rows: dict[str, int] = {}
    skipped = set()
    try:
        for name in STEPS:
            if name in work.steps:
                result = _run_step(name, work, week, watcher, open_kernel)
                rows |= result.rows
                if result.skipped:
                    skipped.add(name)
    except PullweekError as error:
        return WeekOutcome(week, str(error), isinstance(error, SourceUnavailableError), rows, frozenset(skipped))
    except Exception as error:  # noqa: BLE001  because: a defect that one week meets must not take the other weeks with it
        log_traceback(traceback.format_exc())
        return WeekOutcome(
            week, f"{work.entry.name} {week}: unexpected {type(error).__name__}: {error}. This is a defect of pullweek."
        )
    return WeekOutcome(week, None, rows=rows, skipped=frozenset(skipped))


def _run_step(name: str, work: Work, week: Week, watcher: Watcher, open_kernel: "Callable[[], Kernel]") -> StepResult:
    if name == "fetch":
        source = work.open_source()
        return fetch_week(work.warehouse, source, work.entry, week, watcher.progress, refresh=str(week) in work.refresh)
    if name == "derive":
        watcher.progress(0, None, "deriving tables")
        return derive_week(work.warehouse, work.entry, week, rerun=work.rerun)
    watcher.progress(0, None, "rendering pages")
    return report_week(work.warehouse, work.entry, week, rerun=work.rerun, open_kernel=open_kernel)
