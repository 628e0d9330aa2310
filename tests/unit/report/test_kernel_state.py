"""What one notebook does to a kernel never reaches the next one."""

import ast
import importlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines.report.export_kernel import Kernel

nbformat: Any = importlib.import_module("nbformat")  # most of it carries no types
Run = Callable[..., Any]
PID = "__import__('os').getpid()"
MODULES = "__import__('sys').modules"


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with Kernel() as started:
        yield started


@pytest.fixture
def run(kernel: Kernel, tmp_path: Path) -> Run:
    """Run lines as a notebook, and give the value of its last one."""

    def value(*lines: str, folder: Path = tmp_path) -> Any:
        path = tmp_path / "one.ipynb"
        cells = [nbformat.v4.new_code_cell("x = 1", metadata={"tags": ["parameters"]}), nbformat.v4.new_code_cell("\n".join(lines))]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
        made = kernel.run(path, {"x": "given"}, folder)
        outputs = made.cells[-1].outputs
        return ast.literal_eval(outputs[-1]["data"]["text/plain"]) if outputs else None

    return value


@pytest.mark.parametrize(
    ("change", "look"),
    [
        ("leaked = 1", "sorted(name for name in globals() if not name.startswith('_'))"),
        ("1 + 1", "(dict(Out), [name for name in ('_', '__', '_1') if name in globals()])"),
        ("import os; os.environ['LEAKED'] = 'x'; del os.environ['PATH']", "(os.environ.get('LEAKED'), 'PATH' in os.environ)"),
        (
            "import os, time; os.environ['TZ'] = 'Asia/Shanghai'; time.tzset()",
            "(os.environ.get('TZ'), __import__('time').timezone)",
        ),
        ("import sys; sys.path.insert(0, '/leaked')", "'/leaked' in __import__('sys').path"),
        (
            "import warnings; warnings.simplefilter('error'); warnings.showwarning = print",
            "[repr(each) for each in __import__('warnings').filters], __import__('warnings').showwarning.__name__",
        ),
        (
            "import pipelines.report.page as page; page.open_page = page.leaked = len",
            f"[getattr({MODULES}['pipelines.report.page'], name, print).__name__ for name in ('open_page', 'leaked')]",
        ),
        (
            "import pipelines.report.words as words; del words.Words",
            f"hasattr({MODULES}['pipelines.report.words'], 'Words')",
        ),
    ],
    ids=["names", "outputs", "environment", "time zone", "module path", "warnings", "our module's names", "our module's gaps"],
)
def test_a_change_is_taken_back_in_the_same_kernel(run: Run, change: str, look: str) -> None:
    before = run("import os", f"({PID}, {look})")
    run(change)
    assert run("import os", f"({PID}, {look})") == before


def test_the_folder_is_the_notebooks_own_though_the_last_one_left_and_removed_its_own(run: Run, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    run("import os, shutil; shutil.rmtree(os.getcwd())", folder=gone)
    assert run("import os; os.getcwd()") == str(tmp_path)


def test_a_library_of_the_notebooks_own_comes_with_its_own_defaults_in_a_new_kernel(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plotting.py").write_text("options = {'rows': 60}\n")
    look = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import pandas, plotting"
    values = f"({PID}, pandas.get_option('display.max_rows'), plotting.options)"
    first = run(look, values)
    run(look, "pandas.set_option('display.max_rows', 7); plotting.options['rows'] = 7")
    assert run(look, values)[1:] == first[1:] == (60, {"rows": 60})
    assert run("'pandas' in __import__('sys').modules") is False


def test_what_reports_need_is_loaded_before_the_first_and_keeps_the_kernel(run: Run) -> None:
    before = run(PID)
    run("import wave, pipelines.report.tables_export, jinja2.meta")
    assert run(PID) == before


def test_a_lost_kernel_is_replaced_before_the_next_notebook(kernel: Kernel, run: Run) -> None:
    lost = run(PID)
    os.kill(lost, signal.SIGKILL)
    kernel.manager.provisioner.process.wait(timeout=30)
    assert run(PID) != lost


def test_a_kernel_that_ends_before_it_is_ready_is_one_clear_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from pipelines.errors import ReportError

    monkeypatch.setattr(sys, "executable", "/bin/false")
    with Kernel() as broken, pytest.raises(ReportError, match=r"no kernel of /bin/false starts: .*Install pullweek again"):
        broken.run(tmp_path / "any.ipynb", {}, tmp_path)
