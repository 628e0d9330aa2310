"""Rows of ``raw_references``: what ties a pull request to another, to an issue, to a commit or to a branch.

Two sources of GraphQL go into one table: ``closingIssuesReferences``, and the events of ``timelineItems``.
"""

from collections.abc import Callable
from typing import Any

from pipelines.sources.github.clean import Cleaner
from pipelines.sources.github.rows import Row, actor, instant, nodes
from pipelines.sources.records import PullRequestRecord

_TARGET_TYPES = {"PullRequest": "pull_request", "Issue": "issue"}


def reference_rows(record: PullRequestRecord, clean: Cleaner) -> list[Row]:
    """Rows of ``raw_references``; an event of a kind that the contract does not know is left out."""
    rows = [_row("closes", _side(issue | {"__typename": "Issue"}, clean)) for issue in nodes(record, "closingIssuesReferences")]
    for event in nodes(record, "timelineItems"):
        known = _EVENTS.get(event["__typename"])
        if known is not None:
            kind, target = known
            rows.append(_row(kind, target(event, clean), event, clean))
    return _identified(record["number"], rows)


def _row(kind: str, target: Row, event: dict[str, Any] | None = None, clean: Cleaner | None = None) -> Row:
    empty = dict.fromkeys(
        ("target_repo", "target_number", "target_type", "target_title", "target_state", "target_merged_at_utc", "target_oid")
    )
    by = actor(event["actor"], clean)[0] if event and clean and event.get("actor") else None
    created = event.get("createdAt") if event else None
    will_close = event.get("willCloseTarget") if event else None
    return {"kind": kind, "created_at_utc": instant(created), "actor_login": by, "will_close_target": will_close} | empty | target


def _side(side: dict[str, Any] | None, clean: Cleaner) -> Row:
    """The other side of an event, where it is a pull request or an issue; empty where it cannot be seen."""
    if not side:
        return {}
    return {
        "target_repo": clean.maybe_line((side.get("repository") or {}).get("nameWithOwner")),
        "target_number": side.get("number"),
        "target_type": _TARGET_TYPES.get(side.get("__typename", "")),
        "target_title": clean.maybe_line(side.get("title")),
        "target_state": side.get("state"),
        "target_merged_at_utc": instant(side.get("mergedAt")),
    }


def _commit(event: dict[str, Any], clean: Cleaner) -> Row:
    commit = event.get("commit") or {}
    return {
        "target_type": "commit",
        "target_oid": commit.get("oid"),
        "target_title": clean.maybe_line(commit.get("messageHeadline")),
    }


def _review(event: dict[str, Any], _clean: Cleaner) -> Row:
    review = event.get("review") or {}
    return {"target_type": "review", "target_oid": review.get("id"), "target_state": event.get("previousReviewState")}


def _branch(event: dict[str, Any], clean: Cleaner) -> Row:
    """The branch it was aimed at before; the one it is aimed at now stands in ``raw_pull_requests.base_ref``."""
    return {"target_type": "branch", "target_oid": clean.maybe_line(event.get("previousRefName"))}


_EVENTS: dict[str, tuple[str, Callable[[dict[str, Any], Cleaner], Row]]] = {
    "CrossReferencedEvent": ("cross_referenced", lambda event, clean: _side(event.get("source"), clean)),
    "ConnectedEvent": ("connected", lambda event, clean: _side(event.get("subject"), clean)),
    "ReferencedEvent": ("referenced", _commit),
    "ReviewDismissedEvent": ("review_dismissed", _review),
    "BaseRefChangedEvent": ("base_changed", _branch),
    "AddedToMergeQueueEvent": ("merge_queue", lambda _event, _clean: {}),
}


def _identified(number: int, rows: list[Row]) -> list[Row]:
    """The rows with number and id; events that say the very same are one, others of the same name are counted up."""
    found: dict[str, Row] = {}
    for row in rows:
        name = stem = _name(row)
        count = 1
        while name in found and found[name] != row:
            count += 1
            name = f"{stem}#{count}"
        found.setdefault(name, row)
    return [{"number": number, "reference_id": name} | row for name, row in found.items()]


def _name(row: Row) -> str:
    created = row["created_at_utc"]
    numbered = row["target_number"] is not None
    target = f"{row['target_repo'] or ''}#{row['target_number']}" if numbered else row["target_oid"] or ""
    return f"{row['kind']}:{target}:{created.isoformat() if created else ''}"
