"""The timeline of a pull request: the record's events, its reviews, comments, merge and closing, oldest first."""

from collections.abc import Callable
from typing import Any

from tests.github_standin.known import WEB
from tests.github_standin.pieces import account, commit, issue

Document = dict[str, Any]
Lookup = Callable[[str, int], "Document | None"]  # (OWNER/NAME, number) -> the pull request, where it is in the data


def items(record: Document, pull: Document, lookup: Lookup) -> list[Document]:
    """Every item, sorted by when it happened; those of the same instant stay in the order of the record."""
    made = [_event(node, index, pull, lookup) for index, node in enumerate(record["timelineItems"]["nodes"])]
    made += pull["reviews"] + pull["comments"]
    if pull["mergedAt"]:
        made.append(_merged(pull))
    if pull["closedAt"]:
        closer = account(record["closedBy"]) if "closedBy" in record else pull["mergedBy"] if pull["mergedAt"] else pull["author"]
        made.append(_plain("ClosedEvent", pull, pull["closedAt"], closer, url=pull["url"]))
    return sorted(made, key=lambda item: str(item["createdAt"]))


def _plain(kind: str, pull: Document, moment: str, actor: Document | None, **more: object) -> Document:
    return {"__typename": kind, "id": f"{kind}_{pull['id']}_{moment}", "createdAt": moment, "actor": actor, **more}


def _merged(pull: Document) -> Document:
    return _plain(
        "MergedEvent",
        pull,
        pull["mergedAt"],
        pull["mergedBy"],
        url=pull["url"],
        commit=pull["mergeCommit"],
        mergeRefName=pull["baseRefName"],
    )


def _event(node: Document, index: int, pull: Document, lookup: Lookup) -> Document:
    kind = node["__typename"]
    moment = node.get("createdAt") or pull["mergedAt"] or pull["createdAt"]
    made = _plain(kind, pull, moment, account(node.get("actor")))
    made["id"] = f"{made['id']}_{index}"
    made |= {key: value for key, value in node.items() if not isinstance(value, dict) and key not in made}
    made.setdefault("isCrossRepository", False)
    return made | _PARTS.get(kind, _nothing)(node, pull, lookup)


def _nothing(_node: Document, _pull: Document, _lookup: Lookup) -> Document:
    return {}


def _subject(source: Document | None, pull: Document, lookup: Lookup) -> Document:
    if source is None:
        return pull
    home = source.get("repository", {}).get("nameWithOwner", pull["repository"]["nameWithOwner"])
    found = lookup(home, source["number"]) if source["__typename"] == "PullRequest" else issue(source, home)
    return found if found is not None else _foreign(source, home, pull)


def _foreign(source: Document, home: str, pull: Document) -> Document:
    """A pull request that is not in the data: the event's own facts over an ordinary one's."""
    empty: Document = {key: [] for key, value in pull.items() if isinstance(value, list)}
    facts = {key: value for key, value in source.items() if key != "repository"}
    known = (
        pull
        | empty
        | {"id": f"PR_{home}_{source['number']}", "mergedAt": None, "mergedBy": None, "mergeCommit": None, "timelineItems": []}
    )
    known |= {
        "title": f"Pull request {source['number']}",
        "state": "OPEN",
        "url": f"{WEB}/{home}/pull/{source['number']}",
        "body": "",
    }
    return known | {"repository": pull["repository"] | {"nameWithOwner": home, "name": home.split("/")[1]}} | facts


def _cross_referenced(node: Document, pull: Document, lookup: Lookup) -> Document:
    moment = node.get("createdAt") or pull["createdAt"]
    source = _subject(node.get("source"), pull, lookup)
    return {
        "source": source,
        "target": pull,
        "referencedAt": moment,
        "url": source["url"],
        "willCloseTarget": bool(node.get("willCloseTarget")),
    }


def _connected(node: Document, pull: Document, lookup: Lookup) -> Document:
    return {"source": pull, "subject": _subject(node.get("subject"), pull, lookup)}


def _referenced(node: Document, pull: Document, _lookup: Lookup) -> Document:
    home = pull["repository"]
    known = node.get("commit")
    moment = node.get("createdAt") or pull["createdAt"]
    return {
        "commit": commit(known["oid"], known.get("messageHeadline", ""), moment, home["nameWithOwner"]) if known else None,
        "commitRepository": home,
        "isDirectReference": bool(node.get("isDirectReference")),
        "subject": pull,
    }


def _dismissed(node: Document, pull: Document, _lookup: Lookup) -> Document:
    wanted = (node.get("review") or {}).get("id")
    return {
        "review": next((review for review in pull["reviews"] if review["id"] == wanted), None),
        "previousReviewState": node.get("previousReviewState") or "CHANGES_REQUESTED",
        "dismissalMessage": node.get("dismissalMessage"),
        "url": pull["url"],
        "databaseId": None,
    }


def _base_changed(node: Document, _pull: Document, _lookup: Lookup) -> Document:
    return {"previousRefName": node["previousRefName"], "currentRefName": node["currentRefName"], "databaseId": None}


def _queued(_node: Document, pull: Document, _lookup: Lookup) -> Document:
    return {"enqueuer": None if pull["mergedBy"] is None or pull["mergedBy"]["__typename"] != "User" else pull["mergedBy"]}


_PARTS: dict[str, Callable[[Document, Document, Lookup], Document]] = {
    "CrossReferencedEvent": _cross_referenced,
    "ConnectedEvent": _connected,
    "ReferencedEvent": _referenced,
    "ReviewDismissedEvent": _dismissed,
    "BaseRefChangedEvent": _base_changed,
    "AddedToMergeQueueEvent": _queued,
}
