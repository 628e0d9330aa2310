import re

import pytest

from pipelines.errors import ReportError
from pipelines.report.page import minified, stylesheet
from pipelines.report.page_frame import Frame, digest, frame, report_frame, with_neighbours
from pipelines.report.render import Context
from pipelines.report.words import Words
from tests.report_fixture import make_report


def test_the_policy_admits_the_style_that_stands_in_the_page_and_nothing_else() -> None:
    made = frame(Words("zh"), "标题").around("<p>正文</p>")
    style = re.search(r"<style>(.*?)</style>", made, re.DOTALL)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', made)
    assert style is not None
    assert policy is not None
    assert policy[1] == f"default-src 'none'; style-src {digest(style[1])}; img-src data:; base-uri 'none'; form-action 'none'"
    assert '<html lang="zh-CN">' in made


def test_a_title_is_escaped() -> None:
    assert "<title>&lt;/title&gt;&lt;script&gt;</title>" in frame(Words("en"), "</title><script>").around("")


def test_the_links_between_weeks_are_filled_in_and_replaced() -> None:
    page = report_frame(Context(make_report(1), "en")).around("")
    once = with_neighbours(page, "en", "2026-W16", None)
    assert 'href="../2026-W16/report.en.html"' in once
    assert "No later report" in once
    again = with_neighbours(once, "en", "2026-W16", "2026-W18")
    assert 'href="../2026-W18/report.en.html"' in again
    assert with_neighbours(again, "en", "2026-W16", None) == once


def test_a_page_without_a_place_for_the_links_is_refused() -> None:
    with pytest.raises(ReportError, match="no place for the links between weeks"):
        with_neighbours("<html></html>", "en", None, None)


def test_indents_and_empty_lines_are_taken_out() -> None:
    assert Frame("<a>\n", "\n  <main>", "\n\n</main>").around("  <p>\n\n  x") == "<a>\n<main>  <p>\nx\n</main>\n"


def test_a_style_is_minified_without_changing_its_rules() -> None:
    css = "/* a\n b */\n.a:focus-visible, .b > p { color: red; }\n@media (min-width: 9px) {\n.a :is(td, th) { margin: 0 1px; }\n}\n"
    assert minified(css) == ".a:focus-visible,.b > p{color:red}@media (min-width:9px){.a :is(td,th){margin:0 1px}}"
    assert "/*" not in stylesheet()
    assert "\n" not in stylesheet()
