"""Rerunning stored weeks: pullweek against papermill and nbconvert in turn, and against itself through Dagster.

The weeks are real (``../shared/data/sglang``, 26 of about 240 pull requests), fetched once from the stand-in and
stored; what is measured only reads them. One run measures everything, so that the ratios hold on a noisy machine.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from pipelines.defs.assets import partition_key
from pipelines.defs.launch import prepared_home
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week, parse_range
from tests.github_standin import StandIn
from tests.github_standin.dataset import from_parquet

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "sglang"
REPO = "sgl-project/sglang"
PULLWEEK = [sys.executable, "-m", "pipelines.cli"]
SETTINGS = f'[repositories."{REPO}"]\ntimezone = "Asia/Shanghai"\nfirst_week = "2025-W27"\n'
LAST = "2026-W17"


@dataclass(frozen=True)
class Taken:
    """What a command took: wall seconds, and of it and all its children CPU seconds and the greatest memory together."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    output: str


@dataclass
class _Family:
    """A process and all that come of it, looked at while they live; what is shared between them counts once."""

    pid: int
    peak_mb: float = 0.0
    cpu_seconds: dict[int, float] = field(default_factory=dict)

    def watch(self) -> None:
        """Look until the process is gone."""
        with contextlib.suppress(psutil.NoSuchProcess):
            root = psutil.Process(self.pid)
            while root.is_running() and root.status() != psutil.STATUS_ZOMBIE:
                self.peak_mb = max(self.peak_mb, sum(self._look(each) for each in [root, *root.children(recursive=True)]))
                time.sleep(0.1)

    def _look(self, process: psutil.Process) -> float:
        """Megabytes of one process; what it shares with others in equal parts (PSS)."""
        try:
            times = process.cpu_times()
            self.cpu_seconds[process.pid] = times.user + times.system
            return float(process.memory_full_info().pss) / 2**20
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return 0.0


def take(command: list[str], environment: dict[str, str]) -> Taken:
    """Run a command to its end and measure it; its own failure ends the benchmark."""
    began = time.monotonic()
    with subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        family = _Family(child.pid)
        watcher = threading.Thread(target=family.watch)
        watcher.start()
        output, errors = child.communicate()
        seconds = time.monotonic() - began
        watcher.join()
    if child.returncode:
        raise SystemExit(f"{' '.join(command)}: status {child.returncode}\n{errors[-3000:]}")
    return Taken(seconds, sum(family.cpu_seconds.values()), family.peak_mb, output)


def backfill(weeks: list[Week], *flags: str) -> list[str]:
    """The command for a range."""
    return [*PULLWEEK, "backfill", REPO, f"{weeks[0]}..{weeks[-1]}", "--json", *flags]


def dagster(weeks: list[Week], *, rerun: bool) -> list[str]:
    """The same range through Dagster's own command."""
    config = {"ops": {"weeks__sgl_2d_project__sglang": {"config": {"rerun": rerun}}}}
    first, last = partition_key(weeks[0]), partition_key(weeks[-1])
    return [
        *(str(Path(sys.executable).parent / "dagster"), "asset", "materialize", "-m", "pipelines.definitions"),
        *(
            "--select",
            "group:sgl_2d_project__sglang",
            "--partition-range",
            f"{first}...{last}",
            "--config-json",
            json.dumps(config),
        ),
    ]


def imports_and_kernel(environment: dict[str, str]) -> float:
    """Seconds to import dagster and pandas and to start one kernel: the yardstick of one stored week."""
    code = "import dagster, pandas; from pipelines.report.export_kernel import Kernel\nwith Kernel(): pass"
    return take([sys.executable, "-c", code], environment).seconds


def main(arguments: list[str]) -> int:
    """Measure and print; 1 where a bound does not hold, 0 too where the data is absent."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--weeks", type=int, default=26)
    options = parser.parse_args(arguments)
    if not DATA.exists():
        print("skipped: ../shared/data/sglang is not there")
        return 0
    last = parse_range(LAST)[0]
    weeks = parse_range(f"{last.shift(1 - options.weeks)}..{LAST}")
    with tempfile.TemporaryDirectory() as folder:
        return _measure(Path(folder), weeks)


def _measure(folder: Path, weeks: list[Week]) -> int:
    (folder / "pullweek.toml").write_text(SETTINGS, encoding="utf-8")
    warehouse = Warehouse(folder / "warehouse")
    environment = os.environ | {
        "PULLWEEK_WAREHOUSE": str(warehouse.root),
        "PULLWEEK_SETTINGS": str(folder / "pullweek.toml"),
        "DAGSTER_HOME": str(prepared_home(warehouse)),
        "PYTHONWARNINGS": "ignore",
        "GITHUB_TOKEN": "made-up",
    }
    dataset = from_parquet(DATA / "pulls.parquet", DATA / "files.parquet", REPO)
    with StandIn(dataset) as server:
        first = take(backfill(weeks), environment | {"GITHUB_API_URL": server.url})
    environment["GITHUB_API_URL"] = "http://127.0.0.1:9"  # from here on nobody answers: nothing may be fetched
    reports = warehouse.report_folder(REPO, weeks[0]).parent
    count = len(weeks)
    yardstick = min(imports_and_kernel(environment) for _ in range(2))
    rows = {
        "fetched, derived, rendered": first,
        "(a) papermill + nbconvert, zh only": take(
            [sys.executable, "-m", "benchmarks.plain_reruns", str(reports), *map(str, weeks)], environment
        ),
        "(b) pullweek backfill": take(backfill(weeks), environment),
        "(b) pullweek backfill --rerun": take(backfill(weeks, "--rerun"), environment),
        "(c) Dagster": take(dagster(weeks, rerun=False), environment),
        "(c) Dagster, rerun": take(dagster(weeks, rerun=True), environment),
        "(b) 4 weeks": take(backfill(weeks[-4:]), environment),
        "(b) 4 weeks --rerun": take(backfill(weeks[-4:], "--rerun"), environment),
        "one stored week": take(backfill(weeks[-1:]), environment),
        "one stored week --rerun": take(backfill(weeks[-1:], "--rerun"), environment),
    }
    print(f"{count} weeks to {weeks[-1]}; dagster and pandas imported, one kernel started: {yardstick:.1f} s")
    print(f"{'':38} {'seconds':>8} {'a week':>7} {'CPU':>7} {'peak MB':>8}")
    for name, taken in rows.items():
        many = 4 if "4 weeks" in name else 1 if "one" in name else count
        print(f"{name:38} {taken.seconds:8.1f} {taken.seconds / many:7.2f} {taken.cpu_seconds:7.1f} {taken.peak_mb:8.0f}")
    plain, ours, through = (
        rows[name].seconds for name in ("(a) papermill + nbconvert, zh only", "(b) pullweek backfill", "(c) Dagster")
    )
    again, one = rows["(b) pullweek backfill --rerun"].seconds, rows["one stored week"].seconds
    bounds = {
        f"(b) at least 5 times faster than (a): {plain / ours:.1f} times (with --rerun {plain / again:.1f})": plain / ours >= 5,
        f"one stored week in at most twice the yardstick: {one / yardstick:.2f}": one <= 2 * yardstick,
        f"(c) at most 1.5 times (b) plus Dagster's start ({yardstick:.1f} s): {through:.1f} s": through <= 1.5 * ours + yardstick,
        "under 1 GB": all(taken.peak_mb < 1024 for taken in rows.values()),
    }
    for said, holds in bounds.items():
        print(f"{'holds ' if holds else 'BEYOND'} {said}")
    return int(not all(bounds.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
