import json
import random
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.rules import follow_ups, links
from pipelines.rules.follow_up_kinds import KINDS
from pipelines.rules.follow_up_model import slug
from pipelines.rules.later_changes import telling_folder, telling_stem
from pipelines.rules.rows import Frames
from pipelines.tables import TABLES, conform, to_frame
from tests.unit.rules.small_weeks import EMPTY, derive_weeks, inputs_of, monday, pull, raw_week, weeks_from

WEEK, NEXT = "2026-W10", "2026-W11"


def _risks(*rows: tuple[int, str, str, dict[str, Any], list[str]]) -> pd.DataFrame:
    frame = pd.DataFrame(
        [
            {
                "number": n,
                "rule": rule,
                "severity": grade,
                "confidence": "high",
                "reason": "x",
                "measures_json": json.dumps(told),
                "evidence": rows_,
            }
            for n, rule, grade, told, rows_ in rows
        ]
    )
    return to_frame(conform(TABLES["derived_risks"], frame, "test"))


class Story:
    """Weeks whose raw tables go through every real step; risks may be set by hand to what a test is about."""

    def __init__(self) -> None:
        self.stored: dict[str, dict[str, pd.DataFrame]] = {}

    def week(self, week: str, raw: Frames, risks: pd.DataFrame | None = None) -> pd.DataFrame:
        made = derive_weeks({week: raw})[week] | ({} if risks is None else {"derived_risks": risks})
        inputs = inputs_of(week, raw, self.stored)
        made["derived_links"] = links.derive(inputs, {})
        made["derived_follow_ups"] = follow_ups.derive(inputs, made)
        self.stored[week] = {**EMPTY, **raw, **made}
        return made["derived_follow_ups"]


def _state(frame: pd.DataFrame, kind: str) -> tuple[str, int | None, str | None]:
    row = frame[frame["kind"] == kind].iloc[0]
    number = row["closed_by_number"]
    week = row["closed_week"]
    return (row["state"], None if number is pd.NA else int(number), week if isinstance(week, str) else None)


SOURCE = ["pkg/solver/multigrid.py"]
_FILLER = pull(900, "Keep", files=["pkg/core/a.py"])


def _untested(story: Story, **more: Any) -> pd.DataFrame:
    risks = _risks((1, "missing_tests", "high", {"added_lines": 400}, [f"file:{SOURCE[0]}"]))
    return story.week(WEEK, raw_week(WEEK, [pull(1, "Add multigrid", files=SOURCE, **more)]), risks)


def test_missing_tests_are_suggested_with_what_would_settle_them() -> None:
    row = _untested(Story()).iloc[0]
    assert row["kind"] == "add_tests"
    assert row["follow_up_id"] == f"add_tests:{WEEK}:{row['subject']}"
    assert (row["created_week"], row["severity"], row["rank"], row["state"]) == (WEEK, "high", 1, "open")
    assert (row["pull_requests"], row["done_when"]) == ([1], "tests_near")
    assert json.loads(row["done_when_json"])["pulls"] == [{"number": 1, "stems": ["multigrid"], "folders": ["solver"]}]
    assert json.loads(row["measures_json"]) == {"pull_requests": 1, "added_lines": 400, "files": 1}
    assert set(row["evidence"]) == {"pull:1", f"file:{SOURCE[0]}"}


@pytest.mark.parametrize(
    ("later", "state"),
    [
        (pull(7, "Test it", files=["tests/test_multigrid.py"]), ("done", 7, NEXT)),
        (pull(7, "Test it", files=["tests/test_other.py"]), ("open", None, None)),
        (pull(7, "More of it", files=SOURCE), ("open", None, None)),
        (pull(7, 'Revert "Add multigrid"', files=SOURCE), ("moot", 7, NEXT)),
    ],
)
def test_tests_near_close_it_and_a_revert_makes_it_moot(later: dict[str, Any], state: tuple[str, int | None, str | None]) -> None:
    story = Story()
    _untested(story)
    assert _state(story.week(NEXT, raw_week(NEXT, [later, _FILLER]), EMPTY["derived_risks"]), "add_tests") == state


def test_a_test_touched_by_one_line_or_deleted_is_no_test() -> None:
    story = Story()
    _untested(story)
    files = [{"number": 7, "path": "tests/test_multigrid.py", "change_type": "removed", "added_lines_count": 0}]
    files.append({"number": 8, "path": "tests/a/test_multigrid.py", "change_type": "modified", "added_lines_count": 1})
    week = raw_week(NEXT, [pull(7, "Delete"), pull(8, "Lint"), _FILLER], files=files)
    assert _state(story.week(NEXT, week, EMPTY["derived_risks"]), "add_tests") == ("open", None, None)


