"""Sentences stand on facts, say the same in every language, and say of each pull request what its rows show."""

import re
from itertools import pairwise
from typing import Any

import pytest

from pipelines.errors import ReportError
from pipelines.report.check import problems
from pipelines.report.facts import report_from_rows
from pipelines.report.model import Headed, Report, Sentence
from pipelines.report.prose.paths import value_at
from pipelines.report.prose.realise import plain, tidy
from pipelines.report.prose.texts import clip, repeats, short_path
from pipelines.report.writer.evidence import Evidence
from pipelines.report.writer.request import items, text_of
from pipelines.report.writer.verify import Draft, verified
from tests.unit.report.week_rows import REPO, WeekBuilder, typical_week


def _report(week: WeekBuilder) -> Report:
    report = report_from_rows(week.build())
    assert list(problems(report)) == []
    return report


def _text(sentence: Sentence) -> str:
    return "".join(plain(part) for part in sentence["parts"])


def _told(headed: list[Headed], key: str) -> list[str]:
    found = next(each for each in headed if each["key"] == key)
    return ["".join(plain(part) for part in found["heading"]), *(_text(sentence) for sentence in found["sentences"])]


def _line(number: int = 1, language: str = "en", **given: Any) -> str:
    """The line on one highlight."""
    links = given.pop("links", ())
    risks = given.pop("risks", ())
    week = WeekBuilder().pull(number, is_highlight=True, **given)
    for link in links:
        week.add("derived_links", number=number, **({"target_repo": REPO, "kind": "closes", "target_number": 7} | link))
    for rule in risks:
        week.risk(number, rule, "high")
    return " ".join(_told(_report(week)["prose"][language]["pulls"], str(number))[1:])


def test_the_summary_is_read_in_a_minute() -> None:
    summary = [_text(sentence) for sentence in _report(typical_week())["prose"]["en"]["summary"]]
    assert " ".join(summary) == (
        "Merged from Apr 20 to Apr 26: 6 pull requests by 5 authors, among them 1 first-time contributor, "
        "with 2 highlights; that is 1 more than the median of the four weeks before (5). "
        "Most weight is on Scheduling (2 pull requests), where #101 changes number xxx; "
        "storage (3 pull requests), where #103 brings a fix, \u201c修复 `x|y` 的 <b>路径</b> @someone #999\u201d. "
        "Scheduling grew most, from a usual 1 to 2. "
        "The most important change (importance 9.1) is #101, in which author-1 changes number xxx; "
        "it lies mostly in engine.py and touches the core file engine.py. "
        "Measured by their authors: \u201c2.3x faster\u201d (#102). "
        "To watch: 1 pull request was reverted (#104; usually 0); 1 pull request changed core files (#101; usually 0); "
        "1 pull request added much source and changed no test (#102; usually 2)."
    )


def test_every_language_stands_on_the_same_facts() -> None:
    english, chinese = (_report(typical_week())["prose"][language] for language in ("en", "zh"))
    for name in ("groups", "trends", "risks", "pulls", "suggestions", "earlier_suggestions"):
        for one, other in zip(english[name], chinese[name], strict=True):
            assert one["key"] == other["key"]
            assert [s["facts"] for s in one["sentences"]] == [s["facts"] for s in other["sentences"]]
            assert [s["pull_requests"] for s in one["sentences"]] == [s["pull_requests"] for s in other["sentences"]]
    assert [s["facts"] for s in english["summary"]] == [s["facts"] for s in chinese["summary"]]


def test_chinese_reads_as_chinese() -> None:
    prose = _report(typical_week())["prose"]["zh"]
    assert _text(prose["headline"]) == "合并 6 个 PR\uff0c重点在调度和 storage"
    assert _told(prose["pulls"], "102")[1].startswith(
        "作者写道\uff1a“Sweeps stop early, which saves 30 % of the time”\uff0c并报告“2.3x faster”。"
    )


def test_a_reverted_pull_request_says_so_before_anything_else() -> None:
    line = _line(reverted_by_number=9, reverted_after_hours=1.65, summary="Doubles the speed of everything.")
    assert line.startswith(
        "It was reverted by #9 after 1.6 h. Its description explains: \u201cDoubles the speed of everything\u201d"
    )
    assert _line(reverted_by_number=9).startswith("It was reverted by #9. ")


