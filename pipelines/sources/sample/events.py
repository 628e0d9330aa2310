"""The timeline events of a change: who refers to it, what it was connected to, and what befell its reviews.

A week is read on the Monday after it, so an event later than that is not in the record: what a later pull request
says about this one is found in the later one's own text.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from pipelines.sources.records import Actor
from pipelines.sources.sample.choice import draw, pick
from pipelines.sources.sample.nodes import Clock, actor, instant
from pipelines.sources.sample.plan import Planned, references, timeline
from pipelines.weeks import week_of

REPOSITORY = {"nameWithOwner": "acme/lattice"}
_READ_AFTER = timedelta(hours=6)
_QUEUE_SHARE = 0.07
_CONNECTED_SHARE = 0.25
_STACKED_ON = {"series3": "hana/prepared-hierarchies"}
_CHERRY_PICK = re.compile(r"cherry.picked", re.IGNORECASE)


def read_at(merged: datetime) -> datetime:
    """When the week of a merge is read: the Monday after it, 06:00 UTC."""
    next_monday = week_of(merged, "UTC").shift(1).monday
    return datetime.combine(next_monday, datetime.min.time(), UTC) + _READ_AFTER


def events_of(plan: Planned, reviews: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """``timelineItems`` of one change, oldest first."""
    found = [*_mentions(plan), *_connected(plan), *_dismissed(plan, reviews), *_base_changed(plan), *_queued(plan)]
    until = instant(read_at(plan.merged))
    return sorted((event for event in found if event["createdAt"] < until), key=lambda e: (e["createdAt"], e["__typename"]))


@cache
def _named_by() -> dict[str, list[Planned]]:
    """For each key the changes that name it."""
    found: dict[str, list[Planned]] = {}
    for plan in timeline().pulls:
        for key in references(plan.change):
            found.setdefault(key, []).append(plan)
    return found


def _mentions(plan: Planned) -> Iterator[dict[str, Any]]:
    read = read_at(plan.merged)
    for other in _named_by().get(plan.change.key, []) if plan.change.key else []:
        is_merged = other.merged < read
        yield {
            "__typename": "CrossReferencedEvent",
            "createdAt": instant(other.created),
            "willCloseTarget": False,
            "isCrossRepository": False,
            "actor": actor(other.author),
            "source": {
                "__typename": "PullRequest",
                "number": other.number,
                "title": other.change.title,
                "state": "MERGED" if is_merged else "OPEN",
                "mergedAt": instant(other.merged) if is_merged else None,
                "repository": dict(REPOSITORY),
            },
        }
        if _CHERRY_PICK.search(other.change.body or ""):
            yield {
                "__typename": "ReferencedEvent",
                "createdAt": instant(other.merged),
                "isCrossRepository": False,
                "isDirectReference": False,
                "actor": actor(other.author),
                "commit": {"oid": other.merge_oid, "messageHeadline": f"{other.change.title} (#{other.number})"},
            }


def _connected(plan: Planned) -> Iterator[dict[str, Any]]:
    """Some authors connect the issue by hand besides writing "Fixes"."""
    for title in plan.change.closes:
        if draw("connected", title) < _CONNECTED_SHARE:
            number, _ = timeline().issues[title]
            subject = {"__typename": "Issue", "number": number, "title": title, "state": "CLOSED", "repository": dict(REPOSITORY)}
            yield _event("ConnectedEvent", plan, 0.05, actor(plan.author)) | {"subject": subject}


def _dismissed(plan: Planned, reviews: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    approvals = [review for review in reviews if review["state"] == "APPROVED"]
    for review in reviews:
        if review["state"] == "DISMISSED":
            yield {
                "__typename": "ReviewDismissedEvent",
                "createdAt": approvals[-1]["submittedAt"] if approvals else instant(plan.merged),
                "previousReviewState": "CHANGES_REQUESTED",
                "dismissalMessage": "Agreed in chat after the last commit.",
                "review": {"id": review["id"]},
                "actor": approvals[-1]["author"] if approvals else actor(plan.author),
            }


def _base_changed(plan: Planned) -> Iterator[dict[str, Any]]:
    """A stacked pull request moves to main when the one below it is merged."""
    if plan.change.key in _STACKED_ON:
        refs = {"previousRefName": _STACKED_ON[plan.change.key], "currentRefName": plan.change.base}
        yield _event("BaseRefChangedEvent", plan, 0.3, actor(plan.author)) | refs


def _queued(plan: Planned) -> Iterator[dict[str, Any]]:
    if draw("queue", plan.number) < _QUEUE_SHARE:
        yield _event("AddedToMergeQueueEvent", plan, 0.99, actor(pick(("mira-halvorsen", "tobiokafor"), "queues", plan.number)))


def _event(kind: str, plan: Planned, share: float, who: Actor | None) -> dict[str, Any]:
    return {"__typename": kind, "createdAt": instant(Clock(plan).at(share)), "actor": who}
