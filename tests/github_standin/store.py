"""What the stand-in holds while it runs: documents built on demand, lists to look up, and changes made to them."""

import copy
import threading
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from tests.github_standin import documents, known, pieces, timeline
from tests.github_standin.dataset import Dataset, facts_of
from tests.github_standin.searching import Search

Document = dict[str, Any]


class Store:
    """One repository, readable by number, id, name and commit; thread-safe because changes take a lock."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.lock = threading.RLock()
        self.names = [dataset.name, *dataset.old_names]  # the current one first
        self.facts: dict[int, Document] = {number: dict(facts) for number, facts in dataset.facts.items()}
        self.hidden: dict[str, set[int]] = {"search": set(), "history": set()}
        self._records: dict[int, Document] = {}
        self._documents: dict[int, Document] = {}
        self._timelines: dict[int, list[Document]] = {}
        self._orders: dict[Any, list[int]] = {}
        self._histories: dict[str, list[Document]] = {}
        self._moved: dict[str, int] = {}  # ids of nodes that changes added
        self.home = self._make_home()

    def _make_home(self) -> Document:
        home = pieces.repository(self.names[0]) | {"id": self.dataset.identifier}
        home["defaultBranchRef"] = self.ref(self.dataset.branch)
        return home

    # reading

    def resolve_name(self, name: str, *, follow: bool = True) -> bool:
        """Whether the name is this repository's, or was once and renames are followed."""
        wanted = name.lower()
        return wanted in [known.lower() for known in (self.names if follow else self.names[:1])]

    def record(self, number: int) -> Document:
        """The record, built once."""
        if number not in self._records:
            self._records[number] = self.dataset.build(number)
        return self._records[number]

    def document(self, number: int) -> Document:
        """The document, built once."""
        if number not in self._documents:
            self._documents[number] = documents.pull_request(self.record(number), self.home)
        return self._documents[number]

    def timeline(self, pull: Document) -> list[Document]:
        """Every timeline item of a pull request, oldest first."""
        if "timelineItems" in pull:  # one of another repository
            return list(pull["timelineItems"])
        number = pull["number"]
        if number not in self._timelines:
            self._timelines[number] = timeline.items(self.record(number), pull, self._lookup)
        return self._timelines[number]

    def _lookup(self, name: str, number: int) -> Document | None:
        return self.document(number) if number in self.facts and self.resolve_name(name) else None

    def node(self, identifier: str) -> Document | None:
        """Whatever has this global id: the repository, a pull request, or a part of one."""
        if identifier == self.home["id"]:
            return self.home
        number = self._moved.get(identifier) or self.dataset.number_of(identifier)
        if number is None or number not in self.facts:
            return None
        pull = self.document(number)
        return pull if pull["id"] == identifier else next((part for part in _parts(pull) if part["id"] == identifier), None)

    def order(self, states: tuple[str, ...], base: str | None, field: str) -> list[int]:
        """Numbers by ``CREATED_AT`` or ``UPDATED_AT``, oldest first."""
        key = (states, base, field)
        if key not in self._orders:
            chosen = [
                facts
                for facts in self.facts.values()
                if (not states or facts["state"] in states) and base in {None, facts["baseRefName"]}
            ]
            self._orders[key] = [facts["number"] for facts in sorted(chosen, key=lambda facts: sort_key(facts, field))]
        return self._orders[key]

    def search(self, query: str) -> list[int]:
        """Numbers that a search query finds, newest first."""
        search = Search.parse(query)
        if not all(self.resolve_name(name) for name in search.repositories):
            return []
        hits = [facts for facts in self.facts.values() if facts["number"] not in self.hidden["search"] and search.matches(facts)]
        return [facts["number"] for facts in sorted(hits, key=search.order, reverse=search.descending)]

    def branches(self) -> set[str]:
        """The default branch and every branch something was merged into."""
        return {self.dataset.branch, *(facts["baseRefName"] for facts in self.facts.values())}

    def ref(self, name: str) -> Document | None:
        """A branch by its short or full name."""
        short = name.removeprefix("refs/heads/")
        if short not in self.branches():
            return None
        return {"__typename": "Ref", "id": f"REF_{short}", "name": short, "prefix": "refs/heads/"}

    def history(self, branch: str) -> list[Document]:
        """The commits of a branch, newest first; a pull request's merge commit stands for it."""
        if branch not in self._histories:
            self._histories[branch] = self._history(branch)
        return self._histories[branch]

    def _history(self, branch: str) -> list[Document]:
        name = self.names[0]
        found = [
            pieces.commit(
                facts["mergeOid"],
                f"{facts['title']} (#{number})",
                facts["mergedAt"],
                name,
                associatedPullRequests=[number],
                branch=branch,
            )
            for number, facts in self.facts.items()
            if facts["mergedAt"] and facts["mergeOid"] and facts["baseRefName"] == branch and number not in self.hidden["history"]
        ]
        plain = [one for one in self.dataset.commits if one.branch == branch]
        found += [pieces.commit(one.oid, one.headline, one.moment, name, branch=branch) for one in plain]
        found.append(pieces.commit(known.oid("root", branch), "Initial commit", "2010-01-01T00:00:00Z", name, branch=branch))
        return sorted(found, key=lambda one: (one["committedDate"], one["oid"]), reverse=True)

    # changing

    def mutate(self, change: Document) -> None:
        """One change; ``op`` is set, append, resolve_thread, remove, add, rename, hide or show.

        set: number, fields. append: number, connection, node. resolve_thread: number, index, resolved (True), by.
        add: record. rename: name. hide and show: numbers, from ("search" or "history").
        ``touch`` (default true; false for resolve_thread, as GitHub does not promise it) moves ``updatedAt`` to ``at`` or by
        a minute.
        """
        with self.lock:
            _CHANGES[change["op"]](self, change)
            self._orders.clear()
            self._histories.clear()

    def forget(self, number: int) -> None:
        """Drop what was built of a pull request, to be built again from its record."""
        self._documents.pop(number, None)
        self._timelines.pop(number, None)

    def replace(self, record: Document) -> None:
        """Put a changed record in place of the old one."""
        self._records[record["number"]] = record
        self.facts[record["number"]] = facts_of(record)
        self.forget(record["number"])

    def drop(self, number: int) -> None:
        """Remove a pull request."""
        self.facts.pop(number)
        self._records.pop(number, None)
        self.forget(number)

    def rename(self, name: str) -> None:
        """Give the repository a new name; the old ones still lead to it."""
        self.names.insert(0, name)
        self.home = self._make_home()
        self._documents.clear()
        self._timelines.clear()

    def own(self, identifiers: Iterable[str], number: int) -> None:
        """Remember ids that a change brought."""
        self._moved.update(dict.fromkeys(identifiers, number))


