"""The counts of the executive summary: one row for the repository-week.

People and bots are counted apart: hours, approvals and threads are of people's pull requests. What was not read
(reviews of a source that has none) is null, never 0. No person is named except first-time contributors.
"""

from collections import Counter
from operator import itemgetter
from statistics import median

import numpy as np
import pandas as pd

from pipelines.rules.inputs import WeekInputs
from pipelines.rules.people import HUMAN
from pipelines.rules.quantiles import spread
from pipelines.rules.rows import Frames, Row, column, dicts, frame_of, tuples

_HOURS = ("merge_hours", "first_review_hours", "approval_hours")
_RAW_COLUMNS = ("number", "author_login", "is_base_default", "added_lines_count", "removed_lines_count")
_MEASURES = (
    *("number", "author_kind", "change_kind", "is_first_contribution", "source_added_lines_count", "source_removed_lines_count"),
    *("source_files_count", "test_files_count", "core_files_count", "open_threads_count", "is_approved", "reviewers"),
    *("human_reviews_count", *_HOURS),
)


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per repository-week: the counts of the executive summary."""
    measured = {row["number"]: row for row in dicts(made, "derived_pull_requests", _MEASURES)}
    pulls: list[Row] = [row | measured[row["number"]] for row in dicts(inputs.raw, "raw_pull_requests", _RAW_COLUMNS)]
    people = [pull for pull in pulls if pull["author_kind"] in HUMAN]
    row: dict[str, object] = {
        "repository": inputs.repo,
        **_volume(pulls, people),
        **_size(inputs, pulls),
        "reverts_count": _reverts(made, pulls),
        **_quality(made),
        **_review(inputs, pulls, people),
    }
    for name in _HOURS:
        row |= _hours(name, people)
    row |= {
        "without_theme_count": sum(theme == "other" for (theme,) in tuples(made, "derived_themes", "theme")),
        "history_weeks_count": len(inputs.history_weeks),
        **_fetch(inputs),
    }
    return frame_of("derived_week", [row])


def _volume(pulls: list[Row], people: list[Row]) -> dict[str, object]:
    return {
        "merged_count": len(pulls),
        "human_merged_count": len(people),
        "bot_merged_count": len(pulls) - len(people),
        "other_branch_count": sum(pull["is_base_default"] is False for pull in pulls),
        # Deleted accounts share one name, so they are no known number of people.
        "authors_count": len({pull["author_login"].lower() for pull in people if pull["author_kind"] == "person"}),
        "first_time_authors": _first_timers(people),
    }


def _first_timers(people: list[Row]) -> list[str] | None:
    if people and all(pull["is_first_contribution"] is None for pull in people):
        return None
    return sorted({pull["author_login"] for pull in people if pull["is_first_contribution"] and pull["author_kind"] == "person"})


def _size(inputs: WeekInputs, pulls: list[Row]) -> dict[str, object]:
    source = [pull for pull in pulls if pull["source_files_count"] > 0]
    return {
        "added_lines_count": sum(pull["added_lines_count"] for pull in pulls),
        "removed_lines_count": sum(pull["removed_lines_count"] for pull in pulls),
        "source_lines_count": sum(pull["source_added_lines_count"] + pull["source_removed_lines_count"] for pull in pulls),
        "files_count": len(set(inputs.files.paths)),
        "source_changes_count": len(source),
        "without_tests_count": sum(pull["test_files_count"] == 0 for pull in source),
        "core_changes_count": sum(pull["core_files_count"] > 0 for pull in pulls),
    }


def _reverts(made: Frames, pulls: list[Row]) -> int:
    linked = {number for number, kind in tuples(made, "derived_links", "number", "kind") if kind == "reverts"}
    return sum(pull["number"] in linked or pull["change_kind"] == "revert" for pull in pulls)


def _quality(made: Frames) -> dict[str, object]:
    scores = column(made, "derived_importance", "importance")
    return {
        "highlights_count": sum(column(made, "derived_importance", "is_highlight")),
        "mean_importance": float(np.mean(scores)) if scores else None,
    }


def _review(inputs: WeekInputs, pulls: list[Row], people: list[Row]) -> dict[str, object]:
    threads = [pull["open_threads_count"] for pull in pulls if pull["open_threads_count"] is not None]
    approved = [pull["is_approved"] for pull in people if pull["is_approved"] is not None]
    loads = _loads(inputs, pulls)
    threads_known, approvals_known = bool(threads) or not pulls, bool(approved) or not pulls
    return {
        "reviewers_count": None if loads is None else len(loads),
        "open_threads_count": sum(threads) if threads_known else None,
        "with_open_threads_count": sum(count > 0 for count in threads) if threads_known else None,
        "unapproved_count": approved.count(False) if approvals_known else None,
        "reviews_per_reviewer_median": float(median(loads)) if loads else None,
        "reviews_per_reviewer_max": max(loads) if loads else None,
    }


def _loads(inputs: WeekInputs, pulls: list[Row]) -> list[int] | None:
    """Count the reviews of each person who reviewed others' pull requests; None where no reviews are known."""
    if pulls and all(pull["reviewers"] is None for pull in pulls):
        return None
    people = {(pull["number"], login.lower()) for pull in pulls for login in pull["reviewers"] or ()}
    reviews = ((number, login.lower()) for number, login in tuples(inputs.raw, "raw_reviews", "number", "author_login"))
    return list(Counter(review[1] for review in reviews if review in people).values())


def _hours(name: str, people: list[Row]) -> dict[str, object]:
    unknown = name != "merge_hours" and bool(people) and all(pull["human_reviews_count"] is None for pull in people)
    found = spread(pull[name] for pull in people)
    return {
        f"{name}_n": None if unknown else found.n,
        f"{name}_median": found.median,
        f"{name}_quartile_1": found.quartile_1,
        f"{name}_quartile_3": found.quartile_3,
    }


def _fetch(inputs: WeekInputs) -> dict[str, object]:
    """What the last fetch of the week says; its instants are of UTC."""
    fetches = tuples(inputs.raw, "raw_fetches", "fetch_number", "opened_count", "finished_at_utc")
    _, opened, finished = max(fetches, key=itemgetter(0))
    return {"opened_count": opened, "data_as_of_utc": finished}
