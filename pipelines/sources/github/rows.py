"""Rows of the raw tables from one pull request's record: pure functions, one a table.

A record says what GitHub said; a row says the same in the contract's names and types. Nothing is judged here.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pipelines.sources.github.clean import REPLACEMENT, Cleaner
from pipelines.sources.records import PullRequestRecord

Row = dict[str, Any]

GHOST = "ghost"
_BOT_SUFFIX = "[bot]"
_CHANGE_TYPES = {"deleted": "removed"}  # GraphQL says DELETED where REST and the contract say removed


def instant(text: str | None) -> datetime | None:
    """ISO 8601 text as an instant; null stays null."""
    return None if text is None else datetime.fromisoformat(text)


def actor(account: dict[str, Any] | None, clean: Cleaner) -> tuple[str, str]:
    """Login and type of an account: a deleted one is the ghost, a bot loses its suffix ``[bot]``."""
    login = (account or {}).get("login")
    if account is None or not login:
        return GHOST, GHOST
    name = clean.line(login)
    if name.endswith(_BOT_SUFFIX):
        return name.removesuffix(_BOT_SUFFIX), "Bot"
    return name, account.get("__typename") or "User"


def nodes(record: PullRequestRecord, part: str) -> list[dict[str, Any]]:
    """The nodes of a connection; none where it could not be read (``missing_parts`` tells it from an empty one)."""
    connection: dict[str, Any] | None = record.get(part)  # type: ignore[assignment]  # because: part names a connection
    return [node for node in (connection or {}).get("nodes") or [] if node is not None]


def _total(record: PullRequestRecord, part: str) -> int | None:
    connection: dict[str, Any] | None = record.get(part)  # type: ignore[assignment]  # because: part names a connection
    return None if connection is None else connection.get("totalCount")


def pull_request_row(record: PullRequestRecord, default_branch: str | None, clean: Cleaner) -> Row:
    """The row of ``raw_pull_requests``, but for ``replaced_characters_count``, which is known only at the end."""
    merged_by = actor(dict(record["mergedBy"]), clean) if record["mergedBy"] else (None, None)
    head_repository = record["headRepository"] or {}
    missing = sorted(set(record.get("missing", [])))
    base = record["baseRefName"]
    row = {
        "number": record["number"],
        "node_id": record["id"],
        "title": clean.line(record["title"]),
        "body": clean.maybe_text(record["body"]),
        "author_association": record["authorAssociation"],
        "created_at_utc": instant(record["createdAt"]),
        "updated_at_utc": instant(record["updatedAt"]),
        "merged_by_login": merged_by[0],
        "merged_by_type": merged_by[1],
        "base_ref": clean.line(base),
        "is_base_default": None if default_branch is None else base == default_branch,
        "head_ref": clean.maybe_line(record["headRefName"]),
        "head_repository": clean.maybe_line(head_repository.get("nameWithOwner")),
        "is_cross_repository": record["isCrossRepository"],
        "is_draft": record["isDraft"],
        "added_lines_count": record["additions"],
        "removed_lines_count": record["deletions"],
        "changed_files_count": record["changedFiles"],
        "commits_count": _total(record, "commits"),
        "reviews_count": _total(record, "reviews"),
        "review_threads_count": _total(record, "reviewThreads"),
        "comments_count": _total(record, "comments"),
        "labels": None
        if _total(record, "labels") is None
        else sorted(clean.line(label["name"]) for label in nodes(record, "labels")),
        "milestone_title": clean.maybe_line((record["milestone"] or {}).get("title")),
        "review_decision": record["reviewDecision"],
        "checks_state": None if "checks" in missing else _checks_state(record),
        "missing_parts": missing,
    }
    row["author_login"], row["author_type"] = actor(dict(record["author"]) if record["author"] else None, clean)
    return row | _merge(record)


def _merge(record: PullRequestRecord) -> Row:
    if record["mergedAt"] is None and "landedAt" in record:
        return {"merged_at_utc": instant(record["landedAt"]), "merge_kind": "landed", "merge_commit_oid": record.get("landedOid")}
    commit = record["mergeCommit"] or {}
    return {"merged_at_utc": instant(record["mergedAt"]), "merge_kind": "merged", "merge_commit_oid": commit.get("oid")}


def _checks_state(record: PullRequestRecord) -> str | None:
    commits = nodes(record, "commits")
    rollup = (commits[-1].get("commit") or {}).get("statusCheckRollup") if commits else None
    state: str | None = (rollup or {}).get("state")
    return state


def file_rows(record: PullRequestRecord, clean: Cleaner) -> list[Row]:
    """Rows of ``raw_files``; paths that cleaning made alike are told apart by one more U+FFFD."""
    rows, seen = [], set()
    for file in nodes(record, "files"):
        path = clean.line(file["path"])
        while path in seen:
            path += REPLACEMENT
        seen.add(path)
        change = str(file["changeType"]).lower()
        rows.append(
            {
                "number": record["number"],
                "path": path,
                "previous_path": clean.maybe_line(file.get("previousPath")),
                "change_type": _CHANGE_TYPES.get(change, change),
                "added_lines_count": file.get("additions"),
                "removed_lines_count": file.get("deletions"),
                "patch": clean.maybe_text(file.get("patch")),
            }
        )
    return rows


def review_rows(record: PullRequestRecord, clean: Cleaner) -> list[Row]:
    """Rows of ``raw_reviews``: submitted ones, those with an empty text too; a pending one is its writer's own."""
    rows = []
    for review in nodes(record, "reviews"):
        if review["state"] == "PENDING" or review["submittedAt"] is None:
            continue
        login, kind = actor(review["author"], clean)
        rows.append(
            {
                "number": record["number"],
                "review_id": review["id"],
                "author_login": login,
                "author_type": kind,
                "author_association": review.get("authorAssociation"),
                "state": review["state"],
                "submitted_at_utc": instant(review["submittedAt"]),
                "body": clean.text(review["body"] or ""),
                "commit_oid": (review.get("commit") or {}).get("oid"),
                "is_minimized": bool(review.get("isMinimized")),
            }
        )
    return rows


