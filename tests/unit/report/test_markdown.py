"""Markdown that GitHub shows as meant: whole, escaped, without a mention, link or element that nobody wrote."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pipelines.report.facts import report_from_rows
from pipelines.report.markdown import render_markdown
from pipelines.report.markdown_text import code, escape, table
from tests.unit.report.hostile import HOSTILE
from tests.unit.report.week_rows import WeekBuilder, typical_week

#: GitHub's dialect as far as it matters here: tables, strikethrough, bare addresses as links; HTML would pass.
GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_BREAK = "\u200b"


def _shown(markdown: str) -> str:
    """The text a reader sees of one paragraph."""
    html = GITHUB.renderInline(markdown)
    assert not re.search(r"<(?!/?code>)", html), html
    plain = re.sub(r"</?code>", "", html)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        plain = plain.replace(entity, character)
    return plain.replace(_BREAK, "")


@given(
    st.one_of(st.sampled_from(HOSTILE), st.text(alphabet=st.characters(exclude_characters="\x00\u200b", exclude_categories=["Cs"])))
)
def test_escaped_text_is_shown_as_it_was_and_does_nothing(text: str) -> None:
    assert _shown(f"x{escape(text)}x") == f"x{' '.join(text.split())}x"


@given(st.text(alphabet="`|ab \\*<"))
def test_code_is_shown_as_it_was(text: str) -> None:
    assert _shown(code(text)).split() == text.split()


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_notifies_or_links_by_itself(text: str) -> None:
    made = escape(text)
    assert not re.search(r"@\w|#\d|://|www\.\w|(?i:gh-)\d|\b[0-9a-f]{8,40}\b", made)


def test_a_table_has_as_many_cells_in_every_row() -> None:
    made = GITHUB.render(table(["a", "b"], [[escape("x|y"), code("p|q", in_table=True)], ["1", "2"]]))
    assert made.count("<tr>") == 3
    assert (made.count("<td>"), made.count("<th>")) == (4, 2)
    assert "<td>x|y</td>" in made
    assert "<code>p|q</code>" in made
    assert table(["a"], []) == ""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_report_is_whole_in_its_order(language: str) -> None:
    report = report_from_rows(typical_week().build())
    text = render_markdown(report, language)
    assert text == render_markdown(report, language)
    html = GITHUB.render(text)
    assert html.count("<h2>") == 7
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    for number in range(101, 106):
        assert f"https://github.com/acme/lattice/pull/{number}" in text
    numbers = {int(number) for number in re.findall(r"/pull/(\d+)", text)}
    assert numbers <= {pull["number"] for pull in report["pull_requests"]}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_stay_text_in_the_whole_report(text: str) -> None:
    week = WeekBuilder()
    week.pull(
        1,
        is_highlight=True,
        title=text,
        author_login=text,
        summary=text,
        claims=[text],
        reviewers=[text],
        modules=[text],
        paths=(text,),
        core_paths=[text],
        core_files_count=1,
    )
    week.risk(1, "core_path_change", "high", [f"file:{text}"]).trend("scheduling", 1, [], movers=[1])
    week.trend(text, 1, [], dimension="module")
    week.counts = {"first_time_authors": [text], "reviewers_count": 1}
    for language in ("en", "zh"):
        html = GITHUB.render(render_markdown(report_from_rows(week.build()), language))
        tags = set(re.findall(r"<([a-z0-9]+)", html))
        assert tags <= {"h1", "h2", "h3", "p", "ul", "ol", "li", "strong", "a", "code", "table", "thead", "tbody", "tr", "th", "td"}
        assert {link.rsplit("/", 1)[0] for link in re.findall(r'href="([^"?]+)', html)} <= {
            "https://github.com/acme/lattice/pull",
            "https://github.com/acme/lattice",
        }
        rows = re.findall(r"<tr>(.*?)</tr>", html, flags=re.DOTALL)
        assert {row.count("</t") for row in rows} <= {6, 8}


def test_an_empty_week_says_so() -> None:
    text = render_markdown(report_from_rows(WeekBuilder().build()), "en")
    assert "Nothing was merged" in text
    assert "<" not in text
    assert text.count("## ") == 7
