import random
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.rules import links
from pipelines.rules.link_words import BODY_CHARACTERS_READ, mentions, plain_body
from tests.unit.rules.small_weeks import EMPTY, REPO, inputs_of, pull, raw_week

WEEK = "2026-W10"


def found(pulls: list[dict[str, Any]], **tables: list[dict[str, Any]]) -> pd.DataFrame:
    return links.derive(inputs_of(WEEK, raw_week(WEEK, pulls, **tables)), {})


def told(frame: pd.DataFrame) -> set[tuple[int, str, int, str]]:
    return set(zip(frame["number"], frame["kind"], frame["target_number"], frame["found_in"], strict=True))


def test_a_revert_is_linked_by_the_title_it_quotes_with_the_hours_it_lived() -> None:
    frame = found([pull(5, "Add cache", hour=1), pull(9, 'Revert "Add cache"', hour=4)])
    assert told(frame) == {(9, "reverts", 5, "title")}
    row = frame.iloc[0]
    assert (row["hours_between"], row["target_title"], row["target_week"], row["story"]) == (3.0, "Add cache", WEEK, "5")


@pytest.mark.parametrize(
    ("title", "kind", "target"),
    [
        ('Revert "Add a cache (#5)"', "reverts", 5),
        ('Revert "Something cut in the mid…', "reverts", 6),
        ("fix: revert #5", "reverts", 5),
        ("[core] Revert 2005", "reverts", 2005),
        ("Revert early binding (#5, #6)", "reverts", 6),
        ("Reland #5: cache", "relands", 5),
        ('Reland "Add a cache"', "relands", 5),
        ("perf: cache (redo of #5)", "relands", 5),
        ("Fix lint introduced in #5", "fixes", 5),
        ("[AMD] Fix crash (regression from #5)", "fixes", 5),
        ("Restore the observer dropped by #5", "fixes", 5),
        ("Fix size after #5", "fixes", 5),
        ("Guard the rest too (follow-up to #5)", "follows", 5),
        ("Keep old caches (#5 follow-up)", "follows", 5),
        ("Cherry-pick cache fix from #5", "backports", 5),
        ("[Fix #77] illegal access", "closes", 77),
    ],
)
def test_words_of_titles_make_links(title: str, kind: str, target: int) -> None:
    before = [pull(5, "Add a cache", hour=1), pull(6, "Something cut in the middle", hour=1), pull(2005, "Old one", hour=1)]
    assert (9, kind, target, "title") in told(found([*before, pull(9, title, hour=5)]))


@pytest.mark.parametrize(
    "title",
    [
        "Improve cache (#5)",
        "Same idea as #5",
        "Skip the revert of state in #5?",
        "Revert to the older library",
        "Not a follow-up to #5",
        "v2/3 of docs",
    ],
)
def test_a_bare_mention_is_no_link(title: str) -> None:
    assert found([pull(5, "Add a cache", hour=1), pull(9, title, hour=5)]).empty


def test_a_revert_of_a_revert_reverts_it_and_relands_the_first() -> None:
    pulls = [pull(5, "Add cache", hour=1), pull(6, 'Revert "Add cache"', hour=2), pull(7, 'Revert "Revert "Add cache""', hour=3)]
    assert told(found(pulls)) >= {(6, "reverts", 5, "title"), (7, "reverts", 6, "title"), (7, "relands", 5, "title")}


def test_the_same_title_after_a_revert_is_a_reland_and_on_another_branch_a_backport() -> None:
    pulls = [pull(5, "Add cache", hour=1), pull(6, 'Revert "Add cache"', hour=2), pull(7, "Add cache", hour=3)]
    pulls.append(pull(8, "[1.4] Add cache", hour=4, base_ref="release/1.4", is_base_default=False))
    assert told(found(pulls)) >= {(7, "relands", 5, "title"), (8, "backports", 7, "title")}


def test_a_reland_without_a_number_takes_the_reverted_title_it_shares_most_with() -> None:
    pulls = [pull(5, "[Kernels] Migrate packed kernels to JIT", hour=1), pull(6, "[Feature] JIT activation", hour=1)]
    pulls += [
        pull(7, 'Revert "[Kernels] Migrate packed kernels to JIT"', hour=2),
        pull(8, 'Revert "[Feature] JIT activation"', hour=3),
    ]
    assert (9, "relands", 6, "title") in told(found([*pulls, pull(9, "[JIT Kernel] Reland JIT activation", hour=9)]))


