"""Small weeks for tests of the rules: name what matters, the rest is filled in by the contracts."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd
import pyarrow as pa

from pipelines.rules.derive import derive_week
from pipelines.rules.inputs import WeekInputs
from pipelines.rules.rows import Frames
from pipelines.settings import RuleSettings
from pipelines.tables import RAW_TABLES, TABLES, conform, empty_frame, to_frame
from pipelines.weeks import Week, parse_week

REPO = "acme/widgets"
#: Frames without rows, made once: no rule changes a frame in place.
EMPTY = {name: empty_frame(table) for name, table in TABLES.items()}
EMPTY_BEFORE = {name: frame.assign(week=pd.Series(dtype="str")) for name, frame in EMPTY.items()}
Rows = Sequence[Mapping[str, Any]]
#: One week as a test writes it: rows by raw table.
Given = Mapping[str, Rows]


def monday(week: str) -> datetime:
    day = parse_week(week).monday
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def pull(number: int, title: str, *, hour: float = 10, files: Iterable[str] = (), **more: Any) -> dict[str, Any]:
    """A pull request, merged so many hours into its week; ``files`` are paths of 100 added lines each."""
    return {"number": number, "title": title, "hour": hour, "paths": list(files), **more}


def raw_week(week: str, pulls: Rows = (), **tables: Rows) -> dict[str, pd.DataFrame]:
    start = monday(week)
    requests, files = [], []
    for row in pulls:
        given = {key: value for key, value in row.items() if key not in {"hour", "paths"}}
        merged_at = start + timedelta(hours=row["hour"])
        requests.append({"merged_at_utc": merged_at, "created_at_utc": merged_at - timedelta(hours=8), **given})
        files += [
            {"number": row["number"], "path": path, "change_type": "modified", "added_lines_count": 100} for path in row["paths"]
        ]
    fetch = {"fetch_number": 1, "finished_at_utc": start + timedelta(days=8), "repository_name": REPO, "timezone": "UTC"}
    rows: dict[str, Rows] = {"raw_pull_requests": requests, "raw_files": files, "raw_fetches": [fetch]}
    rows |= {f"raw_{name}": [*rows.get(f"raw_{name}", ()), *given] for name, given in tables.items()}
    return {table.name: _frame(table.name, rows.get(table.name, ())) for table in RAW_TABLES}


def _frame(name: str, rows: Rows) -> pd.DataFrame:
    table = TABLES[name]
    if not rows:
        return EMPTY[name]
    filled = [
        {
            column.name: row.get(column.name, _default(column.name, column.type, nullable=column.nullable))
            for column in table.columns
        }
        for row in rows
    ]
    frame = pd.DataFrame({column.name: pd.Series([row[column.name] for row in filled], dtype=object) for column in table.columns})
    return to_frame(conform(table, frame, "test"))


_WORDS = {"author_login": "ann", "author_type": "User", "base_ref": "main", "merge_kind": "merged", "state": "complete"}
_NUMBERS = {"changed_files_count": 1, "removed_lines_count": 0, "added_lines_count": 100}


def _default(name: str, kind: pa.DataType, *, nullable: bool) -> object:
    if name in _WORDS:
        return _WORDS[name]
    if name in _NUMBERS:
        return _NUMBERS[name]
    if nullable:
        return True if name == "is_base_default" else None
    if pa.types.is_list(kind):
        return []
    if pa.types.is_timestamp(kind):
        return datetime(2026, 1, 1, tzinfo=UTC)
    return False if pa.types.is_boolean(kind) else 0 if pa.types.is_integer(kind) else ""


def inputs_of(
    week: str, raw: Frames, before: Mapping[str, Frames] | None = None, settings: RuleSettings | None = None
) -> WeekInputs:
    """The week as the rules see it, with earlier weeks' raw and derived tables."""
    stored = sorted((before or {}).items())
    history = {}
    for name in TABLES:
        parts = [frames[name].assign(week=past) for past, frames in stored if len(frames[name])]
        history[name] = pd.concat(parts, ignore_index=True) if parts else EMPTY_BEFORE[name]
    return WeekInputs(REPO, week, raw, history, tuple(past for past, _ in stored), settings or RuleSettings())


def derive_weeks(weeks: Mapping[str, Frames], settings: RuleSettings | None = None) -> dict[str, dict[str, pd.DataFrame]]:
    """Every table of each week, each with those before it as history; each passes its contract."""
    stored: dict[str, dict[str, pd.DataFrame]] = {}
    for week, raw in sorted(weeks.items()):
        first = str(parse_week(week).shift(-12))
        before = {past: frames for past, frames in stored.items() if past >= first}
        made = derive_week(inputs_of(week, raw, before, settings))
        for name, frame in made.items():
            conform(TABLES[name], frame, week)
        stored[week] = {**EMPTY, **raw, **made}
    return stored


def weeks_from(first: str, count: int) -> list[str]:
    start: Week = parse_week(first)
    return [str(start.shift(back)) for back in range(count)]
