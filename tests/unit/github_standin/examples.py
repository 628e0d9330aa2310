"""A small data set with something of everything, and a way to ask a core without HTTP."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.github_standin.answers import Answer
from tests.github_standin.core import Asked, Core, Options
from tests.github_standin.dataset import Dataset, PlainCommit, blank, from_records
from tests.github_standin.faults import script
from tests.github_standin.invent import record
from tests.github_standin.known import Known, World

Json = dict[str, Any]

REPO = "acme/rocket"
TOKEN = "good"
START = datetime(2026, 4, 20, 8, tzinfo=UTC)
FILES = (
    {"path": "src/engine.py", "additions": 10, "deletions": 2, "changeType": "MODIFIED"},
    {"path": "docs/new.md", "additions": 5, "deletions": 0, "changeType": "RENAMED", "previousPath": "docs/old.md"},
    {"path": "logo.png", "additions": None, "deletions": None, "changeType": "ADDED"},
)
NUMBERS = tuple(range(1, 31))
WORLD = World(REPO, "main", tuple(f"dev-{index}" for index in range(9)), NUMBERS, {})


def known(number: int) -> Known:
    """Pull requests 1 to 30, one merged every five hours."""
    merged = START + timedelta(hours=5 * number)
    author = f"dev-{number % 9}"
    return Known(number, f"Change {number}", author, merged, merged, f"{number:040x}", 15, 2, 3, FILES)


def special() -> Json:
    """Every kind of event, an account that is gone, a fork that is gone, a thread of two comments."""
    made = blank(40, "2026-04-21T00:00:00Z", state="MERGED", title="Special", body=None)
    made |= {"mergedAt": "2026-04-22T00:00:00Z", "closedAt": "2026-04-22T00:00:00Z", "updatedAt": "2026-04-23T00:00:00Z"}
    made |= {
        "mergeCommit": {"oid": "e" * 40},
        "mergedBy": {"__typename": "Bot", "login": "lander"},
        "milestone": {"title": "v1", "number": 3},
    }
    made["commits"] = {"totalCount": 2, "nodes": [{"commit": {"oid": "f" * 40, "statusCheckRollup": {"state": "FAILURE"}}}]}
    review = {"id": "PRR_40", "state": "DISMISSED", "body": "no", "submittedAt": "2026-04-21T05:00:00Z", "author": None}
    made["reviews"] = {"totalCount": 1, "nodes": [review | {"commit": {"oid": "f" * 40}, "comments": {"totalCount": 2}}]}
    replies = [
        {"id": f"PRRC_{turn}", "body": "x", "createdAt": f"2026-04-21T05:0{turn}:00Z", "author": None, "isMinimized": bool(turn)}
        | {"pullRequestReview": {"id": "PRR_40"}, "replyTo": {"id": "PRRC_0"} if turn else None}
        for turn in range(2)
    ]
    thread = {"id": "PRRT_40", "isResolved": True, "isOutdated": True, "path": "a.py", "line": None, "originalLine": 4}
    more = {"subjectType": "LINE", "resolvedBy": {"login": "dev-1"}, "comments": {"totalCount": 2, "nodes": replies}}
    made["reviewThreads"] = {"totalCount": 1, "nodes": [thread | more]}
    made["timelineItems"] = {"totalCount": len(EVENTS), "nodes": EVENTS}
    closes = [{"number": 7, "title": "Broken", "state": "CLOSED", "repository": {"nameWithOwner": "acme/other"}}]
    return made | {"closingIssuesReferences": {"totalCount": 1, "nodes": closes}}


MOMENT = {"createdAt": "2026-04-21T06:00:00Z", "actor": {"__typename": "User", "login": "dev-2"}}
EVENTS: list[Json] = [
    {
        "__typename": "CrossReferencedEvent",
        "source": {"__typename": "PullRequest", "number": 3, "repository": {"nameWithOwner": REPO}},
        **MOMENT,
    },
    {
        "__typename": "CrossReferencedEvent",
        "source": {"__typename": "PullRequest", "number": 9, "repository": {"nameWithOwner": "x/y"}},
        **MOMENT,
    },
    {"__typename": "CrossReferencedEvent", "source": {"__typename": "Issue", "number": 8}, "willCloseTarget": True, **MOMENT},
    {"__typename": "ConnectedEvent", "subject": {"__typename": "Issue", "number": 8}, **MOMENT},
    {"__typename": "ReferencedEvent", "commit": {"oid": "d" * 40, "messageHeadline": "See #40"}, **MOMENT},
    {"__typename": "ReviewDismissedEvent", "review": {"id": "PRR_40"}, "previousReviewState": "APPROVED", **MOMENT},
    {"__typename": "BaseRefChangedEvent", "previousRefName": "dev", "currentRefName": "main", **MOMENT},
    {"__typename": "AddedToMergeQueueEvent", **MOMENT, "actor": None},
]


def dataset() -> Dataset:
    """Thirty ordinary pull requests, the special one, an open one, one on another branch, one that a bot landed."""
    landed: Json = {
        "state": "CLOSED",
        "closedAt": "2026-04-23T01:00:00Z",
        "landedAt": "2026-04-23T01:00:00Z",
        "landedOid": "b" * 40,
    }
    landed["closedBy"] = {"__typename": "Bot", "login": "lander"}
    backport = {"state": "MERGED", "mergedAt": "2026-04-23T02:00:00Z", "mergeCommit": {"oid": "c" * 40}, "baseRefName": "release/1"}
    records = [record(known(number), WORLD) for number in NUMBERS]
    records += [special(), blank(41, "2026-04-22T00:00:00Z")]
    records += [blank(42, "2026-04-22T00:00:00Z", **landed), blank(43, "2026-04-22T00:00:00Z", **backport)]
    return from_records(records, REPO, commits=[PlainCommit("a" * 40, "Straight to main", "2026-04-24T00:00:00Z", "main")])


def core(*faults: Json, **options: Any) -> Core:
    """A core over :func:`dataset`."""
    return Core(dataset(), Options(**options), script(faults))


def ask(of: Core, query: str, *, token: str | None = TOKEN, path: str = "/graphql", **variables: object) -> Json:
    """The body of the answer to a GraphQL query."""
    found: Json = body(send(of, query, token=token, path=path, **variables))
    return found


def send(of: Core, query: str, *, token: str | None = TOKEN, path: str = "/graphql", **variables: object) -> Answer:
    """The answer to a GraphQL query."""
    return of.answer(asked("POST", path, token=token, data={"query": query, "variables": variables}))


def get(of: Core, path: str, *, token: str | None = TOKEN, **query: str) -> Answer:
    """The answer to a REST call."""
    return of.answer(asked("GET", path, token=token, query=query))


def asked(method: str, path: str, *, token: str | None = TOKEN, data: object = None, query: dict[str, str] | None = None) -> Asked:
    """A request."""
    headers = {"authorization": f"bearer {token}"} if token else {}
    return Asked(method, path, query or {}, headers, json.dumps(data).encode() if data is not None else b"", "http://127.0.0.1:1")


def body(answer: Answer) -> Any:
    """The JSON of an answer."""
    return json.loads(answer.body)
