"""How a pull request went through review: first review, approval and merge, bots and the author's own reviews apart."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from pipelines.rules.inputs import WeekInputs
from pipelines.rules.people import is_person
from pipelines.rules.rows import dicts, tuples

# A comment alone is no verdict; a dismissed verdict is withdrawn and so replaces the one before.
_VERDICTS = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")
_REQUEST_COLUMNS = ("number", "author_login", "author_type", "created_at_utc", "merged_at_utc", "merged_by_login")
_DECIMALS = 10_000  # hours are kept to a third of a second
_NOT_KNOWN = ("first_review_hours", "approval_hours", "reviewers", "approvers", "changes_requested_by")
_COUNTS_NOT_KNOWN = ("human_reviews_count", "bot_reviews_count", "is_approved")


class _Review(NamedTuple):
    number: int
    submitted_at: datetime
    review_id: str
    author: str
    author_type: str
    state: str


def measures(inputs: WeekInputs, unknown: Collection[int]) -> dict[int, dict[str, Any]]:
    """Flow of each pull request by number; null where its reviews were not read (``unknown``)."""
    columns = ("number", "submitted_at_utc", "review_id", "author_login", "author_type", "state")
    by_number: dict[int, list[_Review]] = {}
    for review in sorted(_Review(*row) for row in tuples(inputs.raw, "raw_reviews", *columns)):
        by_number.setdefault(review.number, []).append(review)
    requests = dicts(inputs.raw, "raw_pull_requests", _REQUEST_COLUMNS)
    bots = inputs.bot_logins()
    return {
        request["number"]: _measured(request, by_number.get(request["number"], []), bots, is_known=request["number"] not in unknown)
        for request in requests
    }


def _measured(request: dict[str, Any], reviews: list[_Review], bots: frozenset[str], *, is_known: bool) -> dict[str, Any]:
    start, merged, merger = request["created_at_utc"], request["merged_at_utc"], request["merged_by_login"]
    told = _of_reviews(request, reviews, bots) if is_known else dict.fromkeys((*_NOT_KNOWN, *_COUNTS_NOT_KNOWN))
    own = merger == request["author_login"] and request["author_type"] != "ghost"
    approved = told["is_approved"]
    is_self_merged = None if merger is None else False if not own else None if approved is None else not approved
    return {"merge_hours": _hours(start, merged), "is_self_merged": is_self_merged, **told}


def _of_reviews(request: dict[str, Any], reviews: list[_Review], bots: frozenset[str]) -> dict[str, Any]:
    """What the reviews until the merge tell, which come oldest first; what came later did not guard the merge.

    Two deleted accounts cannot be told apart, so a ghost's review of a ghost's pull request counts as its author's own.
    """
    start, author = request["created_at_utc"], request["author_login"]
    before = [review for review in reviews if review.submitted_at <= request["merged_at_utc"]]
    human = [review for review in before if is_person(review.author, review.author_type, bots)]
    others = [review for review in human if review.author != author]
    verdicts = {review.author: review.state for review in others if review.state in _VERDICTS}
    approvers = sorted(login for login, state in verdicts.items() if state == "APPROVED")
    approval = next((review.submitted_at for review in others if review.state == "APPROVED"), None)
    return {
        "first_review_hours": _hours(start, others[0].submitted_at) if others else None,
        "approval_hours": None if approval is None else _hours(start, approval),
        "reviewers": sorted({review.author for review in others}),
        "approvers": approvers,
        "changes_requested_by": sorted(login for login, state in verdicts.items() if state == "CHANGES_REQUESTED"),
        "human_reviews_count": len(others),
        "bot_reviews_count": len(before) - len(human),
        "is_approved": bool(approvers),
    }


def _hours(start: datetime, end: datetime) -> float:
    """Hours from one instant to another, to four decimals; none where the clock ran backwards."""
    return max(0.0, round((end - start).total_seconds() / 3600 * _DECIMALS) / _DECIMALS)
