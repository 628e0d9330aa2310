"""Fixtures for tests that need the stand-in: ``from tests.github_standin.fixtures import sglang_week, standin_sample``.

A test module that imports a fixture by name can use it; nothing is registered for tests that do not.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from tests.github_standin.dataset import Dataset, from_parquet, from_sample
from tests.github_standin.server import StandIn

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


@pytest.fixture
def sglang_week() -> Iterator[StandIn]:
    """A stand-in with three weeks of real merge facts around 2026-W17; mark the test ``shared``."""
    with StandIn(sglang()) as server:
        yield server


@cache
def sample() -> Dataset:
    """The sample as a data set; every stand-in over it keeps its changes to itself."""
    return from_sample()


@pytest.fixture
def standin_sample() -> Iterator[StandIn]:
    """A stand-in with the project's sample."""
    with StandIn(sample()) as server:
        yield server
