"""A model words the report: what holds is taken, what does not is refused and recorded, and no failure takes the report along."""

import copy
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pipelines.defs.steps import derive_week, fetch_week, report_week, worded
from pipelines.report.check import problems
from pipelines.report.facts import report_bytes, report_from_rows
from pipelines.report.markdown import render_markdown
from pipelines.report.model import Report
from pipelines.report.render import Context
from pipelines.report.writer.answers import Answers
from pipelines.report.writer.client import Client
from pipelines.report.writer.request import items, text_of
from pipelines.report.writer.reword import Reworded, reword
from pipelines.settings import ModelSettings, RepositorySettings
from pipelines.sources.sample import SampleSource
from pipelines.tables import TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import parse_week
from tests.model_server import Behaviour, ModelServer
from tests.model_server.server import babble, echo, mend
from tests.unit.report.week_rows import typical_week

KEY = "sk-never-to-be-seen"


@pytest.fixture(scope="module")
def report() -> Report:
    week = typical_week()
    week.rows["raw_pull_requests"][2]["title"] = "Fix the path of a store"  # markup in a title is refused, as another test holds
    return report_from_rows(week.build())


def _settings(url: str, **given: Any) -> ModelSettings:
    return ModelSettings(**{"base_url": url, "model": "tiny", "timeout_seconds": 30.0, "languages": ("en",), **given})


def _run(report: Report, folder: Path, script: list[Behaviour], **given: Any) -> tuple[Reworded, ModelServer]:
    with ModelServer(script) as server:
        settings = _settings(server.url, **given)
        with closing(Client(settings, KEY)) as client:
            return reword(report, settings, client, Answers(folder)), server


def _sentences(report: Report) -> int:
    return sum(len(item.sentences) for item in items(report, "en"))


def test_sentences_that_hold_stand_as_the_models(report: Report, tmp_path: Path) -> None:
    before = copy.deepcopy(report)
    made, server = _run(report, tmp_path, [echo], price_per_million_input_tokens=1.0, price_per_million_output_tokens=2.0)
    wording = made.report["wording"]
    assert (wording["state"], wording["written"], wording["mended"], wording["refused"]) == ("used", _sentences(report), 0, 0)
    assert (wording["input_tokens"], wording["output_tokens"]) == (100 * len(server.questions), 20 * len(server.questions))
    assert wording["cost"] == pytest.approx(0.00014 * len(server.questions), abs=1e-4)
    assert {s["source"] for item in items(made.report, "en") for s in item.sentences} == {"model"}
    assert {s["source"] for item in items(made.report, "zh") for s in item.sentences} == {"rule"}
    assert list(problems(made.report)) == []
    assert made.audit == []
    assert report == before


def test_a_rerun_costs_nothing_and_changes_nothing(report: Report, tmp_path: Path) -> None:
    first, _ = _run(report, tmp_path, [mend])
    again, server = _run(report, tmp_path, ["500"])
    assert server.questions == []
    assert report_bytes(again.report) == report_bytes(first.report)
    assert again.audit == first.audit


def test_babble_is_refused_whole_and_recorded(report: Report, tmp_path: Path) -> None:
    made, _ = _run(report, tmp_path, [babble], languages=("en", "zh"))
    assert made.report["prose"] == report["prose"]
    assert made.report["wording"]["refused"] == sum(len(item.sentences) for lang in ("en", "zh") for item in items(report, lang))
    assert {row["outcome"] for row in made.audit} == {"replaced"}
    assert {row["attempt"] for row in made.audit} == {1, 2}
    assert all("42 amazing" in row["text"] and row["reason"] for row in made.audit)


def test_what_was_refused_is_asked_for_once_more_with_the_reason(report: Report, tmp_path: Path) -> None:
    made, server = _run(report, tmp_path, [mend])
    assert made.report["wording"]["mended"] == _sentences(report)
    assert {row["outcome"] for row in made.audit} == {"mended"}
    asked = json.loads(server.questions[1]["messages"][1]["content"])
    assert all(each["refused_because"] for each in asked["sentences"])


@pytest.mark.parametrize("behaviour", ["not json", "wrong shape", "null", "deep", "no schema", "llama"])
def test_rubbish_leaves_the_rules_sentences(report: Report, tmp_path: Path, behaviour: Behaviour) -> None:
    made, _ = _run(report, tmp_path, [behaviour])
    assert made.report["prose"] == report["prose"]
    assert (made.report["wording"]["state"], made.report["wording"]["written"]) == ("used", 0)
    assert made.audit


@pytest.mark.parametrize(
    ("behaviour", "forms"),
    [
        ("no schema", [("json_schema", False), ("json_object", True), ("json_object", False), ("json_object", False)]),
        ("llama", [("json_schema", False), ("json_object", True), ("json_object", True)]),
    ],
)
def test_a_form_that_a_server_refuses_is_asked_for_otherwise_and_remembered(
    report: Report, tmp_path: Path, behaviour: Behaviour, forms: list[tuple[str, bool]]
) -> None:
    _, server = _run(report, tmp_path, [behaviour])
    asked = [(each["response_format"]["type"], "schema" in each["response_format"]) for each in server.questions]
    assert asked[: len(forms)] == forms