def test_a_description_is_quoted_as_its_claim_unless_it_repeats_the_title() -> None:
    assert "description explains" in _line(title="Faster sweeps", summary="Stops when nothing moves.").lower()
    assert "description" not in _line(title="Faster sweeps of the lattice", summary="Faster sweeps of lattice.").lower()
    assert _line(claims=["2.3x faster"]).startswith("By its description, \u201c2.3x faster\u201d. It ")
    assert "description" not in _line(title="Make it 2.3x faster", claims=["2.3x faster"]).lower()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"links": [{"kind": "backports"}, {"kind": "closes", "target_number": 8}]}, "It backports #7, "),
        ({"links": [{"kind": "fixes", "target_repo": "other/repo"}]}, "It repairs other/repo#7, "),
        ({"links": [{"kind": "follows", "target_title": "[a] Store hashes"}]}, "follows up on #7 (\u201cStore hashes\u201d), "),
        ({"tests_state": "none"}, "and changes no test ("),
        ({"tests_state": "removed_only"}, "only deletes tests"),
        ({"tests_state": "moved_only"}, "only moves tests"),
        ({"test_files_count": 1}, "comes with 1 test file ("),
        ({"core_paths": ["a/x.py"], "core_files_count": 1}, "touches the core file x.py"),
        ({"core_paths": ["a/x.py", "a/y.py", "a/z.py"], "core_files_count": 3}, "touches 3 core files, among them x.py and y.py"),
        ({"open_threads_count": 2}, "was merged with 2 review threads open"),
        ({"reviewers": ["ann", "bob"]}, "was reviewed by ann and bob"),
        ({"reviewers": []}, "had no review by a person"),
        ({"merge_hours": 500.25}, "was open for 500.2 h"),
        ({"risks": ["own_rule", "missing_tests"]}, "carries a high risk (own_rule)"),
        ({"paths": ()}, "It lies in engine and comes with 2 test files (+40 \u22124 lines in 0 files)."),
        ({"modules": [], "paths": (), "tests_state": "not_applicable"}, "It is a feature (+40 \u22124 lines in 0 files)."),
        ({"change_kind": "unheard", "modules": [], "paths": (), "tests_state": "x"}, "It is upkeep ("),
    ],
)
def test_a_line_says_what_the_rows_show(given: dict[str, Any], words: str) -> None:
    assert words in _line(**given)


@pytest.mark.parametrize(
    ("change_type", "words"),
    [("added", "is built around the new engine.py"), ("removed", "deletes engine.py"), ("modified", "lies mostly in engine.py")],
)
def test_the_largest_source_file_is_named_by_what_became_of_it(change_type: str, words: str) -> None:
    week = WeekBuilder().pull(1, is_highlight=True)
    week.rows["derived_files"][0]["change_type"] = change_type
    assert words in _told(_report(week)["prose"]["en"]["pulls"], "1")[1]


def test_what_is_not_known_is_not_said() -> None:
    line = _line(reviewers=None, open_threads_count=None)
    assert "review" not in line


def test_neighbours_do_not_begin_alike() -> None:
    week = WeekBuilder()
    for number in range(1, 10):
        week.pull(number, is_highlight=True, summary="Stops when nothing moves.")
    lines = [_text(line["sentences"][0])[:12] for line in _report(week)["prose"]["en"]["pulls"]]
    assert all(one != other for one, other in pairwise(lines))


def test_the_group_of_an_emerging_term_has_every_pull_request_that_names_it() -> None:
    week = WeekBuilder()
    for number in range(1, 6):
        week.pull(number, theme="docs")
        week.add("derived_themes", number=number, theme="v4", weight=0.5)
    week.trend("v4", 0, [0, 0], direction="new", median_4_weeks_count=0.0, mentions_count=5, is_emerging=True, movers=[1])
    week.trend("docs", 5, [5, 5], median_4_weeks_count=5.0)
    report = _report(week)
    assert [(group["theme"], group["count"], group["salience"]) for group in report["groups"]] == [("v4", 5, 10.0)]
    assert _told(report["prose"]["en"]["groups"], "theme:v4")[-1] == "Chosen for the rise of its theme from usually none to 5."


