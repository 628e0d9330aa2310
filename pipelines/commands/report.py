"""``pullweek report``: one week from its source to its pages, on the weeks before it that are stored or asked for."""

import argparse
import sys

from pipelines.commands.asking import asked_repository, asked_week, from_first_week, missing_history, open_warehouse
from pipelines.commands.weeks_run import finish, run_weeks
from pipelines.errors import UsageError
from pipelines.weeks import HISTORY_WEEKS


def run(options: argparse.Namespace) -> int:
    """Report a week; with ``--history N`` the missing ones of the N weeks before come first."""
    if not 0 <= options.history <= HISTORY_WEEKS:
        raise UsageError(f"--history {options.history}: give 0 to {HISTORY_WEEKS}; trends and core paths look no further back.")
    warehouse = open_warehouse()
    entry = asked_repository(options, warehouse)
    week = asked_week(options.week, entry)
    weeks = [*missing_history(warehouse, entry, week, options.history), week]
    entry = from_first_week(entry, weeks)
    refresh = [week] if options.refresh else []
    ended = run_weeks(
        warehouse,
        entry,
        weeks,
        refresh=refresh,
        rerun=options.rerun,
        rerender=options.rerender,
        max_wait_seconds=options.max_wait,
    )
    lacking = missing_history(warehouse, entry, week, HISTORY_WEEKS)
    if lacking and not options.json and not ended.failed:
        print(
            f"trends and core paths stand on {HISTORY_WEEKS - len(lacking)} of the {HISTORY_WEEKS} weeks before; "
            f"--history {HISTORY_WEEKS} fetches the others.",
            file=sys.stderr,
        )
    return finish(ended, as_json=options.json)
