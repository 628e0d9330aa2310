"""From a record to the document that answers are read from: every field of the stand-in's schema, prepared once.

A document is a plain dict with ``__typename``. A connection is the list of all its nodes; ``resolve.py`` cuts pages out
of it. Fields that a record does not hold get the value that GitHub would send for an ordinary pull request.
"""

import hashlib
from typing import Any

from tests.github_standin.pieces import account, commit, database_id, issue, repository, rollup

Document = dict[str, Any]
Record = dict[str, Any]


def _comment(node: Record, url: str, association: str) -> Document:
    return {
        "id": node["id"],
        "databaseId": database_id(node["id"]),
        "fullDatabaseId": str(database_id(node["id"])),
        "author": account(node.get("author")),
        "authorAssociation": node.get("authorAssociation") or association,
        "body": node.get("body"),
        "createdAt": node.get("createdAt") or node.get("submittedAt"),
        "updatedAt": node.get("updatedAt") or node.get("createdAt") or node.get("submittedAt"),
        "isMinimized": node.get("isMinimized", False),
        "minimizedReason": "off-topic" if node.get("isMinimized") else None,
        "url": url,
    }


def _review(node: Record, pull: Document, home: str) -> Document:
    return {
        "__typename": "PullRequestReview",
        **_comment(node, f"{pull['url']}#pullrequestreview-{database_id(node['id'])}", "MEMBER"),
        "createdAt": node.get("submittedAt") or pull["createdAt"],
        "updatedAt": node.get("submittedAt") or pull["createdAt"],
        "state": node["state"],
        "submittedAt": node.get("submittedAt"),
        "commit": commit(node["commit"]["oid"], "Reviewed", pull["createdAt"], home) if node.get("commit") else None,
        "comments": {"totalCount": (node.get("comments") or {}).get("totalCount", 0), "nodes": []},
    }


def _thread(node: Record, pull: Document, reviews: dict[str, Document]) -> Document:
    where = {
        "path": node["path"],
        "line": node.get("line"),
        "originalLine": node.get("originalLine"),
        "startLine": None,
        "originalStartLine": None,
        "subjectType": node.get("subjectType") or "LINE",
    }
    comments: list[Document] = []
    by_id: dict[str, Document] = {}
    for reply in node["comments"]["nodes"]:
        review = reviews.get((reply.get("pullRequestReview") or {}).get("id", ""))
        made: Document = {
            "__typename": "PullRequestReviewComment",
            **_comment(reply, f"{pull['url']}#discussion_r{database_id(reply['id'])}", "MEMBER"),
            **where,
            "commit": review["commit"] if review else None,
            "originalCommit": review["commit"] if review else None,
            "diffHunk": "@@ -1,3 +1,4 @@",
            "outdated": bool(node.get("isOutdated")),
            "pullRequestReview": review,
            "replyTo": by_id.get((reply.get("replyTo") or {}).get("id", "")),
            "state": "SUBMITTED",
        }
        by_id[made["id"]] = made
        comments.append(made)
        if review:
            review["comments"]["nodes"].append(made)
    return {
        "__typename": "PullRequestReviewThread",
        "id": node["id"],
        **where,
        "isResolved": node.get("isResolved"),
        "isOutdated": node.get("isOutdated"),
        "isCollapsed": bool(node.get("isResolved")),
        "diffSide": "RIGHT",
        "resolvedBy": account(node.get("resolvedBy"), "User"),
        "comments": comments,
        "pullRequest": pull,
    }


def _commits(record: Record, pull: Document, home: str) -> list[Document]:
    known = record["commits"]
    last: Record = known["nodes"][-1]["commit"] if known["nodes"] else {"oid": record.get("headRefOid") or "0" * 40}
    made = []
    for index in range(known["totalCount"]):
        head = index == known["totalCount"] - 1
        oid = last["oid"] if head else hashlib.blake2b(f"{record['id']}:{index}".encode(), digest_size=20).hexdigest()
        checks = last.get("statusCheckRollup") if head else None
        inner = commit(
            oid, f"Step {index + 1}", pull["createdAt"], home, statusCheckRollup=rollup(checks["state"], oid) if checks else None
        )
        identifier = f"PRC_{record['id']}_{index}"
        made.append({"__typename": "PullRequestCommit", "id": identifier, "commit": inner, "url": f"{pull['url']}/commits/{oid}"})
    return made


