"""Reading one week of pull requests: pullweek against the plain PyGithub loop and other readers, on one stand-in.

One run, one stand-in for GitHub with 120 ms before each answer, one week of real merge facts (descriptions, reviews and
threads are made up by the stand-in). Each reader is a process of its own; requests and points are counted by the stand-in,
seconds and peak memory by the system. Other readers run where ``PULLWEEK_OTHER_READERS`` names a folder that holds an
environment of each (``perceval``, ``github-to-sqlite``, ``tap-github``); those that cannot be pointed at another host are named.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from benchmarks.shared_data import FOLDER, REPO, TIMEZONE, is_there
from pipelines.weeks import Window, parse_week

WEEK = "2026-W17"
SERVED = ("2026-W14", "2026-W21")
LATENCY_MS = 120
REQUESTS_MAX, POINTS_MAX = 50, 80  # issue 3's bounds, for 336 pull requests
REFRESH_REQUESTS_MAX = 6
FAULTS_FACTOR_MAX = 1.5
FEWER_REQUESTS_MIN, LESS_TIME_MIN = 20, 10
OTHERS_VARIABLE = "PULLWEEK_OTHER_READERS"
OTHER_SECONDS_MAX = 240  # none of them is waited for longer
START_SECONDS_MAX = 60
_TOKEN = "benchmark"  # noqa: S105  # because: the stand-in takes any

Json = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """What one reader did: counted by the stand-in, measured by the system; ``got`` is its own word."""

    reader: str
    requests: int
    points: int
    seconds: float
    peak_mb: float
    got: Json


@contextlib.contextmanager
def stand_in(*options: str) -> Iterator[str]:
    """The address of a stand-in that serves the weeks around the one that is read."""
    weeks = ("--from", SERVED[0], "--to", SERVED[1])
    data = ("--pulls", str(FOLDER / "pulls.parquet"), "--files", str(FOLDER / "files.parquet"), "--repo", REPO)
    command = [sys.executable, "-m", "tests.github_standin", *data, *weeks, "--latency-ms", str(LATENCY_MS), *options]
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output)
        try:
            yield _address(output)
        finally:
            process.terminate()
            process.wait()


def _address(output: IO[str]) -> str:
    deadline = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline:
        output.seek(0)
        first = output.readline()
        if first.endswith("\n"):
            return first.split()[-1]
        time.sleep(0.05)
    raise RuntimeError(f"the stand-in did not start within {START_SECONDS_MAX} s")


def steer(url: str, what: str, body: object = None) -> Json:
    """Ask the stand-in for its counts, or steer it."""
    data = None if what == "stats" else json.dumps(body if body is not None else []).encode()
    request = urllib.request.Request(f"{url}/_standin/{what}", data=data, method="GET" if data is None else "POST")  # noqa: S310  # because: our own server
    with urllib.request.urlopen(request) as answer:  # noqa: S310  # because: our own server
        found: Json = json.load(answer)
        return found


def _last_line(output: str) -> Json:
    found: Json = json.loads(output.strip().splitlines()[-1])
    return found


def measure(reader: str, url: str, command: list[str], count: Callable[[str], Json] = _last_line) -> Run:
    """Run a reader as a process; ``count`` tells from its output what it got, or its failure is told."""
    steer(url, "reset")
    begun = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        peak_mb, status = _peak_mb(process)
        seconds = time.perf_counter() - begun
        output.seek(0)
        errors.seek(0)
        got = count(output.read()) if status == 0 else _failure(status, errors.read())
    stats = steer(url, "stats")
    return Run(reader, stats["requests"], stats["points"], seconds, peak_mb, got)


def _peak_mb(process: "subprocess.Popen[bytes]") -> tuple[float, int]:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss / 1024, process.returncode


def _failure(status: int, errors: str) -> Json:
    said = (errors.strip().splitlines() or ["no word"])[-1]
    return {"failed": f"exit {status}: {said[:100]}"}


def ours(way: str, url: str, folder: str, at: str) -> list[str]:
    """The command of one of our own readings."""
    return [sys.executable, "-m", "benchmarks.readers", way, url, folder, at]


def pullweek_runs(url: str, folder: str) -> list[Run]:
    """pullweek: a recent week, an old one, the same again unchanged, and with a tenth of the answers 502."""
    soon, later = "2026-05-15T06:00:00+00:00", "2026-11-01T06:00:00+00:00"
    runs = [measure("pullweek, recent week", url, ours("fetch", url, folder, soon))]
    runs.append(measure("pullweek, old week", url, ours("fetch", url, folder, later)))
    runs.append(measure("pullweek, refresh", url, ours("refresh", url, folder, later)))
    steer(url, "faults", [{"fault": "502", "probability": 0.1, "seed": 17}])
    runs.append(measure("pullweek, 10 % faults", url, ours("fetch", url, folder, later)))
    steer(url, "faults", [])
    return runs


def other_runs(url: str, window: Window, folder: str) -> tuple[list[Run], list[str]]:
    """Other people's readers as far as they are installed; a line on each that is not, or cannot be pointed here."""
    said = ["github-to-sqlite: cannot be pointed at another host (api.github.com is written in its code)"]
    said.append("dlt: its GitHub reader is not on the package index (dlt init copies it from GitHub)")
    root = os.environ.get(OTHERS_VARIABLE)
    if not root:
        return [], [*said, f"perceval, tap-github: set {OTHERS_VARIABLE} to a folder of their environments"]
    owner, _, name = REPO.partition("/")
    since = f"{window.start_utc:%Y-%m-%dT%H:%M:%SZ}"
    runs = []
    perceval, tap = Path(root, "perceval", "bin", "perceval"), Path(root, "tap-github", "bin", "tap-github")
    if perceval.exists():
        asked = [str(perceval), "github", owner, name, "--category", "pull_request", "--enterprise-url", url]
        asked += ["--from-date", since, "-t", _TOKEN, "--json-line"]
        runs.append(measure("perceval", url, ["timeout", str(OTHER_SECONDS_MAX), *asked], _of_perceval))
    if tap.exists():
        runs.append(_tap(url, tap, since, folder))
    return runs, said


