import json
import re
import shutil
from pathlib import Path

import pytest

from pipelines.errors import ReportError
from pipelines.report.index import entries_of, front_index, neighbours, refresh, repository_index
from pipelines.report.index_cards import CARD, card_bytes, card_of, published_repositories, published_weeks, read_card
from pipelines.report.page_check import page_problems
from pipelines.report.page_frame import report_frame
from pipelines.report.render import Context
from pipelines.weeks import parse_week
from tests.report_fixture import make_report

REPO = "acme/lattice"


def publish(reports: Path, week: str, count: int = 12, repo: str = REPO) -> Path:
    """What of a published week the index needs."""
    report = make_report(count, week=week, repo=repo)
    folder = reports / repo / week
    (folder / "pulls").mkdir(parents=True)
    (folder / CARD).write_bytes(card_bytes(card_of(report)))
    for language in ("en", "zh"):
        page = report_frame(Context(report, language)).around("<p>The week</p>")
        (folder / f"report.{language}.html").write_text(page, encoding="utf-8")
    return folder


def tree(reports: Path) -> dict[str, bytes]:
    return {str(path.relative_to(reports)): path.read_bytes() for path in sorted(reports.rglob("*")) if path.is_file()}


def test_a_card_counts_by_the_gravest_risk_and_holds_the_headline_as_text() -> None:
    card = card_of(make_report(12))
    assert sum(card["risks"].values()) == sum(bool(pull["risks"]) for pull in make_report(12)["pull_requests"])
    assert card["headline"]["en"] == "In this week 12 pull requests were merged."
    assert card["merged"] == 12


def test_weeks_between_the_first_and_the_last_that_were_not_published_are_gaps(tmp_path: Path) -> None:
    for week in ("2025-W52", "2026-W02", "2026-W03"):
        publish(tmp_path, week)
    entries = entries_of(tmp_path / REPO)
    assert [(entry.week, entry.year, entry.card is None) for entry in entries] == [
        ("2026-W03", 2026, False),
        ("2026-W02", 2026, False),
        ("2026-W01", 2026, True),
        ("2025-W52", 2025, False),
    ]
    page = repository_index(REPO, entries, "en")
    assert page.index('<h2 id="y2026">') < page.index('<h2 id="y2025">')
    assert "No report was published for this week" in page
    assert 'href="2026-W02/report.en.html"' in page
    assert list(page_problems(page)) == []


def test_neighbours_are_the_nearest_published_weeks() -> None:
    weeks = [parse_week(week) for week in ("2026-W10", "2026-W12", "2026-W13")]
    assert neighbours(weeks, weeks[1]) == ("2026-W10", "2026-W13")
    assert neighbours(weeks, weeks[0]) == (None, "2026-W12")
    assert neighbours(weeks, weeks[2]) == ("2026-W12", None)


def test_the_folder_is_the_same_whatever_the_order_of_publishing(tmp_path: Path) -> None:
    weeks = ["2026-W15", "2026-W16", "2026-W18"]
    for name, order in (("a", weeks), ("b", weeks[::-1]), ("c", [weeks[1], weeks[0], weeks[2], weeks[0]])):
        for week in order:
            if not (tmp_path / name / REPO / week).exists():
                publish(tmp_path / name, week)
            refresh(tmp_path / name, REPO)
    assert tree(tmp_path / "a") == tree(tmp_path / "b") == tree(tmp_path / "c")
    page = (tmp_path / "a" / REPO / "2026-W16" / "report.en.html").read_text()
    assert 'href="../2026-W15/report.en.html"' in page
    assert 'href="../2026-W18/report.en.html"' in page


def test_a_week_replaced_by_pages_without_links_and_another_card_is_brought_up_to_date(tmp_path: Path) -> None:
    first = publish(tmp_path, "2026-W16")
    publish(tmp_path, "2026-W17")
    refresh(tmp_path, REPO)
    before = tree(tmp_path)
    assert 'rel="next" href="../2026-W17/report.zh.html"' in (first / "report.zh.html").read_text(encoding="utf-8")
    shutil.rmtree(first)
    publish(tmp_path, "2026-W16", count=13)
    refresh(tmp_path, REPO)
    assert "<strong>13</strong>" in (tmp_path / REPO / "index.en.html").read_text(encoding="utf-8")
    assert 'rel="next" href="../2026-W17/report.zh.html"' in (first / "report.zh.html").read_text(encoding="utf-8")
    shutil.rmtree(first)
    publish(tmp_path, "2026-W16")
    refresh(tmp_path, REPO)
    assert tree(tmp_path) == before


