"""``pullweek diff``: what a rerun of a stored week would change, by table and by sentence, and what did it."""

import argparse
import dataclasses
import json
from typing import TYPE_CHECKING

from pipelines.commands.asking import asked_repository, asked_week, open_warehouse

if TYPE_CHECKING:
    from pipelines.defs.compare import TableChange, WeekChange

_SHOWN_KEYS = 5


def run(options: argparse.Namespace) -> int:
    """Print the differences; nothing is written."""
    from pipelines.defs.compare import compare_week

    warehouse = open_warehouse()
    entry = asked_repository(options, warehouse)
    week = asked_week(options.week, entry)
    change = compare_week(warehouse, entry, week)
    if options.json:
        print(json.dumps(dataclasses.asdict(change), ensure_ascii=False, indent=1))
    else:
        print("\n".join(_lines(entry.name, str(week), change)))
    return 0


def _lines(repo: str, week: str, change: "WeekChange") -> list[str]:
    causes = ", ".join(change.causes) or "none: inputs, rules and settings are those of the stored week"
    if change.is_empty:
        return [f"{repo} {week}: a rerun gives what is stored.", f"changed inputs: {causes}"]
    lines = [f"{repo} {week}: a rerun would differ.", f"changed inputs: {causes}"]
    lines += [line for table in change.tables for line in _table_lines(table)]
    lines += [f"- {line}" for line in change.sentences_gone]
    lines += [f"+ {line}" for line in change.sentences_new]
    return lines


def _table_lines(change: "TableChange") -> list[str]:
    counts = f"{len(change.added)} rows new, {len(change.removed)} gone, {len(change.changed)} changed"
    columns = f" in {', '.join(change.columns)}" if change.columns else ""
    examples = [*change.added, *change.removed, *change.changed][:_SHOWN_KEYS]
    return [f"{change.table}: {counts}{columns}, e.g. {'; '.join(examples)}"]
