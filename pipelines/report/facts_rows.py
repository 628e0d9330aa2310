"""Every stored row that one report stands on, as plain dicts: this week's tables and what the weeks before add.

Nothing is computed here. Null stays ``None``; instants become ISO 8601 text in UTC with ``Z``; rows come in key order.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import pyarrow as pa

from pipelines.errors import ReportError
from pipelines.report.folders import identity
from pipelines.tables import DERIVED_TABLES, RAW_TABLES, TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import HISTORY_WEEKS, Week, Window

Row = dict[str, Any]

_RAW_TABLES = ("raw_pull_requests", "raw_files", "raw_fetches", "raw_review_threads", "raw_review_comments")
_WEEK_TABLES = (*_RAW_TABLES, *(table.name for table in DERIVED_TABLES))
_HISTORY_TABLES = ("derived_week", "derived_risks")


def key_as_title(key: str, language: str) -> str:  # noqa: ARG001  # because: it stands in for a rule that asks
    """Give a theme's key, where nobody told its title."""
    return key


@dataclass(frozen=True)
class RulesAbout:
    """What a report must be told, since this room knows no rules: their version, ids, titles and settings.

    ``theme_title`` gives a theme's title by its key and a language.
    ``risk_rules`` names every rule that looked, fired or not.
    """

    version: str
    settings: str
    program_version: str
    theme_title: Callable[[str, str], str] = key_as_title
    risk_rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class WeekRows:
    """Rows of one repository-week by table, and those of the stored weeks before it, oldest first."""

    repo: str
    week: Week
    rows: Mapping[str, list[Row]]
    history: Mapping[str, Mapping[str, list[Row]]]  # week -> table -> rows
    about: RulesAbout
    raw_hashes: Mapping[str, str]
    derived_hashes: Mapping[str, str]
    history_hashes: Mapping[str, str]

    def __getitem__(self, table: str) -> list[Row]:
        return self.rows[table]

    @property
    def counts(self) -> Row:
        """The one row of ``derived_week``."""
        return self.rows["derived_week"][0]

    @property
    def fetch(self) -> Row:
        """The last row of ``raw_fetches``: the fetch that made the week's raw files."""
        return self.rows["raw_fetches"][-1]

    @property
    def window(self) -> Window:
        """The week's window by the time zone it was fetched in."""
        return self.week.window(self.fetch["timezone"])

    @property
    def repo_url(self) -> str:
        """The repository's page."""
        return f"{self.fetch['web_url']}/{self.repo}"

    def weeks(self, count: int) -> list[str]:
        """So many weeks up to this one, oldest first, stored or not."""
        return list(_weeks_to(self.week, count))

    def past(self, table: str, weeks: int) -> dict[str, list[Row]]:
        """A table's rows of the stored ones of so many weeks before, oldest first."""
        first = str(self.week.shift(-weeks))
        return {week: tables[table] for week, tables in self.history.items() if week >= first}


@lru_cache(maxsize=64)
def _weeks_to(week: Week, count: int) -> tuple[str, ...]:
    return tuple(str(week.shift(-back)) for back in reversed(range(count)))


def read_rows(warehouse: Warehouse, repo: str, week: Week, about: RulesAbout) -> WeekRows:
    """All rows of a repository-week; :class:`ReportError` where the week is not stored whole or not derived."""
    state = warehouse.week_state(repo, week)
    if state in ("absent", "torn"):
        raise ReportError(
            f"report {repo} {week}: its raw week is {state}. Fetch it first: pullweek report {repo} {week} --refresh."
        )
    missing = [table.name for table in DERIVED_TABLES if not warehouse.path(table, repo, week).exists()]
    if missing:
        raise ReportError(f"report {repo} {week}: not derived yet: {', '.join(missing)}. Run: pullweek report {repo} {week}.")
    rows = {name: _rows(warehouse, name, repo, week) for name in _WEEK_TABLES}
    before = [week.shift(-back) for back in range(HISTORY_WEEKS, 0, -1)]
    stored = [past for past in before if all(warehouse.path(TABLES[name], repo, past).exists() for name in _HISTORY_TABLES)]
    return WeekRows(
        repo=repo,
        week=week,
        rows=rows,
        history={str(past): _past(warehouse, repo, past) for past in stored},
        about=about,
        raw_hashes={table.name: warehouse.file_hash(table, repo, week) or "" for table in RAW_TABLES},
        derived_hashes={table.name: warehouse.file_hash(table, repo, week) or "" for table in DERIVED_TABLES},
        history_hashes={str(past): _hash_of(warehouse, repo, past) for past in stored},
    )


def _rows(warehouse: Warehouse, name: str, repo: str, week: Week) -> list[Row]:
    read = warehouse.read_arrow(TABLES[name], repo, week)
    names, columns = read.column_names, [_values(column) for column in read.columns]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _values(column: pa.ChunkedArray) -> list[Any]:
    values: list[Any] = column.to_pylist()
    is_instant = pa.types.is_timestamp(column.type)
    return [value if value is None else instant_text(value) for value in values] if is_instant else values


def _past(warehouse: Warehouse, repo: str, week: Week) -> dict[str, list[Row]]:
    """The tables of a week before, which nobody may change: the weeks after it are given the same rows."""
    seen = tuple(identity(warehouse.path(TABLES[name], repo, week)) for name in _HISTORY_TABLES)
    return _read_past(warehouse, repo, week, seen)


# In a run of weeks each looks back on twelve of which eleven were read for the one before; a replaced file looks different.
@lru_cache(maxsize=2 * HISTORY_WEEKS)
def _read_past(warehouse: Warehouse, repo: str, week: Week, _seen: tuple[tuple[int, int, int], ...]) -> dict[str, list[Row]]:
    return {name: _rows(warehouse, name, repo, week) for name in _HISTORY_TABLES}


def _hash_of(warehouse: Warehouse, repo: str, week: Week) -> str:
    hashes = [warehouse.file_hash(TABLES[name], repo, week) or "" for name in _HISTORY_TABLES]
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def instant_text(instant: datetime) -> str:
    """An instant as ISO 8601 text in UTC: ``2026-04-20T08:15:00Z``."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def json_object(text: str) -> dict[str, Any]:
    """A stored JSON object; :class:`ReportError` where the text is none."""
    try:
        made = json.loads(text)
    except ValueError:
        made = None
    if not isinstance(made, dict):
        raise ReportError(f"report: stored measures are not a JSON object: {text[:80]!r}. Derive the week again.")
    return made
