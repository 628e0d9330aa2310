from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.contracts.raw import RAW_FETCHES
from pipelines.sources.github.parse import fetch_row, parse_week
from pipelines.sources.github.revision import PARSED_TABLES, Revision, revision
from pipelines.tables import conform
from tests.unit.sources.github.records import comment, connection, fetched, record, review, thread, user


def rows(table: str, **changes: Any) -> list[dict[str, Any]]:
    frame = parse_week(fetched(record(**changes)))[table]
    plain = frame.astype(object).where(frame.notna(), None)
    return [{str(name): value for name, value in found.items()} for found in plain.to_dict("records")]


def row(table: str, **changes: Any) -> dict[str, Any]:
    [only] = rows(table, **changes)
    return only


def test_frames_pass_the_contracts_empty_or_not() -> None:
    for week in (fetched(), fetched(record(), record(8))):
        frames = parse_week(week)
        assert set(frames) == {table.name for table in PARSED_TABLES}
        for table in PARSED_TABLES:
            conform(table, frames[table.name], "acme/lattice 2026-W17")


def test_rows_come_sorted_by_number_however_the_records_came() -> None:
    assert list(parse_week(fetched(record(9), record(3)))["raw_pull_requests"]["number"]) == [3, 9]


def test_a_deleted_author_is_the_ghost_and_an_unknown_merger_is_unknown() -> None:
    made = row("raw_pull_requests", author=None, mergedBy=None)
    assert (made["author_login"], made["author_type"]) == ("ghost", "ghost")
    assert (made["merged_by_login"], made["merged_by_type"]) == (None, None)


@pytest.mark.parametrize("account", [user("renovate", "Bot"), user("renovate[bot]", "Bot"), user("renovate[bot]")])
def test_a_bot_has_one_name(account: dict[str, Any]) -> None:
    made = row("raw_pull_requests", author=account)
    assert (made["author_login"], made["author_type"]) == ("renovate", "Bot")


def test_a_gone_fork_keeps_its_pull_request() -> None:
    assert row("raw_pull_requests", headRepository=None)["head_repository"] is None


def test_a_backport_is_marked_and_an_unknown_default_branch_is_unknown() -> None:
    assert row("raw_pull_requests", baseRefName="release/1.4")["is_base_default"] is False
    week = fetched(record())
    unknown = type(week)(**(vars(week) | {"repository": type(week.repository)("R", "a/b", None, "https://github.com")}))
    assert parse_week(unknown)["raw_pull_requests"]["is_base_default"].isna().all()


def test_a_landed_one_has_the_instant_and_commit_of_its_landing() -> None:
    made = row(
        "raw_pull_requests", mergedAt=None, state="CLOSED", mergeCommit=None, landedAt="2026-04-21T09:00:00Z", landedOid="c" * 40
    )
    assert made["merge_kind"] == "landed"
    assert made["merged_at_utc"] == datetime(2026, 4, 21, 9, tzinfo=UTC)
    assert made["merge_commit_oid"] == "c" * 40


def test_files_have_lower_case_kinds_and_deleted_is_removed() -> None:
    made = rows(
        "raw_files",
        files=connection(
            {"path": "b", "additions": 0, "deletions": 2, "changeType": "DELETED"},
            {"path": "a", "additions": 0, "deletions": 0, "changeType": "RENAMED", "previousPath": "z"},
            {"path": "c", "additions": None, "deletions": None, "changeType": "ADDED"},
        ),
    )
    assert [(r["path"], r["change_type"], r["previous_path"], r["added_lines_count"]) for r in made] == [
        ("a", "renamed", "z", 0),
        ("b", "removed", None, 0),
        ("c", "added", None, None),
    ]


def test_paths_that_cleaning_makes_alike_stay_two_files() -> None:
    file = {"additions": 1, "deletions": 0, "changeType": "ADDED"}
    made = rows("raw_files", files=connection(file | {"path": "a\x01"}, file | {"path": "a\x02"}))
    assert [r["path"] for r in made] == ["a\ufffd", "a\ufffd\ufffd"]