def _of_perceval(output: str) -> Json:
    """What Perceval printed: an item a pull request, with its reviews and comments inside."""
    items = [json.loads(line)["data"] for line in output.splitlines() if line.startswith("{")]
    if not items:
        return {"failed": "nothing: it lists by /issues, which the stand-in does not serve"}
    reviews = sum(len(item["reviews_data"]) for item in items)
    comments = sum(len(item["review_comments_data"]) for item in items)
    return {"pulls": len(items), "files": "none", "reviews": reviews, "threads": "none", "comments": comments, "whole": "not told"}


def _tap(url: str, tap: Path, since: str, folder: str) -> Run:
    """tap-github: its catalogue first, with the streams of pull requests chosen, then the reading."""
    config, chosen = Path(folder, "tap.json"), Path(folder, "catalogue.json")
    known = {"access_token": _TOKEN, "repository": REPO, "start_date": since, "base_url": url}
    config.write_text(json.dumps(known), encoding="utf-8")
    found = subprocess.run([tap, "--config", config, "--discover"], capture_output=True, text=True, check=False)
    if found.returncode:
        return Run("tap-github", 0, 0, 0.0, 0.0, _failure(found.returncode, found.stderr))
    catalogue = json.loads(found.stdout)
    for stream in catalogue["streams"]:
        for entry in stream["metadata"]:
            entry["metadata"]["selected"] = True
    chosen.write_text(json.dumps(catalogue), encoding="utf-8")
    command = ["timeout", str(OTHER_SECONDS_MAX), str(tap), "--config", str(config), "--properties", str(chosen)]
    return measure("tap-github", url, command, _of_tap)


def _of_tap(output: str) -> Json:
    """What tap-github printed: a line a record, with the name of its stream."""
    records = (json.loads(line) for line in output.splitlines() if line.startswith('{"type": "RECORD"'))
    counts = Counter(record["stream"] for record in records)
    got = {"pulls": counts["pull_requests"], "reviews": counts["reviews"], "comments": counts["review_comments"]}
    return got | {"files": "none", "threads": "none", "whole": "not told"}


def table(runs: list[Run]) -> str:
    """The runs as a Markdown table."""
    head = "| reader | requests | points | seconds | peak MB | pull requests | files | reviews | thread state | comments | whole |"
    lines = [head, "|---" * 11 + "|"]
    for run in runs:
        got = run.got
        cost = [run.reader, str(run.requests), str(run.points), f"{run.seconds:.1f}", f"{run.peak_mb:.0f}"]
        told = [str(got.get(name, "-")) for name in ("pulls", "files", "reviews", "threads", "comments")]
        lines.append(f"| {' | '.join([*cost, *told, str(got.get('failed', got.get('whole', '-')))])} |")
    return "\n".join(lines)


def verdicts(runs: list[Run]) -> dict[str, bool]:
    """Issue 3's bounds and whether they hold."""
    by = {run.reader: run for run in runs}
    recent, old = by["pullweek, recent week"], by["pullweek, old week"]
    bounds = {
        f"at most {REQUESTS_MAX} requests and {POINTS_MAX} points": all(
            run.requests <= REQUESTS_MAX and run.points <= POINTS_MAX for run in (recent, old)
        ),
        f"refresh at most {REFRESH_REQUESTS_MAX} requests": by["pullweek, refresh"].requests <= REFRESH_REQUESTS_MAX,
        f"with 10 % faults complete, at most {FAULTS_FACTOR_MAX} times the requests": (
            by["pullweek, 10 % faults"].got.get("whole") == "complete"
            and by["pullweek, 10 % faults"].requests <= FAULTS_FACTOR_MAX * old.requests
        ),
    }
    if "plain PyGithub loop" in by:
        plain = by["plain PyGithub loop"]
        share = plain.got.get("pulls", 0) / max(1, recent.got.get("pulls", 1))  # 1 unless it was cut short by --plain-pulls
        bounds[f"{FEWER_REQUESTS_MIN} times fewer requests than the plain loop"] = (
            plain.requests >= FEWER_REQUESTS_MIN * recent.requests * share
        )
        bounds[f"{LESS_TIME_MIN} times less time than the plain loop"] = plain.seconds >= LESS_TIME_MIN * recent.seconds * share
    return bounds


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table and the verdicts; 1 where a bound does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plain-pulls", type=int, default=0, help="pull requests the plain loop reads; 0 for all (minutes)")
    asked = parser.parse_args(arguments)
    if not is_there():
        print("ingest: ../shared/data/sglang is not there; nothing is measured")
        return 0
    window = parse_week(WEEK).window(TIMEZONE)
    with stand_in() as url, tempfile.TemporaryDirectory() as folder:
        runs = pullweek_runs(url, folder)
        runs.append(measure("plain PyGithub loop", url, ours("plain", url, folder, str(asked.plain_pulls))))
        others, said = other_runs(url, window, folder)
    runs += others
    bounds = verdicts(runs)
    print(f"One week ({WEEK}, {TIMEZONE}), {LATENCY_MS} ms a request\n\n{table(runs)}\n")
    print(
        "\n".join(
            [
                *(f"not run: {line}" for line in said),
                "",
                *(f"{'holds' if holds else 'FAILS'}: {name}" for name, holds in bounds.items()),
            ]
        )
    )
    return 0 if all(bounds.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
