"""Mail and chat say what the page says, do nothing by themselves, and fit where they go."""

import re
from html.parser import HTMLParser
from typing import get_args

import pytest

from pipelines.report.facts import report_from_rows
from pipelines.report.message import CHAT_LIMITS, ChatStyle, chat_message, mail_message
from pipelines.report.model import Report
from tests.unit.report.hostile import HOSTILE
from tests.unit.report.week_rows import WeekBuilder, typical_week

_URL = "https://reports.example/acme/lattice/2026-W17/report.en.html"


@pytest.fixture(scope="module")
def report() -> Report:
    return report_from_rows(typical_week().build())


class _Elements(HTMLParser):
    """Every element and attribute of a mail, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_data(self, data: str) -> None:
        self.text += data


def _elements(html: str) -> _Elements:
    made = _Elements()
    made.feed(html)
    return made


@pytest.mark.parametrize("language", ["en", "zh"])
def test_mail_holds_summary_changes_and_risks_in_both_forms(report: Report, language: str) -> None:
    message = mail_message(report, language, _URL)
    prose = report["prose"][language]
    seen = _elements(message.html)
    for sentence in (*prose["summary"], *(s for headed in (*prose["groups"], *prose["risks"]) for s in headed["sentences"])):
        plain = "".join(part.get("text", part.get("shown", "")) for part in sentence["parts"])
        assert plain in message.text
        assert plain in seen.text
    assert _URL in message.text
    assert _URL in seen.links
    assert "\n" not in message.subject
    assert message == mail_message(report, language, _URL)


def test_mail_needs_nothing_from_elsewhere(report: Report) -> None:
    seen = _elements(mail_message(report, "en").html)
    assert not seen.tags & {"script", "link", "img", "style", "iframe", "form"}
    assert seen.attributes <= {"style", "href", "lang", "charset"}
    assert {link.rsplit("/", 1)[0] for link in seen.links} == {"https://github.com/acme/lattice/pull"}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_stay_text_everywhere(text: str) -> None:
    week = WeekBuilder().pull(1, is_highlight=True, title=text, author_login=text, summary=text, paths=(text,)).risk(1, "own_rule")
    hostile = report_from_rows(week.build())
    seen = _elements(mail_message(hostile, "en").html)
    assert not seen.tags & {"script", "img", "svg"}
    assert seen.attributes <= {"style", "href", "lang", "charset"}
    slack = chat_message(hostile, "en", style="slack")
    assert all(found.startswith("https://github.com/acme/lattice/pull/1|") for found in re.findall(r"<([^>]*)>", slack))
    assert not re.search(r"@\w", slack)
    assert not re.search(r"@\w", re.sub(r"`+[^`]*`+", "", chat_message(hostile, "en")))


@pytest.mark.parametrize("style", get_args(ChatStyle))
def test_a_post_fits_its_limit_by_whole_lines(style: ChatStyle) -> None:
    week = WeekBuilder()
    for number in range(1, 400):
        week.pull(number, is_highlight=True, theme=f"theme-{number % 9}", title="word " * 400).risk(number, f"rule-{number}")
    post = chat_message(report_from_rows(week.build()), "en", _URL, style)
    assert len(post) <= CHAT_LIMITS[style]
    lines = post.splitlines()
    assert "holds more than fits here" in lines[-1]
    assert _URL in lines[-1]
    assert all(line.endswith(".") for line in lines[1:-1] if line.startswith(("- ", "\u2022 ")))
    assert lines[-2].startswith(("- ", "\u2022 "))


@pytest.mark.parametrize("words", [10, 30, 50, 70, 90])
def test_no_title_of_a_section_stands_without_a_line_below_it(words: int) -> None:
    week = WeekBuilder().pull(1, is_highlight=True, title="word " * words).pull(2, title="word " * words).risk(1, "own_rule")
    lines = chat_message(report_from_rows(week.build()), "en", _URL, "discord").splitlines()
    if "holds more than fits here" in lines[-1]:
        assert lines[-2].startswith("- ")


def test_a_short_week_fits_whole(report: Report) -> None:
    post = chat_message(report, "zh", _URL, "slack")
    assert post.startswith("*acme/lattice 2026-W17")
    assert post.endswith(f"<{_URL}|阅读完整报告>")
    assert "<https://github.com/acme/lattice/pull/104|#104>" in post


def test_an_empty_week_is_a_message_too() -> None:
    empty = report_from_rows(WeekBuilder().build())
    message = mail_message(empty, "en")
    assert "nothing was merged" in message.text.lower()
    assert "No change stood out" in message.html
    assert "none fired" in message.text
    assert "http" not in chat_message(empty, "en")
