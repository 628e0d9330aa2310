import pytest
from jinja2 import UndefinedError

from pipelines.errors import PullweekError, ReportError
from pipelines.report.render import Context, environment
from tests.report_fixture import make_report


def test_templates_escape_and_refuse_unknown_names() -> None:
    made = environment().from_string("{{ a }}").render(a='<img src=x onerror="1">')
    assert made == "&lt;img src=x onerror=&#34;1&#34;&gt;"
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nowhere.at_all }}").render()


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)//acme/lattice",
        "https://github.com/acme/other",
        "https://github.com/acme/lattice/",
        'https://github.com"onmouseover=1/acme/lattice',
        "https://user@host/acme/lattice",
        "ftp://github.com/acme/lattice",
        "",
    ],
)
def test_an_address_that_is_not_a_web_root_and_the_name_makes_no_links(url: str) -> None:
    report = make_report(1)
    report["repo_url"] = url
    with pytest.raises(ReportError, match=r"acme/lattice 2026-W17: repo_url .* is not a web root"):
        Context(report, "en")


@pytest.mark.parametrize("repo", ["../etc/passwd", "acme/<b>", "acme", "acme/lattice/x", "acme/..", 'a"b/c'])
def test_a_repository_that_is_not_owner_and_name_is_refused(repo: str) -> None:
    report = make_report(1)
    report["repo"], report["repo_url"] = repo, f"https://github.com/{repo}"
    with pytest.raises(PullweekError):
        Context(report, "en")


def test_an_enterprise_host_keeps_its_path_and_port() -> None:
    report = make_report(3)
    report["repo_url"] = "https://git.example.com:8443/github/acme/lattice"
    assert Context(report, "en").github(5) == "https://git.example.com:8443/github/acme/lattice/pull/5"


def test_where_a_number_leads() -> None:
    context = Context(make_report(40), "zh")
    assert context.href(801) == "pulls/801.zh.html"  # a highlight
    assert context.href(840) == "all.zh.html#p840"  # of the week
    assert context.href(7) == "https://github.com/acme/lattice/pull/7"  # named by its data
    assert Context(make_report(40), "zh", up="../").href(801) == "../pulls/801.zh.html"


def test_another_repository_is_linked_only_by_a_name_of_the_one_form() -> None:
    context = Context(make_report(1), "en")
    assert context.elsewhere("acme/other", 3) == "https://github.com/acme/other/pull/3"
    assert context.elsewhere('acme/"><b>', 3) is None


def test_the_search_is_linked_only_below_the_sources_root() -> None:
    report = make_report(1)
    assert Context(report, "en").search_url() is not None
    report["search_url"] = "javascript:alert(1)"
    assert Context(report, "en").search_url() is None


@pytest.mark.parametrize(("pulls", "rows"), [(4, 4), (60, 10), (100, 10), (160, 16), (400, 20)])
def test_the_key_table_holds_the_most_important(pulls: int, rows: int) -> None:
    context = Context(make_report(pulls), "en")
    assert [pull["rank"] for pull in context.top] == list(range(1, rows + 1))


def test_a_measure_is_worded_by_the_language() -> None:
    context = Context(make_report(1), "en")
    assert context.shown([True, None, 1234.5, "a"]) == "yes, Not known, 1,234.5, a"
    assert context.known({"b": [], "a": 0, "c": False, "d": ""}) == [("a", 0), ("c", False)]


def test_a_key_without_a_word_stands_for_itself() -> None:
    context = Context(make_report(1), "en")
    assert context.rule("their_own_rule") == "their_own_rule"
    assert context.theme("nowhere") == "nowhere"


def test_a_groups_sentences_are_split_where_single_pull_requests_are_told() -> None:
    told = {
        "key": "g",
        "heading": [],
        "sentences": [
            {"facts": facts} for facts in ([], ["pull_requests[0].added"], ["pull_requests[1].added"], ["groups[0].added"])
        ],
    }
    lead, items, rest = Context.told(told)  # type: ignore[arg-type]  # because: only the facts matter here
    assert [len(lead), len(items), len(rest)] == [1, 2, 1]
    told["sentences"] = told["sentences"][:2]
    assert [len(part) for part in Context.told(told)] == [2, 0, 0]  # type: ignore[arg-type]  # because: only the facts matter here
