"""How a fetched week comes into the raw tables: compared with what was there, written, and signed last."""

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipelines.errors import SourceError, WarehouseError
from pipelines.settings import RepositorySettings
from pipelines.sources.records import FetchedWeek, Progress, RefreshingSource, Source
from pipelines.tables import RAW_TABLES, TABLES, conform, empty_frame
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FETCHES = TABLES["raw_fetches"]
_CONTENT_TABLES = tuple(table for table in RAW_TABLES if table is not FETCHES)


def refuse_other_zone(warehouse: Warehouse, entry: RepositorySettings, week: Week, *, refresh: bool) -> None:
    """Raise where the stored week was cut by another time zone than the one asked for."""
    if refresh or warehouse.week_state(entry.name, week) in {"absent", "torn"}:
        return
    stored = warehouse.last_fetch(entry.name, week)["timezone"]
    if stored != entry.timezone:
        raise WarehouseError(
            f"{entry.name} {week}: stored by the clock of {stored}, asked for by that of {entry.timezone}. "
            f"Give --timezone {stored}, fetch it again with --refresh, or set another PULLWEEK_WAREHOUSE."
        )


def read_source(
    warehouse: Warehouse, source: Source, entry: RepositorySettings, week: Week, progress: Progress, *, refresh: bool
) -> FetchedWeek:
    """The week from its source; of a stored one only what changed, where the source can tell."""
    window = week.window(entry.timezone)
    stored = stored_tables(warehouse, entry.name, week) if refresh else None
    if stored is not None and isinstance(source, RefreshingSource):
        stored[FETCHES.name] = warehouse.read_arrow(FETCHES, entry.name, week)
        return source.refresh_week(entry.name, window, stored, progress)
    return source.fetch_week(entry.name, window, progress)


def store_raw_week(warehouse: Warehouse, repo: str, week: Week, fetched: FetchedWeek) -> dict[str, int]:
    """Write the raw tables of a fetch, ``raw_fetches`` last with the hashes of the others; rows a table."""
    from pipelines.sources.github.parse import fetch_row, parse_week
    from pipelines.sources.github.revision import revision

    frames = parse_week(fetched)
    _keep_the_complete_one(warehouse, repo, week, fetched, frames)
    earlier = _earlier_fetches(warehouse, repo, week)
    before = stored_tables(warehouse, repo, week)
    after = {table.name: conform(table, frames[table.name], f"{repo} {week}") for table in _CONTENT_TABLES}
    files = [warehouse.write(table, repo, week, frames[table.name]) for table in _CONTENT_TABLES]
    signatures = [dataclasses.asdict(file) for file in files]
    row = fetch_row(fetched, frames, fetch_number=len(earlier) + 1, files=signatures, revised=revision(before, after))
    signed = _append(earlier, row)
    warehouse.write(FETCHES, repo, week, signed)
    return {file.table: file.rows_count for file in files} | {FETCHES.name: len(signed)}


def _keep_the_complete_one(
    warehouse: Warehouse, repo: str, week: Week, fetched: FetchedWeek, frames: Mapping[str, "pd.DataFrame"]
) -> None:
    """Raise where a fetch lost pull requests of a week that is stored complete: that one stays."""
    lost = sorted(set(fetched.enumerated_numbers) - {int(number) for number in frames["raw_pull_requests"]["number"]})
    if lost and warehouse.week_state(repo, week) == "complete":
        raise SourceError(
            f"{repo} {week}: {len(lost)} of {len(fetched.enumerated_numbers)} pull requests could not be read again, "
            f"e.g. {lost[:3]}; the complete week stored before stays. Run it again later."
        )


def stored_tables(warehouse: Warehouse, repo: str, week: Week) -> "dict[str, pa.Table] | None":
    """The raw tables of the stored fetch, to compare with; None where there is none or it is torn."""
    if warehouse.week_state(repo, week) in {"absent", "torn"}:
        return None
    return {table.name: warehouse.read_arrow(table, repo, week) for table in _CONTENT_TABLES}


def _append(earlier: "pd.DataFrame", row: "pd.DataFrame") -> "pd.DataFrame":
    import pandas as pd

    return pd.concat([earlier, row], ignore_index=True) if len(earlier) else row


def _earlier_fetches(warehouse: Warehouse, repo: str, week: Week) -> "pd.DataFrame":
    try:
        return warehouse.read(FETCHES, repo, week)
    except WarehouseError:  # absent or torn: the history of its fetches begins anew
        return empty_frame(FETCHES)
