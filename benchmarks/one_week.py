"""Where the time of one stored week goes: seconds of imports, Dagster, derived tables, kernel, cells and pages.

Usage: ``python -m benchmarks.one_week WAREHOUSE OWNER/NAME WEEK``, in a process that has done nothing else; prints JSON. The
week must be stored; it is made again from its raw tables, and what Dagster itself costs is a run in which all is current.
"""

import contextlib
import importlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path


class Timer:
    """Seconds by what was done."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Count the time of what is done inside."""
        began = time.perf_counter()
        yield
        self.seconds[name] = round(self.seconds.get(name, 0.0) + time.perf_counter() - began, 3)


def main(arguments: list[str]) -> int:
    """Measure each part once, in the order in which a run needs them."""
    timer = Timer()
    for name in ("pandas", "dagster", "pipelines.report.export_kernel", "nbconvert.exporters"):
        with timer(f"import {name.rpartition('.')[2]}"):
            importlib.import_module(name)
    _measure(timer, Path(arguments[0]), arguments[1], arguments[2])
    print(json.dumps(timer.seconds))
    return 0


def _measure(timer: Timer, root: Path, repo: str, week_name: str) -> None:
    with timer("import pullweek"):
        from pipelines.defs.launch import Launcher, open_instance
        from pipelines.defs.steps import about_rules, derive_week
        from pipelines.report.export import export_html, run_notebook
        from pipelines.report.export_kernel import Kernel
        from pipelines.report.facts import build_report
        from pipelines.report.publish import publish_report
        from pipelines.report.render import Context
        from pipelines.rules import derive  # noqa: F401  because: its import is not to count as deriving
        from pipelines.settings import load_settings, settings_path
        from pipelines.warehouse import Warehouse
        from pipelines.weeks import parse_week
        from tests.conftest import Silent

    warehouse, week = Warehouse(root), parse_week(week_name)
    entry = load_settings(settings_path()).repository(repo)
    with timer("Dagster, all current"), open_instance(warehouse) as instance:
        Launcher(instance, warehouse, entry).run([week], Silent())
    with timer("derive tables"):
        derive_week(warehouse, entry, week, rerun=True)
    with timer("facts and sentences"):
        report = build_report(warehouse, repo, week, about_rules(entry))
    with contextlib.ExitStack() as stack:
        with timer("start the kernel"):
            kernel = stack.enter_context(Kernel())
        folder = warehouse.report_folder(repo, week)
        for language in ("zh", "en"):
            with timer("cells, two languages"):
                notebook = run_notebook(kernel, repo, week_name, language, folder)
            with timer("export, two languages"):
                export_html(notebook, Context(report, language))
        with timer("publish, cells and export again in it"):
            publish_report(warehouse, report, kernel)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
