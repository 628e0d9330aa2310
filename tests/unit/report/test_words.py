"""The catalogues are whole and alike, and each language's numbers, dates, lists and spaces are its own."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.errors import ReportError
from pipelines.report import words as module
from pipelines.report.facts import report_from_rows
from pipelines.report.prose import write_prose
from pipelines.report.words import Words, languages, needs_space
from tests.unit.report.week_rows import typical_week

EN, ZH = Words("en"), Words("zh")
_CJK = r"[\u3400-\u9fff]"


def _placeholders(words: Words, key: str) -> list[set[str]]:
    return [{text for text, is_placeholder in form if is_placeholder} for form in words._catalogue.messages[key]]


def _text(words: Words, key: str) -> list[str]:
    return [
        "".join(f"{{{text}}}" if is_placeholder else text for text, is_placeholder in form)
        for form in words._catalogue.messages[key]
    ]


def test_every_catalogue_has_the_same_keys() -> None:
    assert languages() == ("en", "zh")
    assert set(EN.keys()) ^ set(ZH.keys()) == set()


def test_placeholders_are_the_same_in_every_language() -> None:
    for key in EN.keys():  # noqa: SIM118  # because: keys() is a method of Words, not of a dict
        english, chinese = _placeholders(EN, key), _placeholders(ZH, key)
        assert set().union(*english) == set().union(*chinese), key
        assert (len(english), len(chinese)) in ((1, 1), (2, 1)), key
        assert all(text for words in (EN, ZH) for text in _text(words, key)), key


def test_no_number_stands_in_words_of_sentences() -> None:
    ours = [key for key in EN.keys() if key.startswith(("prose.", "rule.", "term."))]  # noqa: SIM118  # because: same
    assert [key for key in ours if re.search(r"\d", "".join(text for words in (EN, ZH) for text in _text(words, key)))] == []


def test_chinese_has_its_own_punctuation_and_spaces() -> None:
    texts = {key: _text(ZH, key)[0] for key in ZH.keys() if not key.endswith("_pattern")}  # noqa: SIM118  # because: same
    assert [key for key, text in texts.items() if re.search(rf"{_CJK}[,;:?!.]|[,;:?!]{_CJK}", text)] == []
    assert [key for key, text in texts.items() if re.search(rf"{_CJK}[A-Za-z0-9]|[A-Za-z0-9]{_CJK}", text)] == []


def test_numbers_hours_and_shares() -> None:
    assert (EN.number(1234.56), EN.number(20), EN.number(3.5), EN.number(9.96)) == ("1,234.6", "20", "3.5", "10")
    assert (EN.number(None), EN.hours(None), EN.percent(None), EN.signed(None)) == ("\u2013",) * 4
    assert (EN.hours(27.149), ZH.hours(27.149)) == ("27.1 h", "27.1 小时")
    assert (EN.percent(0.164), EN.percent(0.001), EN.percent(0)) == ("16%", "<1%", "0%")
    assert (EN.signed(3), EN.signed(-3.04), EN.signed(0.01)) == ("+3", "\u22123", "\u00b10")
    assert EN.lines(1200, 3) == "+1,200 \u22123"
    assert EN.number(-0.01) == "0"


def test_dates_and_instants() -> None:
    assert (EN.date("2026-04-20"), ZH.date("2026-04-20")) == ("April 20, 2026", "2026 年 4 月 20 日")
    assert (EN.day("2026-04-20"), ZH.day("2026-04-20")) == ("Apr 20", "4 月 20 日")
    assert ZH.instant("2026-04-26T16:00:00Z", "Asia/Shanghai") == "2026-04-27 00:00 (Asia/Shanghai)"


def test_lists() -> None:
    assert [EN.listed(items) for items in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b, and c"]
    assert [ZH.listed(items) for items in (["a"], ["甲", "乙"], ["a", "b", "丙"])] == ["a", "甲和乙", "a、b 和丙"]
    assert (ZH.separators(3), EN.separators(1), EN.separators(0)) == (["、", "和"], [], [])


def test_plural_forms_are_chosen_by_n() -> None:
    assert [EN.t("prose.n.pulls", n=n) for n in (0, 1, 2)] == ["0 pull requests", "1 pull request", "2 pull requests"]
    assert (EN.t("prose.n.pulls", n=1.5), ZH.t("prose.n.pulls", n=1)) == ("1.5 pull requests", "1 个 PR")


def test_chinese_meets_latin_with_a_space_and_only_there() -> None:
    assert ZH.t("prose.headline.themes", pulls="1 个 PR", themes="JIT 内核") == "合并 1 个 PR\uff0c重点在 JIT 内核"
    assert ZH.t("prose.headline.themes", pulls="1 个 PR", themes="调度") == "合并 1 个 PR\uff0c重点在调度"
    assert EN.spaced("a中") == "a中"


@given(st.text(), st.text())
def test_a_space_is_only_wanted_between_chinese_and_latin(left: str, right: str) -> None:
    assert needs_space(left, right) == needs_space(right[::-1], left[::-1])
    if needs_space(left, right):
        assert re.search(_CJK, left + right)
        assert not (left + right).isspace()


@given(st.floats(-1e9, 1e9))
def test_a_value_is_among_its_own_forms(value: float) -> None:
    for words in (EN, ZH):
        assert {words.number(value), words.signed(value), words.hours(value), words.percent(value)} <= words.forms(value)


def test_forms_of_other_values() -> None:
    assert EN.forms(None) == {"\u2013"}
    assert {"2026-W17"} == EN.forms("2026-W17")
    assert "Apr 20" in EN.forms("2026-04-20")
    assert EN.forms(True) == {"True"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Words("xx"), r"language 'xx': no catalogue xx.po. Choose one of en, zh"),
        (lambda: EN.t("prose.nothing"), r"no message 'prose.nothing'"),
        (lambda: EN.t("term.hours"), r"'term.hours' wants \['hours'\], given \[\]"),
        (lambda: EN.t("prose.n.pulls"), r"'prose.n.pulls' has plural forms and was given no n"),
    ],
)
def test_errors_say_what_and_where(wrong: "object", message: str) -> None:
    with pytest.raises(ReportError, match=message):
        wrong()  # type: ignore[operator]  # because: the parameter is a function, and pytest's table has no type for it


def test_a_third_language_is_one_more_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in module.LOCALES.glob("*.po"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    english = (tmp_path / "en.po").read_text()
    (tmp_path / "fr.po").write_text(
        english.replace("Language: en", "Language: fr").replace('"{pulls} merged"', '"{pulls} fusionnés"')
    )
    monkeypatch.setattr(module, "LOCALES", tmp_path)
    report = report_from_rows(typical_week().build())
    assert sorted(report["prose"]) == ["en", "fr", "zh"]
    assert write_prose(report, ["fr"])["fr"]["summary"] == report["prose"]["fr"]["summary"]
    assert Words("fr").number(1234.5) == "1\u202f234,5"


def test_a_catalogue_of_a_language_that_nobody_knows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "qqq.po").write_text((module.LOCALES / "en.po").read_text())
    monkeypatch.setattr(module, "LOCALES", tmp_path)
    with pytest.raises(ReportError, match=r"language 'qqq'.*code such as en or zh"):
        Words("qqq")
