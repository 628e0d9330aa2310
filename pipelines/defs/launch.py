"""How the command runs weeks: the same assets in the same instance as Dagster's own pages show, in one process."""

import contextlib
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from pipelines.defs.assets import partition_key, repository_assets, step_name
from pipelines.defs.resources import SourceResource, WarehouseResource, Watching
from pipelines.defs.watching import Watcher, WeekOutcome
from pipelines.errors import PullweekError
from pipelines.settings import RepositorySettings
from pipelines.warehouse import Warehouse, replace_file
from pipelines.weeks import Week

# Compute logs would take standard error away from the command's progress while a step runs; what a run has to say
# stands in its event log.
_EARLIER_DAGSTER_YAML = b"""\
telemetry: {enabled: false}
nux: {enabled: false}
compute_logs: {module: dagster._core.storage.noop_compute_log_manager, class: NoOpComputeLogManager}
"""
_DAGSTER_YAML = (
    _EARLIER_DAGSTER_YAML
    + b"""\
event_log_storage: {module: pipelines.defs.event_log, class: BatchingEventLog, config: {home: {env: DAGSTER_HOME}}}
"""
)


def dagster_home(warehouse: Warehouse) -> Path:
    """Dagster's home: ``DAGSTER_HOME``, else ``.dagster`` below the warehouse's root."""
    return Path(os.environ.get("DAGSTER_HOME") or warehouse.root / ".dagster").absolute()


def prepared_home(warehouse: Warehouse) -> Path:
    """Dagster's home, with its settings written where they are missing; somebody's own settings are left as they are."""
    home = dagster_home(warehouse)
    settings = home / "dagster.yaml"
    if not settings.exists() or settings.read_bytes() == _EARLIER_DAGSTER_YAML:
        replace_file(settings, _DAGSTER_YAML)
    return home


@contextlib.contextmanager
def open_instance(warehouse: Warehouse) -> Iterator[dg.DagsterInstance]:
    """The instance that ``make ui`` shows."""
    home = prepared_home(warehouse)
    logging.getLogger("dagster").setLevel(logging.CRITICAL)
    with _environment(DAGSTER_HOME=str(home)), dg.DagsterInstance.from_config(str(home)) as instance:
        yield instance


@contextlib.contextmanager
def _environment(**variables: str) -> Iterator[None]:
    """Set some variables, and put back what they were."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class Collector:
    """Passes on to the command's watcher, and keeps how each week ended."""

    is_attended = True

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self.begin, self.progress = watcher.begin, watcher.progress
        self.outcomes: dict[Week, WeekOutcome] = {}

    def end(self, outcome: WeekOutcome) -> None:
        """A week ended."""
        self.outcomes[outcome.week] = outcome
        self._watcher.end(outcome)


@dataclass(frozen=True)
class Launcher:
    """Runs weeks of one repository through its asset graph."""

    instance: dg.DagsterInstance
    warehouse: Warehouse
    entry: RepositorySettings
    max_wait_seconds: float = 0.0

    def run(
        self, weeks: Sequence[Week], watcher: Watcher, *, refresh: Sequence[Week] = (), rerun: bool = False, rerender: bool = False
    ) -> list[WeekOutcome]:
        """Materialise every week from the oldest to the newest of these in one run; how each ended, oldest first."""
        collector = Collector(watcher)
        first, last = partition_key(min(weeks)), partition_key(max(weeks))
        config = {"refresh": sorted(str(week) for week in refresh), "rerun": rerun, "rerender": rerender}
        result = dg.materialize(
            [repository_assets(self.entry)],
            instance=self.instance,
            tags={"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last},
            resources={
                "warehouse": WarehouseResource(root=str(self.warehouse.root)),
                "sources": SourceResource(max_wait_seconds=self.max_wait_seconds),
                "watching": Watching(collector),
            },
            run_config={
                "ops": {step_name(self.entry): {"config": config}},
                "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
            },
            raise_on_error=False,
        )
        if not result.success and not any(outcome.failure for outcome in collector.outcomes.values()):
            raise PullweekError(f"{self.entry.name}: the run failed before or after its weeks: {_reason(result)}")
        return [collector.outcomes[week] for week in sorted(collector.outcomes)]


def _reason(result: dg.ExecuteInProcessResult) -> str:
    failures = [event.step_failure_data.error for event in result.all_events if event.is_step_failure]
    found = next((error for error in failures if error), None)
    cause = (found.cause or found) if found else None
    return " ".join(cause.message.split()) if cause else "see the run in Dagster's pages, make ui"
