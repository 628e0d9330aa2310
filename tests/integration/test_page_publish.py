import ast
import hashlib
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines.errors import ReportError
from pipelines.report import publish
from pipelines.report.export import NOTEBOOK, parameters, scrubbed
from pipelines.report.export_kernel import Kernel
from pipelines.report.model import LANGUAGES, Report
from pipelines.report.publish import NOTEBOOK_LANGUAGE, publish_report
from pipelines.warehouse import Warehouse
from tests.report_fixture import REPO, WEEK, make_report

nbformat: Any = importlib.import_module("nbformat")  # most of it carries no types

EXPLORE = NOTEBOOK.with_name("explore.ipynb")


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with Kernel() as started:
        yield started


def folder_of(root: Path) -> Path:
    return root / "reports" / REPO / WEEK


def hashes(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, kernel: Kernel) -> Path:
    root = tmp_path_factory.mktemp("published")
    publish_report(Warehouse(root), make_report(40), kernel)
    return root


def test_a_week_is_published_whole(published: Path) -> None:
    names = set(hashes(folder_of(published)))
    expected = {"report.json", "report.ipynb", "card.json", "pulls.csv", "pulls.parquet"}
    expected |= {
        f"{name}.{language}.{end}"
        for language in LANGUAGES
        for name, end in (("report", "html"), ("report", "md"), ("all", "html"))
    }
    expected |= {f"pulls/{number}.{language}.html" for number in range(801, 811) for language in LANGUAGES}
    assert names == expected
    around = {path.name for path in (published / "reports" / REPO).iterdir()}
    assert around == {
        WEEK,
        "latest",
        *(f"{name}.{language}.{end}" for language in LANGUAGES for name, end in (("index", "html"), ("feed", "atom"))),
    }
    assert not list((published / "reports" / ".staging").iterdir())


def test_every_relative_link_leads_to_a_file(published: Path) -> None:
    missing = set()
    for page in published.rglob("*.html"):
        for link in re.findall(r'href="([^"#:]+)(?:#[^"]*)?"', page.read_text(encoding="utf-8")):
            if not (page.parent / link).exists():
                missing.add((str(page.relative_to(published)), link))
    assert missing == set()


def test_every_anchor_stands_in_its_page(published: Path) -> None:
    for page in folder_of(published).rglob("*.html"):
        for link, anchor in re.findall(r'href="([^"#:]*)#([^"]+)"', page.read_text(encoding="utf-8")):
            target = (page.parent / link) if link else page
            assert f'id="{anchor}"' in target.read_text(encoding="utf-8"), (page.name, link, anchor)


def test_the_same_report_gives_the_same_bytes_in_another_place(published: Path, tmp_path: Path, kernel: Kernel) -> None:
    publish_report(Warehouse(tmp_path / "else" / "where"), make_report(40), kernel)
    assert hashes(folder_of(tmp_path / "else" / "where")) == hashes(folder_of(published))
    publish_report(Warehouse(tmp_path / "else" / "where"), make_report(40), kernel)
    assert hashes(tmp_path / "else" / "where" / "reports") == hashes(published / "reports")


def test_the_published_notebook_runs_again_with_the_same_result(published: Path, kernel: Kernel) -> None:
    path = folder_of(published) / "report.ipynb"
    text = path.read_text(encoding="utf-8")
    assert str(published) not in text
    assert "/home/" not in text
    stored = nbformat.reads(text, as_version=4)
    again = scrubbed(kernel.run(path, parameters(REPO, WEEK, NOTEBOOK_LANGUAGE), path.parent))
    assert [cell.get("outputs") for cell in again.cells if cell.source] == [
        cell.get("outputs") for cell in stored.cells if cell.source
    ]
    assert sum(bool(cell.get("outputs")) for cell in stored.cells) == 10


def test_a_failing_cell_names_itself_and_leaves_the_last_good_report(published: Path, kernel: Kernel) -> None:
    before = hashes(published / "reports")
    broken = make_report(40)
    broken["groups"][0]["key"] = "nobody-knows"
    with pytest.raises(
        ReportError, match=r"weekly_report\.ipynb acme/lattice 2026-W17 .*a cell failed: UndefinedError: .*nobody-knows"
    ):
        publish_report(Warehouse(published), broken, kernel)
    assert hashes(published / "reports") == before


