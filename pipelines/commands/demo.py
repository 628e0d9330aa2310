"""``pullweek demo``: the main job on the embedded sample repository, all its weeks, without any network."""

import argparse

from pipelines.commands.asking import open_warehouse
from pipelines.commands.weeks_run import finish, run_weeks
from pipelines.settings import RepositorySettings
from pipelines.weeks import parse_week


def run(options: argparse.Namespace) -> int:
    """Report every week of acme/lattice; ends with the path of the newest page."""
    from pipelines.sources.sample import REPOSITORY, WEEKS

    weeks = [parse_week(week) for week in WEEKS]
    entry = RepositorySettings(name=REPOSITORY.name, source="sample", first_week=WEEKS[0])
    return finish(run_weeks(open_warehouse(), entry, weeks), as_json=options.json)
