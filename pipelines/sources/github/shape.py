"""A record from a node of the fragment ``Detail``: aliases undone, connections in one form, what is lost named."""

from typing import Any

from pipelines.sources.github.enumerate import Candidate
from pipelines.sources.records import PullRequestRecord

#: Each connection of a pull request and the operation that reads its further pages.
CONNECTIONS = {
    "labels": "MoreLabels",
    "closingIssuesReferences": "MoreClosing",
    "files": "MoreFiles",
    "reviews": "MoreReviews",
    "reviewThreads": "MoreThreads",
    "comments": "MoreComments",
    "timelineItems": "MoreTimeline",
}
FILES_MAX = 3_000  # GitHub lists no more files of a pull request, without a word
_PART_OF_FIELD = {"commits": "checks"}
_SCALARS = (
    *("id", "number", "title", "body", "state", "createdAt", "updatedAt", "closedAt", "mergedAt"),
    *("baseRefName", "headRefName", "headRefOid", "headRepository", "additions", "deletions", "changedFiles"),
    *("authorAssociation", "author", "mergedBy", "mergeCommit", "reviewDecision", "milestone"),
)
_STATE_ALIASES = ("pullState", "issueState")
Node = dict[str, Any]


def part_of(path: list[Any]) -> str | None:
    """The part of a pull request that an error's path (from the pull request on) lies in; None for a plain field."""
    name = path[0] if path else None
    if name in CONNECTIONS:
        return str(name)
    return _PART_OF_FIELD.get(str(name))


def total_of(connection: Node) -> int:
    """How many nodes a connection has in all: that of a filtered one stands under another name."""
    total: int = connection["totalCount"] if "totalCount" in connection else connection["filteredCount"]
    return total


def join(connection: Node, page: Node) -> None:
    """Add a further page to a connection; a node that an earlier page held already is not added twice."""
    known = {key for node in connection["nodes"] if (key := _identity(node)) is not None}
    connection["nodes"] += [node for node in page["nodes"] if _identity(node) is None or _identity(node) not in known]
    connection["pageInfo"] = page["pageInfo"]
    for name in ("totalCount", "filteredCount"):
        if name in page:
            connection[name] = page[name]


def _identity(node: Node | None) -> str | None:
    return None if node is None else node.get("id") or node.get("path")


def is_short(connection: Node | None, expected: int = 0) -> bool:
    """Whether a connection holds fewer nodes than it has, or than is known from elsewhere."""
    if connection is None:
        return expected > 0
    return sum(node is not None for node in connection["nodes"]) < max(total_of(connection), expected)


def record_of(node: Node, candidate: Candidate, lost: set[str]) -> PullRequestRecord:
    """The record of a pull request; ``lost`` names the parts that an error took."""
    record: dict[str, Any] = {name: node.get(name) for name in _SCALARS}
    record["isDraft"], record["isCrossRepository"] = bool(node.get("isDraft")), bool(node.get("isCrossRepository"))
    missing = set(lost)
    for part in CONNECTIONS:
        found = node.get(part)
        expected = node["changedFiles"] if part == "files" else 0
        if part not in node or is_short(found, expected):  # a field that the server lacks is not known, not empty
            missing.add(part)
        record[part] = _connection(found, is_lost=part in missing)
    if any(is_short((thread or {}).get("comments")) for thread in record["reviewThreads"]["nodes"] if thread):
        missing.add("reviewThreads")
    record["commits"] = _commits(node)
    if candidate.landed_at is not None and node.get("mergedAt") is None:
        record["landedAt"] = candidate.landed_at
        if candidate.landed_oid is not None:
            record["landedOid"] = candidate.landed_oid
    if missing:
        record["missing"] = sorted(missing)
    return record  # type: ignore[return-value]  # because: built field by field from what GitHub sent


def _connection(found: Node | None, *, is_lost: bool) -> dict[str, Any] | None:
    if found is None:
        return {"totalCount": None, "nodes": []} if is_lost else {"totalCount": 0, "nodes": []}
    return {"totalCount": total_of(found), "nodes": [_unaliased(node) for node in found["nodes"] if node is not None]}


def _unaliased(node: Node) -> Node:
    """The node with ``state`` where the query had to ask for it under two names."""
    made = dict(node)
    for side in ("source", "subject"):
        if isinstance(made.get(side), dict):
            made[side] = {("state" if name in _STATE_ALIASES else name): value for name, value in made[side].items()}
    return made


def _commits(node: Node) -> dict[str, Any]:
    found = node.get("commits")
    if found is None:
        return {"totalCount": None, "nodes": []}
    return {"totalCount": found["totalCount"], "nodes": [one for one in found["nodes"] if one is not None]}
