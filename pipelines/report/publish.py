"""A report published whole: rendered beside its place, checked, and put there in one step; the last good one stays until then.

What stands in the folder of a week: the page, its Markdown, the list of all pull requests, a page for each highlight, the
notebook, ``report.json``, the table as CSV and Parquet, and the card that the index is made of.
"""

import contextlib
import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.errors import WarehouseError
from pipelines.report.check import check_report
from pipelines.report.facts import report_bytes
from pipelines.report.folders import exchange, keep_all, locked, recover
from pipelines.report.index import link_neighbours, refresh
from pipelines.report.index_cards import CARD, card_bytes, card_of, published_weeks
from pipelines.report.markdown import render_markdown
from pipelines.report.model import Report
from pipelines.report.page_check import check_page
from pipelines.report.page_pull import all_page, pull_pages
from pipelines.report.render import Context
from pipelines.report.tables_export import csv_bytes, parquet_bytes
from pipelines.report.words import languages
from pipelines.warehouse import Warehouse, on_disk
from pipelines.weeks import parse_week

if TYPE_CHECKING:
    from pipelines.report.export_kernel import Kernel

_STAGING, _LOCK = ".staging", ".publish.lock"

#: The language that the published notebook shows; its parameter chooses another.
NOTEBOOK_LANGUAGE = "zh"


def publish_report(warehouse: Warehouse, report: Report, kernel: "Kernel | None" = None) -> list[Path]:
    """Render, check and publish a report, and bring the index up to date; the files that a reader finds, sorted.

    ``kernel`` is one already started, where many weeks are published in a row; else one is started for this week.
    :class:`ReportError` where anything does not hold: nothing published has changed then.
    """
    check_report(report)
    week = parse_week(report["week"])
    final = warehouse.report_folder(report["repo"], week)
    reports = warehouse.root / "reports"
    with _staging(reports) as root, on_disk(final):
        staged = Warehouse(root).report_folder(report["repo"], week)
        staged.mkdir(parents=True)
        _render(report, staged, kernel)
        with locked(reports / _LOCK):
            recover(final.parent)
            link_neighbours(staged, sorted({*published_weeks(final.parent), week}), week)
            keep_all(staged)
            exchange(staged, final)
            around = refresh(reports, report["repo"])
    return sorted([*(path for path in final.rglob("*") if path.is_file()), *around])


@contextlib.contextmanager
def _staging(reports: Path) -> Iterator[Path]:
    """A warehouse root of its own on the same file system, so that a notebook staged in it reads what is staged beside it."""
    try:
        (reports / _STAGING).mkdir(parents=True, exist_ok=True)
        with locked(reports / _LOCK):  # nobody sweeps between a folder's making and its lock
            _sweep(reports / _STAGING)
            root = Path(tempfile.mkdtemp(dir=reports / _STAGING))
            handle = (root / "lock").open("w")
            fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError as error:
        raise WarehouseError(
            f"{reports}: cannot be written: {error.strerror}. Mend permissions, or set PULLWEEK_WAREHOUSE."
        ) from error
    with handle:
        try:
            yield root
        finally:
            shutil.rmtree(root, ignore_errors=True)


def _sweep(staging: Path) -> None:
    """Remove what killed runs have left: a staging folder whose lock nobody holds."""
    for root in staging.iterdir():
        with contextlib.suppress(OSError), (root / "lock").open("r") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(root, ignore_errors=True)


def _render(report: Report, folder: Path, kernel: "Kernel | None") -> None:
    """Everything of the week into a folder, each page checked."""
    (folder / "report.json").write_bytes(report_bytes(report))
    (folder / CARD).write_bytes(card_bytes(card_of(report)))
    (folder / "pulls.csv").write_bytes(csv_bytes(report))
    (folder / "pulls.parquet").write_bytes(parquet_bytes(report))
    (folder / "pulls").mkdir()
    for language in languages():
        (folder / f"report.{language}.md").write_text(render_markdown(report, language), encoding="utf-8")
        _page(folder / f"all.{language}.html", all_page(report, language), scripts=1)
        for number, html in pull_pages(report, language):
            _page(folder / "pulls" / f"{number}.{language}.html", html)
    _render_notebooks(report, folder, kernel)


def _render_notebooks(report: Report, folder: Path, kernel: "Kernel | None") -> None:
    """The notebook run in each language, exported as the page; one of them is published as it is."""
    from pipelines.report.export import export_html, notebook_bytes, run_notebook
    from pipelines.report.export_kernel import Kernel

    with contextlib.ExitStack() as stack:
        running = kernel or stack.enter_context(Kernel())
        for language in languages():
            notebook = run_notebook(running, report["repo"], report["week"], language, folder)
            html = export_html(notebook, Context(report, language))
            _page(folder / f"report.{language}.html", html)
            if language == NOTEBOOK_LANGUAGE:
                (folder / "report.ipynb").write_bytes(notebook_bytes(notebook))


def _page(path: Path, html: str, *, scripts: int = 0) -> None:
    check_page(path.name, html, scripts=scripts)
    path.write_text(html, encoding="utf-8")
