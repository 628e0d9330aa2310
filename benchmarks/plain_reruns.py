"""The yardstick of ``reruns.py``: papermill and nbconvert in turn on the same notebook, one new kernel a week, one process.

Usage: ``python -m benchmarks.plain_reruns REPORTS_FOLDER LANGUAGES WEEK...``, as ``zh`` or ``zh,en``;
prints seconds a page as JSON.
"""

import itertools
import json
import sys
import tempfile
import time
from pathlib import Path

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebooks" / "weekly_report.ipynb"


def main(arguments: list[str]) -> int:
    """Run and export the notebook of each week."""
    import nbformat
    import papermill
    from nbconvert import HTMLExporter

    reports, languages, weeks = Path(arguments[0]), arguments[1].split(","), arguments[2:]
    owner, name = reports.parent.name, reports.name
    seconds = []
    for week, language in itertools.product(weeks, languages):
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "out.ipynb"
            parameters = {"repo": f"{owner}/{name}", "week": week, "language": language, "warehouse_root": str(reports.parents[2])}
            papermill.execute_notebook(
                str(NOTEBOOK),
                str(output),
                parameters=parameters,
                kernel_name="python3",
                progress_bar=False,
                cwd=str(reports / week),
            )
            notebook = nbformat.read(output, as_version=4)  # type: ignore[no-untyped-call]  # because: nbformat ships half its types
            exporter = HTMLExporter(exclude_input=True)  # type: ignore[no-untyped-call]  # because: nbconvert ships half its types
            html, _ = exporter.from_notebook_node(notebook)
            (Path(folder) / "out.html").write_text(html, encoding="utf-8")
        seconds.append(time.monotonic() - began)
    print(json.dumps(seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
