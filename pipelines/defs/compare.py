"""What a rerun of a stored week would change, by table and by sentence, and which input did it.

The rerun happens beside the warehouse, in a temporary folder of hard links; nothing stored is touched.
"""

import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pipelines.defs.current import derived_stands_on, pages_version, stored_pages_version
from pipelines.defs.steps import about_rules, derive_week
from pipelines.errors import WarehouseError
from pipelines.settings import RepositorySettings
from pipelines.tables import DERIVED_TABLES, TABLES, Table
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week

if TYPE_CHECKING:
    import pyarrow as pa

#: What a derived table stands on, and how a reader calls it.
CAUSES = {"raw": "data of the week", "history": "data of the weeks before", "rules": "rules", "settings": "settings"}


@dataclass(frozen=True)
class TableChange:
    """How a table's rows differ: keys only in the rerun, only in the store, and in both with other values."""

    table: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    columns: tuple[str, ...]  # columns in which rows differ


@dataclass(frozen=True)
class WeekChange:
    """The difference between a stored week and its rerun; empty where there is none."""

    causes: tuple[str, ...]
    tables: tuple[TableChange, ...]
    sentences_gone: tuple[str, ...] = field(default=())
    sentences_new: tuple[str, ...] = field(default=())

    @property
    def is_empty(self) -> bool:
        """Whether the rerun gives what is stored."""
        return not (self.tables or self.sentences_gone or self.sentences_new)


def compare_week(warehouse: Warehouse, entry: RepositorySettings, week: Week) -> WeekChange:
    """Derive and report the week again, beside the warehouse, and hold both against each other."""
    stored_report = warehouse.report_folder(entry.name, week) / "report.json"
    if not stored_report.exists():
        raise WarehouseError(f"{entry.name} {week}: no report is stored to compare with. Run pullweek report {entry.name} {week}.")
    wanted = derived_stands_on(warehouse, entry, week)
    stored = warehouse.stands_on(TABLES["derived_follow_ups"], entry.name, week)
    causes = [CAUSES[key] for key in CAUSES if stored.get(key) != wanted[key]]
    if stored_pages_version(stored_report.parent) != pages_version():
        causes.append("words and pages")
    with tempfile.TemporaryDirectory(dir=warehouse.root, prefix=".compare-") as folder:
        beside = _linked(warehouse, entry.name, week, Path(folder))
        derive_week(beside, entry, week)
        tables = tuple(change for table in DERIVED_TABLES if (change := _table_change(warehouse, beside, table, entry.name, week)))
        gone, new = _sentence_changes(json.loads(stored_report.read_bytes()), beside, entry, week)
    return WeekChange(tuple(causes), tables, gone, new)


def _linked(warehouse: Warehouse, repo: str, week: Week, folder: Path) -> Warehouse:
    """A warehouse of hard links to the repository's tables, the week's derived ones left out."""
    left_out = {warehouse.path(table, repo, week) for table in DERIVED_TABLES}
    for path in (warehouse.root / "tables").glob(f"*/repo={quote(repo, safe='')}/week=*/part-0.parquet"):
        if path not in left_out:
            target = folder / path.relative_to(warehouse.root)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, target)
    return Warehouse(folder)


def _table_change(stored: Warehouse, rerun: Warehouse, table: Table, repo: str, week: Week) -> TableChange | None:
    before = _rows(stored.read_arrow(table, repo, week), table) if stored.path(table, repo, week).exists() else {}
    after = _rows(rerun.read_arrow(table, repo, week), table)
    changed = [key for key in before.keys() & after.keys() if before[key] != after[key]]
    added, removed = after.keys() - before.keys(), before.keys() - after.keys()
    if not (changed or added or removed):
        return None
    columns = {name for key in changed for name in after[key] if before[key].get(name) != after[key][name]}
    return TableChange(table.name, *(tuple(sorted(keys)) for keys in (added, removed, changed, columns)))


def _rows(table: "pa.Table", contract: Table) -> dict[str, dict[str, Any]]:
    return {" ".join(str(row[name]) for name in contract.key): row for row in table.to_pylist()}


def _sentence_changes(
    stored: dict[str, Any], beside: Warehouse, entry: RepositorySettings, week: Week
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    from pipelines.report.facts import build_report, report_bytes

    rerun = json.loads(report_bytes(build_report(beside, entry.name, week, about_rules(entry))))
    before, after = sentences_of(stored), sentences_of(rerun)
    return tuple(line for line in before if line not in set(after)), tuple(line for line in after if line not in set(before))


def sentences_of(report: dict[str, Any]) -> list[str]:
    """Every sentence of a report as plain text with its place, in the order of the page."""
    found: list[str] = []

    def walk(node: object, place: str) -> None:
        if isinstance(node, dict) and "parts" in node:
            found.append(f"{place}: {''.join(_plain(part) for part in node['parts'])}")
        elif isinstance(node, dict):
            for key, value in node.items():
                walk(value, f"{place}.{key}" if place else key)
        elif isinstance(node, list):
            for value in node:
                walk(value, place)

    walk(report["prose"], "")
    return found


def _plain(part: dict[str, Any]) -> str:
    if "fact" in part:
        return str(part["shown"])
    (value,) = (part[key] for key in ("text", "pull", "title", "name", "code", "quote", "theme") if key in part)
    return f"#{value}" if "pull" in part else f"(title of #{value})" if "title" in part else str(value)