def test_pending_reviews_are_left_out_and_empty_ones_count() -> None:
    made = rows(
        "raw_reviews", reviews=connection(review("1"), review("2", state="PENDING", submittedAt=None), review("3", author=None))
    )
    assert [(r["review_id"], r["body"], r["author_login"]) for r in made] == [("1", "", "bob"), ("3", "", "ghost")]


def test_thread_state_that_cannot_be_read_is_null_not_false() -> None:
    bare = thread("T_1", comment())
    del bare["isResolved"]
    made = row("raw_review_threads", reviewThreads=connection(bare, total=1))
    assert made["is_resolved"] is None
    assert made["is_outdated"] is False


def test_outdated_threads_have_no_line_but_the_original_one() -> None:
    made = row("raw_review_threads", reviewThreads=connection(thread("T_1", comment(), line=None, isOutdated=True)))
    assert (made["line"], made["original_line"], made["is_outdated"]) == (None, 4, True)


def test_pending_comments_are_not_there_for_others() -> None:
    threads = connection(thread("T_1", comment("1"), comment("2", state="PENDING")), thread("T_2", comment("3", state="PENDING")))
    assert row("raw_review_threads", reviewThreads=threads)["comments_count"] == 1
    assert [r["comment_id"] for r in rows("raw_review_comments", reviewThreads=threads)] == ["1"]


def test_comments_in_threads_keep_their_ties() -> None:
    talk = thread("T_1", comment("1", pullRequestReview={"id": "PRR_1"}), comment("2", replyTo={"id": "1"}))
    made = rows("raw_review_comments", reviewThreads=connection(talk))
    assert [(r["thread_id"], r["review_id"], r["reply_to_id"]) for r in made] == [("T_1", "PRR_1", None), ("T_1", None, "1")]


def test_missing_parts_are_named_and_unknown_is_null() -> None:
    made = row("raw_pull_requests", labels=None, missing=["reviews", "labels", "reviews", "checks"])
    assert made["missing_parts"] == ["checks", "labels", "reviews"]
    assert made["labels"] is None
    assert made["checks_state"] is None


def test_labels_are_sorted_and_an_empty_description_is_not_an_unknown_one() -> None:
    made = row("raw_pull_requests", labels=connection({"name": "b"}, {"name": "a"}), body="")
    assert made["labels"] == ["a", "b"]
    assert made["body"] == ""
    assert row("raw_pull_requests", body=None)["body"] is None


def test_replaced_characters_are_counted_over_all_texts_of_a_pull_request() -> None:
    texts: dict[str, Any] = {
        "title": "a\x00",
        "reviews": connection(review(body="\ud800")),
        "comments": connection(comment(body="\u202e")),
    }
    assert row("raw_pull_requests", **texts)["replaced_characters_count"] == 3
    week = fetched(record(**texts), record(8, body="\x00"))
    frames = parse_week(week)
    assert fetch_row(week, frames, fetch_number=1, files=[])["replaced_characters_count"].tolist() == [4]


def test_names_of_users_in_texts_stay_what_they_are() -> None:
    assert row("raw_pull_requests", title="thanks @ada", author=user("ada"))["author_login"] == "ada"
    assert row("raw_pull_requests", title="thanks @ada")["title"] == "thanks @ada"


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"__typename": kind, "createdAt": "2026-04-21T07:00:00Z"} | fields


