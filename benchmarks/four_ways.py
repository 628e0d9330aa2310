"""Thirteen real weeks made in every way there is, from the same raw tables: every file must be the same, byte for byte.

One by one, as a range, through Dagster's own command, by two processes after each other in other time zones, locales
and hash seeds, and by two processes at once over the same weeks. Prints what each way made, as a count and one hash.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.reruns import DATA, LAST, PULLWEEK, REPO, ROOT, SETTINGS, backfill, dagster, environment_of
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week, parse_range
from tests.github_standin import StandIn
from tests.github_standin.dataset import from_parquet

_ELSEWHERE = (
    {"TZ": "Pacific/Apia", "LANG": "tr_TR.UTF-8", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"},
    {"TZ": "America/St_Johns", "LANG": "de_DE.UTF-8", "LC_ALL": "C", "PYTHONHASHSEED": "4242"},
)
Way = Callable[[dict[str, str], list[Week]], None]


def run(command: list[str], environment: dict[str, str]) -> None:
    """Run a command to its end; its own failure ends the benchmark."""
    ended = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{' '.join(command)}: status {ended.returncode}\n{ended.stderr[-3000:]}")


def _one_by_one(environment: dict[str, str], weeks: list[Week]) -> None:
    for week in weeks:
        run([*PULLWEEK, "report", REPO, str(week)], environment)


def _range(environment: dict[str, str], weeks: list[Week]) -> None:
    run(backfill(weeks), environment)


def _dagster(environment: dict[str, str], weeks: list[Week]) -> None:
    run(dagster(weeks), environment)


def _elsewhere(environment: dict[str, str], weeks: list[Week]) -> None:
    half = len(weeks) // 2
    for part, other in zip((weeks[:half], weeks[half:]), _ELSEWHERE, strict=True):
        if part:
            run(backfill(part), environment | other)


def _at_once(environment: dict[str, str], weeks: list[Week]) -> None:
    children = [
        subprocess.Popen(backfill(weeks), env=environment | other, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for other in _ELSEWHERE
    ]
    if sum(child.wait() for child in children):
        raise SystemExit("two backfills at once: one of them failed")


WAYS: dict[str, Way] = {
    "one by one": _one_by_one,
    "as a range": _range,
    "through Dagster": _dagster,
    "two processes, elsewhere": _elsewhere,
    "two processes at once": _at_once,
}


def files_of(root: Path) -> dict[str, str]:
    """The hash of every table's and page's file below a warehouse's root."""
    found = (path for part in ("tables", "reports") for path in (root / part).rglob("*"))
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in found
        if path.is_file() and path.name != ".publish.lock"
    }


def main(arguments: list[str]) -> int:
    """Make the weeks in every way and compare; 1 where a file differs, 0 too where the data is absent."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--weeks", type=int, default=13)
    options = parser.parse_args(arguments)
    if not DATA.exists():
        print("skipped: ../shared/data/sglang is not there")
        return 0
    last = parse_range(LAST)[0]
    weeks = parse_range(f"{last.shift(1 - options.weeks)}..{LAST}")
    with tempfile.TemporaryDirectory() as folder:
        return _compare(Path(folder), weeks)


def _compare(folder: Path, weeks: list[Week]) -> int:
    settings = folder / "pullweek.toml"
    settings.write_text(SETTINGS, encoding="utf-8")
    fetched = folder / "fetched"
    with StandIn(from_parquet(DATA / "pulls.parquet", DATA / "files.parquet", REPO)) as server:
        run(
            backfill(weeks),
            environment_of(Warehouse(fetched), settings) | {"GITHUB_API_URL": server.url, "GITHUB_TOKEN": "made-up"},
        )
    first, differing = files_of(fetched), 0
    print(f"{len(weeks)} weeks, {weeks[0]} to {weeks[-1]}\n{'fetched and made':26} {len(first):6d} files  {_one_hash(first)}")
    for name, way in WAYS.items():
        root = folder / name.replace(" ", "-")
        for table in (fetched / "tables").glob("raw_*"):
            shutil.copytree(table, root / "tables" / table.name)
        way(environment_of(Warehouse(root), settings), weeks)
        made = files_of(root)
        other = sorted(path for path in first.keys() | made.keys() if first.get(path) != made.get(path))
        differing += len(other)
        print(f"{name:26} {len(made):6d} files  {_one_hash(made)}  {f'DIFFERS: {other[:3]}' if other else 'the same'}", flush=True)
        shutil.rmtree(root)
    return int(differing > 0)


def _one_hash(files: dict[str, str]) -> str:
    return hashlib.sha256("\n".join(f"{path} {files[path]}" for path in sorted(files)).encode()).hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
