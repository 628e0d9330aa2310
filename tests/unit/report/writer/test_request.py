"""What is asked, what is kept, and what the method section says of it."""

import json
from pathlib import Path

import pytest

from pipelines.report.facts import report_from_rows
from pipelines.report.model import Report, Wording
from pipelines.report.prose.wording import wording_lines
from pipelines.report.words import Words
from pipelines.report.writer.answers import Answer, Answers
from pipelines.report.writer.client import Client, NoAnswerError
from pipelines.report.writer.everyday import is_everyday
from pipelines.report.writer.request import items, question, schema
from pipelines.settings import ModelSettings
from tests.unit.report.week_rows import typical_week

ANSWER = Answer("text", 1, 2, 0.5)


@pytest.fixture(scope="module")
def report() -> Report:
    return report_from_rows(typical_week().build())


def test_there_is_an_item_a_highlight_and_one_a_section_or_what_it_holds(report: Report) -> None:
    found = [(item.section, item.key) for item in items(report, "en")]
    assert found[0] == ("summary", "")
    assert [key for section, key in found if section == "pulls"] == ["101", "102"]
    assert {section for section, _ in found} == {"summary", "pulls", "groups", "trends", "risks"}
    assert len(found) == len(set(found))


def test_a_second_question_asks_only_for_what_was_refused(report: Report) -> None:
    item = next(item for item in items(report, "en") if len(item.sentences) > 1)
    given = json.loads(question(report, item, {"s2": "too bold"})[1]["content"])
    assert [(each["id"], each["refused_because"]) for each in given["sentences"]] == [("s2", "too bold")]
    assert given["facts"].keys() == set(item.sentences[1]["facts"])


def test_an_answer_is_kept_by_question_model_and_prompt(tmp_path: Path) -> None:
    answers = Answers(tmp_path)
    keys = {answers.key(*given) for given in (("1", "m", []), ("2", "m", []), ("1", "n", []), ("1", "m", [{"a": 1}]))}
    assert len(keys) == 4
    key = answers.key("1", "m", [])
    assert answers.read(key) is None
    answers.write(key, ANSWER)
    assert answers.read(key) == ANSWER
    for damaged in ("", "{", '{"text": "x"}', '{"text": 1, "input_tokens": 1, "output_tokens": 1, "seconds": 1}', "[]"):
        next(tmp_path.rglob("*.json")).write_text(damaged)
        assert answers.read(key) is None


def test_a_lone_surrogate_of_an_answer_is_stored_and_read(tmp_path: Path) -> None:
    answers = Answers(tmp_path)
    answers.write("ab", Answer("x\ud800y", 1, 1, 0.0))
    assert answers.read("ab") is None or answers.read("ab") == Answer("x\ud800y", 1, 1, 0.0)


def test_the_client_names_what_to_install_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(NoAnswerError, match="uv sync --extra llm"):
        Client(ModelSettings(base_url="http://127.0.0.1:9", model="m"), "").ask([], schema())


def test_words_of_every_day_are_those_of_the_catalogue_and_the_list() -> None:
    assert is_everyday("merged")
    assert is_everyday("alongside")
    assert not is_everyday("kubernetes")


@pytest.mark.parametrize(
    ("state", "reason", "cost", "words"),
    [
        (
            "used",
            "",
            0.25,
            ["worded by tiny", "at once 3, held once the reason was given 2, refused", "7 answers, 1,000 tokens in", "0.25"],
        ),
        ("stopped", "the budget is spent", None, ["was stopped: the budget is spent", "7 answers"]),
        ("unavailable", "HTTP 500", None, ["gave no answer: HTTP 500", "7 answers"]),
    ],
)
def test_the_method_section_says_what_the_model_did(state: str, reason: str, cost: float | None, words: list[str]) -> None:
    wording: Wording = {
        "model": "tiny",
        "prompt_version": "1",
        "state": state,  # type: ignore[typeddict-item]  # because: parametrized
        "reason": reason,
        "answers": 7,
        "written": 3,
        "mended": 2,
        "refused": 1,
        "input_tokens": 1000,
        "output_tokens": 10,
        "seconds": 1.5,
        "cost": cost,
    }
    lines = wording_lines(wording, Words("en"))
    assert len(lines) == len(words)
    assert all(word in line for word, line in zip(words, lines, strict=True))
    assert all("{" not in line for line in wording_lines(wording, Words("zh")))
