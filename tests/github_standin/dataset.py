"""The data that the stand-in serves: one repository and its pull requests.

Three ways to get one: :func:`from_parquet` (facts of a real repository; everything they do not hold is made up by
``invent.py``, deterministically: descriptions, labels, reviews, threads, comments, checks, references, opening times),
:func:`from_sample` (the project's own sample) and :func:`from_records` (whatever a test writes down).
Records are built when first asked for, so that a data set of ten thousand pull requests is there at once.
"""

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.github_standin import invent
from tests.github_standin.known import WEB, Known, World, iso, node_id, number_of, oid

Record = dict[str, Any]

#: What is known of a pull request without building its record: enough to list, sort and search.
FACTS = ("id", "number", "title", "state", "createdAt", "updatedAt", "closedAt", "mergedAt", "baseRefName")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CHANGE_TYPES = {"added": "ADDED", "modified": "MODIFIED", "removed": "DELETED", "renamed": "RENAMED", "changed": "CHANGED"}


@dataclass(frozen=True)
class PlainCommit:
    """A commit on a branch that belongs to no pull request."""

    oid: str
    headline: str
    moment: str
    branch: str


@dataclass(frozen=True)
class Dataset:
    """One repository; ``build`` gives the whole record of a number."""

    name: str  # OWNER/NAME
    branch: str
    facts: dict[int, Record]
    build: Callable[[int], Record]
    commits: tuple[PlainCommit, ...] = ()
    old_names: tuple[str, ...] = ()
    identifier: str = "R_standin"
    number_of: Callable[[str], int | None] = field(default=number_of)


def facts_of(record: Record) -> Record:
    """The facts of a record."""
    facts = {key: record.get(key) for key in FACTS}
    facts["updatedAt"] = record.get("updatedAt") or record.get("closedAt") or record["createdAt"]
    facts["mergeOid"] = (record.get("mergeCommit") or {}).get("oid")
    facts["author"] = (record.get("author") or {}).get("login")
    return facts


def from_records(
    records: Iterable[Any],
    name: str,
    branch: str = "main",
    *,
    commits: Sequence[PlainCommit] = (),
    old_names: Sequence[str] = (),
    identifier: str = "R_standin",
) -> Dataset:
    """A data set of records in the shape of ``pipelines.sources.records.PullRequestRecord``; they are copied.

    A record with ``landedAt`` and ``landedOid`` gets its commit in the history, with a message that names the pull
    request; ``closedBy`` is the account of its ClosedEvent.
    """
    by_number: dict[int, Record] = {record["number"]: copy.deepcopy(dict(record)) for record in records}
    owners = {identifier: number for number, record in by_number.items() for identifier in _identifiers(record)}
    landed = [
        PlainCommit(record["landedOid"], _landed_message(record, name), record["landedAt"], record["baseRefName"])
        for number, record in by_number.items()
        if record.get("landedOid") and record.get("landedAt")
    ]
    return Dataset(
        name,
        branch,
        {number: facts_of(record) for number, record in by_number.items()},
        lambda number: copy.deepcopy(by_number[number]),
        (*commits, *landed),
        tuple(old_names),
        identifier,
        owners.get,
    )


def _landed_message(record: Record, name: str) -> str:
    number = record["number"]
    return f"{record['title']} (#{number})\n\nPull Request resolved: {WEB}/{name}/pull/{number}\n"


def _identifiers(record: Record) -> Iterable[str]:
    yield record["id"]
    for part in ("reviews", "reviewThreads", "comments"):
        yield from (node["id"] for node in record[part]["nodes"])
    for thread in record["reviewThreads"]["nodes"]:
        yield from (node["id"] for node in thread["comments"]["nodes"])


def blank(number: int, created: str, **more: object) -> Record:
    """The record of an open pull request with nothing in it; ``more`` replaces fields."""
    empty: Record = {"totalCount": 0, "nodes": []}
    parts = ("labels", "closingIssuesReferences", "files", "reviews", "reviewThreads", "comments", "commits", "timelineItems")
    record: Record = {part: copy.deepcopy(empty) for part in parts}
    record |= dict.fromkeys(
        (
            "closedAt",
            "mergedAt",
            "headRepository",
            "author",
            "mergedBy",
            "mergeCommit",
            "reviewDecision",
            "milestone",
            "authorAssociation",
        )
    )
    record |= {
        "id": node_id("PR", number),
        "number": number,
        "title": f"Pull request {number}",
        "body": "",
        "state": "OPEN",
        "isDraft": False,
        "createdAt": created,
        "updatedAt": created,
        "baseRefName": "main",
        "headRefName": f"patch-{number}",
        "headRefOid": oid("head", number),
        "isCrossRepository": False,
        "additions": 0,
        "deletions": 0,
        "changedFiles": 0,
    }
    return record | more


