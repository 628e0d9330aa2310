"""Dagster resources: the warehouse, the sources, and who watches. Settings that differ from place to place."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import dagster as dg

from pipelines.defs.watching import LogWatcher, Watcher
from pipelines.report.model import LANGUAGES
from pipelines.settings import RepositorySettings, warehouse_root
from pipelines.sources.records import Source
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week

REPORTS_URL_VARIABLE = "PULLWEEK_REPORTS_URL"
DEFAULT_REPORTS_URL = "http://127.0.0.1:8010"  # where `make serve` serves warehouse/reports


class WarehouseResource(dg.ConfigurableResource["WarehouseResource"]):
    """The warehouse's root; empty for ``PULLWEEK_WAREHOUSE`` or ``warehouse/``."""

    root: str = ""

    def open(self) -> Warehouse:
        """The warehouse itself."""
        return Warehouse(Path(self.root) if self.root else warehouse_root())


class SourceResource(dg.ConfigurableResource["SourceResource"]):
    """Where a repository's pull requests come from; tokens are read from the environment, never from run config."""

    max_wait_seconds: float = 3600.0

    def opener(self, entry: RepositorySettings, warehouse: Warehouse) -> Callable[[], Source]:
        """Opens the source of a repository once, when a week first needs it."""
        return cache(lambda: self._open(entry, warehouse))

    def _open(self, entry: RepositorySettings, warehouse: Warehouse) -> Source:
        if entry.source == "sample":
            from pipelines.sources.sample import SampleSource

            return SampleSource()
        from pipelines.sources.github.source import GitHubSource

        return GitHubSource.from_environment(
            os.environ,
            checkpoint_root=warehouse.root,
            max_wait_seconds=self.max_wait_seconds,
            wants_patches=entry.patches,
            landing=lambda _repo: entry.landing,
        )


@dataclass(frozen=True)
class Watching:
    """Who is told how far a run is: by default its log; the command gives a watcher of its own.

    Not a ``ConfigurableResource``: Dagster makes those anew for each run, and what the command passed in would be lost.
    """

    attending: Watcher | None = None

    def watcher(self, log: Callable[[str], None]) -> Watcher:
        """The watcher of a run with this log."""
        return self.attending or LogWatcher(log)


def report_links(warehouse: Warehouse, repo: str, week: Week) -> dict[str, dg.MetadataValue]:
    """Where a week's report lies, by path and by address of the static server."""
    root = os.environ.get(REPORTS_URL_VARIABLE) or DEFAULT_REPORTS_URL
    links: dict[str, dg.MetadataValue] = {"folder": dg.MetadataValue.path(str(warehouse.report_folder(repo, week)))}
    for language in LANGUAGES:
        links[f"report_{language}"] = dg.MetadataValue.url(f"{root}/{repo}/{week}/report.{language}.html")
    return links
