"""Dagster resources: the warehouse, the sources, and where progress goes. Settings that differ from place to place."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import dagster as dg
from pydantic import PrivateAttr

from pipelines.report.model import LANGUAGES
from pipelines.settings import RepositorySettings, warehouse_root
from pipelines.sources.records import Progress, Source
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week

REPORTS_URL_VARIABLE = "PULLWEEK_REPORTS_URL"
DEFAULT_REPORTS_URL = "http://127.0.0.1:8010"  # where `make serve` serves warehouse/reports

_LOG_EVERY_SECONDS = 10.0


class WarehouseResource(dg.ConfigurableResource["WarehouseResource"]):
    """The warehouse's root; empty for ``PULLWEEK_WAREHOUSE`` or ``warehouse/``."""

    root: str = ""

    def open(self) -> Warehouse:
        """The warehouse itself."""
        return Warehouse(Path(self.root) if self.root else warehouse_root())


class SourceResource(dg.ConfigurableResource["SourceResource"]):
    """Where a repository's pull requests come from; tokens are read from the environment, never from run config."""

    max_wait_seconds: float = 3600.0

    def source(self, entry: RepositorySettings, warehouse: Warehouse) -> Source:
        """The source of a repository."""
        if entry.source == "sample":
            from pipelines.sources.sample import SampleSource

            return SampleSource()
        from pipelines.sources.github.source import GitHubSource

        return GitHubSource.from_environment(
            os.environ, checkpoint_root=warehouse.root, max_wait_seconds=self.max_wait_seconds, landing=lambda _repo: entry.landing
        )


class ProgressResource(dg.ConfigurableResource["ProgressResource"]):
    """Where a step says how far it is: the run's log, or what the command passes in to draw it."""

    _draw: Progress | None = PrivateAttr(default=None)

    @classmethod
    def drawn_by(cls, draw: Progress) -> "ProgressResource":
        """Progress that goes to a callback of the command."""
        made = cls()
        made._draw = draw
        return made

    def callback(self, context: dg.AssetExecutionContext) -> Progress:
        """The callback of a run: every ten seconds a line in its log, unless the command draws."""
        return self._draw or _logged(context.log.info)


def _logged(log: Callable[[str], None]) -> Progress:
    last = 0.0

    def progress(done: int, total: int | None, doing: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _LOG_EVERY_SECONDS:
            last = now
            log(f"{doing}: {done}{'' if total is None else f' of {total}'}")

    return progress


def report_links(warehouse: Warehouse, repo: str, weeks: Sequence[Week]) -> dict[str, dg.MetadataValue]:
    """Where the newest of the reports lies, by path and by address of the static server."""
    if not weeks:
        return {}
    week = max(weeks)
    folder = warehouse.report_folder(repo, week)
    root = os.environ.get(REPORTS_URL_VARIABLE) or DEFAULT_REPORTS_URL
    links: dict[str, dg.MetadataValue] = {"folder": dg.MetadataValue.path(str(folder)), "weeks": dg.MetadataValue.int(len(weeks))}
    for language in LANGUAGES:
        links[f"report_{language}"] = dg.MetadataValue.url(f"{root}/{repo}/{week}/report.{language}.html")
    return links