def test_a_suggestion_that_stands_is_not_made_again_and_ends_after_four_weeks() -> None:
    story = Story()
    _untested(story)
    weeks = weeks_from(NEXT, 5)
    made = EMPTY["derived_follow_ups"]
    for week in weeks:
        risks = (
            _risks((len(week), "missing_tests", "high", {"added_lines": 400}, [f"file:{SOURCE[0]}"]))
            if week == NEXT
            else EMPTY["derived_risks"]
        )
        frame = story.week(week, raw_week(week, [pull(len(week), "Add to multigrid", files=SOURCE), _FILLER]), risks)
        made = frame[frame["created_week"] == WEEK]
        if week == NEXT:
            assert len(frame) == 1
        if week == weeks[3]:
            assert _state(made, "add_tests") == ("moot", None, week)
    assert made.empty


def test_what_was_closed_stays_closed() -> None:
    story = Story()
    _untested(story)
    story.week(NEXT, raw_week(NEXT, [pull(7, "Test it", files=["tests/test_multigrid.py"]), _FILLER]), EMPTY["derived_risks"])
    frame = story.week(
        "2026-W12", raw_week("2026-W12", [pull(8, "More", files=["tests/test_multigrid.py"]), _FILLER]), EMPTY["derived_risks"]
    )
    assert _state(frame, "add_tests") == ("done", 7, NEXT)


def test_a_revert_asks_for_a_reland_until_it_comes() -> None:
    story = Story()
    pulls = [pull(1, "Add cache", hour=1, files=SOURCE), pull(2, 'Revert "Add cache"', hour=5, files=SOURCE)]
    row = story.week(WEEK, raw_week(WEEK, pulls), EMPTY["derived_risks"]).iloc[0]
    assert (row["kind"], row["subject"], row["pull_requests"], json.loads(row["measures_json"])) == (
        "reland",
        "#1",
        [1],
        {"reverted_by": 2, "hours": 4.0},
    )
    frame = story.week(NEXT, raw_week(NEXT, [pull(3, 'Reland "Add cache"', files=SOURCE)]), EMPTY["derived_risks"])
    assert _state(frame, "reland") == ("done", 3, NEXT)


def test_what_came_back_in_the_same_week_is_not_asked_for() -> None:
    pulls = [
        pull(1, "Add cache", hour=1, files=SOURCE),
        pull(2, 'Revert "Add cache"', hour=5),
        pull(3, 'Reland "Add cache"', hour=9),
    ]
    assert "reland" not in set(Story().week(WEEK, raw_week(WEEK, pulls), EMPTY["derived_risks"])["kind"])


def test_one_change_reverted_twice_is_asked_for_once() -> None:
    story = Story()
    pulls = [
        pull(1, "Add cache", hour=1, files=SOURCE),
        pull(2, "Revert #1", hour=5, files=SOURCE),
        pull(3, "Revert #1", hour=9, files=SOURCE),
    ]
    frame = story.week(WEEK, raw_week(WEEK, pulls), EMPTY["derived_risks"])
    row = frame[frame["kind"] == "reland"].iloc[0]
    assert [row["follow_up_id"]] == [one for one in frame["follow_up_id"] if one.startswith("reland")]
    assert json.loads(row["done_when_json"]) == {"numbers": [1], "reverts": [2, 3]}
    assert [*row["evidence"]] == ["pull:2", "pull:3", "pull:1"]
    frame = story.week(NEXT, raw_week(NEXT, [pull(4, 'Revert "Revert #1" (#3)', files=SOURCE)]), EMPTY["derived_risks"])
    assert _state(frame, "reland") == ("done", 4, NEXT)


def test_modules_that_differ_in_capitals_alone_are_told_together() -> None:
    told = {"added_lines": 400}
    graded = [(1, "medium", "core"), (2, "high", "Core")]
    rows = [(number, "missing_tests", grade, told, [f"file:{folder}/a.py"]) for number, grade, folder in graded]
    pulls = [pull(1, "Grow", files=["core/a.py"]), pull(2, "Grow more", files=["Core/a.py"]), _FILLER]
    frame = Story().week(WEEK, raw_week(WEEK, pulls), _risks(*rows))
    assert frame[frame["kind"] == "add_tests"]["severity"].tolist() == ["high"]


def _thread(*, resolved: bool) -> dict[str, Any]:
    return {"number": 1, "thread_id": "T1", "path": SOURCE[0], "is_resolved": resolved, "is_outdated": False, "comments_count": 1}


