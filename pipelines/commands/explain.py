"""``pullweek explain OWNER/NAME#123``: what the tables say of one pull request, with the rule behind each statement."""

import argparse
import json
import re
import sys
from typing import Any

from pipelines.commands.asking import open_warehouse
from pipelines.errors import UsageError, WarehouseError
from pipelines.settings import repository_name
from pipelines.tables import DERIVED_TABLES, TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week

_SUBJECT = re.compile(r"(.+)#(\d+)")
_SHOWN_FILES = 15


def run(options: argparse.Namespace) -> int:
    """Print the explanation, for a reader or as JSON."""
    from pipelines.rules.explain import explain

    match = _SUBJECT.fullmatch(options.pull)
    if match is None:
        raise UsageError(f"pull request {options.pull!r}: write it as OWNER/NAME#123.")
    repo, number = repository_name(match[1]), int(match[2])
    warehouse = open_warehouse()
    week = week_of_pull(warehouse, repo, number)
    frames = {
        table.name: warehouse.read(table, repo, week)
        for table in TABLES.values()
        if table in DERIVED_TABLES or table.name == "raw_pull_requests"
    }
    told = explain(frames, number)
    if told is None:
        raise WarehouseError(f"{repo}#{number}: {week} holds it raw, but no derived row. Run pullweek report {repo} {week}.")
    if options.json:
        print(json.dumps({"repo": repo, "week": str(week), **told}, ensure_ascii=False, indent=1, default=str))
    else:
        sys.stdout.write("\n".join(_lines(repo, week, told)) + "\n")
    return 0


def week_of_pull(warehouse: Warehouse, repo: str, number: int) -> Week:
    """The stored week that a pull request was merged in; the newest where two claim it."""
    import pyarrow.parquet as pq

    weeks = warehouse.weeks(repo)
    for week in reversed(weeks):
        path = warehouse.path(TABLES["raw_pull_requests"], repo, week)
        if path.exists() and pq.read_table(path, columns=["number"], filters=[("number", "=", number)]).num_rows:
            return week
    held = f"{weeks[0]} to {weeks[-1]}" if weeks else "none"
    raise WarehouseError(
        f"{repo}#{number}: not in any stored week (stored: {held}). It was not merged in these, or its week is not fetched yet."
    )


def _lines(repo: str, week: Week, told: dict[str, Any]) -> list[str]:
    kind, importance = told["change_kind"], told["importance"]
    lines = [f"{repo}#{told['number']} {_safe(told['title'])}", f"merged in {week}, by {_safe(told['author'])}", ""]
    lines.append(f"kind of change: {kind['is']} (rule {kind['rule']})")
    if importance:
        highlight = ", a highlight" if importance["is_highlight"] else ""
        lines += ["", f"importance {importance['importance']}, rank {importance['rank']} of the week{highlight}"]
        lines += [f"  {part['points']:+6.2f}  {part['component']}: {part['means']}" for part in importance["components"]]
    lines += ["", "themes"]
    lines += [
        f"  {theme['theme']}{' (first)' if theme['is_primary'] else ''}: {theme['rule']} {_safe(theme['evidence'])!r}"
        for theme in told["themes"]
    ]
    lines += _risk_lines(told)
    lines += ["", "links"] + [f"  {_safe(json.dumps(link, ensure_ascii=False, default=str))}" for link in told["links"]]
    lines += ["", f"files ({len(told['files'])})"]
    lines += [
        f"  {file['kind']:10} {_safe(file['path'])}  +{_count(file['added_lines_count'])} -{_count(file['removed_lines_count'])}"
        f"  {file['module']}  (rule {file['kind_rule']}{', core' if file['is_core'] else ''})"
        for file in told["files"][:_SHOWN_FILES]
    ]
    if len(told["files"]) > _SHOWN_FILES:
        lines.append(f"  ... and {len(told['files']) - _SHOWN_FILES} more; --json prints all")
    lines += ["", "measures"] + [f"  {name}: {_safe(value)}" for name, value in told["measures"].items()]
    if told["unknown_parts"]:
        lines += ["", f"not read: {', '.join(told['unknown_parts'])}"]
    return lines


def _risk_lines(told: dict[str, Any]) -> list[str]:
    lines = ["", "risks"]
    for risk in told["risks"]:
        lines.append(f"  {risk['severity']} {risk['rule']}: {_safe(risk['reason'])} (confidence {risk['confidence']})")
        lines += [f"      {_safe(row)}" for row in risk["evidence"]]
    return lines + [f"  unknown {rule['rule']}: needs {', '.join(rule['needs'])}" for rule in told["silent_rules"]]


def _safe(value: object) -> str:
    """Untrusted text for a terminal: what would steer it is shown, not sent."""
    text = "not known" if value is None else str(value)
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _count(lines: int | None) -> str:
    return "?" if lines is None else str(lines)