def _files(record: Record) -> list[Document]:
    return [
        {
            "__typename": "PullRequestChangedFile",
            "path": file["path"],
            "additions": file.get("additions") or 0,  # GitHub's GraphQL says 0 for a binary file
            "deletions": file.get("deletions") or 0,
            "changeType": file["changeType"].upper(),
        }
        for file in record["files"]["nodes"]
    ]


def _labels(record: Record) -> list[Document]:
    return [
        {"__typename": "Label", "id": f"LA_{node['name']}", "color": "ededed", "description": None, "createdAt": None} | node
        for node in record["labels"]["nodes"]
    ]


def pull_request(record: Record, home: Document) -> Document:
    """The document of a whole pull request of the repository ``home``; its timeline is added by ``timeline.py``."""
    name, number = home["nameWithOwner"], record["number"]
    pull: Document = {key: record.get(key) for key in _SAME}
    pull |= {
        "__typename": "PullRequest",
        "databaseId": database_id(record["id"]),
        "fullDatabaseId": str(database_id(record["id"])),
        "url": f"{home['url']}/pull/{number}",
        "permalink": f"{home['url']}/pull/{number}",
        "body": record.get("body") or "",
        "updatedAt": record.get("updatedAt") or record.get("closedAt") or record["createdAt"],
        "headRefName": record.get("headRefName") or f"patch-{number}",
        "headRefOid": record.get("headRefOid") or "0" * 40,
        "baseRefOid": hashlib.blake2b(f"base:{record['id']}".encode(), digest_size=20).hexdigest(),
        "authorAssociation": record.get("authorAssociation") or "CONTRIBUTOR",
        "author": account(record.get("author")),
        "mergedBy": account(record.get("mergedBy")),
        "merged": record.get("mergedAt") is not None,
        "closed": record["state"] != "OPEN",
        "locked": False,
        "lastEditedAt": None,
        "repository": home,
        "baseRepository": home,
        "baseRef": None,
        "statusCheckRollup": None,
    }
    fork = record.get("headRepository")
    pull["headRepository"] = None if fork is None else home if fork["nameWithOwner"] == name else repository(fork["nameWithOwner"])
    pull["headRepositoryOwner"] = pull["headRepository"]["owner"] if pull["headRepository"] else None
    stone = record.get("milestone")
    pull["milestone"] = (
        {"__typename": "Milestone", "id": f"MI_{stone['title']}", "number": 1, "state": "OPEN"} | stone if stone else None
    )
    merge = record.get("mergeCommit")
    moment = record.get("mergedAt") or record.get("closedAt") or record["createdAt"]
    pull["mergeCommit"] = (
        commit(merge["oid"], f"{record['title']} (#{number})", moment, name, associatedPullRequests=[number]) if merge else None
    )
    _connections(record, pull, name)
    return pull


_SAME = (
    *("id", "number", "title", "state", "isDraft", "createdAt", "closedAt", "mergedAt", "baseRefName"),
    *("isCrossRepository", "additions", "deletions", "changedFiles", "reviewDecision"),
)


def _connections(record: Record, pull: Document, name: str) -> None:
    pull["labels"] = _labels(record)
    pull["closingIssuesReferences"] = [issue(node, name) for node in record["closingIssuesReferences"]["nodes"]]
    pull["files"] = _files(record)
    pull["reviews"] = [_review(node, pull, name) for node in record["reviews"]["nodes"]]
    reviews = {review["id"]: review for review in pull["reviews"]}
    pull["reviewThreads"] = [_thread(node, pull, reviews) for node in record["reviewThreads"]["nodes"]]
    pull["comments"] = [
        {"__typename": "IssueComment", **_comment(node, f"{pull['url']}#issuecomment-{database_id(node['id'])}", "CONTRIBUTOR")}
        for node in record["comments"]["nodes"]
    ]
    pull["commits"] = _commits(record, pull, name)
    pull["statusCheckRollup"] = pull["commits"][-1]["commit"]["statusCheckRollup"] if pull["commits"] else None
    talk = sum(len(thread["comments"]) for thread in pull["reviewThreads"])
    pull["totalCommentsCount"] = len(pull["comments"]) + len(pull["reviews"]) + talk
