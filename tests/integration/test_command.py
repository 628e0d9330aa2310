"""The command as its users call it: what it prints, where it ends, and one clear line for bad input."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipelines import cli
from pipelines.tables import TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import parse_week
from tests.conftest import ROOT, SAMPLE


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of the command."""
    try:
        status = cli.main(arguments)
    except SystemExit as left:  # argparse leaves so on a line it cannot read
        status = int(left.code or 0)
    said = capsys.readouterr()
    return status, said.out, said.err


def test_help_answers_at_once() -> None:
    began = time.monotonic()
    ended = subprocess.run([sys.executable, "-m", "pipelines.cli", "--help"], capture_output=True, text=True, check=True)
    took = time.monotonic() - began
    assert "report" in ended.stdout
    assert took < 0.4 * 3, "measured 0.1 s on an idle machine; three times the bound allows for a busy one"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["report", "acme/lattice", "2026-W60"],
            "week 2026-W60: 2026 has no such ISO week. Weeks of 2026 run from 2026-W01 to 2026-W53.",
        ),
        (["report", "acme/lattice", "2999-W01"], "has not ended yet by the clock of UTC. The last closed week is"),
        (["report", "lattice", "2026-W12"], "repository 'lattice': not of the form OWNER/NAME"),
        (["report", "acme/lattice", "2026-W12", "--timezone", "Mars/Base"], "time zone 'Mars/Base': not an IANA name"),
        (["report", "acme/lattice", "2026-W12", "--history", "13"], "--history 13: give 0 to 12"),
        (["backfill", "acme/lattice", "2026-W17..2026-W12"], "the range runs backwards. Write it as 2026-W12..2026-W17"),
        (["sql", "select * from nowhere"], "Tables: derived_core_paths"),
    ],
)
@pytest.mark.usefixtures("command_environment")
def test_bad_input_gets_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    status, out, err = call(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert err.startswith("pullweek: ")
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.usefixtures("command_environment")
def test_a_malformed_settings_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pullweek.toml").write_text("schedule = 3", encoding="utf-8")
    status, _, err = call(capsys, "report", "a/b", "2026-W12")
    assert status == 2
    assert "pullweek.toml: schedule:" in err


@pytest.mark.usefixtures("command_environment")
def test_without_a_token_the_line_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "report", "octo/repo", "2026-W12")
    assert status == 1
    assert "GITHUB_TOKEN" in err.splitlines()[-1]
    assert "Traceback" not in err


def test_without_a_network_the_line_says_so(
    command_environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "made-up-token-1234")
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9")  # the discard port: nobody listens
    status, _, err = call(capsys, "report", "octo/repo", "2026-W12", "--max-wait", "0")
    assert status == 1
    assert "127.0.0.1:9" in err
    assert "made-up-token-1234" not in err
    assert not (command_environment / "tables").exists()


def test_an_unwritable_warehouse_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    monkeypatch.setenv("PULLWEEK_WAREHOUSE", str(tmp_path / "file" / "warehouse"))
    monkeypatch.chdir(tmp_path)
    status, _, err = call(capsys, "demo")
    assert status == 1
    assert "cannot be written: Not a directory" in err
    assert "PULLWEEK_WAREHOUSE" in err


