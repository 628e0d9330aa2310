import pytest

from pipelines.errors import ReportError
from pipelines.report.page_check import check_page, page_problems
from pipelines.report.page_frame import frame
from pipelines.report.words import Words

GOOD = frame(Words("en"), "A title").around("<p>All is well</p>")


def test_a_page_in_the_frame_passes() -> None:
    assert list(page_problems(GOOD)) == []


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        ("<script>alert(1)</script>", "1 scripts stand in it, 0 are meant to"),
        ("<script src='https://x.example/a.js'></script>", "<script> carries src"),
        ("<img src=x onerror=alert(1)>", "<img> stands in it"),
        ("<p onclick='x()'>", "<p> carries onclick"),
        ("<p style='background:url(x)'>", "<p> carries style"),
        ("<style>p{}</style>", "its policy does not admit its style"),
        ("<a href='javascript:alert(1)'>x</a>", "a link leads to 'javascript:alert(1)'"),
        ("<a href='data:text/html,x'>x</a>", "a link leads to"),
        ("<a href='//x.example/'>x</a>", "a link leads to"),
        ("<link rel=stylesheet href=https://x.example/a.css>", "<link> leads to"),
        ("<iframe srcdoc='x'></iframe>", "<iframe> stands in it"),
        ("<svg><image xlink:href='https://x.example/a.png'/></svg>", "<image> carries xlink:href"),
        ("<form action='https://x.example'>", "<form> stands in it"),
        ("<base href='https://x.example/'>", "<base> stands in it"),
    ],
)
def test_a_page_that_runs_or_fetches_anything_is_refused(piece: str, words: str) -> None:
    with pytest.raises(ReportError, match=r"^a\.html: .*Nothing was published") as caught:
        check_page("a.html", GOOD.replace("<p>All", piece + "<p>All"))
    assert any(words in problem for problem in page_problems(GOOD.replace("<p>All", piece + "<p>All"))), str(caught.value)


def test_a_page_without_a_policy_is_refused() -> None:
    with pytest.raises(ReportError, match="no content security policy"):
        check_page("a.html", GOOD.replace("default-src 'none'", "default-src *"))


def test_the_one_script_is_admitted_only_by_its_hash() -> None:
    made = frame(Words("en"), "A title", script="var a = 1;").around("<script>var a = 1;</script>")
    assert list(page_problems(made, scripts=1)) == []
    assert list(page_problems(made.replace("a = 1;</script>", "a = 2;</script>"), scripts=1)) == [
        "its policy does not admit its script"
    ]
