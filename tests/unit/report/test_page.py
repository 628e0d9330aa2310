import json
import re
from html import unescape
from pathlib import Path

import pytest

from pipelines.errors import PullweekError, ReportError
from pipelines.report.model import LANGUAGES
from pipelines.report.page import Page, open_page, read_report
from tests.report_fixture import make_report

SECTIONS = ("head", "contents", "summary", "changes", "trends", "risks", "pulls", "follow_ups", "method")
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]><svg/onload=1>",
    "{{7*7}}",
    "a & b",
    "'; DROP",
    "</bdi></section>",
)


def html(page: Page) -> dict[str, str]:
    return {name: getattr(page, name)()._repr_html_() for name in SECTIONS}


def text(fragment: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", fragment).split()))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", [0, 1, 40])
@pytest.mark.parametrize("state", ["complete", "partial"])
def test_every_section_of_every_week_is_made(language: str, count: int, state: str) -> None:
    made = html(Page(make_report(count, state=state), language))  # type: ignore[arg-type]  # because: parametrized
    assert all("<" in fragment for fragment in made.values())
    assert [re.search(r'<section class="pw" id="(\w+)"', made[name])[1] for name in SECTIONS[2:]] == list(SECTIONS[2:])  # type: ignore[index]  # because: a miss fails the test


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_of_others_is_escaped_in_every_section(language: str) -> None:
    for name, fragment in html(Page(make_report(40, texts=HOSTILE), language)).items():
        assert "<script" not in fragment, name
        assert "<img" not in fragment, name
        assert "<svg/" not in fragment, name
        assert "49" not in text(fragment).split(), name


def test_the_contents_lead_to_the_sections() -> None:
    made = html(Page(make_report(40), "en"))
    assert re.findall(r'href="#(\w+)"', made["contents"]) == list(SECTIONS[2:])


def test_a_partial_week_says_what_is_missing() -> None:
    made = html(Page(make_report(40, state="partial"), "en"))
    assert "1 pull requests could not be read and 1 parts were cut short" in text(made["head"])
    assert "#790" in made["method"]
    assert "812:files" in made["method"]
    assert "Revised" in made["head"]


def test_an_empty_week_is_a_complete_report_that_says_so() -> None:
    made = html(Page(make_report(0), "en"))
    assert "12 rules looked at the week's 0 pull requests; none fired" in text(made["risks"])
    assert "Nothing was merged this week" in text(made["pulls"])
    assert "0 of 0 merged pull requests read" in text(made["head"])


def test_a_tile_names_its_change_and_which_direction_is_good_in_words() -> None:
    made = text(html(Page(make_report(40), "en"))["summary"])
    assert "20 above the usual 20" in made
    assert "6 above the usual 20 (worse)" in made
    assert "11 above the usual 20 (better)" in made


def test_what_is_not_known_is_said_and_never_zero() -> None:
    report = make_report(40)
    report["tiles"][0]["change"] = report["tiles"][0]["comparator"] = None
    report["first_time_authors"] = report["reviewers"] = None
    made = html(Page(report, "en"))
    assert "No earlier weeks to compare with" in made["summary"]
    assert text(made["method"]).count("Not known") >= 2
    assert "reviewers not known" in text(made["pulls"])
    assert "what is usual is not known, with 2 earlier weeks stored" in text(made["risks"])


def test_the_key_table_says_n_of_m_and_names_a_revert() -> None:
    made = html(Page(make_report(40), "en"))["pulls"]
    assert "Top 10 of 40 by importance" in made
    assert len(re.findall(r'<tr id="top-', made)) == 10
    assert "reverted by #803" in made


def test_each_chart_has_its_data_in_a_table_below_it() -> None:
    made = html(Page(make_report(40), "en"))["trends"]
    figures = re.findall(r"<figure.*?</figure>", made, re.DOTALL)
    assert len(figures) == 3
    assert all("<table" in figure for figure in figures[:2])
    assert 'href="all.en.html"' in figures[2]


def test_numbers_are_those_of_the_language() -> None:
    report = make_report(40)
    report["groups"][0]["added"] = 1234567
    assert "+1,234,567" in html(Page(report, "en"))["changes"]
    assert "周报" in html(Page(report, "zh"))["head"]


def test_a_report_is_opened_from_a_warehouse(tmp_path: Path) -> None:
    folder = tmp_path / "reports" / "acme" / "lattice" / "2026-W17"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(json.dumps(make_report(3)), encoding="utf-8")
    assert repr(open_page("acme/lattice", "2026-W17", "zh", str(tmp_path)).head()) == "<section head>"
    with pytest.raises(ReportError, match=r"report\.json: not there. Make the report first"):
        open_page("acme/lattice", "2026-W18", "zh", str(tmp_path))
    with pytest.raises(PullweekError, match="not of the form OWNER/NAME"):
        open_page("../../etc", "2026-W17", "zh", str(tmp_path))


@pytest.mark.parametrize(
    ("content", "words"), [("{", "cannot be read"), ("[]", "schema version None"), ('{"schema_version": 99}', "schema version 99")]
)
def test_a_damaged_or_foreign_report_is_one_clear_line(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "report.json").write_text(content)
    with pytest.raises(ReportError, match=rf"report\.json: .*{words}"):
        read_report(tmp_path / "report.json")