def test_branches_commits_and_closing_references_are_evidence() -> None:
    oid = "0123456789abcdef0123456789abcdef01234567"
    pulls = [pull(55, "Add cache", hour=1, merge_commit_oid=oid), pull(6, "Undo it", hour=2, head_ref="revert-55-cache")]
    pulls.append(pull(7, "Take it back", hour=3, body=f"This reverts commit {oid[:10]}."))
    pulls.append(pull(8, "On the branch", hour=4, head_ref="backport/55-to-release/1.4"))
    closes = [
        {"number": 55, "reference_id": "a", "kind": "closes", "target_repo": REPO, "target_number": 3, "target_type": "issue"}
    ]
    assert told(found(pulls, references=closes)) == {
        (6, "reverts", 55, "branch"),
        (7, "reverts", 55, "commit"),
        (8, "backports", 55, "branch"),
        (55, "closes", 3, "closing"),
    }


def test_a_later_pull_request_known_by_its_event_alone_is_linked() -> None:
    event = {
        "number": 5,
        "reference_id": "x",
        "kind": "cross_referenced",
        "target_repo": REPO,
        "target_number": 30,
        "target_type": "pull_request",
        "target_title": 'Revert "Add cache"',
        "target_state": "MERGED",
        "target_merged_at_utc": pd.Timestamp("2026-03-10T10:00Z"),
    }
    mention = event | {"reference_id": "y", "target_number": 31, "target_title": "Mentions it"}
    unmerged = event | {"reference_id": "z", "target_number": 32, "target_state": "OPEN"}
    commit = event | {"reference_id": "c", "kind": "referenced", "target_number": None, "target_type": "commit"}
    commit |= {"target_title": 'Revert "Add cache" (#33)', "created_at_utc": pd.Timestamp("2026-03-11T10:00Z")}
    frame = found([pull(5, "Add cache")], references=[event, mention, unmerged, commit])
    assert told(frame) == {(30, "reverts", 5, "reference"), (33, "reverts", 5, "commit")}
    assert frame["hours_between"].notna().all()


def test_a_body_alone_is_not_believed_about_reverts() -> None:
    claimed = pull(9, "Add a button", hour=5, body="Reverts #5", files=["ui/button.py"])
    assert found([pull(5, "Add cache", hour=1, files=["core/cache.py"]), claimed]).empty
    shared = pull(9, "Add a button", hour=5, body="Reverts #5", files=["core/cache.py"])
    assert told(found([pull(5, "Add cache", hour=1, files=["core/cache.py"]), shared])) == {(9, "reverts", 5, "body")}


def test_a_title_outranks_the_body_and_the_telling_kind_outranks_follows() -> None:
    later = pull(9, "Fix the crash introduced in #5", hour=5, body="Follow-up to #5. Fixes what was introduced in #5.")
    assert told(found([pull(5, "Add cache", hour=1), later])) == {(9, "fixes", 5, "title")}


@pytest.mark.parametrize(
    "body",
    [
        "<!-- Fixes #5 -->",
        "```\nFollow-up to #5\n```",
        "> introduced in #5",
        "- [ ] Fixes #5",
        "This is not a follow-up to #5.",
        "Fixes #0 and fixes #9",
        "see #5",
        "",
    ],
)
def test_comments_code_quotations_and_templates_say_nothing(body: str) -> None:
    assert found([pull(5, "Add cache", hour=1), pull(9, "Improve", hour=5, body=body)]).empty


def test_a_target_merged_later_is_no_target() -> None:
    assert found([pull(5, "Fix what was introduced in #9", hour=1), pull(9, "Add", hour=5)]).empty


def test_a_target_that_is_not_stored_has_no_title_and_one_elsewhere_keeps_its_repository() -> None:
    frame = found([pull(9, "Improve", body="Follow-up to #4 and to work in other/repo.\nBased on other/repo#7")])
    by_target = frame.set_index(["target_repo", "target_number"])
    assert set(by_target.index) == {(REPO, 4), ("other/repo", 7)}
    unknown = by_target[["target_title", "hours_between", "story"]].isna()
    assert unknown["target_title"].tolist() == [True, True]
    assert unknown.xs("other/repo", level="target_repo")["story"].all()


