import re

import pytest

from pipelines.report.model import LANGUAGES, Report
from pipelines.report.page_check import page_problems
from pipelines.report.page_pull import all_page, kinds_of, list_script, pull_pages
from tests.report_fixture import make_report

HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</title><b>", "{{7*7}}", "a & b", "'quoted'")


def text(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition("<body")[2]).split())


def page_of(report: Report, number: int) -> str:
    return dict(pull_pages(report, "en"))[number]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("texts", [(), HOSTILE])
def test_the_pages_hold_whatever_the_texts(language: str, texts: tuple[str, ...]) -> None:
    report = make_report(40, texts=texts)
    pages = dict(pull_pages(report, language))
    assert list(pages) == report["highlights"]
    assert not any(list(page_problems(page)) for page in pages.values())
    assert list(page_problems(all_page(report, language), scripts=1)) == []


def test_a_highlights_page_shows_every_part() -> None:
    report = make_report(40)
    shown = text(page_of(report, 802))
    for part in (
        "reverted by #803, 1.7 h after the merge",
        "Add tests",  # the recommended action
        "In its own words The allocator moved pages that were still read.",
        "lattice/engine/core_802.py",
        "from old/lattice/engine/core_802.py",
        "renamed",
        "(of 1 file not known)",
        "Does this hold where the batch is empty?",
        "lattice/engine/core_802.py :12",
        "missing_tests",
        "core_files_count 2",
        "Evidence lattice/engine/core_802.py",
        "Fixes #803 Fix it for good 2026-W17, 30.5 h apart",
        "Size of the source change +3.25",
        "Tests \u22120.5",
    ):
        assert part.lower() in shown.lower(), part


def test_what_is_not_known_of_a_pull_request_is_said() -> None:
    report = make_report(40)
    pull = report["pull_requests"][0]
    pull["detail"]["threads"] = pull["reviewers"] = pull["approvers"] = pull["open_threads"] = None
    pull["unknown_parts"], pull["links"][0]["week"], pull["links"][0]["hours"] = ["files"], None, None
    shown = text(page_of(report, 801))
    assert "Whether threads were open at the merge is not known" in shown
    assert "Not read, so not judged: files" in shown
    assert "week not stored" in shown
    assert shown.count("Not known") >= 3


def test_another_repositorys_name_becomes_a_link_only_where_it_is_one() -> None:
    report = make_report(40)
    link = report["pull_requests"][0]["links"][0]
    link["repo"], link["number"] = "acme/other", 5
    assert 'href="https://github.com/acme/other/pull/5"' in page_of(report, 801)
    link["repo"] = 'acme/"onclick=1'
    page = page_of(report, 801)
    assert "acme/&#34;onclick=1</bdi>#5" in page
    assert list(page_problems(page)) == []


def test_files_are_counted_by_kind_most_first() -> None:
    rows = kinds_of(make_report(40)["pull_requests"][0]["detail"]["file_rows"])
    assert [(row["kind"], row["files"], row["unknown"]) for row in rows] == [("docs", 2, 0), ("source", 2, 0), ("test", 2, 1)]
    assert rows[1]["added"] == 30


def test_the_list_holds_every_pull_request_once_with_its_anchor() -> None:
    page = all_page(make_report(40), "en")
    assert re.findall(r'<tr id="p(\d+)"', page) == [str(number) for number in range(801, 841)]
    assert page.count("<script>") == 1
    assert list_script() in page
    assert 'id="filter" hidden' in page  # shown by the script that makes it work


def test_a_week_without_pull_requests_has_a_list_that_says_so() -> None:
    assert "Nothing was merged this week" in text(all_page(make_report(0), "en"))


def test_the_same_report_gives_the_same_pages() -> None:
    one, other = make_report(12), make_report(12)
    assert all_page(one, "zh") == all_page(other, "zh")
    assert list(pull_pages(one, "zh")) == list(pull_pages(other, "zh"))
