"""``pullweek backfill``: every week of a range, oldest first, in one process."""

import argparse
from datetime import UTC, datetime

from pipelines.commands.asking import asked_repository, from_first_week, open_warehouse, refuse_open
from pipelines.commands.weeks_run import finish, run_weeks
from pipelines.weeks import last_closed, parse_range


def run(options: argparse.Namespace) -> int:
    """Report the weeks of ``FROM..TO``; weeks that are stored are not fetched again."""
    warehouse = open_warehouse()
    entry = asked_repository(options, warehouse)
    weeks = parse_range(options.weeks)
    refuse_open(weeks, last_closed(datetime.now(UTC), entry.timezone), entry.timezone)
    entry = from_first_week(entry, weeks)
    refresh = weeks if options.refresh else []
    ended = run_weeks(
        warehouse,
        entry,
        weeks,
        refresh=refresh,
        rerun=options.rerun,
        rerender=options.rerender,
        max_wait_seconds=options.max_wait,
    )
    return finish(ended, as_json=options.json)