def sort_key(facts: Document, field: str) -> tuple[str, int]:
    """By instant, then by number."""
    return (facts["updatedAt" if field == "UPDATED_AT" else "createdAt"], facts["number"])


def _parts(pull: Document) -> Iterable[Document]:
    yield from pull["reviews"]
    yield from pull["reviewThreads"]
    yield from pull["comments"]
    for thread in pull["reviewThreads"]:
        yield from thread["comments"]


def _touch(record: Document, change: Document, *, default: bool) -> None:
    if change.get("touch", default):
        before = datetime.fromisoformat(record.get("updatedAt") or record["createdAt"])
        record["updatedAt"] = change.get("at") or known.iso(before + timedelta(minutes=1))


def _set(store: Store, change: Document) -> None:
    record = copy.deepcopy(store.record(change["number"])) | change["fields"]
    if "updatedAt" not in change["fields"]:
        _touch(record, change, default=True)
    store.replace(record)


def _append(store: Store, change: Document) -> None:
    record = copy.deepcopy(store.record(change["number"]))
    connection = record[change["connection"]]
    connection["nodes"].append(change["node"])
    connection["totalCount"] += 1
    _touch(record, change, default=True)
    store.replace(record)
    inner = change["node"].get("comments", {}).get("nodes", [])
    store.own((node["id"] for node in [change["node"], *inner] if "id" in node), change["number"])


def _resolve_thread(store: Store, change: Document) -> None:
    record = copy.deepcopy(store.record(change["number"]))
    thread = record["reviewThreads"]["nodes"][change.get("index", 0)]
    thread["isResolved"] = change.get("resolved", True)
    thread["resolvedBy"] = {"login": change.get("by", "octocat")} if thread["isResolved"] else None
    _touch(record, change, default=False)
    store.replace(record)


def _add(store: Store, change: Document) -> None:
    record = copy.deepcopy(change["record"])
    store.replace(record)
    store.own([record["id"]], record["number"])


def _hide(store: Store, change: Document) -> None:
    store.hidden[change["from"]] |= set(change["numbers"])


def _show(store: Store, change: Document) -> None:
    store.hidden[change["from"]] -= set(change["numbers"])


_CHANGES: dict[str, Callable[[Store, Document], None]] = {
    "set": _set,
    "append": _append,
    "resolve_thread": _resolve_thread,
    "add": _add,
    "remove": lambda store, change: store.drop(change["number"]),
    "rename": lambda store, change: store.rename(change["name"]),
    "hide": _hide,
    "show": _show,
}
