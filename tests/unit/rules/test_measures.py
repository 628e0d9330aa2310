from typing import Any

import pandas as pd
import pytest

from pipelines.rules import people, threads
from pipelines.settings import RuleSettings
from tests.unit.rules.weeks import MONDAY, changed, derived, one, pull, review, week_of, weeks_before


def _measured(pulls: list[dict[str, Any]], settings: RuleSettings | None = None, **tables: list[dict[str, Any]]) -> "Any":
    made = derived(week_of({"raw_pull_requests": pulls, **tables}, settings))
    return one(made, "derived_pull_requests", pulls[0]["number"])


def test_churn_is_counted_by_kind() -> None:
    files = [
        changed(1, "src/a.py", 10, 3),
        changed(1, "src/new.py", 0, 0, change_type="renamed", previous_path="src/old.py"),
        changed(1, "tests/test_a.py", 5, 1),
        changed(1, "tests/test_gone.py", 0, 9, change_type="removed"),
        changed(1, "tests/test_to.py", 0, 0, change_type="renamed", previous_path="tests/test_from.py"),
        changed(1, "docs/a.md", 4, 4),
        changed(1, "config.yaml", 2, 0),
        changed(1, "logo.png", None, None),
    ]
    row = _measured([pull(1)], raw_files=files)
    told = {
        "files_count": 8,
        "source_files_count": 1,
        "test_files_count": 1,
        "removed_test_files_count": 1,
        "moved_test_files_count": 1,
        "docs_files_count": 1,
        "source_added_lines_count": 10,
        "source_removed_lines_count": 3,
        "test_added_lines_count": 5,
        "test_removed_lines_count": 10,
        "docs_lines_count": 8,
        "other_lines_count": 2,
    }
    assert {name: row[name] for name in told} == told


@pytest.mark.parametrize(
    ("files", "state"),
    [
        ([changed(1, "src/a.py"), changed(1, "tests/test_a.py")], "changed"),
        ([changed(1, "src/a.py")], "none"),
        ([changed(1, "src/a.py"), changed(1, "tests/test_a.py", 0, 9, change_type="removed")], "removed_only"),
        ([changed(1, "src/a.py"), changed(1, "tests/t.py", 0, 0, change_type="renamed", previous_path="tests/s.py")], "moved_only"),
        ([changed(1, "docs/a.md")], "not_applicable"),
        ([changed(1, "src/a.py", 0, 0, change_type="renamed", previous_path="src/b.py")], "not_applicable"),
    ],
)
def test_what_became_of_tests(files: list[dict[str, Any]], state: str) -> None:
    assert _measured([pull(1)], raw_files=files)["tests_state"] == state


def test_cut_files_leave_tests_unknown_but_a_change_of_tests_is_known() -> None:
    cut = pull(1, changed_files_count=3500, missing_parts=["files"])
    assert _measured([cut], raw_files=[changed(1, "src/a.py")])["tests_state"] == "unknown"
    assert _measured([pull(1, changed_files_count=3500)], raw_files=[changed(1, "tests/test_a.py")])["tests_state"] == "changed"


def test_unknown_parts_are_named() -> None:
    row = pull(
        1,
        body=None,
        labels=None,
        reviews_count=None,
        review_threads_count=None,
        comments_count=None,
        missing_parts=["reviewThreads"],
    )
    assert _measured([row])["unknown_parts"] == ["comments", "description", "labels", "reviews", "threads"]
    assert _measured([pull(1)])["unknown_parts"] == []


def test_modules_are_ordered_by_source_lines() -> None:
    files = [changed(1, "src/a/x.py", 1), changed(1, "src/b/y.py", 9), changed(1, "docs/z.md", 500)]
    row = _measured([pull(1)], raw_files=files)
    assert row["modules"] == ["b", "a", "docs"]
    assert row["primary_module"] == "b"
    assert _measured([pull(1)])["primary_module"] == ""


def test_review_times_leave_out_bots_the_author_and_what_came_after_the_merge() -> None:
    reviews = [
        review(10, "checker[bot]", hours=0.1, kind="Bot"),
        review(10, "helper", "COMMENTED", hours=0.2),
        review(10, "ada", "COMMENTED", hours=0.5),
        review(10, "bo", "COMMENTED", hours=2),
        review(10, "cy", "APPROVED", hours=3),
        review(10, "late", "APPROVED", hours=11),
    ]
    row = _measured([pull(10, reviews_count=6)], RuleSettings(bots=("helper",)), raw_reviews=reviews)
    assert (row["first_review_hours"], row["approval_hours"], row["merge_hours"]) == (2.0, 3.0, 10.0)
    assert (row["reviewers"], row["approvers"]) == (["bo", "cy"], ["cy"])
    assert (row["human_reviews_count"], row["bot_reviews_count"]) == (2, 2)
    assert row["is_approved"]


def test_the_last_verdict_of_a_reviewer_counts() -> None:
    reviews = [
        review(10, "bo", "APPROVED", hours=1),
        review(10, "bo", "CHANGES_REQUESTED", hours=2),
        review(10, "bo", "COMMENTED", hours=3),
        review(10, "cy", "CHANGES_REQUESTED", hours=1),
        review(10, "cy", "APPROVED", hours=2),
        review(10, "di", "DISMISSED", hours=2),
    ]
    row = _measured([pull(10, reviews_count=6)], raw_reviews=reviews)
    assert (row["changes_requested_by"], row["approvers"]) == (["bo"], ["cy"])


