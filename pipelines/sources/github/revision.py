"""How two fetches of one week differ, and a fetch that takes over the unchanged part of the one before."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from pipelines.contracts.model import Table
from pipelines.contracts.raw import (
    RAW_COMMENTS,
    RAW_FILES,
    RAW_PULL_REQUESTS,
    RAW_REFERENCES,
    RAW_REVIEW_COMMENTS,
    RAW_REVIEW_THREADS,
    RAW_REVIEWS,
)
from pipelines.sources.records import FetchedWeek

Row = dict[str, Any]

PARSED_TABLES: tuple[Table, ...] = (
    RAW_PULL_REQUESTS,
    RAW_FILES,
    RAW_REVIEWS,
    RAW_REVIEW_THREADS,
    RAW_REVIEW_COMMENTS,
    RAW_COMMENTS,
    RAW_REFERENCES,
)


@dataclass(frozen=True)
class RefreshedWeek(FetchedWeek):
    """A fetch of a stored week: ``records`` hold what is new or changed, ``kept`` the stored rows of all the rest, by table."""

    kept: Mapping[str, pa.Table] = field(default_factory=dict)


@dataclass(frozen=True)
class Revision:
    """Numbers of the pull requests by which a fetch of a week differs from the one before, each sorted."""

    added: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()


def revision(before: Mapping[str, pa.Table] | None, after: Mapping[str, pa.Table]) -> Revision:
    """What changed between two fetches of one week, both as conformed raw tables by name.

    ``before`` is None at the first fetch: then nothing counts as added, changed or removed, since nothing was known.
    """
    if before is None:
        return Revision()
    old, new = _documents(before), _documents(after)
    return Revision(
        added=tuple(sorted(new.keys() - old.keys())),
        changed=tuple(sorted(number for number in new.keys() & old.keys() if new[number] != old[number])),
        removed=tuple(sorted(old.keys() - new.keys())),
    )


def _documents(tables: Mapping[str, pa.Table]) -> dict[int, list[tuple[str, Row]]]:
    """All rows of a pull request, over all tables, by its number."""
    documents: dict[int, list[tuple[str, Row]]] = {number: [] for number in tables[RAW_PULL_REQUESTS.name]["number"].to_pylist()}
    for table in PARSED_TABLES:
        for row in tables[table.name].to_pylist():
            documents.setdefault(row["number"], []).append((table.name, row))
    return documents
