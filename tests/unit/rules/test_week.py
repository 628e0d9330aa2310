from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.rules.quantiles import spread
from tests.unit.rules.small_weeks import REPO, derive_weeks, monday, pull, raw_week

WEEK = "2026-W10"


def _week(pulls: list[dict[str, Any]], **tables: list[dict[str, Any]]) -> "pd.Series[Any]":
    return derive_weeks({WEEK: raw_week(WEEK, pulls, **tables)})[WEEK]["derived_week"].iloc[0]


def _review(
    number: int, review: str, login: str, *, hour: float = 8, state: str = "APPROVED", kind: str = "User"
) -> dict[str, Any]:
    when = monday(WEEK) + pd.Timedelta(hours=hour)
    return {
        "number": number,
        "review_id": review,
        "author_login": login,
        "author_type": kind,
        "state": state,
        "submitted_at_utc": when,
    }


def test_an_empty_week_is_counted_as_empty_and_not_as_unknown() -> None:
    row = _week([])
    counts = [
        "merged_count",
        "human_merged_count",
        "bot_merged_count",
        "files_count",
        "reverts_count",
        "merge_hours_n",
        "without_theme_count",
    ]
    assert (row[counts] == 0).all()
    assert (row["reviewers_count"], row["unapproved_count"], row["open_threads_count"]) == (0, 0, 0)
    assert pd.isna(row["mean_importance"])
    assert row["repository"] == REPO


def test_people_and_bots_are_counted_apart() -> None:
    bot = pull(3, "Bump x", author_login="renovate", author_type="Bot")
    row = _week([pull(1, "Add", hour=20, files=["a.py"]), pull(2, "Fix", hour=30, author_login="bo"), bot])
    assert (row["merged_count"], row["human_merged_count"], row["bot_merged_count"], row["authors_count"]) == (3, 2, 1, 2)
    assert (row["merge_hours_n"], row["merge_hours_median"]) == (2, 8.0)


def test_reviews_that_were_not_read_are_unknown() -> None:
    row = _week([pull(1, "Add", files=["src/a.py"], reviews_count=None)])
    names = ["reviewers_count", "unapproved_count", "first_review_hours_median", "first_review_hours_n", "reviews_per_reviewer_max"]
    assert row[names].isna().all()


def test_reviewers_load_counts_reviews_of_people_by_others() -> None:
    pulls = [pull(1, "Add", hour=20, reviews_count=4, files=["a.py"]), pull(2, "Fix", hour=20, reviews_count=1)]
    reviews = [_review(1, "a", "bo", hour=14), _review(1, "b", "Bo", hour=15), _review(1, "c", "ann", hour=16, state="COMMENTED")]
    reviews += [_review(1, "d", "copilot", hour=13, kind="Bot"), _review(2, "e", "cy", hour=13)]
    row = _week(pulls, reviews=reviews)
    assert (row["reviewers_count"], row["reviews_per_reviewer_max"], row["reviews_per_reviewer_median"]) == (2, 2, 1.5)
    assert (row["first_review_hours_n"], row["first_review_hours_median"]) == (2, 1.5)
    assert row["unapproved_count"] == 0


def test_source_without_tests_and_reverts_are_counted() -> None:
    pulls = [pull(1, "Add a", hour=1, files=["src/a.py"]), pull(2, "Add b", hour=2, files=["src/b.py", "tests/test_b.py"])]
    pulls += [pull(3, "Docs", hour=3, files=["docs/a.md"]), pull(4, 'Revert "Add a"', hour=4, files=["src/a.py"])]
    row = _week(pulls)
    assert (row["source_changes_count"], row["without_tests_count"], row["reverts_count"], row["files_count"]) == (3, 2, 1, 4)


def test_other_branches_are_counted_where_known() -> None:
    row = _week(
        [pull(1, "A", files=["a.py"]), pull(2, "B", is_base_default=False, base_ref="release"), pull(3, "C", is_base_default=None)]
    )
    assert row["other_branch_count"] == 1


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), st.floats(0, 1e6)), max_size=30))
def test_spreads_are_ordered_and_count_what_is_known(values: list[float | None]) -> None:
    found = spread(values)
    assert found.n == sum(value is not None for value in values)
    if found.n:
        assert found.quartile_1 <= found.median <= found.quartile_3
    else:
        assert pd.isna(found.median)


def test_a_spread_is_interpolated() -> None:
    found = spread([1.0, None, 2.0, 3.0, 4.0])
    assert [found.n, found.quartile_1, found.median, found.quartile_3] == pytest.approx([4, 1.75, 2.5, 3.25])
