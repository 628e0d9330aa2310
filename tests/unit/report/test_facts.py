"""report.json holds what the rows hold, and says of what is missing that it is not known."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pipelines.errors import ReportError
from pipelines.report.check import check_report, problems
from pipelines.report.facts import build_report, report_bytes, report_from_rows
from pipelines.report.facts_rows import RulesAbout, json_object
from pipelines.report.model import Report
from pipelines.tables import TABLES, empty_frame
from pipelines.warehouse import Warehouse
from pipelines.weeks import parse_week
from tests.unit.report.week_rows import REPO, WEEK, WeekBuilder, row, typical_week


def _report(week: WeekBuilder) -> Report:
    report = report_from_rows(week.build())
    assert list(problems(report)) == []
    return report


def test_a_typical_week_is_whole_and_checked() -> None:
    report = _report(typical_week())
    assert report["counts"]["merged"] == 6
    assert report["highlights"] == [101, 102]
    assert [pull["number"] for pull in report["pull_requests"]] == [101, 102, 103, 104, 105, 106]
    assert report["first_time_authors"] == ["author-1"]
    assert report["counts"]["first_time_authors"] == 1
    assert report["reviewers"] == ["rev-a", "rev-b"]
    assert report["window"] == {"start": "2026-04-19T16:00:00Z", "end": "2026-04-26T16:00:00Z", "timezone": "Asia/Shanghai"}
    assert report["previous_week"] == "2026-W16"
    assert "merged%3A2026-04-19T16%3A00%3A00Z..2026-04-26T15%3A59%3A59Z" in report["search_url"]


def test_the_same_rows_in_any_order_give_the_same_bytes() -> None:
    first = report_bytes(report_from_rows(typical_week().build()))
    assert first == report_bytes(report_from_rows(typical_week().build()))
    assert first.endswith(b"}\n")
    assert json.loads(first) == report_from_rows(typical_week().build())


def test_a_report_read_back_is_worded_as_it_was() -> None:
    from pipelines.report.prose import write_prose

    report: Report = json.loads(report_bytes(report_from_rows(typical_week().build())))
    assert write_prose(report, ["zh"]) == {"zh": report["prose"]["zh"]}


def test_a_pull_request_has_its_parts() -> None:
    first = _report(typical_week())["pull_requests"][0]
    assert first["components"] == [{"name": "base_points", "points": 2.0}, {"name": "size_points", "points": 3.0}]
    assert first["url"] == "https://github.com/acme/lattice/pull/101"
    assert first["risks"][0]["rule"] == "core_path_change"
    assert first["detail"]["file_rows"][0]["path"] == "lattice/engine.py"
    assert "detail" not in _report(typical_week())["pull_requests"][2]


def test_links_are_seen_from_either_side() -> None:
    pulls = {pull["number"]: pull for pull in _report(typical_week())["pull_requests"]}
    assert [(link["direction"], link["number"]) for link in pulls[105]["links"]] == [("from", 104)]
    assert [(link["direction"], link["number"]) for link in pulls[104]["links"]] == [("to", 105)]


def test_threads_of_a_highlight_are_those_left_open() -> None:
    week = typical_week()
    week.rows["derived_pull_requests"][0]["open_threads_count"] = 1
    for name, resolved, outdated in (("a", False, False), ("b", True, False), ("c", False, True), ("d", None, None)):
        week.add(
            "raw_review_threads",
            number=101,
            thread_id=name,
            path="p.py",
            is_resolved=resolved,
            is_outdated=outdated,
            comments_count=2,
        )
    comment = {"number": 101, "thread_id": "a", "author_login": "rev-a", "author_type": "User"}
    week.add("raw_review_comments", comment_id="2", created_at_utc="2026-04-21T00:00:00Z", body="later", **comment)
    week.add("raw_review_comments", comment_id="1", created_at_utc="2026-04-20T00:00:00Z", body="word " * 100, **comment)
    threads = _report(week)["pull_requests"][0]["detail"]["threads"]
    assert threads is not None
    assert [(thread["thread_id"], thread["author"]) for thread in threads] == [("a", "rev-a")]
    assert threads[0]["excerpt"].startswith("word word")
    assert len(threads[0]["excerpt"]) <= 202


def test_an_empty_week_is_a_complete_report_that_says_so() -> None:
    week = WeekBuilder()
    week.counts = {"merge_hours_median": None, "mean_importance": None, "opened_count": 3}
    report = _report(week)
    assert (report["pull_requests"], report["groups"], report["risks"], report["highlights"]) == ([], [], [], [])
    assert report["coverage"]["state"] == "complete"
    assert report["quiet_rules"] == sorted(("core_path_change", "missing_tests", "open_threads", "reverted", "own_rule"))
    english = ["".join(part.get("text", part.get("shown", "")) for part in s["parts"]) for s in report["prose"]["en"]["summary"]]
    assert english == [
        "From Apr 20 to Apr 26 nothing was merged: the week was fetched and holds 0 pull requests.",
        "3 pull requests were opened in it.",
    ]


def test_without_history_nothing_is_compared() -> None:
    report = _report(WeekBuilder().pull(1).trend("scheduling", 1, [], direction="unknown"))
    tile = report["tiles"][0]
    assert (tile["comparator"], tile["change"], tile["series"]) == (None, None, [None] * 12 + [1])
    assert report["previous_week"] is None
    assert report["themes"][0]["series"] == [None] * 12 + [1]
    assert set(report["usual"].values()) == {None}


def test_usual_counts_stored_weeks_without_a_row_as_zero() -> None:
    risks = {risk["rule"]: risk for risk in _report(typical_week())["risks"]}
    assert (risks["missing_tests"]["usual"], risks["missing_tests"]["weeks_known"]) == (2.0, 3)
    assert risks["core_path_change"]["usual"] == 0.0
    one = WeekBuilder().pull(1).risk(1, "missing_tests").past(1, {"missing_tests": 5})
    assert _report(one)["risks"][0]["usual"] is None


def test_risks_name_the_most_severe_first_and_what_could_not_be_judged() -> None:
    week = WeekBuilder().pull(1, unknown_parts=["files"]).pull(2).pull(3)
    week.risk(2, "missing_tests", "low").risk(3, "missing_tests", "high")
    risk = _report(week)["risks"][0]
    assert (risk["pull_requests"], risk["unknown"], risk["looked_at"]) == ([3, 2], 1, 3)
    assert risk["by_severity"] == {"high": 1, "medium": 0, "low": 1}


def test_what_reviews_would_say_is_null_where_they_are_not_known() -> None:
    report = _report(WeekBuilder().pull(1, is_highlight=True))
    pull = report["pull_requests"][0]
    assert (report["reviewers"], pull["reviewers"], pull["open_threads"], pull["detail"]["threads"]) == (None,) * 4
    assert "first_review_hours_median" not in [tile["key"] for tile in report["tiles"]]


@pytest.mark.parametrize(
    ("earlier", "fetch", "revised"),
    [
        ([], {"added_numbers": [1]}, False),
        ([row("raw_fetches", fetch_number=1)], {}, False),
        ([row("raw_fetches", fetch_number=1)], {"changed_numbers": [1]}, True),
    ],
)
def test_a_week_is_revised_where_a_later_fetch_changed_it(earlier: list[Any], fetch: dict[str, Any], revised: bool) -> None:  # noqa: FBT001  # because: pytest passes parameters by name
    week = WeekBuilder().pull(1)
    week.earlier_fetches, week.fetch = earlier, fetch
    assert _report(week)["coverage"]["revised"] is revised


def test_a_partial_week_says_what_is_missing() -> None:
    week = WeekBuilder().pull(1)
    week.fetch = {"state": "partial", "enumerated_count": 3, "missing_numbers": [7, 8]}
    report = _report(week)
    assert report["coverage"]["missing_numbers"] == [7, 8]
    assert report["exclusions"]["unread_pull_requests"] == 2
    last = report["prose"]["en"]["summary"][-1]
    assert last["facts"] == ["coverage.enumerated", "coverage.read"]


def test_groups_are_stories_first_then_themes_by_salience() -> None:
    groups = _report(typical_week())["groups"]
    assert [(group["rule"], group["theme"], group["pull_requests"]) for group in groups] == [
        ("theme", "scheduling", [101, 102]),
        ("theme", "storage", [103]),
        ("revert", None, [104, 105]),
    ]
    assert groups[0]["salience"] == 9.1 + 8.0 + 2.0
    assert (groups[0]["with_tests"], groups[0]["without_tests"]) == (1, 1)


def test_a_story_with_a_highlight_is_told_first() -> None:
    week = typical_week()
    week.rows["derived_importance"][3] |= {"is_highlight": True}
    assert [group["rule"] for group in _report(week)["groups"]] == ["revert", "theme", "theme"]


def test_there_are_never_more_than_seven_groups_and_three_stories() -> None:
    week = WeekBuilder()
    for number in range(1, 41):
        week.pull(number, theme=f"theme-{number}", is_highlight=True)
    for number in range(2, 12, 2):
        week.add("derived_links", number=number, kind="follows", target_repo=REPO, target_number=number - 1, story=str(number - 1))
    groups = _report(week)["groups"]
    assert [group["rule"] for group in groups] == ["series"] * 3 + ["theme"] * 4


def test_a_single_revert_of_an_earlier_week_is_no_story_unless_it_is_a_highlight() -> None:
    for is_highlight, rules in ((False, ["theme"]), (True, ["revert"])):
        week = WeekBuilder().pull(2, is_highlight=is_highlight)
        week.add("derived_links", number=2, kind="relands", target_repo=REPO, target_number=1, story="1")
        assert [group["rule"] for group in _report(week)["groups"]] == rules


def test_a_number_of_another_repository_is_in_no_story() -> None:
    week = WeekBuilder().pull(1, is_highlight=True).pull(2)
    week.add("derived_links", number=2, kind="follows", target_repo="other/repo", target_number=1, story="1")
    assert [group["rule"] for group in _report(week)["groups"]] == ["theme"]


def test_risks_are_ordered_by_severity_then_by_count() -> None:
    week = WeekBuilder().pull(1).pull(2).risk(1, "b_rule").risk(1, "a_rule").risk(1, "c_rule", "high").risk(2, "b_rule", "low")
    assert [risk["rule"] for risk in _report(week)["risks"]] == ["c_rule", "b_rule", "a_rule"]


def test_measures_that_are_no_object_are_refused() -> None:
    with pytest.raises(ReportError, match=r"not a JSON object: '\[1\]'"):
        json_object("[1]")
    with pytest.raises(ReportError, match="Derive the week again"):
        json_object("{")


def test_a_week_that_is_not_there_is_refused(tmp_path: object) -> None:
    about = RulesAbout("r", "s", "p")
    with pytest.raises(ReportError, match=r"acme/lattice 2026-W17: its raw week is absent\. Fetch it first"):
        build_report(Warehouse(tmp_path), REPO, parse_week(WEEK), about)  # type: ignore[arg-type]  # because: pytest's tmp_path is a Path


def test_a_week_that_is_not_derived_is_refused(tmp_path: Any) -> None:
    import pandas as pd

    warehouse, week = Warehouse(tmp_path), parse_week(WEEK)
    files = [{"table": "raw_pull_requests", "rows_count": 0, "sha256": ""}]
    written = warehouse.write(TABLES["raw_pull_requests"], REPO, week, empty_frame(TABLES["raw_pull_requests"]))
    files[0]["sha256"] = written.sha256
    when = pd.Timestamp("2026-04-27", tz="UTC")
    times = dict.fromkeys(("window_start_utc", "window_end_utc", "started_at_utc", "finished_at_utc"), when)
    fetch = row("raw_fetches", **times, fetch_number=1, state="complete", files=files)
    warehouse.write(TABLES["raw_fetches"], REPO, week, pd.DataFrame([fetch]))
    with pytest.raises(ReportError, match=r"not derived yet: derived_files, derived_core_paths"):
        build_report(warehouse, REPO, week, RulesAbout("r", "s", "p"))


def test_every_week_of_the_sample_reports_and_holds(sample_tables: Warehouse) -> None:
    about = RulesAbout("r", "s", "p")
    weeks = sample_tables.weeks(REPO)
    reports = [build_report(sample_tables, REPO, week, about) for week in weeks]
    for report in reports:
        check_report(report)
    assert report_bytes(reports[-1]) == report_bytes(build_report(sample_tables, REPO, weeks[-1], about))


def test_a_week_before_that_was_derived_anew_is_read_anew(sample_tables: Warehouse, tmp_path: Path) -> None:
    shutil.copytree(sample_tables.root / "tables", tmp_path / "tables")
    warehouse, about = Warehouse(tmp_path), RulesAbout("r", "s", "p")
    *_, before, week = warehouse.weeks(REPO)
    first = build_report(warehouse, REPO, week, about)
    assert all(pull["merged_at"].endswith("Z") for pull in first["pull_requests"])
    table = TABLES["derived_week"]
    warehouse.write(table, REPO, before, warehouse.read(table, REPO, before).assign(merged_count=77))
    again = build_report(warehouse, REPO, week, about)
    series = next(tile["series"] for tile in again["tiles"] if tile["key"] == "merged_count")
    assert series[-2] == 77
    assert first["stands_on"]["history"] != again["stands_on"]["history"]