def test_a_page_that_has_its_links_is_not_written_again(tmp_path: Path) -> None:
    page = publish(tmp_path, "2026-W16") / "report.en.html"
    refresh(tmp_path, REPO)
    before = page.stat().st_ino
    refresh(tmp_path, REPO)
    assert page.stat().st_ino == before


def test_latest_is_the_newest_week_and_costs_no_room(tmp_path: Path) -> None:
    publish(tmp_path, "2026-W15")
    newest = publish(tmp_path, "2026-W16")
    refresh(tmp_path, REPO)
    latest = tmp_path / REPO / "latest"
    assert tree(latest) == tree(newest)
    assert (latest / "report.en.html").samefile(newest / "report.en.html")
    newer = publish(tmp_path, "2026-W17")
    refresh(tmp_path, REPO)
    assert tree(latest) == tree(newer)
    assert not list((tmp_path / REPO).glob(".latest*"))


def test_the_front_page_holds_several_repositories_each_with_its_newest_week(tmp_path: Path) -> None:
    publish(tmp_path, "2026-W15")
    publish(tmp_path, "2026-W16", repo="zeta/other")
    publish(tmp_path, "2026-W17", repo="zeta/other")
    refresh(tmp_path, REPO)
    assert published_repositories(tmp_path) == [REPO, "zeta/other"]
    page = (tmp_path / "index.en.html").read_text()
    assert 'href="acme/lattice/2026-W15/report.en.html"' in page
    assert 'href="zeta/other/2026-W17/report.en.html"' in page
    assert "2 repositories" in page
    assert list(page_problems(page)) == []


def test_the_feeds_hold_the_published_weeks_newest_first(tmp_path: Path) -> None:
    publish(tmp_path, "2026-W15")
    publish(tmp_path, "2026-W16")
    publish(tmp_path, "2026-W17", repo="zeta/other")
    for repo in (REPO, "zeta/other"):
        refresh(tmp_path, repo)
    own, common = (tmp_path / REPO / "feed.en.atom").read_text(), (tmp_path / "feed.en.atom").read_text()
    assert re.findall(r'href="([^"]*report[^"]*)"', own) == ["2026-W16/report.en.html", "2026-W15/report.en.html"]
    assert re.findall(r'href="([^"]*report[^"]*)"', common)[0] == "zeta/other/2026-W17/report.en.html"
    assert common.count("<entry>") == 3


def test_an_index_of_nothing_says_so() -> None:
    assert "No report has been published yet" in front_index([], "en")
    assert "尚未发布任何周报" in repository_index(REPO, [], "zh")


def test_folders_of_somebody_else_are_not_weeks(tmp_path: Path) -> None:
    publish(tmp_path, "2026-W15")
    for name in ("2026-W99", ".old-2026-W14", "notes-W1"):
        (tmp_path / REPO / name).mkdir()
        (tmp_path / REPO / name / CARD).write_text("{}")
    (tmp_path / "-bad-" / "x" / "2026-W15").mkdir(parents=True)
    (tmp_path / "-bad-" / "x" / "2026-W15" / CARD).write_text("{}")
    assert [str(week) for week in published_weeks(tmp_path / REPO)] == ["2026-W15"]
    assert published_repositories(tmp_path) == [REPO]


@pytest.mark.parametrize("content", ["{", "[]", json.dumps({"card_version": 99})])
def test_a_damaged_card_is_made_anew_from_its_report(tmp_path: Path, content: str) -> None:
    (tmp_path / CARD).write_text(content)
    with pytest.raises(ReportError, match=r"report\.json: not there\. Make the report first"):
        read_card(tmp_path)
    report = make_report(12)
    (tmp_path / "report.json").write_text(json.dumps(report), encoding="utf-8")
    assert read_card(tmp_path) == card_of(report)