def test_a_page_that_does_not_hold_is_not_published(published: Path, kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hashes(published / "reports")
    monkeypatch.setattr(publish, "all_page", lambda _report, _language: "<script>alert(1)</script>")
    with pytest.raises(ReportError, match=r"all\.\w+\.html: .*Nothing was published"):
        publish_report(Warehouse(published), make_report(40), kernel)
    assert hashes(published / "reports") == before


def test_a_report_that_contradicts_itself_is_not_published(tmp_path: Path, kernel: Kernel) -> None:
    report: Report = make_report(3)
    report["counts"]["merged"] = 4
    with pytest.raises(ReportError, match=r"counts\.merged is 4"):
        publish_report(Warehouse(tmp_path), report, kernel)
    assert not (tmp_path / "reports").exists()


def test_two_weeks_link_to_each_other(tmp_path: Path, kernel: Kernel) -> None:
    for week in ("2026-W18", "2026-W17"):
        publish_report(Warehouse(tmp_path), make_report(12, week=week), kernel)
    page = (folder_of(tmp_path) / "report.zh.html").read_text(encoding="utf-8")
    assert 'rel="next" href="../2026-W18/report.zh.html"' in page
    assert 'rel="prev" href="../2026-W17/report.zh.html"' in (
        tmp_path / "reports" / REPO / "2026-W18" / "report.zh.html"
    ).read_text(encoding="utf-8")
    assert json.loads((folder_of(tmp_path) / "report.json").read_bytes())["next_week"] is None


_PUBLISH = """
import sys
from pathlib import Path
from pipelines.report.publish import publish_report
from pipelines.warehouse import Warehouse
from tests.report_fixture import make_report
print("ready", flush=True)
publish_report(Warehouse(Path(sys.argv[1])), make_report(30))
"""

_SWAP = """
import sys
from pathlib import Path
from pipelines.report.folders import exchange
print("ready", flush=True)
while True:
    exchange(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def _killed(code: str, *arguments: str, scratch: Path, after_seconds: float) -> None:
    """Run code as a program of its own and kill it, without notice, so long after it was ready."""
    scratch.mkdir(exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(NOTEBOOK.parents[1]), "TMPDIR": str(scratch)}
    with subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(after_seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_a_kill_while_folders_are_exchanged_leaves_one_of_them_whole(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        for number in range(20):
            (tmp_path / name / f"{number}.txt").write_text(name)
    for step in range(4):
        _killed(_SWAP, str(tmp_path / "one"), str(tmp_path / "other"), scratch=tmp_path / "tmp", after_seconds=0.005 * step)
        for name in ("one", "other"):
            assert len({path.read_text() for path in (tmp_path / name).iterdir()}) == 1
            assert len(list((tmp_path / name).iterdir())) == 20


@pytest.mark.parametrize("after_seconds", [0.2, 1.5])
def test_a_kill_while_publishing_leaves_the_old_report_and_nothing_that_stays(
    published: Path, tmp_path: Path, kernel: Kernel, after_seconds: float
) -> None:
    shutil.copytree(published, tmp_path, dirs_exist_ok=True)
    _killed(_PUBLISH, str(tmp_path), scratch=tmp_path / "tmp", after_seconds=after_seconds)
    assert hashes(folder_of(tmp_path)) == hashes(folder_of(published))
    publish_report(Warehouse(tmp_path), make_report(40), kernel)
    assert list((tmp_path / "reports" / ".staging").iterdir()) == []
    assert hashes(tmp_path / "reports") == hashes(published / "reports")


def test_the_explore_notebook_answers_its_questions(sample_tables: Warehouse, kernel: Kernel, tmp_path: Path) -> None:
    made = kernel.run(EXPLORE, {"warehouse_root": str(sample_tables.root), "repo": "acme/lattice"}, tmp_path)
    shown = {cell.id: cell.outputs[0]["data"]["text/plain"] for cell in made.cells if cell.get("outputs")}
    assert set(shown) == {"tables", "weeks", "chart", "review", "files", "untested", "risks", "pandas", "rising"}
    assert "2026-W15" in shown["weeks"]
    assert not any(text.startswith("Empty DataFrame") for text in shown.values())


def test_a_notebook_begins_in_an_empty_namespace_and_its_own_folder(kernel: Kernel, tmp_path: Path) -> None:
    def notebook(source: str) -> Path:
        path = tmp_path / "one.ipynb"
        cells = [nbformat.v4.new_code_cell("x = 'default'", metadata={"tags": ["parameters"]}), nbformat.v4.new_code_cell(source)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
        return path

    kernel.run(notebook("leaked = 1"), {"x": "a"}, tmp_path)
    made = kernel.run(notebook("import os; ('leaked' in globals(), os.getcwd(), x)"), {"x": "b"}, tmp_path)
    assert ast.literal_eval(made.cells[-1].outputs[0]["data"]["text/plain"]) == (False, str(tmp_path), "b")


def test_a_kernel_that_does_not_start_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(ReportError, match="no kernel of /nowhere/python starts"), Kernel():
        pass
