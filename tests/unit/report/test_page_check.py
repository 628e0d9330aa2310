from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipelines.errors import ReportError
from pipelines.report.contents import WEEKS_BEGIN, WEEKS_END
from pipelines.report.page_check import check_page, page_problems
from pipelines.report.page_frame import frame
from pipelines.report.words import Words

GOOD = frame(Words("en"), "A title").around("<p>All is well</p>")


def with_piece(piece: str) -> str:
    return GOOD.replace("<p>All", piece + "<p>All")


def test_a_page_in_the_frame_passes() -> None:
    assert list(page_problems(GOOD)) == []


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        ("<script>alert(1)</script>", "1 scripts stand in it, 0 are meant to"),
        ('<script src="https://x.example/a.js"></script>', "<script> carries src"),
        ('<script type="module">alert(1)</script>', "<script> is written"),
        ("<script >alert(1)</script>", "is not written as our templates write"),
        ("<script/>", "<script> is written"),
        ('<img src="x" onerror="alert(1)">', "<img> stands in it"),
        ('<p onclick="x()">', "<p> carries onclick"),
        ('<p ONCLICK="x()">', "<p> carries onclick"),
        ('<p style="background:url(x)">', "<p> carries style"),
        ("<style>p{}</style>", "its policy does not admit its style"),
        ("<style>p{}", "a style or script holds markup, or does not end"),
        ('<svg><style><p onclick="x()"></style></svg>', "a style or script holds markup, or does not end"),
        ('<a href="javascript:alert(1)">x</a>', "a link leads to 'javascript:alert(1)'"),
        ('<a href="&#106;avascript:alert(1)">x</a>', "is not written as our templates write"),
        ('<a href="java\tscript:alert(1)">x</a>', "a link leads to"),
        ('<a href="https://x.example/\njavascript:alert(1)">x</a>', "a link leads to"),
        ('<a href="data:text/html,x">x</a>', "a link leads to"),
        ('<a href="//x.example/">x</a>', "a link leads to"),
        ('<a href="#a" href="javascript:alert(1)">x</a>', "<a> carries an attribute twice"),
        ('<link rel="stylesheet" href="https://x.example/a.css">', "<link> leads to"),
        ('<iframe srcdoc="x"></iframe>', "<iframe> stands in it"),
        ('<svg><image xlink:href="https://x.example/a.png"/></svg>', "<image> carries xlink:href"),
        ('<svg><use href="https://x.example/a.svg#b"/></svg>', "<use> carries href"),
        ('<form action="https://x.example">', "<form> stands in it"),
        ('<base href="https://x.example/">', "<base> stands in it"),
        ('<meta http-equiv="refresh" content="0;url=https://x.example">', "<meta> orders 'refresh'"),
        ("<textarea>", "<textarea> stands in it"),
        ("<a href='#a'>", "is not written as our templates write"),
        ("<a href=#a>", "is not written as our templates write"),
        ('<p\ntitle="x">', "is not written as our templates write"),
        ('<P title="x">', "is not written as our templates write"),
        ("<!-- a comment -->", "is not written as our templates write"),
        ("<![CDATA[x]]>", "is not written as our templates write"),
        ('<p title="a>b">', "a '>' stands outside a tag"),
        ("1 < 2", "a '<' stands outside a tag"),
    ],
)
def test_a_page_that_runs_or_fetches_anything_is_refused(piece: str, words: str) -> None:
    with pytest.raises(ReportError, match=r"^a\.html: .*Nothing was published"):
        check_page("a.html", with_piece(piece))
    found = list(page_problems(with_piece(piece)))
    assert any(words in problem for problem in found), found


@pytest.mark.parametrize(
    "name", ["src", "SrcSet", "srcdoc", "poster", "data", "background", "action", "formaction", "ping", "manifest"]
)
def test_an_attribute_that_fetches_is_refused_on_whatever_element(name: str) -> None:
    assert list(page_problems(with_piece(f'<p {name}="x">'))) == [f"<p> carries {name.lower()}"]


@pytest.mark.parametrize("content", ["default-src *", ""])
def test_a_page_without_a_policy_is_refused(content: str) -> None:
    with pytest.raises(ReportError, match="no content security policy"):
        check_page("a.html", GOOD.replace("default-src 'none'", content))