def test_demo_ends_with_the_path_of_a_page(
    sample_site: Warehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = Path((sample_site.root / "demo.out").read_text(encoding="utf-8").splitlines()[-1])
    assert page == sample_site.root / "reports" / SAMPLE / "2026-W17" / "report.en.html"
    assert page.stat().st_size > 10_000
    assert "acme/lattice 2026-W15: 0 merged" in (sample_site.root / "demo.err").read_text(encoding="utf-8")

    monkeypatch.setenv("PULLWEEK_WAREHOUSE", str(sample_site.root))
    status, out, _ = call(capsys, "status", "--json")
    assert status == 0
    rows = json.loads(out)
    assert [row["week"] for row in rows] == [f"2026-W{n}" for n in range(12, 18)]
    assert all(row["raw"] == "complete" and row["derived"] and row["reported"] for row in rows)
    assert sum(row["merged"] for row in rows) >= 240


def test_the_same_report_twice_is_the_same_bytes(
    tmp_path: Path, sample_site: Warehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "copy"
    shutil.copytree(sample_site.root, root)
    monkeypatch.setenv("PULLWEEK_WAREHOUSE", str(root))
    monkeypatch.setenv("PULLWEEK_SETTINGS", str(ROOT / "pullweek.toml"))
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    folder = Warehouse(root).report_folder(SAMPLE, parse_week("2026-W17"))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    status, out, err = call(capsys, "report", SAMPLE, "2026-W17", "--json")
    assert status == 0, err
    assert json.loads(out)["weeks"][0]["skipped"] == ["derive", "fetch", "report"]
    status, out, err = call(capsys, "report", SAMPLE, "2026-W17", "--rerender", "--json")
    assert status == 0, err
    assert json.loads(out)["weeks"][0]["skipped"] == ["fetch"]
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["report.en.html", "pulls.csv", "report.ipynb", "more.html"])
def test_a_rerun_renders_only_what_is_no_longer_what_it_was(
    tmp_path: Path, sample_site: Warehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    root = tmp_path / "copy"
    shutil.copytree(sample_site.root, root)
    monkeypatch.setenv("PULLWEEK_WAREHOUSE", str(root))
    monkeypatch.setenv("PULLWEEK_SETTINGS", str(ROOT / "pullweek.toml"))
    folder = Warehouse(root).report_folder(SAMPLE, parse_week("2026-W14"))  # it was linked to the week after it since
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}
    status, out, err = call(capsys, "report", SAMPLE, "2026-W14", "--rerun", "--json")
    assert status == 0, err
    assert json.loads(out)["weeks"][0]["skipped"] == ["fetch", "report"]
    assert before == {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}
    with (folder / name).open("ab") as page:
        page.write(b"<!-- by another hand -->")
    status, out, err = call(capsys, "report", SAMPLE, "2026-W14", "--rerun", "--json")
    assert status == 0, err
    assert json.loads(out)["weeks"][0]["skipped"] == ["fetch"]
    assert {path: made for path, (made, _) in before.items()} == {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("flags", [(), ("--rerun",), ("--rerender",)])
def test_stored_weeks_need_neither_token_nor_network(tmp_path: Path, sample_site: Warehouse, flags: tuple[str, ...]) -> None:
    root = tmp_path / "copy"
    shutil.copytree(sample_site.root, root)
    settings = tmp_path / "pullweek.toml"
    settings.write_text(f'[repositories."{SAMPLE}"]\nsource = "github"\n', encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PULLWEEK_WAREHOUSE": str(root)}
    environment |= {"PULLWEEK_SETTINGS": str(settings), "GITHUB_API_URL": "http://127.0.0.1:9"}
    command = [sys.executable, "-m", "pipelines.cli", "backfill", SAMPLE, "2026-W16..2026-W17", "--json", *flags]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.count("failed")) == (0, 0), ended.stderr
    assert all("fetch" in week["skipped"] for week in json.loads(ended.stdout)["weeks"])


def test_where_everything_is_current_nothing_heavy_is_loaded(sample_site: Warehouse) -> None:
    code = (
        "import sys; from pipelines.cli import main; "
        f"status = main(['backfill', '{SAMPLE}', '2026-W12..2026-W17', '--json']); "
        "heavy = {'dagster', 'pandas', 'papermill', 'nbconvert', 'ipykernel', 'jinja2', 'duckdb'} & sys.modules.keys(); "
        "sys.exit(' '.join(sorted(heavy)) or status)"
    )
    environment = os.environ | {"PULLWEEK_WAREHOUSE": str(sample_site.root), "PULLWEEK_SETTINGS": str(ROOT / "pullweek.toml")}
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert {tuple(week["skipped"]) for week in json.loads(ended.stdout)["weeks"]} == {("derive", "fetch", "report")}


def test_sql_sees_every_week_with_its_repository(
    sample_tables: Warehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PULLWEEK_WAREHOUSE", str(sample_tables.root))
    status, out, _ = call(capsys, "sql", "--json", "select repo, week, merged_count from derived_week order by week")
    assert status == 0
    rows = json.loads(out)
    assert [(row["repo"], row["week"]) for row in rows] == [(SAMPLE, f"2026-W{n}") for n in range(12, 18)]
    assert rows[3]["merged_count"] == 0
    status, out, _ = call(capsys, "sql", "--csv", "select count(*) as n from raw_pull_requests where week = '2026-W15'")
    assert out == "n\n0\n"


def test_status_names_the_gap_between_weeks(
    tmp_path: Path, sample_tables: Warehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "copy"
    shutil.copytree(sample_tables.root, root)
    for folder in (root / "tables").glob("*/*/week=2026-W14"):
        shutil.rmtree(folder)
    cut = Warehouse(root).path(TABLES["raw_files"], SAMPLE, parse_week("2026-W16"))
    cut.write_bytes(cut.read_bytes()[:-1])
    monkeypatch.setenv("PULLWEEK_WAREHOUSE", str(root))
    _, out, _ = call(capsys, "status", SAMPLE, "--json")
    assert [row["raw"] for row in json.loads(out)] == ["complete", "complete", "absent", "complete", "torn", "complete"]


def test_another_zone_locale_and_hash_seed_give_the_same_files(tmp_path: Path, sample_site: Warehouse) -> None:
    """Week by week in a process of its own each, by another clock, language and hash seed, against one run of the range."""
    root = tmp_path / "elsewhere"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PULLWEEK_WAREHOUSE": str(root), "PYTHONHASHSEED": "77"}
    elsewhere = environment | {"TZ": "Pacific/Apia", "LANG": "tr_TR.UTF-8", "LC_ALL": "C.UTF-8"}
    for week in ("2026-W12", "2026-W13", "2026-W14"):
        command = [sys.executable, "-m", "pipelines.cli", "report", SAMPLE, week]
        subprocess.run(command, cwd=ROOT, env=elsewhere, capture_output=True, check=True)
    ours = {path.relative_to(root): path for path in (root / "tables").rglob("*.parquet")}
    ours |= {
        path.relative_to(root): path
        for week in ("2026-W12", "2026-W13")
        for path in (root / "reports" / SAMPLE / week).rglob("*.*")
    }
    assert len(ours) > 3 * 18 + 2 * 20
    for name, path in sorted(ours.items()):
        assert path.read_bytes() == (sample_site.root / name).read_bytes(), name
