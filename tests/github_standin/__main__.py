"""``python -m tests.github_standin``: serve a data set until interrupted, then print what was asked."""

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

from pipelines.weeks import parse_week
from tests.github_standin.core import Core, Options
from tests.github_standin.dataset import Dataset, from_parquet, from_sample
from tests.github_standin.faults import parse_flag, script
from tests.github_standin.server import HOST, listen


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.github_standin", description=__doc__)
    parser.add_argument("--pulls", type=Path, help="Parquet file of merge commits")
    parser.add_argument("--files", type=Path, help="Parquet file of changed files")
    parser.add_argument("--repo", default="acme/lattice", help="OWNER/NAME under which --pulls is served")
    parser.add_argument("--sample", action="store_true", help="serve the project's sample instead")
    parser.add_argument("--from", dest="first", help="first week to serve, such as 2026-W05 (in UTC)")
    parser.add_argument("--to", dest="last", help="last week to serve")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--exact", action="store_true", help="execute with graphql-core itself: slow")
    parser.add_argument("--latency-ms", type=float, default=0.0, help="wait before each answer")
    parser.add_argument("--node-latency-us", type=float, default=0.0, help="further wait for each node of the answer")
    parser.add_argument("--compute-limit", type=int, help="more nodes than that end in RESOURCE_LIMITS_EXCEEDED")
    parser.add_argument("--compute-answer", choices=("null", "502"), default="null", help="what passing the compute limit answers")
    parser.add_argument("--points", type=int, default=5_000, help="points an hour")
    parser.add_argument("--enterprise", action="store_true", help="no rate limits")
    parser.add_argument("--token", action="append", help="a good token; without any, every one not beginning with 'bad' is good")
    parser.add_argument(
        "--without", action="append", default=[], help="a field the schema lacks, such as PullRequest.fullDatabaseId"
    )
    parser.add_argument("--fault", action="append", default=[], type=parse_flag, help="such as 502,kind=Details,nth=3")
    parser.add_argument("--faults", type=Path, help="JSON file with a list of fault rules")
    return parser


def _dataset(given: argparse.Namespace) -> Dataset:
    if given.sample:
        return from_sample()
    if given.pulls is None or given.files is None:
        sys.exit("stand-in: nothing to serve. Give --sample, or --pulls and --files.")
    first = parse_week(given.first).window("UTC").start_utc if given.first else None
    last = parse_week(given.last).window("UTC").end_utc if given.last else None
    return from_parquet(given.pulls, given.files, given.repo, first=first, last=last)


def _options(given: argparse.Namespace) -> Options:
    return Options(
        exact=given.exact,
        latency_ms=given.latency_ms,
        node_latency_us=given.node_latency_us,
        compute_limit=given.compute_limit,
        compute_answer=given.compute_answer,
        tokens=given.token,
        enterprise=given.enterprise,
        without=given.without,
        points=given.points,
    )


async def _serve(core: Core, port: int) -> None:
    stop = asyncio.Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(one, stop.set)
    runner, chosen = await listen(core, port)
    print(f"listening on http://{HOST}:{chosen}", flush=True)  # noqa: T201  # because: whoever started it reads the port here
    await stop.wait()
    await runner.cleanup()
    print(json.dumps(core.stats.report(), indent=2), flush=True)  # noqa: T201  # because: the report at the end


def main(arguments: list[str] | None = None) -> None:
    """Serve until SIGINT or SIGTERM."""
    given = _parser().parse_args(arguments)
    rules: list[dict[str, Any]] = [*given.fault, *(json.loads(given.faults.read_text(encoding="utf-8")) if given.faults else [])]
    asyncio.run(_serve(Core(_dataset(given), _options(given), script(rules)), given.port))


if __name__ == "__main__":
    main()