def from_sample() -> Dataset:
    """The project's sample repository: its records as they are, and its unmerged pull requests as blank ones."""
    from pipelines.sources import sample

    records = [dict(record) for record in sample.records()]
    known = {record["number"] for record in records}
    records += [blank(number, created) for number, created in sample.opened_pulls() if number not in known]
    home = sample.REPOSITORY
    return from_records(records, home.name, home.default_branch or "main", identifier=home.id)


def from_parquet(pulls: Path, files: Path, name: str, *, first: datetime | None = None, last: datetime | None = None) -> Dataset:
    """A data set of merge facts, limited to ``first <= merged < last`` where given.

    ``pulls`` holds one row a merge commit (number, title, author, authored_at, merged_at, merge_commit_sha, changed_files,
    additions, deletions), ``files`` one row a changed file (number, path, previous_path, status, additions, deletions).
    GitHub has one pull request a number: of a number that landed twice the later commit is its merge commit, and the
    other one is a plain commit in the history.
    """
    rows = _rows(pulls)
    rows = [row for row in rows if (first is None or row["merged_at"] >= first) and (last is None or row["merged_at"] < last)]
    latest: dict[int, Record] = {}
    commits = []
    for row in sorted(rows, key=lambda row: (row["merged_at"], row["merge_commit_sha"])):
        before = latest.get(row["number"])
        if before:
            headline = f"{before['title']} (#{before['number']})"
            commits.append(PlainCommit(before["merge_commit_sha"], headline, iso(before["merged_at"]), "main"))
        latest[row["number"]] = row
    changed: dict[int, list[Record]] = {}
    for row in _rows(files):
        if row["number"] in latest and latest[row["number"]]["changed_files"]:
            changed.setdefault(row["number"], []).append(_file(row))
    known = {number: _known(row, changed.get(number, [])) for number, row in latest.items()}
    world = _world(name, known)
    facts = {number: _facts(one) for number, one in known.items()}
    return Dataset(name, "main", facts, lambda number: invent.record(known[number], world), tuple(commits))


def _rows(path: Path) -> list[Record]:
    """The rows of a Parquet file; instants are read as numbers, since pyarrow imports pandas for them, which takes seconds."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.ParquetFile(path).read()
    instants = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
    for name in instants:
        numbers = table[name].cast(pa.timestamp("us", "UTC")).cast(pa.int64())
        table = table.set_column(table.schema.get_field_index(name), name, numbers)
    rows: list[Record] = table.to_pylist()
    for row in rows:
        row.update({name: _EPOCH + timedelta(microseconds=row[name]) for name in instants})
    return rows


def _file(row: Record) -> Record:
    made = {"path": row["path"], "changeType": _CHANGE_TYPES[row["status"]]}
    if isinstance(row["previous_path"], str):
        made["previousPath"] = row["previous_path"]
    for side in ("additions", "deletions"):
        value = row[side]
        made[side] = None if value is None or value != value else int(value)  # noqa: PLR0124  # because: NaN marks a binary file
    return made


def _known(row: Record, files: list[Record]) -> Known:
    return Known(
        row["number"],
        row["title"],
        row["author"],
        row["authored_at"],
        row["merged_at"],
        row["merge_commit_sha"],
        row["additions"],
        row["deletions"],
        row["changed_files"],
        tuple(files),
    )


def _world(name: str, known: dict[int, Known]) -> World:
    busy: dict[str, int] = {}
    for one in known.values():
        busy[one.author] = busy.get(one.author, 0) + 1
    reviewers = tuple(sorted(busy, key=lambda login: (-busy[login], login))[:60])
    return World(name, "main", reviewers, tuple(sorted(known)), {one.title: one.number for one in known.values()})


def _facts(known: Known) -> Record:
    merged = iso(known.merged)
    return {
        "id": node_id("PR", known.number),
        "number": known.number,
        "title": known.title,
        "state": "MERGED",
        "createdAt": iso(invent.opened(known)),
        "updatedAt": iso(invent.updated(known)),
        "closedAt": merged,
        "mergedAt": merged,
        "baseRefName": "main",
        "mergeOid": known.oid,
        "author": known.author,
    }