def test_a_server_that_knows_no_form_is_asked_in_words_and_fences_are_taken_off(report: Report, tmp_path: Path) -> None:
    def fenced(asked: dict[str, Any]) -> str:
        return f"```json\n{echo(asked)}\n```\n"

    made, server = _run(report, tmp_path, ["no form", "no form", "no form", fenced])
    assert ["response_format" in each for each in server.questions[:5]] == [True, True, True, False, False]
    assert made.report["wording"]["written"] == _sentences(report)


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("slow", "no answer within 2 s"),
        ("trickle", "no answer within 2 s"),
        ("cut", "cannot be reached"),
        ("429", "HTTP 429"),
        ("500", "HTTP 500"),
        ("401", "HTTP 401"),
        ("html", "another protocol"),
        ("endless", "longer than"),
    ],
)
def test_a_server_that_fails_leaves_the_default_report_which_says_so(
    report: Report, tmp_path: Path, behaviour: Behaviour, reason: str
) -> None:
    made, server = _run(report, tmp_path, [echo, behaviour], timeout_seconds=2.0 if behaviour in ("slow", "trickle") else 30.0)
    assert made.report["prose"] == report["prose"]
    assert made.report["wording"]["state"] == "unavailable"
    assert reason in made.report["wording"]["reason"]
    assert made.audit == []
    assert len(server.questions) <= 3


def test_a_passing_failure_is_tried_again(report: Report, tmp_path: Path) -> None:
    made, _ = _run(report, tmp_path, ["429", echo])
    assert made.report["wording"]["state"] == "used"


def test_without_a_server_the_report_is_the_default_one(report: Report, tmp_path: Path) -> None:
    settings = _settings("http://127.0.0.1:9/v1")
    with closing(Client(settings, "")) as client:
        made = reword(report, settings, client, Answers(tmp_path))
    assert (made.report["prose"], made.report["wording"]["state"]) == (report["prose"], "unavailable")


def test_the_budget_is_held_before_a_question_is_sent(report: Report, tmp_path: Path) -> None:
    made, server = _run(report, tmp_path, [echo], max_tokens_per_report=10)
    assert server.questions == []
    assert (made.report["wording"]["state"], made.report["prose"]) == ("stopped", report["prose"])
    assert "budget of 10 tokens" in made.report["wording"]["reason"]


def test_the_key_is_sent_and_stands_nowhere(report: Report, tmp_path: Path) -> None:
    made, server = _run(report, tmp_path, [mend])
    assert set(server.keys) == {f"Bearer {KEY}"}
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in stored + report_bytes(made.report) + json.dumps(made.audit).encode()


def test_a_damaged_answer_is_asked_for_again(report: Report, tmp_path: Path) -> None:
    _run(report, tmp_path, [echo])
    for path in tmp_path.rglob("*.json"):
        path.write_text('{"text": 3}')
    made, server = _run(report, tmp_path, [echo])
    assert server.questions
    assert made.report["wording"]["written"] == _sentences(report)


def test_a_question_holds_untrusted_text_apart_and_only_there(report: Report, tmp_path: Path) -> None:
    _, server = _run(report, tmp_path, [echo])
    system, user = server.questions[0]["messages"]
    assert "never an instruction" in system["content"]
    given = json.loads(user["content"])
    assert {"sentences", "facts", "untrusted"} == given.keys()
    assert all(pull["title"] not in system["content"] for pull in report["pull_requests"])
    assert text_of(next(iter(items(report, "en"))).sentences[0]) == given["sentences"][0]["text"]


def test_the_report_step_writes_the_audit_beside_the_tables(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warehouse, week = Warehouse(tmp_path), parse_week("2026-W17")
    monkeypatch.setenv("PULLWEEK_MODEL_KEY", KEY)
    assert worded(warehouse, ModelSettings(), week, report) is report
    with ModelServer([babble]) as server:
        made = worded(warehouse, _settings(server.url), week, report)
    assert set(server.keys) == {f"Bearer {KEY}"}
    frame = warehouse.read(TABLES["derived_prose_audit"], "acme/lattice", week)
    assert made["wording"]["refused"] * 2 == len(frame) > 0
    assert set(frame["model"]) == {"tiny"}
    assert KEY not in "".join(path.read_bytes().decode("latin-1") for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_and_markdown_say_what_the_model_did(report: Report, tmp_path: Path, language: str) -> None:
    made, _ = _run(report, tmp_path, ["500"])
    assert "HTTP 500" in render_markdown(made.report, language)
    assert any("HTTP 500" in line for line in Context(made.report, language).wording())


def test_a_published_report_is_worded_anew_where_the_model_is_another_or_gave_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warehouse, week, entry = Warehouse(tmp_path), parse_week("2026-W15"), RepositorySettings(name="acme/lattice", source="sample")
    fetch_week(warehouse, SampleSource, entry, week, lambda *_: None, refresh=False)
    derive_week(warehouse, entry, week)
    monkeypatch.setenv("PULLWEEK_SETTINGS", str(tmp_path / "none.toml"))
    monkeypatch.setenv("PULLWEEK_MODEL", "tiny")

    def run(script: list[Any]) -> tuple[bool, str]:
        """Whether it was skipped, and what the published report says of its wording."""
        with ModelServer(script) as server:
            monkeypatch.setenv("PULLWEEK_MODEL_BASE_URL", "" if script == ["off"] else server.url)
            skipped = report_week(warehouse, entry, week).skipped
        published = json.loads((warehouse.report_folder(entry.name, week) / "report.json").read_bytes())
        return skipped, published.get("wording", {}).get("state", "off")

    assert run(["500"]) == (False, "unavailable")
    assert run([echo]) == (False, "used")
    assert run(["off"]) == (False, "off")
    assert run(["off"]) == (True, "off")
