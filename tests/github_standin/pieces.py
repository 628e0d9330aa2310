"""The small documents that a pull request is made of: accounts, repositories, commits, issues."""

import hashlib
from functools import lru_cache
from typing import Any

from tests.github_standin.known import WEB

Document = dict[str, Any]
Record = dict[str, Any]


def database_id(identifier: str) -> int:
    """A 31-bit number that belongs to a global id."""
    return int.from_bytes(hashlib.blake2b(identifier.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big") >> 1


@lru_cache(maxsize=50_000)
def _account(typename: str, login: str) -> Document:
    identifier = f"{typename[0]}_{login}"
    app = "apps/" if typename == "Bot" else ""
    return {
        "__typename": typename,
        "id": identifier,
        "databaseId": database_id(identifier),
        "login": login,
        "name": None,
        "url": f"{WEB}/{app}{login}",
    }


def account(actor: Record | None, typename: str | None = None) -> Document | None:
    """The document of an account; None where it is deleted."""
    return _account(typename or actor.get("__typename", "User"), actor["login"]) if actor else None


@lru_cache(maxsize=1_000)
def repository(name: str) -> Document:
    """A repository of which only its name is known, such as a fork."""
    owner, _, short = name.partition("/")
    return {
        "__typename": "Repository",
        "id": f"R_{hashlib.blake2b(name.encode(), digest_size=6).hexdigest()}",
        "databaseId": database_id(name),
        "name": short,
        "nameWithOwner": name,
        "owner": _account("Organization", owner),
        "url": f"{WEB}/{name}",
        "createdAt": "2020-01-01T00:00:00Z",
        "isArchived": False,
        "isFork": False,
        "isPrivate": False,
        "hasIssuesEnabled": True,
        "defaultBranchRef": None,
    }


def commit(oid: str, headline: str, moment: str, home: str, **more: object) -> Document:
    """One commit; ``moment`` is its author's and its committer's date."""
    first, _, rest = headline.partition("\n")
    known: Document = {
        "__typename": "Commit",
        "id": f"C_{oid}",
        "oid": oid,
        "abbreviatedOid": oid[:7],
        "authoredDate": moment,
        "committedDate": moment,
        "message": headline,
        "messageHeadline": first,
        "messageBody": rest.strip("\n"),
        "url": f"{WEB}/{home}/commit/{oid}",
        "parents": [],
        "associatedPullRequests": [],
        "statusCheckRollup": None,
        "author": None,
        "additions": 0,
        "deletions": 0,
    }
    return known | more


def rollup(state: str, oid: str) -> Document:
    """The roll-up of a commit's checks: a dozen runs, one of them failed where the state says so."""
    failed = state in {"FAILURE", "ERROR"}
    counts = [{"__typename": "CheckRunStateCount", "state": "SUCCESS", "count": 11 if failed else 12}]
    if failed:
        counts.append({"__typename": "CheckRunStateCount", "state": "FAILURE", "count": 1})
    contexts = {
        "nodes": [],
        "totalCount": 12,
        "checkRunCount": 12,
        "checkRunCountsByState": counts,
        "statusContextCount": 0,
        "statusContextCountsByState": [],
    }
    return {"__typename": "StatusCheckRollup", "id": f"SCR_{oid}", "state": state, "contexts": contexts}


def issue(source: Record, home: str) -> Document:
    """An issue that a pull request closes or is mentioned by."""
    name = source.get("repository", {}).get("nameWithOwner", home)
    identifier = source.get("id") or f"I_{name}_{source['number']}"
    state = source.get("state", "OPEN")
    return {
        "__typename": "Issue",
        "id": identifier,
        "databaseId": database_id(identifier),
        "fullDatabaseId": str(database_id(identifier)),
        "number": source["number"],
        "title": source.get("title", f"Issue {source['number']}"),
        "state": state,
        "stateReason": "COMPLETED" if state == "CLOSED" else None,
        "url": f"{WEB}/{name}/issues/{source['number']}",
        "closed": state == "CLOSED",
        "closedAt": None,
        "createdAt": "2020-01-01T00:00:00Z",
        "updatedAt": "2020-01-01T00:00:00Z",
        "repository": repository(name),
        "author": None,
        "body": "",
    }
