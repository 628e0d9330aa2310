import importlib
from typing import Any

import papermill
import pytest

from pipelines.errors import ReportError
from pipelines.report.export import NOTEBOOK, export_html, notebook_bytes, parameters, scrubbed
from pipelines.report.page import Page
from pipelines.report.page_check import page_problems
from pipelines.report.render import Context
from tests.report_fixture import make_report

nbformat: Any = importlib.import_module("nbformat")  # most of it carries no types


SECTIONS = ["head", "contents", "summary", "changes", "trends", "risks", "pulls", "follow_ups", "method"]


def executed(language: str = "en") -> Any:
    """The notebook with the outputs that a kernel would give it."""
    made, page = nbformat.read(NOTEBOOK, as_version=4), Page(make_report(40), language)
    for count, cell in enumerate(made.cells):
        if cell.source.startswith("page."):
            section = getattr(page, cell.source.removeprefix("page.").removesuffix("()"))()
            data = {"text/html": section._repr_html_(), "text/plain": repr(section)}
            cell.outputs = [nbformat.v4.new_output("execute_result", data, execution_count=count)]
    return made


def test_the_notebook_takes_exactly_what_the_publisher_passes() -> None:
    taken = papermill.inspect_notebook(str(NOTEBOOK))
    assert set(taken) == set(parameters("acme/lattice", "2026-W17", "en"))
    assert all(parameter["default"] != "None" for parameter in taken.values())


def test_the_notebook_loads_calls_and_displays_and_holds_no_logic() -> None:
    cells = [cell for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.metadata.get("tags") for cell in cells[:3]] == [["parameters"], None, None]
    assert [cell.source for cell in cells[2:]] == ["page.style()", *(f"page.{name}()" for name in SECTIONS)]
    assert not any(cell.outputs for cell in cells)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_holds_the_sections_in_order_and_no_code(language: str) -> None:
    html = export_html(executed(language), Context(make_report(40), language))
    assert [html.index(f'id="{name}"') for name in SECTIONS[2:]] == sorted(html.index(f'id="{name}"') for name in SECTIONS[2:])
    assert list(page_problems(html)) == []
    assert html.count("<style>") == 1  # the cell that styles Jupyter is left out
    assert "open_page" not in html
    assert html.count("<main ") == html.count("</main>") == html.count("<h1>") == 1


def test_an_export_without_its_sections_is_an_error_and_not_an_empty_page() -> None:
    notebook = executed()
    for cell in notebook.cells:
        cell.outputs = []
    with pytest.raises(ReportError, match="the exported page is empty"):
        export_html(notebook, Context(make_report(40), "en"))


def test_clocks_random_ids_and_counters_are_taken_out() -> None:
    made = []
    for number in (1, 7):
        output = nbformat.v4.new_output("execute_result", {"text/plain": "1"}, execution_count=number)
        cell = nbformat.v4.new_code_cell("1", execution_count=number, outputs=[output])
        cell.metadata.update(papermill={"start_time": str(number)}, execution={"x": str(number)}, tags=["page"])
        notebook = nbformat.v4.new_notebook(
            cells=[cell], metadata={"kernelspec": {"name": "python3", "display_name": "P"}, "papermill": {"duration": number}}
        )
        notebook.metadata["language_info"] = {"name": "python", "version": f"3.{number}"}
        made.append(notebook_bytes(scrubbed(notebook)))
    assert made[0] == made[1]
    assert b"page" in made[0]
