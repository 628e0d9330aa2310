"""The notebook run and exported: ``report.ipynb`` as an analyst opens it, and the HTML page made of what its cells show.

papermill runs ``notebooks/weekly_report.ipynb`` in a kernel of this very interpreter; nbconvert exports it with the
template ``templates/weekly``. What depends on the clock or on chance is taken out, so that the same input gives the same bytes.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipelines.errors import ReportError
from pipelines.report.jupyter_imports import without_iri_grammar
from pipelines.report.page_frame import report_frame, tidy
from pipelines.report.render import TEMPLATES, Context

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from pipelines.report.export_kernel import Kernel

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "weekly_report.ipynb"

#: From a week's own folder to the warehouse's root: reports/OWNER/NAME/WEEK. Relative, so that a published
#: notebook runs again wherever the warehouse has been moved to, and names no machine.
ROOT_FROM_WEEK = "../../../.."


def parameters(repo: str, week: str, language: str) -> dict[str, str]:
    """What is passed to the notebook's cell tagged ``parameters``."""
    return {"repo": repo, "week": week, "language": language, "warehouse_root": ROOT_FROM_WEEK}


def run_notebook(kernel: "Kernel", repo: str, week: str, language: str, folder: Path) -> "NotebookNode":
    """The executed notebook of a week whose ``report.json`` lies in ``folder``; :class:`ReportError` where a cell fails."""
    return scrubbed(kernel.run(NOTEBOOK, parameters(repo, week, language), folder))


def scrubbed(notebook: "NotebookNode") -> "NotebookNode":
    """A copy without clocks, random ids and versions of the machine: only what the input decides."""
    nbformat = _nbformat()
    made: NotebookNode = nbformat.from_dict(notebook)
    for index, cell in enumerate(made.cells):
        cell.id = f"cell-{index}"
        for counted in (cell, *cell.get("outputs", [])):
            if "execution_count" in counted:
                counted.execution_count = index  # the kernel counts on from notebook to notebook
        tags = {"tags": cell.metadata.tags} if cell.metadata.get("tags") else {}
        cell.metadata = nbformat.from_dict(tags)
    made.metadata = nbformat.from_dict({"kernelspec": notebook.metadata.kernelspec, "language_info": {"name": "python"}})
    return made


def notebook_bytes(notebook: "NotebookNode") -> bytes:
    """The notebook as a file."""
    text: str = _nbformat().writes(notebook, version=4)
    return (text + "\n").encode()


def _nbformat() -> Any:
    """nbformat, most of whose functions carry no types."""
    with without_iri_grammar():
        import nbformat

    return nbformat


def export_html(notebook: "NotebookNode", context: Context) -> str:
    """The page of an executed notebook: the cells tagged ``page``, in their order, in the page's frame."""
    frame = report_frame(context)
    html, _ = _exporter().from_notebook_node(
        notebook, resources={"page": {"top": frame.top, "main": frame.main, "bottom": frame.bottom}}
    )
    if 'id="summary"' not in html:  # nbconvert exports an empty page without an error where a block's name is wrong
        raise ReportError(
            f"report {context.repo} {context.week} ({context.language}): the exported page is empty. Look at templates/weekly."
        )
    return tidy(html)


@cache
def _exporter() -> Any:
    """The exporter of nbconvert with our template, kept: it compiles the template anew each time it is made.

    Without preprocessors: each would validate the whole notebook again, and the cells that are left out our template leaves out.
    """
    with without_iri_grammar():
        from nbconvert.exporters import TemplateExporter

    made: Any = TemplateExporter  # it carries no types
    exporter = made(
        template_name="weekly", extra_template_basedirs=[str(TEMPLATES)], template_file="index.html.j2", default_preprocessors=[]
    )
    exporter.environment.filters.setdefault("filter_data_type", _html_only)
    return exporter


def _html_only(data: dict[str, Any]) -> list[str]:
    return [kind for kind in data if kind == "text/html"]
