"""How a pull request went through review: first review, approval and merge, bots and the author's own reviews apart."""

import pandas as pd

from pipelines.rules.inputs import WeekInputs
from pipelines.rules.people import account_kinds, is_human

# A comment alone is no verdict; a dismissed verdict is withdrawn and so replaces the one before.
_VERDICTS = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")


def hours_between(start: pd.Series, end: pd.Series) -> pd.Series:
    """Hours from one instant to another, to four decimals (a third of a second)."""
    return ((end - start).dt.total_seconds() / 3600).round(4)


def measures(inputs: WeekInputs, unknown: pd.Series) -> pd.DataFrame:
    """Flow of each pull request, indexed by number; null where its reviews were not read (``unknown``, by number)."""
    requests = inputs.raw["raw_pull_requests"].set_index("number")
    reviews = _reviews(inputs, requests)
    people = reviews[reviews["is_human"] & ~reviews["is_own"]]
    verdicts = people[people["state"].isin(_VERDICTS)].drop_duplicates(["number", "author_login"], keep="last")
    approvals = people[people["state"] == "APPROVED"]
    made = pd.DataFrame(index=requests.index)
    made["merge_hours"] = hours_between(requests["created_at_utc"], requests["merged_at_utc"]).clip(lower=0.0)
    for name, rows in (("first_review_hours", people), ("approval_hours", approvals)):
        first = rows.groupby("number")["submitted_at_utc"].min().reindex(requests.index)
        made[name] = hours_between(requests["created_at_utc"], first).clip(lower=0.0)
    for name, rows in (
        ("reviewers", people),
        ("approvers", verdicts[verdicts["state"] == "APPROVED"]),
        ("changes_requested_by", verdicts[verdicts["state"] == "CHANGES_REQUESTED"]),
    ):
        made[name] = _logins(rows, made.index, unknown)
    made["human_reviews_count"] = _count(people, made.index, unknown)
    made["bot_reviews_count"] = _count(reviews[~reviews["is_human"]], made.index, unknown)
    approved = pd.Series(made.index.isin(verdicts.loc[verdicts["state"] == "APPROVED", "number"]), index=made.index)
    made["is_approved"] = approved.astype("boolean").mask(unknown)
    own = (requests["merged_by_login"] == requests["author_login"]) & (requests["author_type"] != "ghost")
    made["is_self_merged"] = (own.astype("boolean") & ~made["is_approved"]).mask(requests["merged_by_login"].isna())
    made.loc[unknown, ["first_review_hours", "approval_hours"]] = float("nan")
    return made


def _reviews(inputs: WeekInputs, requests: pd.DataFrame) -> pd.DataFrame:
    """Reviews until the merge, oldest first, with ``is_human`` and ``is_own``; what came later did not guard the merge.

    Two deleted accounts cannot be told apart, so a ghost's review of a ghost's pull request counts as its author's own.
    """
    reviews = inputs.raw["raw_reviews"].sort_values(["number", "submitted_at_utc", "review_id"], ignore_index=True)
    kinds = account_kinds(reviews["author_login"], reviews["author_type"], inputs.bot_logins())
    author = reviews["number"].map(requests["author_login"])
    merged = reviews["number"].map(requests["merged_at_utc"])
    reviews = reviews.assign(is_human=is_human(kinds), is_own=reviews["author_login"] == author)
    return reviews[reviews["submitted_at_utc"] <= merged]


def _logins(rows: pd.DataFrame, numbers: pd.Index, unknown: pd.Series) -> pd.Series:
    found = {number: sorted(set(logins)) for number, logins in rows.groupby("number")["author_login"]}
    return pd.Series([None if unknown[number] else found.get(number, []) for number in numbers], index=numbers, dtype=object)


def _count(rows: pd.DataFrame, numbers: pd.Index, unknown: pd.Series) -> pd.Series:
    return rows.groupby("number").size().reindex(numbers, fill_value=0).astype("Int64").mask(unknown)
