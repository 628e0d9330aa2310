"""Small repository-weeks for tests of the rules: every table of the contract, filled from what a test says."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import pandas as pd

from pipelines.rules import core_paths, files, importance, links, measures, risks
from pipelines.rules.inputs import WeekInputs
from pipelines.settings import RuleSettings
from pipelines.tables import TABLES, conform, empty_frame, to_frame
from pipelines.weeks import parse_week

REPO = "acme/engine"
WEEK = "2026-W17"
MONDAY = datetime(2026, 4, 20, tzinfo=UTC)
Row = Mapping[str, Any]
Tables = Mapping[str, Iterable[Row]]


def pull(number: int, title: str = "Add a thing", **given: object) -> dict[str, object]:
    """A pull request of a person, merged in the week, all of whose parts were read."""
    row: dict[str, object] = {
        "number": number,
        "node_id": f"PR_{number}",
        "title": title,
        "body": "",
        "author_login": "ada",
        "author_type": "User",
        "created_at_utc": MONDAY,
        "merged_at_utc": MONDAY + timedelta(hours=number % 100),
        "merge_kind": "merged",
        "base_ref": "main",
        "is_base_default": True,
        "is_cross_repository": False,
        "is_draft": False,
        "added_lines_count": 0,
        "removed_lines_count": 0,
        "changed_files_count": 0,
        "reviews_count": 0,
        "review_threads_count": 0,
        "comments_count": 0,
        "labels": [],
        "missing_parts": [],
        "replaced_characters_count": 0,
    }
    return row | given


def changed(number: int, path: str, added: int | None = 10, removed: int | None = 0, **given: object) -> dict[str, object]:
    """A changed file."""
    row: dict[str, object] = {
        "number": number,
        "path": path,
        "change_type": "modified",
        "added_lines_count": added,
        "removed_lines_count": removed,
    }
    return row | given


def review(number: int, author: str, state: str = "APPROVED", hours: float = 1.0, kind: str = "User") -> dict[str, object]:
    """A review, so many hours after the Monday."""
    return {
        "number": number,
        "review_id": f"R_{number}_{author}_{state}_{hours}",
        "author_login": author,
        "author_type": kind,
        "state": state,
        "submitted_at_utc": MONDAY + timedelta(hours=hours),
        "body": "",
        "is_minimized": False,
    }


def frame(table: str, rows: Iterable[Row]) -> pd.DataFrame:
    """Rows as a frame of the table's dtypes, in the order given; columns not given are null."""
    listed = [dict(row) for row in rows]
    if not listed:
        return _empty(table)
    names = [column.name for column in TABLES[table].columns]
    given = pd.DataFrame({name: pd.Series([row.get(name) for row in listed], dtype=object) for name in names})
    made = to_frame(conform(TABLES[table], given, REPO))
    keys = list(TABLES[table].key)
    order = pd.DataFrame([[row[key] for key in keys] for row in listed], columns=keys)
    return order.merge(made, on=keys, how="left", validate="one_to_one")[names]


def week_of(tables: Tables, settings: RuleSettings | None = None, before: Mapping[str, Tables] | None = None) -> WeekInputs:
    """The inputs of one week; ``before`` holds tables of earlier weeks by week. Files not counted otherwise are counted."""
    listed = {name: list(rows) for name, rows in tables.items()}
    for row in listed.get("raw_pull_requests", []):
        if not row["changed_files_count"]:
            row["changed_files_count"] = sum(file["number"] == row["number"] for file in listed.get("raw_files", []))  # type: ignore[index]  # because: rows made here are dicts
    raw = {name: frame(name, listed.get(name, [])) for name in TABLES if name.startswith("raw_")}
    stored = before or {}
    history = {name: _history(name, stored) for name in TABLES}
    return WeekInputs(REPO, WEEK, raw, history, tuple(sorted(stored)), settings or RuleSettings())


def _history(table: str, stored: Mapping[str, Tables]) -> pd.DataFrame:
    parts = [frame(table, tables[table]).assign(week=week) for week, tables in sorted(stored.items()) if tables.get(table)]
    if not parts:
        return _empty_history(table)
    return pd.concat(parts, ignore_index=True)[["week", *(column.name for column in TABLES[table].columns)]]


@lru_cache
def _empty_history(table: str) -> pd.DataFrame:
    return _empty(table).assign(week=pd.Series(dtype="str"))[["week", *(column.name for column in TABLES[table].columns)]]


@lru_cache
def _empty(table: str) -> pd.DataFrame:
    return empty_frame(TABLES[table])


def weeks_before(count: int) -> list[str]:
    """The weeks before, oldest first."""
    return [str(parse_week(WEEK).shift(-back)) for back in range(count, 0, -1)]


STEPS = (
    ("derived_core_paths", core_paths.derive),
    ("derived_files", files.derive),
    ("derived_links", links.derive),
    ("derived_pull_requests", measures.derive),
    ("derived_risks", risks.derive),
    ("derived_importance", importance.derive),
)


def derived(inputs: WeekInputs) -> dict[str, pd.DataFrame]:
    """The tables that these rules make, each held against its contract."""
    made: dict[str, pd.DataFrame] = {}
    for name, step in STEPS:
        made[name] = to_frame(conform(TABLES[name], step(inputs, made), f"{REPO} {WEEK}"))
    return made


def risk_rules(made: Mapping[str, pd.DataFrame], number: int) -> dict[str, str]:
    """Rules that fired on a pull request, with their severities."""
    rows = made["derived_risks"]
    mine = rows[rows["number"] == number]
    return dict(zip(mine["rule"], mine["severity"], strict=True))


def one(made: Mapping[str, pd.DataFrame], table: str, number: int) -> "pd.Series[Any]":
    """The one row of a pull request."""
    rows = made[table]
    mine = rows[rows["number"] == number]
    assert len(mine) == 1
    return mine.iloc[0]
