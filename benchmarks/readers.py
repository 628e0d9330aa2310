"""The readings that ``benchmarks/ingest.py`` runs as processes: each prints what it got as one line of JSON.

``python -m benchmarks.readers fetch|refresh URL FOLDER INSTANT`` and ``plain URL FOLDER COUNT``.
"""

import json
import pickle
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.shared_data import REPO, TIMEZONE
from pipelines.weeks import Window, parse_week

if TYPE_CHECKING:
    import pyarrow as pa
    from github.PullRequest import PullRequest
    from github.Repository import Repository

_TOKEN = "benchmark"  # noqa: S105  # because: the stand-in takes any
_STORED = "stored.pickle"


def _window() -> Window:
    return parse_week("2026-W17").window(TIMEZONE)


def _quiet(done: int, total: int | None, doing: str) -> None:
    del done, total, doing


def _ours(way: str, url: str, folder: str, at: str) -> dict[str, Any]:
    """Our reading, down to the conformed raw tables."""
    from pipelines.sources.github.budget import Clock
    from pipelines.sources.github.client import Pace
    from pipelines.sources.github.parse import fetch_row
    from pipelines.sources.github.parse import parse_week as parsed
    from pipelines.sources.github.source import GitHubSource
    from pipelines.tables import TABLES, conform

    now = datetime.fromisoformat(at)
    environment = {"GITHUB_TOKEN": _TOKEN, "GITHUB_API_URL": url}
    source = GitHubSource.from_environment(environment, pace=Pace(clock=Clock(now=lambda: now)))
    kept = Path(folder, _STORED)
    if way == "refresh":
        stored: dict[str, pa.Table] = pickle.loads(kept.read_bytes())  # noqa: S301  # because: this benchmark wrote it
        fetched = source.refresh_week(REPO, _window(), stored, _quiet)
    else:
        fetched = source.fetch_week(REPO, _window(), _quiet)
    frames = parsed(fetched)
    frames["raw_fetches"] = fetch_row(fetched, frames, fetch_number=1, files=[])
    tables = {name: conform(TABLES[name], frame, "benchmark") for name, frame in frames.items()}
    kept.write_bytes(pickle.dumps(tables))
    counts = {name: tables[f"raw_{table}"].num_rows for name, table in _OUR_TABLES.items()}
    counts["comments"] += tables["raw_comments"].num_rows
    return counts | {"whole": tables["raw_fetches"]["state"].to_pylist()[0]}


_OUR_TABLES = {
    "pulls": "pull_requests",
    "files": "files",
    "reviews": "reviews",
    "threads": "review_threads",
    "comments": "review_comments",
}


def _plain(url: str, count: int) -> dict[str, Any]:
    """The loop that most scripts write: a list, then eight calls a pull request. REST tells no state of threads."""
    from github import Auth, Github

    hub = Github(auth=Auth.Token(_TOKEN), base_url=url, per_page=100, seconds_between_requests=0)
    repository = hub.get_repo(REPO)
    counts: Counter[str] = Counter()
    for listed in _merged(repository):
        if count and counts["pulls"] >= count:
            break
        pull = repository.get_pull(listed.number)
        counts["pulls"] += 1
        counts["files"] += sum(1 for _ in pull.get_files())
        counts["reviews"] += sum(1 for _ in pull.get_reviews())
        counts["comments"] += sum(1 for _ in pull.get_review_comments())
        counts["comments"] += sum(1 for _ in pull.get_issue_comments())
        counts["commits"] += sum(1 for _ in pull.get_commits())
        counts["events"] += sum(1 for _ in pull.as_issue().get_timeline())
    return dict(counts) | {"threads": "none", "whole": "not told"}


def _merged(repository: "Repository") -> Iterator["PullRequest"]:
    window = _window()
    for pull in repository.get_pulls(state="closed", sort="updated", direction="desc"):
        if pull.updated_at is None or pull.updated_at < window.start_utc - timedelta(seconds=1):
            return
        if pull.merged_at is not None and pull.merged_at in window:
            yield pull


def main(arguments: list[str]) -> int:
    """Read one way and print what came."""
    way, url, folder, last = arguments
    got = _plain(url, int(last)) if way == "plain" else _ours(way, url, folder, last)
    print(json.dumps(got))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
