"""A published site for the tests of its pages, made without a kernel: the notebook's cells are called here instead."""

import importlib
from pathlib import Path
from typing import Any

from pipelines.report.export import NOTEBOOK, export_html
from pipelines.report.index import refresh
from pipelines.report.index_cards import CARD, card_bytes, card_of
from pipelines.report.model import LANGUAGES, Report
from pipelines.report.page import Page
from pipelines.report.page_pull import all_page, pull_pages
from pipelines.report.render import Context

nbformat: Any = importlib.import_module("nbformat")  # most of it carries no types


def week_page(report: Report, language: str) -> str:
    """The page of a week, exported as it is published."""
    notebook, page = nbformat.read(NOTEBOOK, as_version=4), Page(report, language)
    for cell in notebook.cells:
        if cell.source.startswith("page."):
            section = getattr(page, cell.source.removeprefix("page.").removesuffix("()"))()
            cell.outputs = [nbformat.v4.new_output("execute_result", {"text/html": section._repr_html_()})]
    return export_html(notebook, Context(report, language))


def make_site(root: Path, report: Report) -> Path:
    """The pages of one report in the folders they are published in; the week's folder."""
    folder = root / report["repo"] / report["week"]
    (folder / "pulls").mkdir(parents=True)
    (folder / CARD).write_bytes(card_bytes(card_of(report)))
    for language in LANGUAGES:
        (folder / f"report.{language}.html").write_text(week_page(report, language), encoding="utf-8")
        (folder / f"all.{language}.html").write_text(all_page(report, language), encoding="utf-8")
        for number, page in pull_pages(report, language):
            (folder / "pulls" / f"{number}.{language}.html").write_text(page, encoding="utf-8")
    refresh(root, report["repo"])
    return folder
