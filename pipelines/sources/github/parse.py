"""The raw tables of a fetched week: the one parser behind every source.

A column is added here (in ``rows.py`` or ``references.py``), in its contract, and in ``queries.graphql``.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pipelines.contracts.model import Table
from pipelines.contracts.raw import (
    RAW_COMMENTS,
    RAW_FETCHES,
    RAW_FILES,
    RAW_PULL_REQUESTS,
    RAW_REFERENCES,
    RAW_REVIEW_COMMENTS,
    RAW_REVIEW_THREADS,
    RAW_REVIEWS,
)
from pipelines.sources.github.clean import Cleaner
from pipelines.sources.github.references import reference_rows
from pipelines.sources.github.revision import PARSED_TABLES, RefreshedWeek, Revision
from pipelines.sources.github.rows import (
    Row,
    comment_rows,
    file_rows,
    pull_request_row,
    review_comment_rows,
    review_rows,
    thread_rows,
)
from pipelines.sources.records import FetchedWeek, PullRequestRecord
from pipelines.tables import to_frame

if TYPE_CHECKING:
    import pandas as pd

#: What a token may not see, or an enterprise server does not have, is told by a note and by ``missing_parts``;
#: it does not make every week of that token or server partial.
_PARTS_TOLD_BY_NOTE = frozenset({"checks"})

_PARSERS = {
    RAW_FILES.name: file_rows,
    RAW_REVIEWS.name: review_rows,
    RAW_REVIEW_THREADS.name: thread_rows,
    RAW_REVIEW_COMMENTS.name: review_comment_rows,
    RAW_COMMENTS.name: comment_rows,
    RAW_REFERENCES.name: reference_rows,
}


def parse_week(fetched: FetchedWeek) -> dict[str, "pd.DataFrame"]:
    """Every raw table of the week but ``raw_fetches``, by name, rows sorted by key.

    The texts are cleaned (see ``clean.py``) and what was replaced is counted a pull request. The same records give
    the same frames. Empty tables have their columns too. ``pipelines.tables.conform`` passes each frame. Of a
    refreshed week the rows of unchanged pull requests are taken over as they are stored.
    """
    rows: dict[str, list[Row]] = {table.name: [] for table in PARSED_TABLES}
    for record in sorted(fetched.records, key=lambda record: record["number"]):
        for name, made in _rows_of(record, fetched.repository.default_branch).items():
            rows[name].extend(made)
    kept = fetched.kept if isinstance(fetched, RefreshedWeek) else {}
    return {table.name: _frame(table, rows[table.name], kept.get(table.name)) for table in PARSED_TABLES}


def _rows_of(record: PullRequestRecord, default_branch: str | None) -> dict[str, list[Row]]:
    clean = Cleaner()
    pull_request = pull_request_row(record, default_branch, clean)
    rows = {name: parser(record, clean) for name, parser in _PARSERS.items()}
    # review_comment_rows and thread_rows read other texts of the same threads: nothing is counted twice
    return {RAW_PULL_REQUESTS.name: [pull_request | {"replaced_characters_count": clean.replaced_count}]} | rows


def _frame(table: Table, rows: Iterable[Row], kept: pa.Table | None = None) -> "pd.DataFrame":
    made = pa.Table.from_pylist(list(rows), schema=table.schema)
    if kept is not None:
        made = pa.concat_tables([made, kept.select(made.schema.names).cast(made.schema)])
    return to_frame(made.sort_by([(name, "ascending") for name in table.key]))


def fetch_row(
    fetched: FetchedWeek,
    frames: Mapping[str, "pd.DataFrame"],
    *,
    fetch_number: int,
    files: Sequence[Mapping[str, Any]],
    revised: Revision | None = None,
) -> "pd.DataFrame":
    """One row of ``raw_fetches``: what was asked for, what came, what is missing or cut, and what it cost.

    ``frames`` are :func:`parse_week`'s, ``files`` the ``table``, ``rows_count`` and ``sha256`` of each raw file,
    ``revised`` what :func:`revision` told.
    """
    pulls = frames[RAW_PULL_REQUESTS.name]
    read = [int(number) for number in pulls["number"]]
    missing = sorted(set(fetched.enumerated_numbers) - set(read))
    cut = _cut_parts(pulls)
    changes = revised or Revision()
    row = {
        "fetch_number": fetch_number,
        "source": fetched.source,
        "web_url": fetched.repository.web_url,
        "repository_id": fetched.repository.id,
        "repository_name": fetched.repository.name,
        "default_branch": fetched.repository.default_branch,
        "timezone": fetched.window.timezone,
        "window_start_utc": fetched.window.start_utc,
        "window_end_utc": fetched.window.end_utc,
        "state": "partial" if missing or cut else "complete",
        "enumerated_by": fetched.enumerated_by,
        "enumerated_count": len(set(fetched.enumerated_numbers)),
        "read_count": len(read),
        "missing_numbers": missing,
        "cut_parts": cut,
        "enumeration_differences": list(fetched.enumeration_differences),
        "added_numbers": list(changes.added),
        "changed_numbers": list(changes.changed),
        "removed_numbers": list(changes.removed),
        "opened_count": fetched.opened_count,
        "requests_count": fetched.requests_count,
        "points_spent": fetched.points_spent,
        "replaced_characters_count": int(pulls["replaced_characters_count"].sum()),
        "started_at_utc": fetched.started_at,
        "finished_at_utc": fetched.finished_at,
        "files": [dict(file) for file in files],
        "notes": list(fetched.notes),
    }
    return _frame(RAW_FETCHES, [row])


def _cut_parts(pulls: "pd.DataFrame") -> list[str]:
    pairs = zip(pulls["number"], pulls["missing_parts"], strict=True)
    return sorted(f"{number}:{part}" for number, parts in pairs for part in parts if part not in _PARTS_TOLD_BY_NOTE)
