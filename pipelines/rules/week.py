"""The counts of the executive summary: one row for the repository-week.

People and bots are counted apart: hours, approvals and threads are of people's pull requests. What was not read
(reviews of a source that has none) is null, never 0. No person is named except first-time contributors.
"""

import pandas as pd

from pipelines.rules.inputs import Frames, WeekInputs
from pipelines.rules.quantiles import spread
from pipelines.tables import TABLES

#: Kinds of author that count as people; a deleted account was a person's far more often than a bot's.
PEOPLE = ("person", "ghost")
_HOURS = ("merge_hours", "first_review_hours", "approval_hours")


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per repository-week: the counts of the executive summary."""
    pulls = inputs.raw["raw_pull_requests"]
    measures = made["derived_pull_requests"]
    both = pulls.merge(
        measures.drop(columns=["number"]).set_index(measures["number"]), left_on="number", right_index=True, how="left"
    )
    people = both[both["author_kind"].isin(PEOPLE)]
    row: dict[str, object] = {
        "repository": inputs.repo,
        **_volume(both, people),
        **_size(inputs, made, both),
        **_quality(made, both),
    }
    row |= _review(inputs, both, people)
    for name in _HOURS:
        row |= _hours(name, people)
    row |= {
        "without_theme_count": int((made["derived_themes"]["theme"] == "other").sum()),
        "history_weeks_count": len(inputs.history_weeks),
        **_fetch(inputs),
    }
    return _frame(row)


def _frame(row: dict[str, object]) -> pd.DataFrame:
    table = TABLES["derived_week"]
    columns = {column.name: [row[column.name]] for column in table.columns}
    frame = pd.DataFrame(columns)
    whole = [column.name for column in table.columns if column.nullable and str(column.type) == "int64"]
    return frame.astype(dict.fromkeys(whole, "Int64"))


def _volume(both: pd.DataFrame, people: pd.DataFrame) -> dict[str, object]:
    is_default = both["is_base_default"].astype("boolean")
    return {
        "merged_count": len(both),
        "human_merged_count": len(people),
        "bot_merged_count": len(both) - len(people),
        "other_branch_count": int((~is_default.fillna(value=True)).sum()),
        # Deleted accounts share one name, so they are no known number of people.
        "authors_count": int(people.loc[people["author_kind"] == "person", "author_login"].str.lower().nunique()),
        "first_time_authors": _first_timers(people),
    }


def _first_timers(people: pd.DataFrame) -> list[str] | None:
    known = people["is_first_contribution"].astype("boolean")
    if len(people) and bool(known.isna().all()):
        return None
    return sorted(set(people.loc[known.fillna(value=False) & (people["author_kind"] == "person"), "author_login"]))


def _size(inputs: WeekInputs, made: Frames, both: pd.DataFrame) -> dict[str, object]:
    source = both["source_added_lines_count"] + both["source_removed_lines_count"]
    return {
        "added_lines_count": int(both["added_lines_count"].sum()),
        "removed_lines_count": int(both["removed_lines_count"].sum()),
        "source_lines_count": int(source.sum()),
        "files_count": int(inputs.raw["raw_files"]["path"].nunique()),
        "source_changes_count": int((both["source_files_count"] > 0).sum()),
        "without_tests_count": int(((both["source_files_count"] > 0) & (both["test_files_count"] == 0)).sum()),
        "core_changes_count": int((both["core_files_count"] > 0).sum()),
        "reverts_count": _reverts(made, both),
    }


def _reverts(made: Frames, both: pd.DataFrame) -> int:
    links = made["derived_links"]
    linked = set(links.loc[links["kind"] == "reverts", "number"])
    return int((both["number"].isin(linked) | (both["change_kind"] == "revert")).sum())


def _quality(made: Frames, both: pd.DataFrame) -> dict[str, object]:
    scores = made["derived_importance"]
    return {
        "highlights_count": int(scores["is_highlight"].sum()),
        "mean_importance": float(scores["importance"].mean()) if len(both) and len(scores) else float("nan"),
    }


def _review(inputs: WeekInputs, both: pd.DataFrame, people: pd.DataFrame) -> dict[str, object]:
    threads = both["open_threads_count"].astype("Int64")
    approved = people["is_approved"].astype("boolean")
    loads = _loads(inputs, both)
    threads_known = bool(threads.notna().any()) or both.empty
    approvals_known = bool(approved.notna().any()) or both.empty
    return {
        "reviewers_count": None if loads is None else len(loads),
        "open_threads_count": int(threads.fillna(0).sum()) if threads_known else None,
        "with_open_threads_count": int((threads.fillna(0) > 0).sum()) if threads_known else None,
        "unapproved_count": int((~approved.fillna(value=True)).sum()) if approvals_known else None,
        "reviews_per_reviewer_median": float("nan") if loads is None or loads.empty else float(loads.median()),
        "reviews_per_reviewer_max": None if loads is None or loads.empty else int(loads.max()),
    }


def _loads(inputs: WeekInputs, both: pd.DataFrame) -> "pd.Series[int] | None":
    """Count the reviews of each person who reviewed others' pull requests; None where no reviews are known."""
    lists = both.set_index("number")["reviewers"]
    if len(both) and bool(lists.isna().all()):
        return None
    people = {(number, login.lower()) for number, logins in lists.dropna().items() for login in logins}
    reviews = inputs.raw["raw_reviews"]
    pairs = zip(reviews["number"].tolist(), reviews["author_login"].str.lower().tolist(), strict=True)
    return pd.Series([login for number, login in pairs if (number, login) in people], dtype="str").value_counts()


def _hours(name: str, people: pd.DataFrame) -> dict[str, object]:
    unknown = name != "merge_hours" and len(people) > 0 and bool(people["human_reviews_count"].isna().all())
    found = spread(people[name])
    return {
        f"{name}_n": None if unknown else found.n,
        f"{name}_median": found.median,
        f"{name}_quartile_1": found.quartile_1,
        f"{name}_quartile_3": found.quartile_3,
    }


def _fetch(inputs: WeekInputs) -> dict[str, object]:
    last = inputs.raw["raw_fetches"].sort_values("fetch_number").iloc[-1]
    opened = last["opened_count"]
    return {"opened_count": None if pd.isna(opened) else int(opened), "data_as_of_utc": last["finished_at_utc"]}