def _with_thread(story: Story) -> pd.DataFrame:
    risks = _risks((1, "open_threads", "low", {"threads": 1, "paths": SOURCE}, ["thread:T1"]))
    raw = raw_week(WEEK, [pull(1, "Add multigrid", files=SOURCE)], review_threads=[_thread(resolved=False)])
    return story.week(WEEK, raw, risks)


def test_an_open_thread_is_done_when_a_later_fetch_shows_it_resolved() -> None:
    story = Story()
    assert _state(_with_thread(story), "resolve_threads") == ("open", None, None)
    week = raw_week(NEXT, [_FILLER])
    assert _state(story.week(NEXT, week, EMPTY["derived_risks"]), "resolve_threads") == ("open", None, None)
    refetched = raw_week(WEEK, [pull(1, "Add multigrid", files=SOURCE)], review_threads=[_thread(resolved=True)])
    story.stored[WEEK] |= refetched
    assert _state(story.week(NEXT, week, EMPTY["derived_risks"]), "resolve_threads") == ("done", None, NEXT)


def test_an_open_thread_is_done_when_a_follow_up_changes_its_file() -> None:
    story = Story()
    _with_thread(story)
    later = [pull(7, "Answer the review (follow-up to #1)", files=SOURCE), pull(8, "Unrelated", files=SOURCE)]
    assert _state(story.week(NEXT, raw_week(NEXT, later), EMPTY["derived_risks"]), "resolve_threads") == ("done", 7, NEXT)


def test_a_removed_setting_is_documented_by_documentation_that_says_it() -> None:
    story = Story()
    risks = _risks((1, "setting_removed", "medium", {"settings": ["--fast-mode"]}, ["pull:1"]))
    frame = story.week(WEEK, raw_week(WEEK, [pull(1, "Remove --fast-mode", files=SOURCE)]), risks)
    assert frame["subject"].tolist() == ["--fast-mode"]
    silent = raw_week(NEXT, [pull(7, "Docs of other things", files=["docs/a.md"]), _FILLER])
    assert _state(story.week(NEXT, silent, EMPTY["derived_risks"]), "document_setting") == ("open", None, None)
    patch = {
        "number": 8,
        "path": "docs/flags.md",
        "change_type": "modified",
        "added_lines_count": 1,
        "patch": "@@\n+--fast-mode is gone\n",
    }
    told = raw_week("2026-W12", [pull(8, "Docs"), _FILLER], files=[patch])
    assert _state(story.week("2026-W12", told, EMPTY["derived_risks"]), "document_setting") == ("done", 8, "2026-W12")


def test_a_removal_with_its_documentation_asks_for_none() -> None:
    risks = _risks((1, "setting_removed", "medium", {"settings": ["--fast-mode"]}, ["pull:1"]))
    raw = raw_week(WEEK, [pull(1, "Remove --fast-mode", files=[*SOURCE, "docs/flags.md"])])
    assert Story().week(WEEK, raw, risks).empty


def test_knowledge_is_spread_by_another_person_and_not_by_the_same_or_a_bot() -> None:
    story = Story()
    raw = raw_week(WEEK, [pull(1, "Add multigrid", files=SOURCE)])
    module = derive_weeks({WEEK: raw})[WEEK]["derived_pull_requests"]["primary_module"].item()
    story.week(WEEK, raw, _risks((1, "sole_expert", "medium", {"module": module, "changes": 9, "own_changes": 9}, ["pull:1"])))
    same = raw_week(
        NEXT, [pull(7, "More", files=SOURCE), pull(8, "Bump", files=SOURCE, author_login="renovate", author_type="Bot")]
    )
    assert _state(story.week(NEXT, same, EMPTY["derived_risks"]), "spread_knowledge") == ("open", None, None)
    other = raw_week("2026-W12", [pull(9, "Try", files=SOURCE, author_login="bo")])
    assert _state(story.week("2026-W12", other, EMPTY["derived_risks"]), "spread_knowledge") == ("done", 9, "2026-W12")


