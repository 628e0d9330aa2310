"""Reports made in processes beside, while the next weeks are fetched and derived.

Each process keeps one kernel for all its weeks, and starts it while the first week's tables are made. Where there is one
processor the reports are made here. The processes end with the run, and with its death.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from multiprocessing import util
from typing import TYPE_CHECKING, Protocol

from pipelines.defs.current import Trust
from pipelines.defs.forking import begin_loading, processes_count
from pipelines.defs.steps import StepResult, report_week
from pipelines.errors import PullweekError, ReportError
from pipelines.settings import RepositorySettings
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week

if TYPE_CHECKING:
    from pipelines.report.export_kernel import Kernel


class Publisher(Protocol):
    """Makes the reports of one repository's weeks."""

    def prepare(self) -> None:
        """Told before a report is made, when its tables are still to be: what it needs may be loaded meanwhile."""
        ...

    def submit(self, week: Week, trust: Trust) -> "Future[StepResult]":
        """Make a week's report; done at once or later."""
        ...


class HerePublisher:
    """Makes every report in this process, in one kernel that is started for the first."""

    def __init__(self, warehouse: Warehouse, entry: RepositorySettings, open_files: contextlib.ExitStack) -> None:
        self._warehouse, self._entry, self._open = warehouse, entry, open_files
        self._kernel: Kernel | None = None

    def prepare(self) -> None:
        """Start the kernel: it is ready by the time the tables are."""
        self._open_kernel()

    def submit(self, week: Week, trust: Trust) -> "Future[StepResult]":
        """Make it now; what goes wrong stands in the result."""
        future: Future[StepResult] = Future()
        try:
            future.set_result(report_week(self._warehouse, self._entry, week, trust=trust, open_kernel=self._open_kernel))
        except Exception as error:  # noqa: BLE001  because: the one who asks for the result meets it there, as with a process
            future.set_exception(error)
        return future

    def _open_kernel(self) -> "Kernel":
        if self._kernel is None:
            from pipelines.report.export_kernel import Kernel

            self._kernel = self._open.enter_context(Kernel())
        return self._kernel


class PoolPublisher:
    """Makes reports in processes beside this one; a process that is lost loses the weeks it had, and others take its place."""

    def __init__(self, warehouse: Warehouse, entry: RepositorySettings, processes_count: int) -> None:
        self._warehouse, self._entry, self._processes_count = warehouse, entry, processes_count
        self._pool: ProcessPoolExecutor | None = None

    def prepare(self) -> None:
        """Start the processes and their kernels."""
        if self._pool is None:
            self._opened().submit(_nothing)

    def submit(self, week: Week, trust: Trust) -> "Future[StepResult]":
        """Have it made in one of the processes."""
        try:
            return self._opened().submit(_report, self._warehouse, self._entry, week, trust)
        except BrokenExecutor:
            self.close()
            return self._opened().submit(_report, self._warehouse, self._entry, week, trust)

    def _opened(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._processes_count, mp_context=begin_loading(), initializer=_begin)
        return self._pool

    def close(self) -> None:
        """Wait for the weeks at work, drop those that wait."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


@contextlib.contextmanager
def publisher(warehouse: Warehouse, entry: RepositorySettings, weeks_count: int) -> Iterator[Publisher]:
    """What makes the reports of a run of so many weeks on the processors that this process may use."""
    beside = processes_count(weeks_count)
    with contextlib.ExitStack() as stack:
        if not beside:
            yield HerePublisher(warehouse, entry, stack)
            return
        pool = PoolPublisher(warehouse, entry, beside)
        stack.callback(pool.close)
        yield pool


def result_of(made: "Future[StepResult]", entry: RepositorySettings, week: Week) -> StepResult:
    """What became of a submitted week; raises what it met there."""
    try:
        return made.result()
    except BrokenExecutor as error:
        raise ReportError(
            f"{entry.name} {week}: the process that made its report was killed, perhaps for want of memory. Run it again."
        ) from error


class _Process:
    """What one of the processes keeps between its weeks."""

    kernel: "Kernel | None" = None


def _begin() -> None:
    """In a new process: leave an interrupt to the parent, end with it however it ends, and start the kernel."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(PullweekError):  # where it does not start, the first report says so
        _open_kernel()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _open_kernel() -> "Kernel":
    if _Process.kernel is None:
        from pipelines.report.export_kernel import Kernel

        kernel = Kernel()
        kernel.__enter__()
        util.Finalize(None, kernel.__exit__, args=(None, None, None), exitpriority=10)
        _Process.kernel = kernel
    return _Process.kernel


def _nothing() -> None:
    """What a process is asked to do for it to be started."""


def _report(warehouse: Warehouse, entry: RepositorySettings, week: Week, trust: Trust) -> StepResult:
    return report_week(warehouse, entry, week, trust=trust, open_kernel=_open_kernel)
