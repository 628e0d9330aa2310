"""Data sets for tests, read once: ``with StandIn(sample()) as server:`` or, marked ``shared``, ``StandIn(sglang())``.

Each stand-in keeps its changes to itself, so that a data set may be shared.
"""

from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from tests.github_standin.dataset import Dataset, from_parquet, from_sample

#: Real merge facts that are not part of the project; see the ``shared`` marker.
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "sglang"
REPO = "sgl-project/sglang"


@cache
def sglang(first: str = "2026-04-13", last: str = "2026-05-04") -> Dataset:
    """Merge facts of the days from ``first`` to before ``last``; skips the test where ``../shared`` is absent."""
    if not SHARED.is_dir():
        pytest.skip("../shared/data/sglang is not there: it is not part of the project")
    days = [datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (first, last)]
    return from_parquet(SHARED / "pulls.parquet", SHARED / "files.parquet", REPO, first=days[0], last=days[1])


@cache
def sample() -> Dataset:
    """The project's sample."""
    return from_sample()