def test_a_change_without_approval_is_reviewed_when_somebody_approves_it_after_all() -> None:
    story = Story()
    raw = raw_week(WEEK, [pull(1, "Add multigrid", files=SOURCE)])
    story.week(WEEK, raw, _risks((1, "unapproved", "high", {"reviews": 0}, ["pull:1"])))
    own = {
        "number": 1,
        "review_id": "a",
        "author_login": "ann",
        "author_type": "User",
        "state": "APPROVED",
        "submitted_at_utc": monday(NEXT),
    }
    story.stored[WEEK] |= raw_week(WEEK, [pull(1, "Add multigrid", files=SOURCE)], reviews=[own])
    assert _state(story.week(NEXT, raw_week(NEXT, [_FILLER]), EMPTY["derived_risks"]), "review_after_merge") == ("open", None, None)
    approval = own | {"review_id": "b", "author_login": "bo"}
    story.stored[WEEK] |= raw_week(WEEK, [pull(1, "Add multigrid", files=SOURCE)], reviews=[own, approval])
    assert _state(story.week(NEXT, raw_week(NEXT, [_FILLER]), EMPTY["derived_risks"]), "review_after_merge") == ("done", None, NEXT)


def test_a_quick_fix_is_watched_until_the_next_fix() -> None:
    story = Story()
    raw = raw_week(WEEK, [pull(1, "Add cache", hour=1, files=SOURCE), pull(2, "Fix bug introduced in #1", hour=9, files=SOURCE)])
    frame = story.week(WEEK, raw, _risks((2, "quick_fix", "low", {"target": 1, "hours": 8.0}, ["pull:1"])))
    assert (frame["kind"].tolist(), frame["pull_requests"].tolist()) == (["watch_fix"], [[1, 2]])
    again = raw_week(NEXT, [pull(7, "Fix regression from #1", files=SOURCE)])
    assert _state(story.week(NEXT, again, EMPTY["derived_risks"]), "watch_fix") == ("done", 7, NEXT)


def test_new_suggestions_are_few_and_the_gravest_come_first() -> None:
    pulls = [pull(n, f"Add part {n}", files=[f"pkg{n}/solver{n}/multigrid{n}.py"]) for n in range(1, 12)]
    rows = [
        (n, "missing_tests", "high" if n % 2 else "medium", {"added_lines": 100 * n}, [f"file:pkg{n}/a.py"]) for n in range(1, 12)
    ]
    threads: dict[str, Any] = {"threads": 1, "paths": ["a.py"]}
    rows += [(n, "open_threads", "medium", threads, [f"thread:T{n}"]) for n in range(1, 12)]
    rows += [(n, "large_and_broad", "high", {"lines": 4000}, [f"pull:{n}"]) for n in range(1, 12)]
    frame = Story().week(WEEK, raw_week(WEEK, pulls), _risks(*rows))
    assert len(frame) <= follow_ups.MOST_NEW
    by_rank = frame.sort_values("rank")
    assert by_rank["rank"].tolist() == list(range(1, len(frame) + 1))
    order = by_rank["severity"].map({"high": 0, "medium": 1, "low": 2})
    assert order.is_monotonic_increasing
    most = {kind: limit for kind, _, limit in KINDS}
    assert all(count <= most[str(kind)] for kind, count in frame["kind"].value_counts().items())


def test_an_empty_week_suggests_nothing() -> None:
    assert Story().week(WEEK, raw_week(WEEK), EMPTY["derived_risks"]).empty


@settings(deadline=None, max_examples=8)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(shuffler: random.Random) -> None:
    pulls = [pull(n, f"Add part {n}", files=[f"pkg{n}/solver{n}/multigrid{n}.py"]) for n in range(1, 6)]
    raw = raw_week(WEEK, [*pulls, pull(7, 'Revert "Add part 1"', hour=30)])
    rows = [(n, "missing_tests", "high", {"added_lines": 100}, [f"file:pkg{n}/a.py"]) for n in range(1, 6)]
    made = derive_weeks({WEEK: raw})[WEEK] | {"derived_risks": _risks(*rows)}
    straight = follow_ups.derive(inputs_of(WEEK, raw), made)
    mixed = {}
    for name, frame in {**raw, **made}.items():
        order = list(range(len(frame)))
        shuffler.shuffle(order)
        mixed[name] = frame.iloc[order].reset_index(drop=True)
    pd.testing.assert_frame_equal(follow_ups.derive(inputs_of(WEEK, mixed), mixed), straight)


@given(st.text(max_size=60))
def test_ids_hold_no_blanks(text: str) -> None:
    assert slug(text)
    assert not any(letter.isspace() for letter in slug(text))


def test_names_of_files_tell_what_a_test_is_of() -> None:
    assert telling_stem("tests/unit/test_radix_cache.py") == telling_stem("src/radix_cache.py") == "radix cache"
    assert (telling_stem("src/utils.py"), telling_folder("a.py"), telling_folder("src/models/x.py")) == ("", "", "")
    assert telling_folder("src/lora/layers.py") == "lora"
