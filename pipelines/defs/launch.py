"""How the command runs weeks: the same assets in the same instance as Dagster's own pages show, in one process."""

import contextlib
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from pipelines.defs.assets import partition_key, repository_assets, slug
from pipelines.defs.checks import repository_checks
from pipelines.defs.resources import ProgressResource, SourceResource, WarehouseResource
from pipelines.settings import RepositorySettings
from pipelines.sources.records import Progress
from pipelines.warehouse import Warehouse, replace_file
from pipelines.weeks import Week

_DAGSTER_YAML = b"telemetry: {enabled: false}\nnux: {enabled: false}\n"


@dataclass(frozen=True)
class WeekRun:
    """How a week's run ended: ``failure`` is its one line, None where all went well."""

    week: Week
    failure: str | None
    skipped: frozenset[str]  # steps that found everything current


def dagster_home(warehouse: Warehouse) -> Path:
    """Dagster's home: ``DAGSTER_HOME``, else ``.dagster`` below the warehouse's root."""
    return Path(os.environ.get("DAGSTER_HOME") or warehouse.root / ".dagster").absolute()


@contextlib.contextmanager
def open_instance(warehouse: Warehouse) -> Iterator[dg.DagsterInstance]:
    """The instance that ``make ui`` shows, with its settings written where they are missing."""
    home = dagster_home(warehouse)
    if not (home / "dagster.yaml").exists():
        replace_file(home / "dagster.yaml", _DAGSTER_YAML)
    logging.getLogger("dagster").setLevel(logging.CRITICAL)
    with dg.DagsterInstance.from_config(str(home)) as instance:
        yield instance


class WeekRunner:
    """Runs weeks of one repository, one after another, through its asset graph."""

    def __init__(
        self, instance: dg.DagsterInstance, warehouse: Warehouse, entry: RepositorySettings, *, max_wait_seconds: float
    ) -> None:
        self._instance = instance
        self._assets = repository_assets(entry)
        self._checks = repository_checks(entry)
        self._fetch_step = f"fetch__{slug(entry.name)}"
        self._resources = {
            "warehouse": WarehouseResource(root=str(warehouse.root)),
            "sources": SourceResource(max_wait_seconds=max_wait_seconds),
        }

    def run(self, week: Week, progress: Progress, *, refresh: bool = False) -> WeekRun:
        """Materialise one week; what fails is told in the result, not raised."""
        result = dg.materialize(
            [*self._assets, *self._checks],
            partition_key=partition_key(week),
            instance=self._instance,
            resources={**self._resources, "progress": ProgressResource.drawn_by(progress)},
            run_config={
                "ops": {self._fetch_step: {"config": {"refresh": refresh}}},
                "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
            },
            raise_on_error=False,
        )
        return WeekRun(week, None if result.success else _failure(result), _skipped(result))


def _failure(result: dg.ExecuteInProcessResult) -> str:
    for event in result.all_events:
        if event.is_step_failure:
            data = event.step_failure_data
            if data.user_failure_data is not None and data.user_failure_data.description:
                return data.user_failure_data.description
            error = data.error.cause or data.error if data.error else None
            return f"step {event.step_key} failed: {error.message.strip() if error else 'no reason given'}"
    return "the run failed before its first step; see the Dagster pages: make ui"


def _skipped(result: dg.ExecuteInProcessResult) -> frozenset[str]:
    found = set()
    for event in result.get_asset_materialization_events():
        if "skipped" in event.materialization.metadata:
            found.add((event.step_key or "").partition("__")[0])
    return frozenset(found)