def _submitted(thread: dict[str, Any]) -> list[dict[str, Any]]:
    comments = (thread.get("comments") or {}).get("nodes") or []
    return [comment for comment in comments if comment is not None and comment.get("state") != "PENDING"]


def _threads(record: PullRequestRecord) -> Iterable[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Threads with their submitted comments; a thread of pending comments only is not there for others."""
    for thread in nodes(record, "reviewThreads"):
        comments = _submitted(thread)
        if comments or not (thread.get("comments") or {}).get("nodes"):
            yield thread, comments


def thread_rows(record: PullRequestRecord, clean: Cleaner) -> list[Row]:
    """Rows of ``raw_review_threads``; a state that could not be read is null, not false."""
    rows = []
    for thread, comments in _threads(record):
        total = (thread.get("comments") or {}).get("totalCount", 0)
        rows.append(
            {
                "number": record["number"],
                "thread_id": thread["id"],
                "path": clean.line(thread.get("path") or ""),
                "line": thread.get("line"),
                "original_line": thread.get("originalLine"),
                "is_resolved": thread.get("isResolved"),
                "is_outdated": thread.get("isOutdated"),
                "resolved_by_login": actor(thread["resolvedBy"], clean)[0] if thread.get("resolvedBy") else None,
                "comments_count": max(total - _pending_count(thread), len(comments)),
            }
        )
    return rows


def _pending_count(thread: dict[str, Any]) -> int:
    return sum(
        comment is not None and comment.get("state") == "PENDING" for comment in (thread.get("comments") or {}).get("nodes") or []
    )


def review_comment_rows(record: PullRequestRecord, clean: Cleaner) -> list[Row]:
    """Rows of ``raw_review_comments``."""
    rows = []
    for thread, comments in _threads(record):
        for comment in comments:
            row = _comment_row(record["number"], comment, clean)
            row["thread_id"] = thread["id"]
            row["review_id"] = (comment.get("pullRequestReview") or {}).get("id")
            row["reply_to_id"] = (comment.get("replyTo") or {}).get("id")
            rows.append(row)
    return rows


def comment_rows(record: PullRequestRecord, clean: Cleaner) -> list[Row]:
    """Rows of ``raw_comments``."""
    return [_comment_row(record["number"], comment, clean) for comment in nodes(record, "comments")]


def _comment_row(number: int, comment: dict[str, Any], clean: Cleaner) -> Row:
    login, kind = actor(comment["author"], clean)
    return {
        "number": number,
        "comment_id": comment["id"],
        "author_login": login,
        "author_type": kind,
        "created_at_utc": instant(comment["createdAt"]),
        "body": clean.text(comment["body"] or ""),
        "is_minimized": bool(comment.get("isMinimized")),
    }
