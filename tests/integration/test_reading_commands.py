"""Commands that read the warehouse: why a pull request ranks, which rules fired, what a rerun would change, what may go."""

import json
import os
import shutil
from pathlib import Path

import pytest

from pipelines.commands.gc import leftovers
from pipelines.sources.sample import CASES
from pipelines.tables import TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import parse_week
from tests.conftest import SAMPLE
from tests.integration.test_command import call

WEEK = parse_week("2026-W17")
FAR_FUTURE = 4e9


@pytest.fixture
def stored(tmp_path: Path, sample_site: Warehouse, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    """A copy of the reported sample that a test may change, as the command's warehouse."""
    root = tmp_path / "warehouse"
    shutil.copytree(sample_site.root, root)
    monkeypatch.setenv("PULLWEEK_WAREHOUSE", str(root))
    monkeypatch.chdir(tmp_path)
    return Warehouse(root)


@pytest.mark.usefixtures("stored")
def test_explain_names_the_rule_behind_each_statement(capsys: pytest.CaptureFixture[str]) -> None:
    number = CASES["title_html"]
    status, out, err = call(capsys, "explain", f"{SAMPLE}#{number}")
    assert status == 0, err
    assert f"{SAMPLE}#{number}" in out.splitlines()[0]
    assert "kind of change: " in out
    assert "(rule " in out
    assert "base_points" in out
    status, out, _ = call(capsys, "explain", f"{SAMPLE}#{number}", "--json")
    told = json.loads(out)
    points = sum(part["points"] for part in told["importance"]["components"])
    assert points == pytest.approx(told["importance"]["score"])


@pytest.mark.usefixtures("stored")
def test_explain_sends_no_control_characters_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for case in ("title_rtl", "title_emoji", "title_html"):
        _, out, _ = call(capsys, "explain", f"{SAMPLE}#{CASES[case]}")
        assert all(char.isprintable() or char == "\n" for char in out)


@pytest.mark.parametrize(
    ("pull", "says"),
    [("acme/lattice", "write it as OWNER/NAME#123"), ("acme/lattice#1", r"not in any stored week (stored: 2026-W12 to 2026-W17)")],
)
@pytest.mark.usefixtures("stored")
def test_explain_of_what_is_not_there(capsys: pytest.CaptureFixture[str], pull: str, says: str) -> None:
    status, out, err = call(capsys, "explain", pull)
    assert status in {1, 2}
    assert out == ""
    assert says in err


def test_rules_are_listed_with_their_counts(stored: Warehouse, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "rules", "--json")
    assert status == 0
    assert {"core_path_change", "missing_tests", "open_threads"} <= {row["rule"] for row in json.loads(out)}
    _, out, _ = call(capsys, "rules", SAMPLE, "2026-W17", "--json")
    counts = {row["rule"]: row["count"] for row in json.loads(out)}
    frame = stored.read(TABLES["derived_risks"], SAMPLE, WEEK)
    assert counts["open_threads"] == (frame["rule"] == "open_threads").sum()
    assert sum(counts.values()) == len(frame)
    status, out, _ = call(capsys, "rules", SAMPLE)
    assert f"over {SAMPLE} 2026-W17" in out


@pytest.mark.usefixtures("stored")
def test_diff_of_an_unchanged_week_is_empty(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "diff", SAMPLE, "2026-W17")
    assert status == 0, err
    assert "a rerun gives what is stored" in out
    assert "changed inputs: none" in out


def test_diff_names_table_sentence_and_cause(stored: Warehouse, capsys: pytest.CaptureFixture[str]) -> None:
    Path("pullweek.toml").write_text(
        f'[repositories."{SAMPLE}"]\nsource = "sample"\nfirst_week = "2026-W12"\n'
        f'[repositories."{SAMPLE}".rules]\nrisks_off = ["open_threads"]\n',
        encoding="utf-8",
    )
    before = {path: path.read_bytes() for path in stored.root.rglob("*") if path.is_file() and ".locks" not in path.parts}
    _, out, _ = call(capsys, "diff", SAMPLE, "2026-W17", "--json")
    change = json.loads(out)
    assert change["causes"] == ["settings"]
    (risks,) = (table for table in change["tables"] if table["table"] == "derived_risks")
    assert risks["removed"]
    assert all(key.endswith("open_threads") for key in risks["removed"])
    assert any("en.risks" in line for line in change["sentences_gone"])
    assert before == {path: path.read_bytes() for path in before}, "nothing stored is touched"
    _, out, _ = call(capsys, "diff", SAMPLE, "2026-W17")
    assert "changed inputs: settings" in out
    assert "derived_risks: 0 rows new" in out


def test_gc_shows_and_removes_only_when_told(stored: Warehouse, capsys: pytest.CaptureFixture[str]) -> None:
    temporary = stored.path(TABLES["raw_files"], SAMPLE, WEEK).with_name(".part-0.parquet.abc.tmp")
    temporary.write_bytes(b"half")
    os.utime(temporary, (1, 1))
    strange = stored.root / "tables" / "raw_old_table"
    strange.mkdir()
    for table in TABLES.values():
        if table.is_raw:
            shutil.rmtree(stored.path(table, SAMPLE, parse_week("2026-W12")).parent, ignore_errors=True)
    status, out, err = call(capsys, "gc")
    assert status == 0
    assert "interrupted write" in out
    assert "raw_old_table" in out
    assert "derived from raw tables that are gone" in out
    assert "Run pullweek gc --yes" in err
    assert temporary.exists()
    call(capsys, "gc", "--yes")
    assert not temporary.exists()
    assert not strange.exists()
    assert list(leftovers(stored, FAR_FUTURE)) == []
    assert stored.week_state(SAMPLE, WEEK) == "complete"


@pytest.mark.usefixtures("stored")
def test_doctor_says_what_is_missing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_TOKEN", "GITHUB_APP_ID"):
        monkeypatch.delenv(name, raising=False)
    status, out, _ = call(capsys, "doctor", SAMPLE)
    assert status == 1
    assert "BAD  token: " in out
    assert "GITHUB_TOKEN" in out
    status, out, _ = call(capsys, "doctor", "--json")
    assert {finding["state"] for finding in json.loads(out)} <= {"good", "warning", "bad"}


@pytest.mark.usefixtures("stored")
def test_send_without_a_server_says_what_to_set(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "send", SAMPLE, "2026-W17")
    assert status == 2
    assert "PULLWEEK_SMTP_HOST" in err
    status, _, err = call(capsys, "send", SAMPLE, "2026-W10")
    assert "no report is published" in err