def test_every_kind_of_reference_has_its_row() -> None:
    other = {"__typename": "PullRequest", "number": 9, "title": "T", "state": "MERGED", "mergedAt": "2026-04-21T06:00:00Z"}
    other["repository"] = {"nameWithOwner": "acme/lattice"}
    made = rows(
        "raw_references",
        closingIssuesReferences=connection(
            {"number": 3, "title": "I", "state": "CLOSED", "repository": {"nameWithOwner": "acme/lattice"}}
        ),
        timelineItems=connection(
            event("CrossReferencedEvent", actor=user("ada"), willCloseTarget=False, source=other),
            event("ConnectedEvent", subject={"__typename": "Issue", "number": 4}),
            event("ReferencedEvent", commit={"oid": "d" * 40, "messageHeadline": "Revert"}),
            event("ReviewDismissedEvent", previousReviewState="CHANGES_REQUESTED", review={"id": "PRR_1"}),
            event("BaseRefChangedEvent", previousRefName="dev", currentRefName="main"),
            event("AddedToMergeQueueEvent"),
            event("LockedEvent"),
        ),
    )
    by_kind = {r["kind"]: r for r in made}
    assert set(by_kind) == {
        "closes",
        "cross_referenced",
        "connected",
        "referenced",
        "review_dismissed",
        "base_changed",
        "merge_queue",
    }
    assert by_kind["closes"]["reference_id"] == "closes:acme/lattice#3:"
    crossed = by_kind["cross_referenced"]
    assert (crossed["actor_login"], crossed["target_number"], crossed["target_type"]) == ("ada", 9, "pull_request")
    assert crossed["target_merged_at_utc"] == datetime(2026, 4, 21, 6, tzinfo=UTC)
    assert by_kind["referenced"]["target_oid"] == "d" * 40
    assert (by_kind["review_dismissed"]["target_oid"], by_kind["review_dismissed"]["target_state"]) == (
        "PRR_1",
        "CHANGES_REQUESTED",
    )
    assert by_kind["base_changed"]["target_oid"] == "dev"


def test_an_event_told_twice_is_one_and_two_of_the_same_instant_are_two() -> None:
    same = event("ReferencedEvent", commit={"oid": "d", "messageHeadline": "x"})
    other = event("ReferencedEvent", commit={"oid": "d", "messageHeadline": "y"})
    ids = [r["reference_id"] for r in rows("raw_references", timelineItems=connection(same, same, other))]
    assert ids == ["referenced:d:2026-04-21T07:00:00+00:00", "referenced:d:2026-04-21T07:00:00+00:00#2"]


def test_an_event_whose_other_side_is_hidden_stays() -> None:
    made = row("raw_references", timelineItems=connection(event("CrossReferencedEvent", source=None, actor=None)))
    assert (made["target_number"], made["actor_login"]) == (None, None)


def test_the_fetch_row_says_complete_only_where_nothing_is_missing_or_cut() -> None:
    whole = fetched(record(), notes=["told"])
    frame = fetch_row(whole, parse_week(whole), fetch_number=1, files=[{"table": "raw_files", "rows_count": 1, "sha256": "0"}])
    conform(RAW_FETCHES, frame, "acme/lattice 2026-W17")
    assert frame["state"].tolist() == ["complete"]
    lost = fetched(record(missing=["files", "checks"]), enumerated_numbers=[9, 7])
    frame = fetch_row(lost, parse_week(lost), fetch_number=2, files=[], revised=Revision(added=(7,)))
    assert frame["state"].tolist() == ["partial"]
    assert frame["missing_numbers"].tolist() == [[9]]
    assert frame["cut_parts"].tolist() == [["7:files"]]
    assert frame["added_numbers"].tolist() == [[7]]


def conformed(frames: dict[str, pd.DataFrame]) -> dict[str, Any]:
    return {table.name: conform(table, frames[table.name], "acme/lattice 2026-W17") for table in PARSED_TABLES}


def test_a_revision_names_what_was_added_changed_and_removed() -> None:
    before = conformed(parse_week(fetched(record(1), record(2), record(3))))
    after = conformed(parse_week(fetched(record(2), record(3, reviews=connection(review())), record(4))))
    assert revision(before, after) == Revision(added=(4,), changed=(3,), removed=(1,))
    assert revision(None, after) == Revision()


WILD = st.text(st.characters(codec=None, exclude_categories=()), max_size=30)


@settings(max_examples=20, deadline=None)
@given(title=WILD, body=st.none() | WILD, login=WILD, path=WILD, said=WILD)
def test_any_text_makes_tables_that_conform(title: str, body: str | None, login: str, path: str, said: str) -> None:
    file = {"path": path, "additions": 1, "deletions": 0, "changeType": "ADDED"}
    wild = record(
        title=title,
        body=body,
        author=user(login),
        files=connection(file, file),
        reviewThreads=connection(thread("T_1", comment(body=said), path=path)),
    )
    first = parse_week(fetched(wild))
    conformed(first)
    for name, frame in parse_week(fetched(wild)).items():
        pd.testing.assert_frame_equal(frame, first[name])
