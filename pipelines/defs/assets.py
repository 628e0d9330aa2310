"""A repository's assets, made by one factory: every raw and derived table, and the weekly report.

They come from one multi-asset of one step, since a week's fetch, tables and report belong together and the next week
stands on them: a range runs week by week in one process, and a failing week stops no other. What was made is logged a
week and an asset, so that Dagster never shows a week as made that failed; that is why the outputs are skippable.
Here belong keys, partitions, kinds, owners and metadata. What a step does stands in ``steps.py``.
"""

import contextlib
from collections.abc import Iterator, Sequence

import dagster as dg
from pydantic import Field

from pipelines.defs.checks import CHECKS, check_results
from pipelines.defs.current import code_version, rules_version
from pipelines.defs.event_log import together
from pipelines.defs.lineage import MADE_OF, REPORT
from pipelines.defs.resources import SourceResource, WarehouseResource, Watching, report_links
from pipelines.defs.running import Work, run_weeks
from pipelines.defs.watching import Watcher, WeekOutcome
from pipelines.settings import RepositorySettings
from pipelines.tables import DERIVED_TABLES, RAW_TABLES, TABLES, Table
from pipelines.warehouse import Warehouse
from pipelines.weeks import HISTORY_WEEKS, Week, parse_week

OWNERS = ["team:pullweek"]
DATA_VERSION_TAG = "dagster/data_version"  # read by Dagster from a materialisation; it exports no name for it
PARTITION_FORMAT = "%G-W%V-%u"  # Dagster refuses a format without the day: 2026-W17-1 is the Monday of 2026-W17

# A time-out or a limit passes; three tries over some minutes see most of them through. Only what the source could not
# give is tried again: rules and pages are pure, and fail the same way again.
FETCH_RETRIES = dg.RetryPolicy(max_retries=3, delay=20, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)


class RunConfig(dg.Config):
    """What a run may ask for: weeks to fetch again (``2026-W17``), and whether to derive, or to render, what is current."""

    refresh: list[str] = Field(default_factory=list)
    rerun: bool = False
    rerender: bool = False


def slug(repo: str) -> str:
    """A name that Dagster admits for ops, groups and jobs; different repositories get different ones."""
    return "__".join("".join(char if char.isalnum() else f"_{ord(char):x}_" for char in part) for part in repo.split("/"))


def step_name(entry: RepositorySettings) -> str:
    """The name of the repository's one step."""
    return f"weeks__{slug(entry.name)}"


def asset_key(repo: str, name: str) -> dg.AssetKey:
    """The key of a repository's asset: owner, name, table."""
    return dg.AssetKey([*repo.split("/"), name])


def partitions_of(entry: RepositorySettings) -> dg.WeeklyPartitionsDefinition:
    """Closed ISO weeks, Monday to Monday by the repository's own clock."""
    ends = entry.ends
    return dg.WeeklyPartitionsDefinition(
        start_date=partition_key(entry.starts),
        end_date=partition_key(ends.shift(1)) if ends else None,
        fmt=PARTITION_FORMAT,
        timezone=entry.timezone,
        day_offset=1,
    )


def partition_key(week: Week) -> str:
    """The partition of a week."""
    return f"{week}-1"


def week_of_partition(key: str) -> Week:
    """The week of a partition."""
    return parse_week(key[:-2])


def repository_assets(entry: RepositorySettings) -> dg.AssetsDefinition:
    """The asset graph of one repository."""

    @dg.multi_asset(
        specs=repository_specs(entry),
        check_specs=[
            dg.AssetCheckSpec(name, asset=asset_key(entry.name, table), description=look.__doc__) for name, table, look in CHECKS
        ],
        name=step_name(entry),
        partitions_def=partitions_of(entry),
        backfill_policy=dg.BackfillPolicy.single_run(),
        retry_policy=FETCH_RETRIES,
        pool="fetch",
        can_subset=True,
    )
    def weeks(
        context: dg.AssetExecutionContext,
        config: RunConfig,
        warehouse: WarehouseResource,
        sources: SourceResource,
        watching: dg.ResourceParam[Watching],
    ) -> Iterator[dg.AssetCheckResult]:
        opened, watcher = warehouse.open(), watching.watcher(context.log.info)
        source, refresh = sources.opener(entry, opened), frozenset(config.refresh)
        work = Work(opened, entry, source, _steps(context), refresh, rerun=config.rerun, rerender=config.rerender)
        with _defects_are_not_retried():
            outcomes = _run_and_log(context, work, watcher)
            yield from check_results(opened, entry.name, outcomes, context.selected_asset_check_keys)
        _fail_where_a_week_failed(outcomes, may_retry=not watcher.is_attended)

    return weeks


@contextlib.contextmanager
def _defects_are_not_retried() -> Iterator[None]:
    """Only what a source could not give is worth another try: any other exception ends the run at once."""
    try:
        yield
    except Exception as error:
        raise dg.Failure(f"unexpected {type(error).__name__}: {error}", allow_retries=False) from error