def test_a_target_named_by_address_and_matched_by_words_is_one_link() -> None:
    before = pull(17584, "[CI] Remove redundant test runs step 2", hour=1)
    named = pull(17701, f"revert row from https://github.com/{REPO.upper()}/pull/17584/", hour=5, body=f"Reverts {REPO}#17584 .")
    frame = found([before, named])
    assert list(zip(frame["kind"], frame["target_number"], frame["target_repo"], strict=True)) == [("reverts", 17584, REPO)]


def test_parts_of_a_series_are_linked_and_make_one_story() -> None:
    pulls = [pull(1, "[solver][1/3] Split setup", hour=1), pull(2, "[solver][2/3] Keep hierarchies", hour=2)]
    pulls += [pull(3, "[solver][3/3] Add update", hour=3), pull(4, "[1/3] Other thing", hour=1, author_login="bo")]
    frame = found(pulls)
    assert told(frame) == {(2, "series", 1, "title"), (3, "series", 2, "title")}
    assert frame["position"].tolist() == [2, 3]
    assert set(frame["story"]) == {"1"}


@pytest.mark.parametrize(
    ("first", "second", "author", "linked"),
    [
        ("[1/N] MoE Refactor: select", "[2/N] MoE Refactor: load", "bo", True),
        ("[MUSA][9/N] Attention", "[MUSA][10/N] GGUF", "bo", True),
        ("Cache rope (part 1: kernel)", "Cache rope (part 2: runtime)", "ann", True),
        ("[1/2] Add rope kernel", "[2/2] Unrelated words here", "bo", False),
        ("[1/2] Add rope kernel", "[2/N] Add other kernel", "ann", False),
        ("[2/2] Add rope kernel", "[1/2] Fuse norm in kernel", "ann", False),
        ("Tune 24/7 service", "Tune 25/7 service", "ann", False),
    ],
)
def test_series_need_more_than_a_position(first: str, second: str, author: str, *, linked: bool) -> None:
    frame = found([pull(1, first, hour=1), pull(2, second, hour=2, author_login=author)])
    assert told(frame) == ({(2, "series", 1, "title")} if linked else set())


def test_stories_go_on_from_the_weeks_before() -> None:
    past = raw_week("2026-W09", [pull(5, "[1/3] Split setup"), pull(7, "[2/3] Split more setup", hour=20)])
    before = {"2026-W09": {**EMPTY, **past, "derived_links": links.derive(inputs_of("2026-W09", past), {})}}
    week = raw_week(WEEK, [pull(9, "[3/3] Split the last setup")])
    frame = links.derive(inputs_of(WEEK, week, before), {})
    assert (frame["target_number"].tolist(), frame["story"].tolist(), frame["target_week"].tolist()) == ([7], ["5"], ["2026-W09"])


def test_an_empty_week_has_no_links() -> None:
    assert found([]).empty


@settings(deadline=None, max_examples=15)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(shuffler: random.Random) -> None:
    titles = ["Add cache", 'Revert "Add cache"', "Reland cache", "[1/2] Split", "[2/2] Split", "Fix bug introduced in #1"]
    pulls = [pull(number, title, hour=number, body="Follow-up to #1") for number, title in enumerate(titles, start=1)]
    straight = found(pulls)
    shuffler.shuffle(pulls)
    raw = raw_week(WEEK, pulls)
    order = list(range(len(pulls)))
    shuffler.shuffle(order)
    mixed = {**raw, "raw_pull_requests": raw["raw_pull_requests"].iloc[order].reset_index(drop=True)}
    pd.testing.assert_frame_equal(links.derive(inputs_of(WEEK, mixed), {}), straight)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=400))
def test_any_text_is_read_without_failing(text: str) -> None:
    found_there = [*mentions(text, "title"), *mentions(plain_body(text), "body")]
    assert all(mention.number >= 0 for mention in found_there)


def test_a_long_body_is_bounded() -> None:
    assert len(plain_body("a" * 200_000)) <= BODY_CHARACTERS_READ
