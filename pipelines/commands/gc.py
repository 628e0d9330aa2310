"""``pullweek gc``: what in the warehouse nothing needs any more; removed only with ``--yes``."""

import argparse
import json
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from pipelines.commands.asking import open_warehouse
from pipelines.errors import PullweekError, WarehouseError
from pipelines.tables import TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import parse_week

# What a running command writes is younger: its files and folders stay.
_AT_REST_SECONDS = 3600.0


def run(options: argparse.Namespace) -> int:
    """List what may go, with its size and reason; remove it with ``--yes``."""
    warehouse = open_warehouse()
    found = [(path, reason, _size(path)) for path, reason in sorted(leftovers(warehouse, time.time()))]
    if options.json:
        rows = [{"path": str(path), "reason": reason, "bytes": size} for path, reason, size in found]
        print(json.dumps({"removed": options.yes, "found": rows}, indent=1))
    else:
        for path, reason, size in found:
            print(f"{size:>12,}  {path.relative_to(warehouse.root)}  ({reason})")
    if options.yes:
        for path, _, _ in found:
            _remove(path)
    elif found:
        print(f"{len(found)} to remove; nothing was removed. Run pullweek gc --yes.", file=sys.stderr)
    if not found and not options.json:
        print("nothing to remove")
    return 0


def leftovers(warehouse: Warehouse, now: float) -> Iterator[tuple[Path, str]]:
    """Files and folders below the root that nothing refers to, each with its reason; ``now`` in seconds since the epoch."""
    for path in warehouse.root.rglob(".*.tmp"):
        if _at_rest(path, now):
            yield path, "temporary file of an interrupted write"
    for path in (*warehouse.root.glob(".compare-*"), *(warehouse.root / "reports" / ".staging").glob("*")):
        if _at_rest(path, now):
            yield path, "temporary folder of an interrupted command"
    for path in (warehouse.root / ".checkpoints").glob("*/*"):
        repo = unquote(path.parent.name)
        if _is_whole(warehouse, repo, path.name) and _at_rest(path, now):
            yield path, "checkpoint of a week that is stored complete"
    for path in (warehouse.root / "tables").iterdir() if (warehouse.root / "tables").is_dir() else ():
        if path.name not in TABLES:
            yield path, "no table of this version has this name"
    yield from _derived_without_raw(warehouse)


def _derived_without_raw(warehouse: Warehouse) -> Iterator[tuple[Path, str]]:
    for table in TABLES.values():
        if not table.is_raw:
            for folder in (warehouse.root / "tables" / table.name).glob("repo=*/week=*"):
                repo, week = unquote(folder.parent.name.removeprefix("repo=")), folder.name.removeprefix("week=")
                try:
                    absent = warehouse.week_state(repo, parse_week(week)) == "absent"
                except PullweekError:  # a folder of somebody else's
                    continue
                if absent:
                    yield folder, "derived from raw tables that are gone"


def _is_whole(warehouse: Warehouse, repo: str, week: str) -> bool:
    try:
        return warehouse.week_state(repo, parse_week(week)) == "complete"
    except PullweekError:
        return False


def _at_rest(path: Path, now: float) -> bool:
    try:
        return now - path.stat().st_mtime > _AT_REST_SECONDS
    except FileNotFoundError:
        return False


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.stat().st_size for file in files if file.is_file())


def _remove(path: Path) -> None:
    try:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise WarehouseError(f"{path}: cannot be removed: {error.strerror}. Mend its permissions.") from error
