"""A repository's assets, made by one factory: fetch, derive and report, each thin, few and full.

Here belong asset keys, partitions, kinds, owners and metadata. What a step does stands in ``steps.py``; how a table
is laid out stands in its contract. Tables that come from one pass come from one multi-asset.
"""

from collections.abc import Callable, Iterator, Sequence

import dagster as dg

from pipelines.defs.resources import ProgressResource, SourceResource, WarehouseResource, report_links
from pipelines.defs.steps import StepResult, derive_week, fetch_week, report_week
from pipelines.errors import PullweekError, SourceUnavailableError
from pipelines.rules.inputs import HISTORY_WEEKS
from pipelines.settings import RepositorySettings
from pipelines.tables import DERIVED_TABLES, RAW_TABLES, Table
from pipelines.weeks import Week, parse_week

OWNERS = ["team:pullweek"]
PARTITION_FORMAT = "%G-W%V-%u"  # Dagster refuses a format without the day: 2026-W17-1 is the Monday of 2026-W17

# A time-out or a limit passes; three tries over some minutes see most of them through. Only fetching is retried:
# rules and pages are pure, and fail the same way again.
FETCH_RETRIES = dg.RetryPolicy(max_retries=3, delay=20, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)


class FetchConfig(dg.Config):
    """What a run may ask of the fetch."""

    refresh: bool = False


def slug(repo: str) -> str:
    """A name that Dagster admits for ops, groups and jobs; different repositories get different ones."""
    return "".join(char if char.isalnum() else f"_{ord(char):x}_" for char in repo.replace("/", "__"))


def asset_key(repo: str, name: str) -> dg.AssetKey:
    """The key of a repository's asset: owner, name, table."""
    return dg.AssetKey([*repo.split("/"), name])


def partitions_of(entry: RepositorySettings) -> dg.WeeklyPartitionsDefinition:
    """Closed ISO weeks, Monday to Monday by the repository's own clock."""
    start = f"{entry.starts}-1"
    return dg.WeeklyPartitionsDefinition(start_date=start, fmt=PARTITION_FORMAT, timezone=entry.timezone, day_offset=1)


def partition_key(week: Week) -> str:
    """The partition of a week."""
    return f"{week}-1"


def week_of_partition(key: str) -> Week:
    """The week of a partition."""
    return parse_week(key[:-2])


def repository_assets(entry: RepositorySettings) -> list[dg.AssetsDefinition]:
    """The asset graph of one repository."""
    return [_fetch_asset(entry), _derive_asset(entry), _report_asset(entry)]


def _spec(entry: RepositorySettings, table: Table, deps: Sequence[dg.AssetDep], kinds: set[str]) -> dg.AssetSpec:
    columns = [
        dg.TableColumn(
            c.name,
            str(c.type),
            c.description + (f" Unit: {c.unit}." if c.unit else ""),
            dg.TableColumnConstraints(nullable=c.nullable),
        )
        for c in table.columns
    ]
    return dg.AssetSpec(
        asset_key(entry.name, table.name),
        deps=deps,
        description=f"{table.grain} Key: {', '.join(table.key)}.",
        metadata={"dagster/column_schema": dg.TableSchema(columns=columns), "dagster/table_name": table.name},
        group_name=slug(entry.name),
        kinds=kinds,
        owners=OWNERS,
    )


def _fetch_asset(entry: RepositorySettings) -> dg.AssetsDefinition:
    specs = [_spec(entry, table, [], {entry.source, "parquet"}) for table in RAW_TABLES]

    @dg.multi_asset(
        specs=specs,
        name=f"fetch__{slug(entry.name)}",
        partitions_def=partitions_of(entry),
        backfill_policy=dg.BackfillPolicy.single_run(),
        retry_policy=FETCH_RETRIES,
        pool="fetch",
    )
    def fetch(
        context: dg.AssetExecutionContext,
        config: FetchConfig,
        warehouse: WarehouseResource,
        sources: SourceResource,
        progress: ProgressResource,
    ) -> Iterator[dg.MaterializeResult[None]]:
        source = sources.source(entry, warehouse.open())
        report = progress.callback(context)
        done = _each_week(context, lambda week: fetch_week(warehouse.open(), source, entry, week, report, refresh=config.refresh))
        yield from _results(entry, RAW_TABLES, done)

    return fetch


def _derive_asset(entry: RepositorySettings) -> dg.AssetsDefinition:
    weeks_before = dg.TimeWindowPartitionMapping(start_offset=-HISTORY_WEEKS, end_offset=0)
    deps = [dg.AssetDep(asset_key(entry.name, table.name), partition_mapping=weeks_before) for table in RAW_TABLES]
    specs = [_spec(entry, table, deps, {"pandas", "parquet"}) for table in DERIVED_TABLES]

    @dg.multi_asset(
        specs=specs,
        name=f"derive__{slug(entry.name)}",
        partitions_def=partitions_of(entry),
        backfill_policy=dg.BackfillPolicy.single_run(),
    )
    def derive(context: dg.AssetExecutionContext, warehouse: WarehouseResource) -> Iterator[dg.MaterializeResult[None]]:
        done = _each_week(context, lambda week: derive_week(warehouse.open(), entry, week))
        yield from _results(entry, DERIVED_TABLES, done)

    return derive


def _report_asset(entry: RepositorySettings) -> dg.AssetsDefinition:
    @dg.asset(
        key=asset_key(entry.name, "weekly_report"),
        deps=[asset_key(entry.name, table.name) for table in (*RAW_TABLES, *DERIVED_TABLES)],
        partitions_def=partitions_of(entry),
        backfill_policy=dg.BackfillPolicy.single_run(),
        description="The week's report: report.json, HTML and Markdown in Chinese and English, and the notebook that made them.",
        group_name=slug(entry.name),
        kinds={"jupyter", "html"},
        owners=OWNERS,
    )
    def weekly_report(context: dg.AssetExecutionContext, warehouse: WarehouseResource) -> dg.MaterializeResult[None]:
        done = _each_week(context, lambda week: report_week(warehouse.open(), entry, week))
        return dg.MaterializeResult(metadata=report_links(warehouse.open(), entry.name, [result.week for result in done]))

    return weekly_report


def _each_week(context: dg.AssetExecutionContext, step: Callable[[Week], StepResult]) -> list[StepResult]:
    """Run a step for every week of the run, oldest first; a failing week stops no other and is named at the end."""
    done, failed = [], []
    for key in sorted(context.partition_keys):
        week = week_of_partition(key)
        try:
            result = step(week)
        except PullweekError as error:
            failed.append(error)
            context.log.error(str(error))  # noqa: TRY400  because: the line says it all; the run shows the traceback
            continue
        context.log.info("%s: %s", week, "unchanged, skipped" if result.skipped else dict(result.rows) or "done")
        done.append(result)
    if failed:
        may_pass = all(isinstance(error, SourceUnavailableError) for error in failed)
        raise dg.Failure("\n".join(str(error) for error in failed), allow_retries=may_pass) from failed[0]
    return done


def _results(
    entry: RepositorySettings, tables: Sequence[Table], done: Sequence[StepResult]
) -> Iterator[dg.MaterializeResult[None]]:
    for table in tables:
        counts = [result.rows[table.name] for result in done if table.name in result.rows]
        metadata = {"dagster/row_count": sum(counts)} if counts else {"skipped": True}
        yield dg.MaterializeResult(asset_key=asset_key(entry.name, table.name), metadata=metadata)
