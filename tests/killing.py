"""Killing runs at random moments: what a reader finds in between, and that the next run mends it.

A forked child runs the weeks; the parent kills its whole process group after a moment drawn from the seed. Forking
leaves out the seconds of imports, so that nearly every kill falls into work.
"""

import contextlib
import json
import os
import random
import signal
import time
from collections.abc import Callable
from multiprocessing import forkserver
from pathlib import Path

from pipelines.tables import TABLES
from pipelines.warehouse import Warehouse, content_hash
from pipelines.weeks import Week

#: What differs between two fetches of the same data.
OF_THE_FETCH = {"started_at_utc", "finished_at_utc", "data_as_of_utc", "requests_count", "points_spent", "notes", "files"}


def begin_in_fork() -> None:
    """In a forked child: forget the server from which the parent forks the processes that publish; it is no child of this one."""
    forkserver._forkserver.__init__()  # type: ignore[misc]  # because: there is no public way


def killed_after(seconds: float, work: Callable[[], None]) -> bool:
    """Run ``work`` in a child, and kill it and all that it started after so long; whether it had ended by itself."""
    child = os.fork()
    if child == 0:
        os.setsid()
        os.environ.pop("COVERAGE_PROCESS_CONFIG", None)  # what is killed while it saves its coverage leaves a torn file
        begin_in_fork()
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123  because: descriptors are wanted, not a path
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 0, "the run failed by itself"
            return True
        time.sleep(0.005)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def assert_nothing_half(warehouse: Warehouse, repo: str, weeks: list[Week]) -> None:
    """Every file under its final name is readable, and every published folder is one of one rendering."""
    for week in weeks:
        for table in TABLES.values():
            if warehouse.path(table, repo, week).exists():
                warehouse.read_arrow(table, repo, week)
        folder = warehouse.report_folder(repo, week)
        if folder.exists():
            report = json.loads((folder / "report.json").read_bytes())
            for language in ("zh", "en"):
                page = (folder / f"report.{language}.html").read_text(encoding="utf-8")
                assert page.rstrip().endswith("</html>")
                assert f"{report['week']}" in page
            assert {path.name for path in folder.iterdir()} >= {"report.ipynb", "report.en.md", "pulls.csv", "pulls.parquet"}


def contents(warehouse: Warehouse, repo: str, weeks: list[Week]) -> dict[str, str]:
    """The content hash of every table of every week, without the columns that hold when it was fetched, and at what cost."""
    found = {}
    for week in weeks:
        for table in TABLES.values():
            if warehouse.path(table, repo, week).exists():
                kept = [c.name for c in table.columns if c.name not in OF_THE_FETCH]
                found[f"{week} {table.name}"] = content_hash(warehouse.read_arrow(table, repo, week).select(kept))
    return found


def published(warehouse: Warehouse, repo: str, weeks: list[Week]) -> dict[str, bytes]:
    """The bytes of what readers open, by week and name."""
    return {
        f"{week} {path.name}": path.read_bytes()
        for week in weeks
        for path in sorted(warehouse.report_folder(repo, week).glob("report.*"))
    }


def campaign(
    seed: int,
    kills: int,
    longest_seconds: float,
    root: Path,
    start: Callable[[Path], Callable[[], None]],
    look: Callable[[Path], None],
) -> list[Path]:
    """Kill until so many kills fell; a run that ended by itself is followed by one on an empty warehouse.

    ``start`` makes the work of a warehouse's root, ``look`` looks at the root after each kill. The roots that were
    used, each brought to its end.
    """
    drawn = random.Random(seed)  # noqa: S311  because: moments of kills are no secrets
    roots, fallen = [root / "0"], 0
    while fallen < kills:
        if killed_after(drawn.uniform(0.02, longest_seconds), start(roots[-1])):
            roots.append(root / str(len(roots)))
        else:
            fallen += 1
            look(roots[-1])
    assert killed_after(600.0, start(roots[-1])), "an undisturbed run ends"
    return roots
