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
LAST = "2026-W22"
#: Derived again and rendered where it came out different; derived and rendered again.
_AGAIN = ("--rerun", "--rerender")


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
                time.sleep(0.3)

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


def dagster(weeks: list[Week], **config: bool) -> list[str]:
    """The same range through Dagster's own command."""
    told = json.dumps({"ops": {"weeks__sgl_2d_project__sglang": {"config": config}}})
    span = f"{partition_key(weeks[0])}...{partition_key(weeks[-1])}"
    chosen = ["--select", "group:sgl_2d_project__sglang", "--partition-range", span, "--config-json", told]
    return [*_materialize("pipelines.definitions"), *chosen]


def _materialize(module: str) -> list[str]:
    return [str(Path(sys.executable).parent / "dagster"), "asset", "materialize", "-m", module]


def imports_and_kernel(environment: dict[str, str]) -> float:
    """Seconds to import dagster and pandas and to start one kernel: the yardstick of one stored week."""
    code = (
        "import dagster, pandas; from jupyter_client.manager import start_new_kernel; "
        "manager, client = start_new_kernel(); client.stop_channels(); manager.shutdown_kernel(now=True)"
    )
    return take([sys.executable, "-c", code], environment).seconds


def main(arguments: list[str]) -> int:
    """Measure and print; 1 where a bound does not hold, 0 too where the data is absent."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--weeks", type=int, default=26, help="of the comparison")
    parser.add_argument("--most", type=int, default=48, help="weeks up to which the cost of a week must stay flat")
    options = parser.parse_args(arguments)
    if not DATA.exists():
        print("skipped: ../shared/data/sglang is not there")
        return 0
    last = parse_range(LAST)[0]
    weeks = parse_range(f"{last.shift(1 - max(options.weeks, options.most))}..{LAST}")
    with tempfile.TemporaryDirectory() as folder:
        return _measure(Path(folder), weeks, options.weeks)


def environment_of(warehouse: Warehouse, settings: Path) -> dict[str, str]:
    """The environment of a command on a warehouse: with neither a token nor a network, so that nothing may be fetched."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    return kept | {
        "PULLWEEK_WAREHOUSE": str(warehouse.root),
        "PULLWEEK_SETTINGS": str(settings),
        "DAGSTER_HOME": str(prepared_home(warehouse)),
        "PYTHONWARNINGS": "ignore",
    }