def test_a_policy_that_browsers_would_not_heed_counts_as_none() -> None:
    found = "it has no content security policy that forbids what is not named"
    start = GOOD.index("<meta http-equiv")
    policy = GOOD[start : GOOD.index(">", start) + 1]
    assert found in page_problems(GOOD.replace(policy, "").replace("<p>All", policy + "<p>All"))
    assert found in page_problems(GOOD.replace(policy, policy + policy))


def test_the_one_script_is_admitted_only_by_its_hash() -> None:
    made = frame(Words("en"), "A title", script="var a = 1 < 2;").around("<script>var a = 1 < 2;</script>")
    assert list(page_problems(made, scripts=1)) == []
    assert list(page_problems(made.replace("a = 1", "a = 3"), scripts=1)) == ["its policy does not admit its script"]
    assert list(page_problems(made.replace("1 < 2;", "1 <b;"), scripts=1)) != []


class _Oracle(HTMLParser):
    """The plain reading of any HTML, by Python's own parser: what a page holds that it may not."""

    FETCHING = frozenset(
        {"src", "srcset", "poster", "data", "background", "action", "formaction", "ping", "manifest", "xlink:href"}
    )
    NEVER = frozenset({"iframe", "frame", "object", "embed", "base", "form", "img", "video", "audio", "source", "portal", "script"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += tag in self.NEVER
        for name, value in attrs:
            self.found += name.startswith("on") or name == "style" or name in self.FETCHING
            link = "".join((value or "").split()).lower()
            self.found += tag == "a" and name == "href" and link.startswith(("javascript:", "data:", "vbscript:", "//"))
            self.found += tag == "link" and name == "href" and link != "data:,"


def holds_danger(piece: str) -> bool:
    oracle = _Oracle()
    oracle.feed(piece)
    oracle.close()
    return bool(oracle.found)


_SIGNS = ["<", "</", ">", "/>", '"', "'", "=", "/", "&", ";", "!", "--", "<!--", "-->", "<![CDATA[", "]]>", " ", "\n", "\t", "\x00"]
_SIGNS += ["&quot;", "&#34;", "&lt;", "&#106;", "&#x6a;", "&Tab;", "\u4e2d"]
_ELEMENTS = ["a", "A", "p", "svg", "SVG", "image", "use", "img", "script", "Script", "style", "STYLE", "title", "textarea", "math"]
_ELEMENTS += ["iframe", "object", "link", "meta", "base", "form", "input", "template"]
_KEYS = ["href", "HREF", "xlink:href", "src", "srcset", "poster", "style", "onclick", "OnLoad", "on", "data", "action", "title"]
_KEYS += ["formaction", "ping", "http-equiv", "content", "rel", "class"]
_VALUES = ["#", "x", "#a", "data:,", "data:text/html,x", "javascript:x", "JavaScript:x", "java\nscript:x", "&#106;avascript:x"]
_VALUES += ["javascript&colon;x", "https://x.example", "//x.example", "../a", "a.html", "refresh", "Content-Security-Policy"]
_QUOTES = st.sampled_from(['{0}="{1}"', "{0}='{1}'", "{0}={1}", '{0} = "{1}"', "{0}"])
_ATTRIBUTE = st.builds(
    lambda form, name, value: form.format(name, value), _QUOTES, st.sampled_from(_KEYS), st.sampled_from(_VALUES)
)
_TAG = st.builds(
    lambda name, gap, attributes, end: f"<{name}{gap}{gap.join(attributes)}{end}",
    st.sampled_from(_ELEMENTS),
    st.sampled_from([" ", "\n", "\t", "/", "  "]),
    st.lists(_ATTRIBUTE, max_size=3),
    st.sampled_from([">", "/>", " >", ""]),
)
_PIECES = st.lists(st.one_of(_TAG, st.sampled_from([*_SIGNS, *_ELEMENTS, *_KEYS, *_VALUES])), max_size=8).map("".join)


@settings(max_examples=500)
@given(_PIECES)
@example('<a title="<style>" href="javascript:x">"</style>">')
@example('<p title="</style><style>" onclick="x">')
@example("<script><!--<script></script>--></script>")
@example(f"{WEEKS_BEGIN}<p onclick=x>{WEEKS_END}")
def test_what_any_parser_would_act_on_is_refused(piece: str) -> None:
    if holds_danger(piece):
        assert list(page_problems(with_piece(piece))) != []


@given(st.text())
def test_escaped_text_passes_wherever_it_stands(text: str) -> None:
    words, escaped = Words("en"), text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&#34;")
    assert list(page_problems(frame(words, text).around(f'<p title="{escaped}">{escaped}</p>'))) == []
