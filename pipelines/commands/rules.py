"""``pullweek rules [OWNER/NAME WEEK]``: the risk rules, what each looks at, and how often it fired in a week."""

import argparse
import json
import sys
from typing import Any

from pipelines.commands.asking import asked_repository, asked_week, open_warehouse
from pipelines.errors import WarehouseError
from pipelines.tables import TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week


def run(options: argparse.Namespace) -> int:
    """Print the rules; with a repository, their counts in a week (the newest stored where none is named)."""
    from pipelines.rules.risks import RULES

    counts, where = {}, ""
    if options.repo:
        warehouse = open_warehouse()
        entry = asked_repository(options, warehouse)
        week = asked_week(options.week, entry) if options.week else newest_derived(warehouse, entry.name)
        counts, where = _counts(warehouse, entry.name, week), f"{entry.name} {week}"
    rows: list[dict[str, Any]] = [
        {"rule": rule.id, "severity": rule.severity, "title": rule.title, "looks_at": rule.looks_at, **_of(counts, rule.id, where)}
        for rule in RULES
    ]
    rows += [
        {
            "rule": rule,
            "severity": None,
            "title": "rule of the settings",
            "looks_at": "paths of pullweek.toml",
            **_of(counts, rule, where),
        }
        for rule in sorted(set(counts) - {rule.id for rule in RULES})
    ]
    if options.json:
        print(json.dumps(rows, indent=1))
    else:
        _print(rows, where)
    return 0


def newest_derived(warehouse: Warehouse, repo: str) -> Week:
    """The newest week whose risks are derived."""
    weeks = warehouse.weeks(repo, "derived_risks")
    if not weeks:
        raise WarehouseError(f"{repo}: no week is derived yet. Run pullweek report {repo}.")
    return weeks[-1]


def _counts(warehouse: Warehouse, repo: str, week: Week) -> dict[str, dict[str, int]]:
    frame = warehouse.read(TABLES["derived_risks"], repo, week)
    counts: dict[str, dict[str, int]] = {}
    for rule, severity in zip(frame["rule"], frame["severity"], strict=True):
        graded = counts.setdefault(rule, {})
        graded[severity] = graded.get(severity, 0) + 1
    return counts


def _of(counts: dict[str, dict[str, int]], rule: str, where: str) -> dict[str, Any]:
    found = counts.get(rule, {})
    return {"count": sum(found.values()), "by_severity": found} if where else {}


def _print(rows: list[dict[str, Any]], where: str) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("rule", "severity", *(["count", "high", "medium", "low"] if where else []), "looks at", box=None, pad_edge=False)
    for row in rows:
        counted = [row["count"], *(row["by_severity"].get(grade, 0) for grade in ("high", "medium", "low"))] if where else []
        table.add_row(row["rule"], row["severity"] or "-", *(str(count) for count in counted), row["looks_at"])
    console = Console(width=None if sys.stdout.isatty() else 140, markup=False)
    console.print(f"{len(rows)} rules{f' over {where}' if where else ''}")
    console.print(table)
