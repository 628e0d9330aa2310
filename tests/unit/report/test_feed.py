"""Feeds that readers accept, whose ids stay, and whose entries move only when their content does."""

import copy
import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import defusedxml.ElementTree as Defused  # type: ignore[import-untyped]  # because: it ships no types
import pytest

from pipelines.report.facts import report_from_rows
from pipelines.report.feed import ATOM, MOST_ENTRIES, entry_id, feed_item, render_feed
from pipelines.report.model import Report
from tests.unit.report.feed_rules import problems
from tests.unit.report.hostile import HOSTILE
from tests.unit.report.week_rows import WeekBuilder, typical_week

_A = f"{{{ATOM}}}"


@pytest.fixture(scope="module")
def report() -> Report:
    return report_from_rows(typical_week().build())


def _validated(content: bytes) -> Any:
    """The feed's root, held by a validating parser; wherever it lies."""
    root = Defused.fromstring(content)
    own = next(link.get("href") for link in root.iter(f"{_A}link") if link.get("rel") == "self")
    assert problems(content, urljoin("https://reports.example/", own)) == []
    for found in root.iter(f"{_A}id"):
        assert re.fullmatch(r"tag:[a-z0-9.\-]+,\d{4}-\d\d-\d\d:pullweek/[A-Za-z0-9._/\-]+", found.text)
    return root


def test_a_feed_is_valid_and_leads_to_the_reports(report: Report) -> None:
    own = _validated(render_feed([feed_item(report)], "zh", repo="acme/lattice", name="feed.zh.xml"))
    entry = own.find(f"{_A}entry")
    assert entry.findtext(f"{_A}id") == "tag:github.com,2026-04-20:pullweek/acme/lattice/2026-W17/zh"
    assert [link.get("href") for link in own.findall(f"{_A}link")] == ["feed.zh.xml", "index.zh.html"]
    assert entry.find(f"{_A}link").get("href") == "2026-W17/report.zh.html"
    every = _validated(render_feed([feed_item(report)], "en", repo=None, name="feed.en.xml"))
    assert every.find(f"{_A}entry/{_A}link").get("href") == "acme/lattice/2026-W17/report.en.html"
    assert urljoin("https://x.example/a/feed.zh.xml", entry.find(f"{_A}link").get("href")).endswith("/a/2026-W17/report.zh.html")


def test_the_same_reports_in_any_order_give_the_same_bytes(report: Report) -> None:
    other = copy.deepcopy(report)
    other["week"], other["days"] = "2026-W16", {"first": "2026-04-13", "last": "2026-04-19"}
    first = render_feed([feed_item(report), feed_item(other)], "en", repo="acme/lattice", name="f.xml")
    assert first == render_feed([feed_item(other), feed_item(report)], "en", repo="acme/lattice", name="f.xml")
    titles = [title.text for title in _validated(first).iterfind(f"{_A}entry/{_A}title")]
    assert [title.split(":")[0] for title in titles] == ["acme/lattice 2026-W17", "acme/lattice 2026-W16"]


def test_an_entry_moves_only_when_its_content_does(report: Report) -> None:
    before = render_feed([feed_item(report)], "en", repo="acme/lattice", name="f.xml")
    fetched_again = copy.deepcopy(report)
    fetched_again["data_as_of"] = "2026-05-04T06:00:00Z"
    assert render_feed([feed_item(fetched_again)], "en", repo="acme/lattice", name="f.xml", previous=before) == before
    changed = copy.deepcopy(fetched_again)
    changed["prose"]["en"]["summary"].pop()
    root = _validated(render_feed([feed_item(changed)], "en", repo="acme/lattice", name="f.xml", previous=before))
    assert root.findtext(f"{_A}updated") == root.findtext(f"{_A}entry/{_A}updated") == "2026-05-04T06:00:00Z"


@pytest.mark.parametrize("previous", [b"", b"<feed", b"<!DOCTYPE x [<!ENTITY a 'b'>]><feed>&a;</feed>", b"\xff\xfe"])
def test_an_earlier_feed_that_is_none_is_as_none(report: Report, previous: bytes) -> None:
    assert render_feed([feed_item(report)], "en", repo=None, name="f", previous=previous) == render_feed(
        [feed_item(report)], "en", repo=None, name="f"
    )


def test_a_feed_keeps_a_year_of_weeks(report: Report) -> None:
    many = []
    for number in range(1, 60):
        each = copy.deepcopy(report)
        each["week"] = f"20{25 + number // 53}-W{number % 53 + 1:02d}"
        many.append(each)
    assert (
        len(_validated(render_feed([feed_item(each) for each in many], "en", repo=None, name="f")).findall(f"{_A}entry"))
        == MOST_ENTRIES
    )


def test_a_feed_without_reports_is_still_a_feed() -> None:
    root = Defused.fromstring(render_feed([], "en", repo="acme/lattice", name="f"))
    assert (root.findtext(f"{_A}updated"), root.findall(f"{_A}entry")) == ("1970-01-01T00:00:00Z", [])


def test_ids_follow_host_and_language(report: Report) -> None:
    elsewhere = copy.deepcopy(report)
    elsewhere["repo_url"] = "https://git.example:8443/acme/lattice"
    assert entry_id(feed_item(elsewhere), "en").startswith("tag:git.example,2026-04-20:")
    assert len({entry_id(feed_item(report), "en"), entry_id(feed_item(report), "zh"), entry_id(feed_item(elsewhere), "en")}) == 3


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert all(name == "href" and (value or "").startswith("https://github.com/acme/lattice/pull/") for name, value in attrs)


@pytest.mark.parametrize("text", [*HOSTILE, "bad \x00\x0b\ufffe\ud800 characters"])
def test_hostile_texts_stay_text_in_a_feed(text: str) -> None:
    week = WeekBuilder().pull(1, is_highlight=True, title=text, author_login=text, summary=text)
    root = _validated(render_feed([feed_item(report_from_rows(week.build()))], "en", repo=None, name="f"))
    tags = _Tags()
    tags.feed(root.findtext(f"{_A}entry/{_A}content"))
    assert tags.seen <= {"ul", "li", "a", "bdi", "p", "code"}
