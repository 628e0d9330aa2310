"""Which pull requests belong to a week: exact for any week, recent or years old, in few requests.

A recent week is found by walking the merged pull requests from the one updated last: none merged in the week has an
``updatedAt`` before it began. One that is updated during the walk jumps in front of it, so the head is read again.
An older week is found by search, day by day, joined with the history of the default branch; either may lack some
(the index lags; other branches have no history here), so both are kept and their difference is told.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from pipelines.sources.github.client import LARGEST_PAGE, Client, Keep
from pipelines.sources.records import Repository
from pipelines.weeks import Window

RECENT = timedelta(weeks=3)
LONGEST_WALK_PAGES = 12  # search and history of a busy week cost about as much
SEARCH_RESULTS_MAX = 1_000  # GitHub gives no more of a search
HISTORY_SLACK = timedelta(hours=1)  # between the commit's clock and mergedAt
_HEAD_READINGS_MAX = 5

Say = Callable[[int, int | None, str], None]


@dataclass(frozen=True)
class Candidate:
    """A pull request found to belong to the week, with what sizes its batch. Counts are None where not told."""

    id: str
    number: int
    merged_at: str
    updated_at: str | None
    base_ref: str
    files: int | None = None
    reviews: int | None = None
    threads: int | None = None
    comments: int | None = None
    landed_at: str | None = None
    landed_oid: str | None = None


@dataclass(frozen=True)
class Enumeration:
    """The pull requests of a week, by number, the way they were found, and where two ways disagreed."""

    candidates: list[Candidate]
    by: str
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def candidate_of(node: dict[str, Any]) -> Candidate:
    """A candidate from a node of the fragment ``Light``."""

    def count(part: str) -> int | None:
        found: int | None = (node.get(part) or {}).get("totalCount")
        return found

    return Candidate(
        id=node["id"],
        number=node["number"],
        merged_at=node["mergedAt"] or node.get("closedAt") or "",
        updated_at=node.get("updatedAt"),
        base_ref=node["baseRefName"],
        files=node.get("changedFiles"),
        reviews=count("reviews"),
        threads=count("reviewThreads"),
        comments=count("comments"),
    )


def enumerate_week(client: Client, repository: Repository, window: Window, now: datetime, say: Say) -> Enumeration:
    """The pull requests merged in the window, whatever branch they were merged into."""
    if window.end_utc > now - RECENT:
        walked = _walk(client, repository, window, say)
        if walked is not None:
            return Enumeration(sorted(walked.values(), key=lambda found: found.number), "updated")
    return _search_and_history(client, repository, window, say)


def moment(text: str) -> datetime:
    """An instant of GitHub's."""
    return datetime.fromisoformat(text)


def _walk(client: Client, repository: Repository, window: Window, say: Say) -> dict[str, Candidate] | None:
    """Merged pull requests by the walk, by id; None where the walk would be too long."""
    found: dict[str, Candidate] = {}
    mark: datetime | None = None
    after: str | None = None
    pages = 0
    while True:
        page = _updated_page(client, repository, after, keep="closed")
        pages += 1
        nodes = [node for node in page["nodes"] if node is not None]
        _take(nodes, window, found)
        say(len(found), None, "finding the week's pull requests")
        if nodes and mark is None:
            mark = moment(nodes[0]["updatedAt"])
        if not page["pageInfo"]["hasNextPage"] or (nodes and moment(nodes[-1]["updatedAt"]) < window.start_utc):
            break
        if pages == 1 and nodes and _pages_needed(nodes, window) > LONGEST_WALK_PAGES:
            return None
        after = page["pageInfo"]["endCursor"]
    if mark is not None:
        _read_head_again(client, repository, window, mark, found)
    return found


def _updated_page(
    client: Client, repository: Repository, after: str | None, *, keep: Keep, is_fresh: bool = False
) -> dict[str, Any]:
    owner, _, name = repository.name.partition("/")
    asked = {"owner": owner, "name": name, "after": after}
    page: dict[str, Any] = client.ask_page("Updated", asked, keep=keep, is_fresh=is_fresh).data["repository"]["pullRequests"]
    return page


def _take(nodes: Iterable[dict[str, Any]], window: Window, found: dict[str, Candidate]) -> None:
    for node in nodes:
        if node["mergedAt"] is not None and moment(node["mergedAt"]) in window:
            found[node["id"]] = candidate_of(node)


def _pages_needed(nodes: list[dict[str, Any]], window: Window) -> float:
    """About how many full pages the walk takes, by the pace of the first."""
    newest, oldest = moment(nodes[0]["updatedAt"]), moment(nodes[-1]["updatedAt"])
    hundreds = len(nodes) / LARGEST_PAGE
    return hundreds * (newest - window.start_utc) / max(newest - oldest, timedelta(seconds=1))


def _read_head_again(client: Client, repository: Repository, window: Window, mark: datetime, found: dict[str, Candidate]) -> None:
    """Read what was updated since the walk began; again while that took more than a page."""
    for _ in range(_HEAD_READINGS_MAX):
        after: str | None = None
        pages, newest = 0, mark
        while True:
            page = _updated_page(client, repository, after, keep="no", is_fresh=True)
            pages += 1
            nodes = [node for node in page["nodes"] if node is not None]
            _take(nodes, window, found)
            newest = max([newest, *(moment(node["updatedAt"]) for node in nodes)])
            if not page["pageInfo"]["hasNextPage"] or any(moment(node["updatedAt"]) <= mark for node in nodes):
                break
            after = page["pageInfo"]["endCursor"]
        if pages == 1:
            return
        mark = newest


