"""What changed in a stored week: stamps of 100 pull requests for a point, and only what differs is read again.

A stamp holds ``updatedAt``, the counts, and the state of each thread, since nothing says that resolving a thread moves
``updatedAt``. The week is enumerated again only where search counts another number than is stored, where the week
was still running, or where something was missing. A changed pull request is replaced whole, so that what was deleted
in it is seen.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.contracts.model import Table
from pipelines.contracts.raw import RAW_FETCHES
from pipelines.sources.github.client import Client
from pipelines.sources.github.enumerate import Candidate, Enumeration, moment
from pipelines.sources.github.resolve import Resolved
from pipelines.sources.github.revision import PARSED_TABLES
from pipelines.weeks import Window

STAMPS = 100  # ids a query, GitHub's greatest
THREADS_STAMPED = 100
Row = dict[str, Any]


@dataclass(frozen=True)
class Comparison:
    """A stored week held against GitHub: the week's pull requests now, and the stored rows of the unchanged ones."""

    enumeration: Enumeration
    unchanged: frozenset[int] = frozenset()
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def nothing(cls) -> "Comparison":
        """A comparison with nothing: all is to be read."""
        return cls(Enumeration([], ""))

    def to_read(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """The candidates that are new or changed."""
        return [one for one in candidates if one.number not in self.unchanged]


def compare(
    client: Client, resolved: Resolved, window: Window, stored: Mapping[str, pa.Table], enumerate_again: Callable[[], Enumeration]
) -> Comparison | None:
    """The stored week against GitHub; None where the stored tables are not of today's contract."""
    if not all(_fits(stored, table) for table in PARSED_TABLES):
        return None
    pulls: list[Row] = stored["raw_pull_requests"].to_pylist()
    fetch = _last_fetch(stored)
    stamps, doubtful = _stamps(client, pulls)
    present = [pull for pull in pulls if pull["number"] in doubtful or _is_there(pull, stamps.get(pull["node_id"]), window)]
    is_branch_same = fetch is None or fetch["default_branch"] == resolved.repository.default_branch
    unchanged = _unchanged(present, stamps, stored, doubtful, is_branch_same=is_branch_same)
    known = [_candidate(pull, stamps.get(pull["node_id"])) for pull in present]
    enumeration = _enumeration(known, fetch, resolved, window, enumerate_again)
    numbers = pa.array(sorted(unchanged), pa.int64())
    kept = {table.name: stored[table.name].filter(pc.is_in(stored[table.name]["number"], numbers)) for table in PARSED_TABLES}
    since = "" if fetch is None else f" since {fetch['finished_at_utc']:%Y-%m-%d %H:%M} UTC"
    notes = [f"refreshed: {len(unchanged)} unchanged{since}"]
    if doubtful:
        notes.append(f"could not be compared and were kept as stored: {', '.join(str(number) for number in sorted(doubtful))}")
    return Comparison(enumeration, frozenset(unchanged), kept, tuple(notes))


def _fits(stored: Mapping[str, pa.Table], table: Table) -> bool:
    return table.name in stored and bool(stored[table.name].schema.equals(table.schema))


def _last_fetch(stored: Mapping[str, pa.Table]) -> Row | None:
    """The stored fetch's own row; None where it was not given, so that the week is enumerated again."""
    fetches: list[Row] = stored[RAW_FETCHES.name].to_pylist() if _fits(stored, RAW_FETCHES) else []
    return max(fetches, key=lambda row: row["fetch_number"], default=None)


def _stamps(client: Client, pulls: list[Row]) -> tuple[dict[str, Row], set[int]]:
    """Stamps by id, and the numbers of pull requests for which GitHub gave an error that does not say they are gone."""
    stamps: dict[str, Row] = {}
    doubtful: set[int] = set()
    for start in range(0, len(pulls), STAMPS):
        asked = pulls[start : start + STAMPS]
        answer = client.ask("Stamps", {"ids": [pull["node_id"] for pull in asked]}, keep="no", is_whole=False)
        stamps |= {node["id"]: node for node in answer.data.get("nodes") or [] if node}
        for error in answer.errors:
            path = error.get("path") or []
            if error.get("type") != "NOT_FOUND" and len(path) > 1 and isinstance(path[1], int):
                doubtful.add(asked[path[1]]["number"])
    return stamps, doubtful


def _is_there(pull: Row, stamp: Row | None, window: Window) -> bool:
    if stamp is None:
        return False
    if pull["merge_kind"] == "landed":
        return stamp["mergedAt"] is None
    return stamp["mergedAt"] is not None and moment(stamp["mergedAt"]) in window


def _unchanged(
    pulls: list[Row], stamps: Mapping[str, Row], stored: Mapping[str, pa.Table], doubtful: set[int], *, is_branch_same: bool
) -> set[int]:
    threads: dict[int, set[tuple[str, bool | None, bool | None]]] = {}
    for row in stored["raw_review_threads"].to_pylist():
        threads.setdefault(row["number"], set()).add((row["thread_id"], row["is_resolved"], row["is_outdated"]))
    same = {
        pull["number"]
        for pull in pulls
        if is_branch_same
        and (stamp := stamps.get(pull["node_id"])) is not None
        and _is_same(pull, stamp)
        and _are_threads_same(stamp, threads.get(pull["number"], set()))
    }
    return same | doubtful


def _is_same(pull: Row, stamp: Row) -> bool:
    if set(pull["missing_parts"]) - {"checks"} or pull["updated_at_utc"] is None:
        return False
    return bool(
        moment(stamp["updatedAt"]) == pull["updated_at_utc"]
        and stamp["baseRefName"] == pull["base_ref"]
        and stamp["changedFiles"] == pull["changed_files_count"]
        and _total(stamp, "reviews") == pull["reviews_count"]
        and _total(stamp, "comments") == pull["comments_count"]
        and _total(stamp, "commits") == pull["commits_count"]
        and _total(stamp, "reviewThreads") == pull["review_threads_count"]
    )


def _are_threads_same(stamp: Row, stored: set[tuple[str, bool | None, bool | None]]) -> bool:
    nodes = [node for node in (stamp.get("reviewThreads") or {}).get("nodes") or [] if node]
    now = {(node["id"], node.get("isResolved"), node.get("isOutdated")) for node in nodes}
    return now == stored if len(nodes) < THREADS_STAMPED else now <= stored


def _total(stamp: Row, part: str) -> int | None:
    total: int | None = (stamp.get(part) or {}).get("totalCount")
    return total


def _candidate(pull: Row, stamp: Row | None) -> Candidate:
    told = stamp or {}
    is_landed = pull["merge_kind"] == "landed"
    merged_at = _text(pull["merged_at_utc"])
    return Candidate(
        id=pull["node_id"],
        number=pull["number"],
        merged_at=merged_at,
        updated_at=told.get("updatedAt"),
        base_ref=told["baseRefName"] if stamp else pull["base_ref"],
        files=told.get("changedFiles"),
        reviews=_total(told, "reviews"),
        threads=_total(told, "reviewThreads"),
        comments=_total(told, "comments"),
        landed_at=merged_at if is_landed else None,
        landed_oid=pull["merge_commit_oid"] if is_landed else None,
    )


def _text(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _enumeration(
    known: list[Candidate], fetch: Row | None, resolved: Resolved, window: Window, again: Callable[[], Enumeration]
) -> Enumeration:
    """The week's pull requests now: as stored where nothing speaks against it, else enumerated again and joined."""
    merged = sum(one.landed_at is None for one in known)  # fewer than stored where one is gone, and then by search too
    was_whole = fetch is not None and fetch["finished_at_utc"] >= window.end_utc and not fetch["missing_numbers"]
    if fetch is not None and was_whole and resolved.merged_count == merged:
        return Enumeration(known, fetch["enumerated_by"], fetch["enumeration_differences"])
    found = again()
    by_id = {one.id: one for one in known} | {one.id: one for one in found.candidates}
    return Enumeration(sorted(by_id.values(), key=lambda one: one.number), found.by, found.differences, found.notes)
