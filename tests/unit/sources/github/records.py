"""Hand-written records for the tests of this folder."""

from datetime import UTC, datetime
from typing import Any

from pipelines.sources.records import FetchedWeek, PullRequestRecord, Repository
from pipelines.weeks import Week

WINDOW = Week(2026, 17).window("UTC")
REPOSITORY = Repository(id="R_1", name="acme/lattice", default_branch="main", web_url="https://github.com")


def connection(*nodes: dict[str, Any], total: int | None = None) -> dict[str, Any]:
    return {"totalCount": len(nodes) if total is None else total, "nodes": list(nodes)}


def user(login: str, kind: str = "User") -> dict[str, Any]:
    return {"__typename": kind, "login": login}


def record(number: int = 7, **changes: Any) -> PullRequestRecord:
    plain: dict[str, Any] = {
        "id": f"PR_{number}",
        "number": number,
        "title": f"Change {number}",
        "body": "Why.",
        "state": "MERGED",
        "isDraft": False,
        "createdAt": "2026-04-20T08:15:00Z",
        "updatedAt": "2026-04-22T08:15:00Z",
        "closedAt": "2026-04-21T08:15:00Z",
        "mergedAt": "2026-04-21T08:15:00Z",
        "baseRefName": "main",
        "headRefName": "topic",
        "headRefOid": "a" * 40,
        "headRepository": {"nameWithOwner": "ada/lattice"},
        "isCrossRepository": True,
        "additions": 3,
        "deletions": 1,
        "changedFiles": 1,
        "authorAssociation": "MEMBER",
        "author": user("ada"),
        "mergedBy": user("bob"),
        "mergeCommit": {"oid": "b" * 40},
        "reviewDecision": "APPROVED",
        "milestone": None,
        "labels": connection(),
        "closingIssuesReferences": connection(),
        "files": connection({"path": "src/a.py", "additions": 3, "deletions": 1, "changeType": "MODIFIED"}),
        "reviews": connection(),
        "reviewThreads": connection(),
        "comments": connection(),
        "commits": connection({"commit": {"oid": "a" * 40, "statusCheckRollup": {"state": "SUCCESS"}}}),
        "timelineItems": connection(),
    }
    return plain | changes  # type: ignore[return-value]  # because: built as a dict so that fields can be replaced


def fetched(*records: PullRequestRecord, **changes: Any) -> FetchedWeek:
    plain: dict[str, Any] = {
        "source": "github",
        "repository": REPOSITORY,
        "window": WINDOW,
        "records": list(records),
        "started_at": datetime(2026, 4, 27, 6, tzinfo=UTC),
        "finished_at": datetime(2026, 4, 27, 6, 1, tzinfo=UTC),
        "enumerated_by": "updated",
        "enumerated_numbers": [item["number"] for item in records],
    }
    return FetchedWeek(**(plain | changes))


def review(name: str = "PRR_1", **changes: Any) -> dict[str, Any]:
    return {
        "id": name,
        "state": "APPROVED",
        "body": "",
        "submittedAt": "2026-04-21T07:00:00Z",
        "authorAssociation": "MEMBER",
        "isMinimized": False,
        "author": user("bob"),
        "commit": {"oid": "a" * 40},
    } | changes


def comment(name: str = "C_1", **changes: Any) -> dict[str, Any]:
    return {"id": name, "body": "Hm.", "createdAt": "2026-04-21T07:00:00Z", "author": user("bob"), "isMinimized": False} | changes


def thread(name: str = "T_1", *comments: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "id": name,
        "isResolved": False,
        "isOutdated": False,
        "path": "src/a.py",
        "line": 4,
        "originalLine": 4,
        "resolvedBy": None,
        "comments": connection(*comments),
    } | changes
