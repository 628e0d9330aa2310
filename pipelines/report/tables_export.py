"""The week's pull requests as one flat table: CSV that no spreadsheet executes, and Parquet.

One row per pull request, most important first, with the values of ``report.json``; null where not known.
"""

import csv
import io
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.report.model import PullFacts, Report

_TEXT, _INT, _FLOAT, _BOOL, _TEXTS = pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.list_(pa.string())

_SAME: dict[str, pa.DataType] = {
    "number": _INT,
    "title": _TEXT,
    "url": _TEXT,
    "author": _TEXT,
    "author_kind": _TEXT,
    "merged_at": _TEXT,
    "base_ref": _TEXT,
    "change_kind": _TEXT,
    "importance": _FLOAT,
    "rank": _INT,
    "is_highlight": _BOOL,
    "themes": _TEXTS,
    "modules": _TEXTS,
    "labels": _TEXTS,
    "reviewers": _TEXTS,
    "approvers": _TEXTS,
    "added": _INT,
    "removed": _INT,
    "files": _INT,
    "source_lines": _INT,
    "tests_state": _TEXT,
    "merge_hours": _FLOAT,
    "first_review_hours": _FLOAT,
    "open_threads": _INT,
    "summary": _TEXT,
    "reverted_by": _INT,
    "reverted_after_hours": _FLOAT,
}

_MADE: dict[str, tuple[pa.DataType, Callable[[PullFacts], Any]]] = {
    "risks": (_TEXTS, lambda pull: [f"{risk['severity']}: {risk['rule']}" for risk in pull["risks"]]),
    "unknown_parts": (_TEXTS, lambda pull: list(pull["unknown_parts"])),
}

SCHEMA = pa.schema([*_SAME.items(), *((name, kind) for name, (kind, _) in _MADE.items())])

# What Excel, LibreOffice and Google Sheets read as the beginning of a formula; the full-width forms where the
# locale is Chinese or Japanese. https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def rows_of(report: Report) -> list[dict[str, Any]]:
    """The rows of the table, most important first."""
    ranked = sorted(report["pull_requests"], key=lambda pull: pull["rank"])
    return [{name: _value(pull, name) for name in SCHEMA.names} for pull in ranked]


def _value(pull: PullFacts, name: str) -> Any:
    if name in _MADE:
        return _MADE[name][1](pull)
    values: Mapping[str, Any] = pull
    return values[name]


def csv_bytes(report: Report) -> bytes:
    """The table as CSV: UTF-8 with the mark that Excel needs for Chinese, every text neutralised, null empty."""
    sink = io.StringIO()
    writer = csv.writer(sink, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
    writer.writerow(SCHEMA.names)
    writer.writerows([_cell(row[name]) for name in SCHEMA.names] for row in rows_of(report))
    return b"\xef\xbb\xbf" + sink.getvalue().encode()


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return neutral("; ".join(value))
    if isinstance(value, str):
        return neutral(value)
    return "" if value is None else str(value)


def neutral(text: str) -> str:
    """The text with an apostrophe in front where a spreadsheet would take it for a formula."""
    return "'" + text if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text


def parquet_bytes(report: Report) -> bytes:
    """The table as Parquet, lists as lists."""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows_of(report), schema=SCHEMA), sink, compression="zstd")
    return bytes(sink.getvalue().to_pybytes())
