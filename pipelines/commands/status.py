"""``pullweek status``: which weeks are stored, whole, derived and reported."""

import argparse
import json
import sys
from typing import Any

from pipelines.commands.asking import open_warehouse
from pipelines.errors import WarehouseError
from pipelines.settings import repository_name
from pipelines.tables import TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week, week_range


def run(options: argparse.Namespace) -> int:
    """Print a line a week, gaps between weeks included."""
    warehouse = open_warehouse()
    repos = [repository_name(options.repo)] if options.repo else warehouse.repositories()
    rows = [row for repo in repos for row in week_rows(warehouse, repo)]
    if options.json:
        print(json.dumps(rows, indent=1))
    elif rows:
        _print_table(rows)
    else:
        print(f"{warehouse.root}: no week is stored yet. Begin with pullweek demo, or pullweek report OWNER/NAME.", file=sys.stderr)
    return 0


def week_rows(warehouse: Warehouse, repo: str) -> list[dict[str, Any]]:
    """A row a week from the first stored to the last: what is there of it."""
    stored = warehouse.weeks(repo)
    return [_row(warehouse, repo, week) for week in week_range(stored[0], stored[-1])] if stored else []


def _row(warehouse: Warehouse, repo: str, week: Week) -> dict[str, Any]:
    row: dict[str, Any] = {
        "repo": repo,
        "week": str(week),
        "raw": warehouse.week_state(repo, week),
        "merged": None,
        "fetched_at_utc": None,
    }
    try:
        last = warehouse.read(TABLES["raw_fetches"], repo, week).iloc[-1]
        row |= {"merged": int(last["read_count"]), "fetched_at_utc": last["finished_at_utc"].strftime("%Y-%m-%dT%H:%M:%SZ")}
    except (WarehouseError, IndexError):  # absent or torn: the row says so
        pass
    row["derived"] = warehouse.path(TABLES["derived_follow_ups"], repo, week).exists()
    row["reported"] = (warehouse.report_folder(repo, week) / "report.json").exists()
    return row


def _print_table(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("repository", "week", "raw", "merged", "fetched", "derived", "reported", box=None, pad_edge=False)
    for row in rows:
        shown = (row["merged"], row["fetched_at_utc"], "yes" if row["derived"] else "no", "yes" if row["reported"] else "no")
        table.add_row(row["repo"], row["week"], row["raw"], *("-" if value is None else str(value) for value in shown))
    Console(width=None if sys.stdout.isatty() else 120, markup=False).print(table)