def _measure(folder: Path, stored: list[Week], count: int) -> int:
    settings, warehouse = folder / "pullweek.toml", Warehouse(folder / "warehouse")
    settings.write_text(SETTINGS, encoding="utf-8")
    environment = environment_of(warehouse, settings)
    dataset = from_parquet(DATA / "pulls.parquet", DATA / "files.parquet", REPO)
    with StandIn(dataset) as server:
        first = take(backfill(stored), environment | {"GITHUB_API_URL": server.url, "GITHUB_TOKEN": "made-up"})
    weeks, reports = stored[-count:], warehouse.report_folder(REPO, stored[0]).parent
    yardstick = min(imports_and_kernel(environment) for _ in range(2))
    start = [*_materialize("benchmarks.dagster_start"), "--select", "nothing", "--partition", "one"]
    dagster_start = min(take(start, environment).seconds for _ in range(2))
    plain = [sys.executable, "-m", "benchmarks.plain_reruns", str(reports)]
    names = [str(week) for week in weeks]
    runs: list[tuple[str, int, list[str]]] = [
        ("(a) papermill + nbconvert, zh", count, [*plain, "zh", *names]),
        ("(a) papermill + nbconvert, zh and en", count, [*plain, "zh,en", *names]),
        ("(b) backfill", count, backfill(weeks)),
        ("(b) backfill --rerun", count, backfill(weeks, "--rerun")),
        ("(b) backfill --rerender", count, backfill(weeks, "--rerender")),
        ("(c) Dagster", count, dagster(weeks)),
        ("(c) Dagster, rerun", count, dagster(weeks, rerun=True)),
        ("(c) Dagster, rerender", count, dagster(weeks, rerender=True)),
        *((f"(b) 4 weeks {flag}", 4, backfill(weeks[-4:], flag)) for flag in _AGAIN),
        *((f"(b) {len(stored)} weeks {flag}", len(stored), backfill(stored, flag)) for flag in _AGAIN),
        ("one stored week", 1, backfill(weeks[-1:])),
        *((f"one stored week {flag}", 1, backfill(weeks[-1:], flag)) for flag in _AGAIN),
    ]
    print(
        f"{count} weeks to {weeks[-1]}; dagster and pandas imported, one kernel started: {yardstick:.1f} s; "
        f"an asset that makes nothing through Dagster: {dagster_start:.1f} s"
    )
    print(f"{'':38} {'seconds':>8} {'a week':>7} {'CPU':>7} {'peak MB':>8}")
    taken = {"fetched, derived, rendered": first}
    _print("fetched, derived, rendered", len(stored), first)
    for name, many, command in runs:
        taken[name] = take(command, environment)
        _print(name, many, taken[name])
    parts = json.loads(take([sys.executable, "-m", "benchmarks.one_week", str(warehouse.root), REPO, LAST], environment).output)
    print("one week in one process: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in parts.items()))
    seconds = {name: each.seconds for name, each in taken.items()} | {"yardstick": yardstick, "Dagster's start": dagster_start}
    bounds = _bounds(seconds, count, len(stored)) | {"under 1 GB": all(each.peak_mb < 1024 for each in taken.values())}
    for said, holds in bounds.items():
        print(f"{'holds ' if holds else 'BEYOND'} {said}")
    return int(not all(bounds.values()))


def _print(name: str, many: int, taken: Taken) -> None:
    print(f"{name:38} {taken.seconds:8.1f} {taken.seconds / many:7.2f} {taken.cpu_seconds:7.1f} {taken.peak_mb:8.0f}", flush=True)


def _bounds(seconds: dict[str, float], count: int, most: int) -> dict[str, bool]:
    """Each bound with its figure, and whether it holds; what is current, derived again and rendered again apart."""
    zh, both = seconds["(a) papermill + nbconvert, zh"], seconds["(a) papermill + nbconvert, zh and en"]
    bounds: dict[str, bool] = {}
    for flag, least in (("", 5.0), (" --rerun", 5.0), (" --rerender", 2.5)):
        ours = seconds[f"(b) backfill{flag}"]
        said = f"(b){flag} at least {least:g} times faster than (a) in two languages: {both / ours:.1f} (in one {zh / ours:.1f})"
        bounds[said] = both / ours >= least
    bounds[f"(b) at least 5 times faster than (a) in one language: {zh / seconds['(b) backfill']:.1f}"] = (
        zh / seconds["(b) backfill"] >= 5
    )
    one = {flag: seconds[f"one stored week{flag}"] / seconds["yardstick"] for flag in ("", " --rerun", " --rerender")}
    said = f"one stored week in at most twice the yardstick: {one['']:.2f}, --rerun {one[' --rerun']:.2f}"
    bounds[f"{said} (--rerender {one[' --rerender']:.2f})"] = max(one[""], one[" --rerun"]) <= 2
    for flag in ("", " --rerun", " --rerender"):
        ours, theirs = seconds[f"(b) backfill{flag}"], seconds["(c) Dagster" + flag.replace(" --", ", ")]
        most_seconds = 1.5 * ours + seconds["Dagster's start"]
        bounds[f"(c){flag} at most 1.5 times (b) and Dagster's start: {theirs:.1f} s of {most_seconds:.1f}"] = (
            theirs <= most_seconds
        )
    for flag in _AGAIN:
        again = seconds[f"(b) backfill {flag}"]
        early = (again - seconds[f"(b) 4 weeks {flag}"]) / (count - 4)
        late = (seconds[f"(b) {most} weeks {flag}"] - again) / max(most - count, 1)
        bounds[f"a week costs the same from 4 to {count} and to {most}, {flag}: {early:.2f} s, {late:.2f} s"] = late <= 1.25 * early
    return bounds


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
