"""Definitions of a whole ``pullweek.toml``: one asset graph, its checks, job and schedule for each repository."""

import dagster as dg

from pipelines.defs.assets import repository_assets
from pipelines.defs.resources import SourceResource, WarehouseResource, Watching
from pipelines.defs.schedules import job_name, repository_schedule
from pipelines.settings import RepositorySettings, ScheduleSettings, Settings


def repository_definitions(entry: RepositorySettings, when: ScheduleSettings) -> dg.Definitions:
    """The asset graph of one repository with its checks, job and schedule; no resources."""
    assets = repository_assets(entry)
    job = dg.define_asset_job(job_name(entry), selection=dg.AssetSelection.assets(assets), description=f"Weeks of {entry.name}.")
    schedules = [] if entry.source == "sample" else [repository_schedule(entry, when)]
    return dg.Definitions(assets=[assets], jobs=[job], schedules=schedules)


def build_definitions(settings: Settings) -> dg.Definitions:
    """All repositories of the settings, with the resources they share.

    Runs take their steps in one process: with steps as few and full as these the default executor spends
    five times as long on starting processes as on the work.
    """
    shared = dg.Definitions(
        resources={"warehouse": WarehouseResource(), "sources": SourceResource(), "watching": Watching()},
        executor=dg.in_process_executor,
    )
    return dg.Definitions.merge(shared, *(repository_definitions(entry, settings.schedule) for entry in settings.repositories))
