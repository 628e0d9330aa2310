"""How a field's value is found: by a resolver of this table, else by its name in the document.

Both ways of executing (``execute.py``) use the same table. A resolver takes the parent document, the arguments and the
request's :class:`Context`. Fields whose type is a connection are cut out of the list that stands in the document.
"""

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.github_standin.errors import RefusedError, forbidden, not_found, wrong
from tests.github_standin.store import Store, sort_key

Document = dict[str, Any]
Arguments = dict[str, Any]
Resolver = Callable[[Document, Arguments, "Context"], Any]

SEARCH_LIMIT = 1_000  # results that GitHub's search gives at most, however many there are


@dataclass
class Context:
    """One request: what it reads from, what it may not see, and what it was given."""

    store: Store
    rate: Document = field(default_factory=dict)
    viewer: str = "octocat"
    forbidden: frozenset[str] = frozenset()  # "Commit.statusCheckRollup": the token may not read it
    null_numbers: frozenset[int] = frozenset()  # pull requests that fail inside
    null_only_in_batches: bool = False
    nodes_served: int = 0


def page(items: Sequence[Any], args: Arguments, context: Context, load: Callable[[Any], Any] | None = None) -> Document:
    """One page of a list: ``first``/``after`` or ``last``/``before``; cursors hold the place in the list."""
    low, high = 0, len(items)
    if args.get("after") is not None:
        low = min(_place(args["after"]) + 1, high)
    if args.get("before") is not None:
        high = max(min(_place(args["before"]), high), low)
    total = high
    if args.get("first") is not None:
        high = min(high, low + args["first"])
    if args.get("last") is not None:
        low = max(low, high - args["last"])
    made = _page(items[low:high], [_cursor(index) for index in (low, high - 1)], low > 0, high < total, context, load)
    made["low"] = low
    return made | {"totalCount": len(items)}


def _page(
    items: Sequence[Any],
    ends: list[str],
    earlier: bool,  # noqa: FBT001  # because: private, and both callers name what they pass
    later: bool,  # noqa: FBT001  # because: as above
    context: Context,
    load: Callable[[Any], Any] | None,
) -> Document:
    nodes = list(items) if load is None else [load(item) for item in items]
    context.nodes_served += len(nodes)
    start, end = ends if nodes else (None, None)
    info = {"__typename": "PageInfo", "hasPreviousPage": earlier, "hasNextPage": later, "startCursor": start, "endCursor": end}
    return {"nodes": nodes, "pageInfo": info}


def _cursor(place: object) -> str:
    return base64.b64encode(f"cursor:v2:{place}".encode()).decode()