def _run_and_log(context: dg.AssetExecutionContext, work: Work, watcher: Watcher) -> list[WeekOutcome]:
    outcomes = []
    logged = _Logged(context)
    for outcome in run_weeks(work, [week_of_partition(key) for key in context.partition_keys], watcher, context.log.error):
        outcomes.append(outcome)
        if outcome.failure is None:
            with together(context.instance, context.run.run_id):
                _log_week(context, work.entry, work.warehouse, outcome, logged)
    return outcomes


class _Logged:
    """Which weeks of an asset this Dagster has on record as made, asked once an asset."""

    def __init__(self, context: dg.AssetExecutionContext) -> None:
        self._instance = context.instance
        self._partitions: dict[dg.AssetKey, set[str]] = {}

    def holds(self, key: dg.AssetKey, week: Week) -> bool:
        """Whether a materialisation of the week is on record."""
        if key not in self._partitions:
            self._partitions[key] = self._instance.get_materialized_partitions(key)
        return partition_key(week) in self._partitions[key]


def repository_specs(entry: RepositorySettings) -> list[dg.AssetSpec]:
    """The specs of a repository's tables and its report."""
    report = dg.AssetSpec(
        asset_key(entry.name, REPORT),
        deps=_deps(entry, REPORT),
        description="The week's report: report.json, pages and Markdown in Chinese and English, and the notebook that made them.",
        group_name=slug(entry.name),
        kinds={"jupyter", "html"},
        owners=OWNERS,
        skippable=True,
        code_version=code_version("report"),
    )
    raw = [_table_spec(entry, table, {entry.source, "parquet"}, code_version("contracts", "sources")) for table in RAW_TABLES]
    derived = [_table_spec(entry, table, {"pandas", "parquet"}, rules_version()) for table in DERIVED_TABLES]
    return [*raw, *derived, report]


def _table_spec(entry: RepositorySettings, table: Table, kinds: set[str], version: str) -> dg.AssetSpec:
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
        deps=_deps(entry, table.name),
        description=f"{table.grain} Key: {', '.join(table.key)}.",
        metadata={"dagster/column_schema": dg.TableSchema(columns=columns), "dagster/table_name": table.name},
        group_name=slug(entry.name),
        kinds=kinds,
        owners=OWNERS,
        skippable=True,
        code_version=version,
    )


def _deps(entry: RepositorySettings, name: str) -> list[dg.AssetDep]:
    """What an asset is made of; of raw tables also the weeks before."""
    weeks_before = dg.TimeWindowPartitionMapping(start_offset=-HISTORY_WEEKS, end_offset=0)
    return [
        dg.AssetDep(asset_key(entry.name, made_of), partition_mapping=weeks_before if made_of.startswith("raw_") else None)
        for made_of in MADE_OF.get(name, ())
    ]


def _step_of(asset: str) -> str:
    """The step that makes an asset."""
    return "report" if asset == REPORT else "fetch" if TABLES[asset].is_raw else "derive"


def _steps(context: dg.AssetExecutionContext) -> frozenset[str]:
    """The steps that the selected assets call for."""
    return frozenset(_step_of(key.path[-1]) for key in context.selected_asset_keys)


def _log_week(
    context: dg.AssetExecutionContext, entry: RepositorySettings, warehouse: Warehouse, outcome: WeekOutcome, logged: _Logged
) -> None:
    """Log a materialisation of every selected asset of a week that was made, and of what was there already but not on record."""
    for key in sorted(context.selected_asset_keys):
        name = key.path[-1]
        if _step_of(name) in outcome.skipped and logged.holds(key, outcome.week):
            continue
        metadata: dict[str, dg.MetadataValue] = {"skipped": dg.MetadataValue.text(", ".join(sorted(outcome.skipped)) or "nothing")}
        tags = {}
        if name == REPORT:
            metadata |= report_links(warehouse, entry.name, outcome.week)
        elif name in outcome.rows:
            metadata["dagster/row_count"] = dg.MetadataValue.int(outcome.rows[name])
        if name in TABLES and (content := warehouse.stands_on(TABLES[name], entry.name, outcome.week).get("content")):
            tags[DATA_VERSION_TAG] = content[:16]
        context.log_event(dg.AssetMaterialization(key, partition=partition_key(outcome.week), metadata=metadata, tags=tags))


def _fail_where_a_week_failed(outcomes: Sequence[WeekOutcome], *, may_retry: bool) -> None:
    failed = [outcome for outcome in outcomes if outcome.failure is not None]
    if failed:
        lines = "\n".join(f"{outcome.week}: {outcome.failure}" for outcome in failed)
        may_pass = may_retry and all(outcome.may_pass for outcome in failed)
        raise dg.Failure(f"{len(failed)} of {len(outcomes)} weeks failed:\n{lines}", allow_retries=may_pass)