def test_a_theme_partly_told_in_a_story_is_counted_as_its_trend_and_its_group_says_so() -> None:
    week = WeekBuilder().pull(1, theme="docs", is_highlight=True).pull(2, theme="docs").pull(3, theme="docs")
    week.pull(4, theme="docs", change_kind="revert")
    week.add("derived_links", number=4, target_repo=REPO, kind="reverts", target_number=3, story="s")
    week.trend("docs", 4, [1, 1], direction="rising", median_4_weeks_count=1.0)
    report = _report(week)
    assert [(group["theme"], group["count"]) for group in report["groups"]] == [("docs", 2), (None, 2)]
    summary = _text(report["prose"]["en"]["summary"][1])
    assert summary.startswith("Most weight is on docs (4 pull requests)")
    assert summary.endswith("Docs grew most, from a usual 1 to 4.")
    assert "The theme has 4 pull requests this week; the rest are counted with other changes." in _told(
        report["prose"]["en"]["groups"], "theme:docs"
    )
    evidence = Evidence(report, "en")
    for item in items(report, "en"):
        for sentence in item.sentences:
            given = Draft(
                text_of(sentence),
                frozenset(sentence["pull_requests"]),
                item.facts & set(sentence["facts"]),
                item.numbers,
                item.facts,
                text_of(sentence),
            )
            assert text_of(verified(given, evidence)) == text_of(sentence)


def test_trends_say_direction_share_and_movers() -> None:
    trends = _report(typical_week())["prose"]["en"]["trends"]
    assert _told(trends, "scheduling")[1:] == [
        "2 pull requests (50% of the week), up from a usual 1.",
        "What moved it: #101 by author-1, which changes number xxx; #102 by author-2, which changes number x.",
    ]
    assert _told(trends, "storage")[1] == "3 pull requests (50% of the week), about the usual 3."


@pytest.mark.parametrize(
    ("count", "given", "words"),
    [
        (1, {"direction": "falling", "median_4_weeks_count": 4.5}, "1 pull request (50% of the week), down from a usual 4.5."),
        (1, {"direction": "new"}, "1 pull request (50% of the week); none in the stored weeks before."),
        (1, {"direction": "rising", "median_4_weeks_count": 0.0}, "1 pull request (50% of the week), where none is usual."),
        (1, {"direction": "unknown"}, "1 pull request (50% of the week)."),
        (0, {"direction": "falling", "median_4_weeks_count": 4.0}, "None this week, against a usual 4."),
        (1, {"direction": "steady", "median_4_weeks_count": 1.0, "mentions_count": 9}, "9 pull requests name it in all."),
        (0, {"direction": "falling", "median_4_weeks_count": 4.0, "mentions_count": 9}, "9 pull requests name it, each counted"),
        (1, {"direction": "falling", "median_4_weeks_count": 4.5, "movers": [1]}, "Foremost: #1"),
        (1, {"direction": "steady", "median_4_weeks_count": 1.0, "movers": [1]}, "Foremost: #1"),
        (1, {"direction": "new", "movers": [1]}, "What moved it: #1"),
    ],
)
def test_each_direction_has_its_words(count: int, given: dict[str, Any], words: str) -> None:
    week = WeekBuilder().pull(1, theme="storage").trend("storage", count, [], **given)
    assert words in " ".join(_told(_report(week)["prose"]["en"]["trends"], "storage"))


def test_the_largest_themes_are_told_beside_those_that_moved_most() -> None:
    week = WeekBuilder()
    for number in range(1, 13):
        week.pull(number, theme=f"t{number}")
        is_large = number > 10
        given: dict[str, Any] = {"direction": "steady"} if is_large else {"direction": "rising", "z_score": float(number)}
        week.trend(f"t{number}", 20 if is_large else 1, [1, 1], median_4_weeks_count=1.0, **given)
    told = [trend["key"] for trend in _report(week)["prose"]["en"]["trends"]]
    assert (told[:6], told[6:8]) == (["t10", "t9", "t8", "t7", "t6", "t5"], ["t11", "t12"])


@pytest.mark.parametrize(
    ("title", "english", "chinese"),
    [
        ("Add a new cache", "adds a new cache", "\u65b0\u589e cache"),
        ("Fix new cache", "fixes new cache", "\u4fee\u590d new cache"),
        ("Partition by minimum cut", "partitions by minimum cut", "\u5212\u5206\u201cby minimum cut\u201d"),
        ("Keep the first of the ca\u2026", "keeps the first of the ca\u2026", "\u4fdd\u7559 first of the ca\u2026"),
    ],
)
def test_the_object_of_a_title_fits_the_verb_of_each_language(title: str, english: str, chinese: str) -> None:
    week = (
        WeekBuilder().pull(1, is_highlight=True, title=title, theme="storage").trend("storage", 1, [], direction="new", movers=[1])
    )
    prose = _report(week)["prose"]
    assert _told(prose["en"]["trends"], "storage")[-1] == f"What moved it: #1 by author-1, which {english}" + (
        "" if title.endswith("\u2026") else "."
    )
    assert chinese in _told(prose["zh"]["trends"], "storage")[-1]