def _search_and_history(client: Client, repository: Repository, window: Window, say: Say) -> Enumeration:
    searched: dict[str, Candidate] = {}
    notes: list[str] = []
    for start, end in _days(window):
        for node in search(client, f"repo:{repository.name} is:pr is:merged", "merged", (start, end), notes):
            if node["mergedAt"] is not None and moment(node["mergedAt"]) in window:
                searched[node["id"]] = candidate_of(node)
        say(len(searched), None, "finding the week's pull requests")
    historic = _history(client, repository, window)
    if historic is None:
        found = sorted(searched.values(), key=lambda one: one.number)
        return Enumeration(found, "search+history", [], [*notes, "the default branch has no history to join the search with"])
    differences = [
        f"{one.number}: in search only" for one in searched.values() if one.id not in historic and _on_default(one, repository)
    ]
    differences += [f"{one.number}: in history only" for one in historic.values() if one.id not in searched]
    found = sorted((historic | searched).values(), key=lambda one: one.number)
    return Enumeration(found, "search+history", sorted(differences, key=lambda text: int(text.partition(":")[0])), notes)


def _on_default(one: Candidate, repository: Repository) -> bool:
    return one.base_ref == repository.default_branch


def _days(window: Window) -> Iterator[tuple[datetime, datetime]]:
    start = window.start_utc
    while start < window.end_utc:
        end = min(start + timedelta(days=1), window.end_utc)
        yield start, end
        start = end


def between(start: datetime, end: datetime) -> str:
    """A half-open span in GitHub's search, whose ``..`` includes both ends: it is told in whole seconds."""
    return f"{start:%Y-%m-%dT%H:%M:%SZ}..{end - timedelta(seconds=1):%Y-%m-%dT%H:%M:%SZ}"


def search(
    client: Client, query: str, stamp: str, span: tuple[datetime, datetime], notes: list[str], operation: str = "Search"
) -> Iterator[dict[str, Any]]:
    """Nodes of a search within a span of the ``stamp`` (merged, closed), cut in halves while it holds too many."""
    start, end = span
    after: str | None = None
    seen: set[str] = set()
    while True:
        asked = {"query": f"{query} {stamp}:{between(start, end)}", "after": after}
        page = client.ask_page(operation, asked).data["search"]
        if page["issueCount"] > SEARCH_RESULTS_MAX and end - start > timedelta(seconds=2):
            middle = (start + (end - start) / 2).replace(microsecond=0)
            for half in ((start, middle), (middle, end)):
                yield from search(client, query, stamp, half, notes, operation)
            return
        nodes = [node for node in page["nodes"] if node and node.get("__typename") == "PullRequest" and node["id"] not in seen]
        seen.update(node["id"] for node in nodes)
        yield from nodes
        if not page["pageInfo"]["hasNextPage"]:
            break
        after = page["pageInfo"]["endCursor"]
    if len(seen) < page["issueCount"]:
        notes.append(f"search counted {page['issueCount']} from {start:%Y-%m-%d %H:%M} UTC and gave {len(seen)}")


def _history(client: Client, repository: Repository, window: Window) -> dict[str, Candidate] | None:
    """Pull requests of the default branch's commits, by id; None where the branch has no history."""
    found: dict[str, Candidate] = {}
    for commit in history(client, repository, window, "History"):
        if commit is None:
            return None
        for pull in (commit.get("associatedPullRequests") or {}).get("nodes") or []:
            if pull is None or pull["mergedAt"] is None or moment(pull["mergedAt"]) not in window:
                continue
            if ((pull.get("repository") or {}).get("nameWithOwner") or repository.name).lower() == repository.name.lower():
                found[pull["id"]] = candidate_of(pull)
    return found


def history(client: Client, repository: Repository, window: Window, operation: str) -> Iterator[dict[str, Any] | None]:
    """Commits of the default branch around the window; one None where there is no such branch."""
    owner, _, name = repository.name.partition("/")
    asked: dict[str, Any] = {
        "owner": owner,
        "name": name,
        "ref": f"refs/heads/{repository.default_branch}",
        "since": (window.start_utc - HISTORY_SLACK).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "until": (window.end_utc + HISTORY_SLACK).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "after": None,
    }
    while True:
        ref = (client.ask_page(operation, asked, points=3).data["repository"] or {}).get("ref")
        if ref is None or "history" not in (ref.get("target") or {}):
            yield None
            return
        page = ref["target"]["history"]
        yield from (commit for commit in page["nodes"] if commit is not None)
        if not page["pageInfo"]["hasNextPage"]:
            return
        asked = asked | {"after": page["pageInfo"]["endCursor"]}


def landed(one: Candidate, at: str, oid: str | None) -> Candidate:
    """The candidate of a pull request that a bot landed: it counts as merged when the bot closed it."""
    return replace(one, landed_at=at, landed_oid=oid, merged_at=at)