def test_no_review_is_none_and_unread_reviews_are_unknown() -> None:
    none = _measured([pull(10)])
    assert (none["human_reviews_count"], none["reviewers"], none["is_approved"]) == (0, [], False)
    unread = _measured([pull(10, missing_parts=["reviews"])], raw_reviews=[review(10, "bo")])
    assert unread["reviewers"] is None
    assert unread[["human_reviews_count", "is_approved", "first_review_hours"]].isna().all()


@pytest.mark.parametrize(
    ("merger", "reviews", "alone"),
    [("ada", [], True), ("ada", [review(10, "bo")], False), ("bo", [], False), (None, [], None)],
)
def test_merged_by_the_author_alone(merger: str | None, reviews: list[dict[str, Any]], *, alone: bool | None) -> None:
    told = _measured([pull(10, merged_by_login=merger, reviews_count=len(reviews))], raw_reviews=reviews)["is_self_merged"]
    assert (None if pd.isna(told) else bool(told)) is alone


def _thread(name: str, *, resolved: bool | None = False, outdated: bool | None = False) -> dict[str, object]:
    row: dict[str, object] = {"number": 10, "thread_id": name, "path": "src/a.py", "comments_count": 1}
    return row | {"is_resolved": resolved, "is_outdated": outdated}


def _comment(thread: str, author: str, kind: str = "User", minute: int = 0) -> dict[str, object]:
    row: dict[str, object] = {"number": 10, "comment_id": f"{thread}{author}", "thread_id": thread, "author_login": author}
    return row | {"author_type": kind, "created_at_utc": MONDAY.replace(minute=minute), "body": "", "is_minimized": False}


def test_threads_have_three_states_and_belong_to_who_began_them() -> None:
    rows = [
        _thread("open"),
        _thread("bots"),
        _thread("old", outdated=True),
        _thread("done", resolved=True, outdated=True),
        _thread("silent"),
    ]
    comments = [_comment("open", "bo"), _comment("bots", "scan", "Bot"), _comment("bots", "bo", minute=5), _comment("old", "bo")]
    row = _measured([pull(10, review_threads_count=5)], raw_review_threads=rows, raw_review_comments=comments)
    assert [row[name] for name in threads.COUNTS] == [2, 1, 1, 1]


@pytest.mark.parametrize("thread", [_thread("x", resolved=None), _thread("x", outdated=None)])
def test_an_unreadable_state_is_unknown_not_zero(thread: dict[str, object]) -> None:
    assert (
        _measured([pull(10, review_threads_count=1)], raw_review_threads=[thread])["open_threads_count":"resolved_threads_count"]
        .isna()
        .all()
    )


@pytest.mark.parametrize(
    ("login", "kind", "told"),
    [
        ("ada", "User", "person"),
        ("talbot", "User", "person"),
        ("dependabot", "User", "bot"),
        ("anything", "Bot", "bot"),
        ("ghost", "User", "ghost"),
        ("gone", "ghost", "ghost"),
        ("acme-ci", "User", "suspected_bot"),
        ("acme-robot", "User", "suspected_bot"),
        ("MergeBot", "User", "suspected_bot"),
        ("Helper", "User", "bot"),
        ("moved", "Mannequin", "person"),
    ],
)
def test_accounts(login: str, kind: str, told: str) -> None:
    assert people.account_kind(login, kind, frozenset({"helper"})) == told


def test_first_contributions_need_a_full_history_or_the_word_of_github() -> None:
    pulls = [
        pull(1, author_login="seen"),
        pull(2, author_login="new"),
        pull(3, author_login="new"),
        pull(4, author_login="member", author_association="MEMBER"),
        pull(5, author_login="marked", author_association="FIRST_TIME_CONTRIBUTOR"),
        pull(6, author_login="robot[bot]", author_type="Bot"),
    ]
    short: dict[str, dict[str, list[dict[str, Any]]]] = {weeks_before(1)[0]: {"raw_pull_requests": [pull(90, author_login="seen")]}}
    full: dict[str, dict[str, list[dict[str, Any]]]] = {week: {} for week in weeks_before(12)} | short
    told = {}
    for name, before in (("short", short), ("full", full)):
        rows = derived(week_of({"raw_pull_requests": pulls}, before=before))["derived_pull_requests"]
        told[name] = [
            None if value is not True and value is not False else value for value in rows["is_first_contribution"].tolist()
        ]
    assert told["short"] == [False, None, False, False, True, None]
    assert told["full"] == [False, True, False, False, True, None]


def test_a_revert_in_the_week_is_told_with_the_hours_it_lived() -> None:
    pulls = [pull(1, "Add a queue"), pull(5, 'Revert "Add a queue (#1)"', body="Reverts #1")]
    made = derived(week_of({"raw_pull_requests": pulls}))
    row = one(made, "derived_pull_requests", 1)
    assert (row["reverted_by_number"], row["reverted_after_hours"]) == (5, 4.0)
    assert one(made, "derived_pull_requests", 5)["change_kind"] == "revert"


def test_claims_need_source() -> None:
    body = "Makes decoding 20% faster."
    assert _measured([pull(1, body=body)], raw_files=[changed(1, "docs/a.md")])["claims"] == []
    assert _measured([pull(1, body=body)], raw_files=[changed(1, "src/a.py")])["claims"] == [body]


def test_an_empty_week_has_empty_tables() -> None:
    assert all(frame.empty for frame in derived(week_of({})).values())