def _text(cursor: str) -> str:
    try:
        text = base64.b64decode(cursor, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    if not text.startswith("cursor:v2:"):
        raise RefusedError("INVALID_CURSOR_ARGUMENTS", f"`{cursor}` does not appear to be a valid cursor.")
    return text.removeprefix("cursor:v2:")


def _place(cursor: str) -> int:
    text = _text(cursor)
    if not text.isdigit():
        raise RefusedError("INVALID_CURSOR_ARGUMENTS", f"`{cursor}` does not appear to be a valid cursor.")
    return int(text)


def connection(parent: Document, name: str, args: Arguments, context: Context) -> Document | None:
    """The page of a list in the document; a dict there holds the list and further counts."""
    value = parent.get(name)
    if isinstance(value, dict):
        made = page(value["nodes"], args, context)
        return made | {key: known for key, known in value.items() if key != "nodes"}
    return None if value is None else page(value, args, context)


def _rate_limit(_parent: Document, _args: Arguments, context: Context) -> Document | None:
    return context.rate or None


def _viewer(_parent: Document, _args: Arguments, context: Context) -> Document:
    login = context.viewer
    return {
        "__typename": "User",
        "id": f"U_{login}",
        "databaseId": 1,
        "login": login,
        "name": None,
        "url": f"https://github.com/{login}",
    }


def _repository(_parent: Document, args: Arguments, context: Context) -> Document:
    name = f"{args['owner']}/{args['name']}"
    if not context.store.resolve_name(name, follow=args.get("followRenames", True)):
        raise not_found(f"a Repository with the name '{name}'")
    return context.store.home


def _pull_request(_parent: Document, args: Arguments, context: Context) -> Document:
    if args["number"] not in context.store.facts:
        raise not_found(f"a PullRequest with the number of {args['number']}")
    if args["number"] in context.null_numbers and not context.null_only_in_batches:
        raise wrong()
    return context.store.document(args["number"])


def _one_node(identifier: str, context: Context) -> Document | RefusedError:
    found = context.store.node(identifier)
    if found is None:
        return not_found(f"a node with the global id of '{identifier}'")
    context.nodes_served += 1
    return wrong() if found.get("number") in context.null_numbers else found


def _node(_parent: Document, args: Arguments, context: Context) -> Document:
    found = _one_node(args["id"], context)
    if isinstance(found, RefusedError):
        if not (found.kind == "INTERNAL" and context.null_only_in_batches):
            raise found
        return context.store.node(args["id"]) or {}
    return found


def _nodes(_parent: Document, args: Arguments, context: Context) -> list[Document | RefusedError]:
    if len(args["ids"]) == 1 and context.null_only_in_batches:
        return [_node(_parent, {"id": args["ids"][0]}, context)]
    return [_one_node(identifier, context) for identifier in args["ids"]]


def _search(_parent: Document, args: Arguments, context: Context) -> Document:
    numbers = context.store.search(args["query"]) if args["type"] in {"ISSUE", "ISSUE_ADVANCED"} else []
    made = page(numbers[:SEARCH_LIMIT], args, context, context.store.document)
    return made | {"issueCount": len(numbers)}


def _pull_requests(_parent: Document, args: Arguments, context: Context) -> Document:
    """By time of change: a cursor is the place in time, so that one changed meanwhile jumps over it, as on GitHub."""
    store = context.store
    order = args.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
    numbers = store.order(tuple(sorted(args.get("states") or ())), args.get("baseRefName"), order["field"])
    back = order["direction"] == "DESC"
    ordered = numbers[::-1] if back else numbers

    def key(number: int) -> str:
        moment, _ = sort_key(store.facts[number], order["field"])
        return f"{moment} {number:012d}"

    def beyond(number: int, cursor: str) -> bool:
        return key(number) < cursor if back else key(number) > cursor

    chosen = ordered
    if args.get("after") is not None:
        mark = _text(args["after"])
        chosen = [number for number in ordered if beyond(number, mark)]
    size = args.get("first") if args.get("first") is not None else args.get("last") or 0
    shown = chosen[-size:] if args.get("first") is None and size else chosen[:size]
    ends = [_cursor(key(number)) for number in (shown[0], shown[-1])] if shown else []
    made = _page(shown, ends, len(chosen) < len(ordered), len(chosen) > len(shown), context, store.document)
    made["cursors"] = [_cursor(key(number)) for number in shown]
    return made | {"totalCount": len(numbers)}


def _ref(_parent: Document, args: Arguments, context: Context) -> Document | None:
    return context.store.ref(args["qualifiedName"])


def _target(parent: Document, _args: Arguments, context: Context) -> Document:
    return context.store.history(parent["name"])[0]


def _history(parent: Document, args: Arguments, context: Context) -> Document:
    commits = context.store.history(parent.get("branch") or context.store.dataset.branch)
    low, high = args.get("since") or "", args.get("until") or "9999"
    return page([one for one in commits if low <= one["committedDate"] <= high], args, context)


def _associated(parent: Document, args: Arguments, context: Context) -> Document:
    numbers = [number for number in parent["associatedPullRequests"] if number in context.store.facts]
    return page(numbers, args, context, context.store.document)


def _rollup(parent: Document, _args: Arguments, context: Context) -> Document | None:
    if {"Commit.statusCheckRollup", "PullRequest.statusCheckRollup"} & context.forbidden:
        raise forbidden()
    rollup: Document | None = parent.get("statusCheckRollup")
    return rollup


def _reviews(parent: Document, args: Arguments, context: Context) -> Document:
    states = args.get("states")
    return page([one for one in parent["reviews"] if not states or one["state"] in states], args, context)


def _timeline_items(parent: Document, args: Arguments, context: Context) -> Document:
    """``totalCount`` counts every item; ``filteredCount`` those of the types asked for, from the cursor on."""
    everything = context.store.timeline(parent)
    kinds = {kind.replace("_", "").lower() for kind in args.get("itemTypes") or ()}
    since = args.get("since") or ""
    chosen = [one for one in everything if (not kinds or one["__typename"].lower() in kinds) and one["createdAt"] >= since]
    made = page(chosen, args, context)
    filtered = len(chosen) - (made["low"] if args.get("after") else 0)
    counts = {"filteredCount": filtered, "pageCount": len(made["nodes"]), "updatedAt": parent["updatedAt"]}
    return made | counts | {"totalCount": len(everything)}


def _edges(parent: Document, _args: Arguments, _context: Context) -> list[Document]:
    cursors = parent.get("cursors") or [_cursor(parent.get("low", 0) + index) for index in range(len(parent["nodes"]))]
    return [{"cursor": cursor, "node": node} for cursor, node in zip(cursors, parent["nodes"], strict=True)]


RESOLVERS: dict[tuple[str, str], Resolver] = {
    ("Query", "rateLimit"): _rate_limit,
    ("Query", "viewer"): _viewer,
    ("Query", "repository"): _repository,
    ("Query", "search"): _search,
    ("Query", "node"): _node,
    ("Query", "nodes"): _nodes,
    ("Repository", "pullRequest"): _pull_request,
    ("Repository", "pullRequests"): _pull_requests,
    ("Repository", "ref"): _ref,
    ("Ref", "target"): _target,
    ("Commit", "history"): _history,
    ("Commit", "associatedPullRequests"): _associated,
    ("Commit", "statusCheckRollup"): _rollup,
    ("PullRequest", "statusCheckRollup"): _rollup,
    ("PullRequest", "reviews"): _reviews,
    ("PullRequest", "timelineItems"): _timeline_items,
}


def resolver(type_name: str, field_name: str, returned: str) -> Resolver | None:
    """The resolver of a field, or None where the document holds the value under the field's name."""
    found = RESOLVERS.get((type_name, field_name))
    if found is not None:
        return found
    if field_name == "edges":
        return _edges
    if returned.endswith("Connection"):
        return lambda parent, args, context: connection(parent, field_name, args, context)
    return None
