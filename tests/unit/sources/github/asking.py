"""A source that asks the stand-in, with a clock that does not make a test wait."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipelines.contracts.raw import RAW_FETCHES
from pipelines.sources.github.budget import Clock
from pipelines.sources.github.client import Pace
from pipelines.sources.github.parse import fetch_row, parse_week
from pipelines.sources.github.revision import PARSED_TABLES
from pipelines.sources.github.source import GitHubSource
from pipelines.sources.records import FetchedWeek
from pipelines.tables import conform

TOKEN = "ghp_0123456789secret"
REPO = "acme/lattice"
SOON_AFTER = datetime(2026, 4, 28, 6, tzinfo=UTC)  # after 2026-W17: its week is walked
MUCH_LATER = datetime(2026, 9, 1, 6, tzinfo=UTC)  # its week is searched


class FakeTime:
    """A clock that starts where it is told and leaps over every sleep; ``slept`` says how long in all."""

    def __init__(self, start: datetime = SOON_AFTER) -> None:
        self.slept = 0.0
        self._start, self._began = start, time.monotonic()

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self.monotonic() - self._began)

    def monotonic(self) -> float:
        return time.monotonic() + self.slept

    def sleep(self, seconds: float) -> None:
        self.slept += seconds

    @property
    def clock(self) -> Clock:
        return Clock(self.now, self.monotonic, self.sleep)


def source(url: str, root: Path | None = None, *, at: datetime = SOON_AFTER, token: str = TOKEN, **options: Any) -> GitHubSource:
    pace = options.pop("pace", None) or Pace(timeout_seconds=5, backoff_seconds=0.01, clock=FakeTime(at).clock)
    environment = {"GITHUB_TOKEN": token, "GITHUB_API_URL": url}
    previous = options.pop("previous_paths_requests_max", None)
    made = GitHubSource.from_environment(environment, checkpoint_root=root, pace=pace, **options)
    return GitHubSource(**(vars(made) | {"previous_paths_requests_max": previous}))


def silent(done: int, total: int | None, doing: str) -> None:
    """Progress that nobody sees."""


def tables(fetched: FetchedWeek, fetch_number: int = 1) -> dict[str, pa.Table]:
    """The raw tables of a fetch, conformed, ``raw_fetches`` too."""
    frames = parse_week(fetched)
    row = fetch_row(fetched, frames, fetch_number=fetch_number, files=[])
    made = {table.name: conform(table, frames[table.name], "test") for table in PARSED_TABLES}
    return made | {RAW_FETCHES.name: conform(RAW_FETCHES, row, "test")}


def state(fetched: FetchedWeek) -> str:
    """``complete`` or ``partial``."""
    found: str = tables(fetched)["raw_fetches"]["state"].to_pylist()[0]
    return found


def differences(one: Mapping[str, pa.Table], other: Mapping[str, pa.Table]) -> list[str]:
    """Names of the raw tables whose rows differ, ``raw_fetches`` apart."""
    return [table.name for table in PARSED_TABLES if not one[table.name].equals(other[table.name])]