def test_a_rule_of_a_repositorys_own_is_named_in_the_summary() -> None:
    week = WeekBuilder().pull(1, is_highlight=True).risk(1, "own_rule", "high")
    summary = [_text(sentence) for sentence in _report(week)["prose"]["en"]["summary"]]
    assert "To watch: 1 pull request was flagged: own_rule (#1)." in summary


def test_risks_are_observation_comparison_and_evidence() -> None:
    risks = _report(typical_week())["prose"]["en"]["risks"]
    assert _told(risks, "core_path_change") == [
        "Core files changed",
        "1 pull request changed core files (1 high), where none is usual.",
        "Foremost: \u201c[engine] Change number xxx\u201d (#101, high: engine.py).",
    ]
    assert _told(risks, "missing_tests")[1:] == [
        "1 pull request added much source and changed no test (1 medium), fewer than the usual 2 a week.",
        "Foremost: \u201c[engine] Change number x\u201d (#102, medium: +40 \u22124 lines).",
    ]
    assert _told(risks, "reverted")[2] == (
        "Foremost: \u201c[engine] Change number xxx\u201d (#104, high: was reverted by #105 after 1.6 h)."
    )
    assert _told(risks, "own_rule")[:2] == ["own_rule", "1 pull request was flagged (1 low), where none is usual."]


def test_a_risk_says_how_many_could_not_be_judged() -> None:
    week = (
        WeekBuilder()
        .pull(1, unknown_parts=["files"])
        .pull(2, open_threads_count=3)
        .risk(2, "missing_tests")
        .risk(2, "open_threads")
    )
    risks = _report(week)["prose"]["en"]["risks"]
    assert _told(risks, "missing_tests")[-1] == "1 pull request could not be judged, since parts of it were not read."
    assert _told(risks, "missing_tests")[1] == "1 pull request added much source and changed no test (1 medium)."
    assert _told(risks, "open_threads")[2] == "Foremost: \u201c[engine] Change number xxx\u201d (#2, medium: 3 threads)."


def test_in_an_empty_week_no_theme_is_told_as_gone() -> None:
    week = WeekBuilder().trend("storage", 0, [4, 4], direction="falling", median_4_weeks_count=4.0)
    assert _report(week)["prose"]["en"]["trends"] == []


def test_without_a_risk_the_rules_that_looked_are_counted() -> None:
    summary = [_text(sentence) for sentence in _report(WeekBuilder().pull(1))["prose"]["en"]["summary"]]
    assert "No risk rule fired; 5 rules looked at every pull request." in summary


def test_reviews_that_are_not_known_are_said_to_be_so() -> None:
    week = WeekBuilder().pull(1)
    week.counts = {"merge_hours_median": 3.0}
    assert "reviews are not known for this week" in _text(_report(week)["prose"]["en"]["summary"][-1])
    week.counts |= {"reviewers_count": 1, "first_review_hours_median": 1.25}
    assert _text(_report(week)["prose"]["en"]["summary"][-1]).endswith("had a first review within 1.2 h.")


def test_clip_cuts_at_words_and_says_so() -> None:
    assert clip("Short and good.") == "Short and good"
    assert clip("word " * 60, 20) == "word word word word\u2026"
    assert clip("\u4e2d" * 60, 20) == "\u4e2d" * 20 + "\u2026"


def test_repeats_compares_words_with_the_title() -> None:
    assert repeats("Fix the off-by-one in the scheduler.", "[sched] Fix off-by-one in the scheduler")
    assert not repeats("The queue skipped its last job.", "[sched] Fix off-by-one")
    assert repeats("...", "anything")


def test_short_paths_keep_the_folder_where_the_name_says_nothing() -> None:
    assert [short_path(path) for path in ("a/b/engine.py", "a/b/__init__.py", "README.md", "x")] == [
        "engine.py",
        "b/__init__.py",
        "README.md",
        "x",
    ]


def test_paths_lead_to_values_or_say_where_they_do_not() -> None:
    report = _report(typical_week())
    assert value_at(report, "groups[0].kinds.feature") == 2
    for path in ("counts.none", "groups[99]", "groups[x]", "counts..merged", "week[0]x"):
        with pytest.raises(ReportError, match=re.escape(f"no value at '{path}'")):
            value_at(report, path)


def test_tidy_joins_texts_and_spaces_chinese_from_latin() -> None:
    parts = tidy([{"text": "\u5408"}, {"text": ""}, {"text": "\u5e76"}, {"pull": 1, "shown": "#1"}, {"text": "\u4e2a"}])
    assert parts == [{"text": "\u5408\u5e76 "}, {"pull": 1, "shown": "#1"}, {"text": " \u4e2a"}]
