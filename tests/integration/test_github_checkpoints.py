"""An interrupted fetch goes on where it was: what was paid for is not fetched twice, and nothing half is given out."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from pipelines.errors import WarehouseError
from pipelines.sources.records import Progress
from pipelines.weeks import Week
from tests.github_standin import StandIn
from tests.github_standin.fixtures import sample
from tests.unit.sources.github.asking import MUCH_LATER, REPO, SOON_AFTER, TOKEN, differences, silent, source, tables

WINDOW = Week(2026, 17).window("UTC")


@pytest.fixture(scope="module")
def served() -> Iterator[StandIn]:
    with StandIn(sample()) as server:
        yield server


@pytest.fixture
def github(served: StandIn) -> StandIn:
    served.reset()
    return served


@pytest.fixture(scope="module")
def clean(served: StandIn) -> dict[str, pa.Table]:
    served.reset()
    return tables(source(served.url).fetch_week(REPO, WINDOW, silent))


@pytest.fixture(scope="module")
def asked_once(served: StandIn, clean: dict[str, pa.Table]) -> dict[str, int]:
    """How often an undisturbed fetch names each pull request: once, and once for each further page."""
    assert clean
    return pull_ids(served)


def pull_ids(github: StandIn) -> dict[str, int]:
    return {name: count for name, count in github.asked_ids().items() if name.startswith("PR_")}


def interrupting(calls_count: int) -> Progress:
    """Progress that is interrupted, as by Ctrl-C, at so many calls."""
    left = [calls_count]

    def progress(done: int, total: int | None, doing: str) -> None:
        del done, total, doing
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("calls_count", [1, 2, 9, 30, 50])
@pytest.mark.parametrize("at", [SOON_AFTER, MUCH_LATER], ids=["walked", "searched"])
def test_nothing_that_was_paid_for_is_fetched_twice(
    asked_once: dict[str, int], github: StandIn, clean: dict[str, pa.Table], tmp_path: Path, at: datetime, calls_count: int
) -> None:
    with pytest.raises(KeyboardInterrupt):
        source(github.url, tmp_path, at=at).fetch_week(REPO, WINDOW, interrupting(calls_count))
    before = github.stats()["by_kind"]
    resumed = source(github.url, tmp_path, at=at).fetch_week(REPO, WINDOW, silent)
    assert differences(tables(resumed), clean) == []
    assert pull_ids(github) == asked_once
    asked = github.stats()["by_kind"]
    assert asked["graphql:Resolve"] == 1
    if calls_count > 30:
        assert asked.get("graphql:Search", 0) == before.get("graphql:Search", 0)
        assert asked.get("graphql:History", 0) == before.get("graphql:History", 0)
    assert any(note.startswith("resumed a fetch begun at ") for note in resumed.notes)


CHILD = """
import sys
from pathlib import Path
from pipelines.weeks import Week
from tests.unit.sources.github.asking import REPO, silent, source
source(sys.argv[1], Path(sys.argv[2])).fetch_week(REPO, Week(2026, 17).window("UTC"), silent)
"""


def test_a_killed_process_leaves_what_it_had_read(clean: dict[str, pa.Table], tmp_path: Path) -> None:
    with StandIn(sample(), latency_ms=60) as server:
        child = subprocess.Popen([sys.executable, "-c", CHILD, server.url, str(tmp_path)], env=os.environ | {"PYTHONPATH": "."})
        deadline = time.monotonic() + 30
        while server.stats()["by_kind"].get("graphql:Details", 0) < 4 and time.monotonic() < deadline:
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        child.wait()
        resumed = source(server.url, tmp_path).fetch_week(REPO, WINDOW, silent)
        assert server.stats()["by_kind"]["graphql:Details"] <= 4 + 4  # at most the two under way were lost
    assert differences(tables(resumed), clean) == []


def test_an_error_in_the_middle_keeps_what_was_read(github: StandIn, clean: dict[str, pa.Table], tmp_path: Path) -> None:
    github.faults({"fault": "401", "kind": "Details", "nth": 3})
    with pytest.raises(Exception, match="token is refused"):
        source(github.url, tmp_path).fetch_week(REPO, WINDOW, silent)
    github.faults()
    assert differences(tables(source(github.url, tmp_path).fetch_week(REPO, WINDOW, silent)), clean) == []


def test_one_changed_in_between_is_read_again(tmp_path: Path) -> None:
    with StandIn(sample()) as server:
        with pytest.raises(KeyboardInterrupt):
            source(server.url, tmp_path).fetch_week(REPO, WINDOW, interrupting(40))
        read = next(iter(sorted(server.asked_ids())))
        number = next(
            pull["number"]
            for pull in tables(source(server.url).fetch_week(REPO, WINDOW, silent))["raw_pull_requests"].to_pylist()
            if pull["node_id"] == read
        )
        server.mutate({"op": "set", "number": number, "fields": {"title": "Another title"}, "at": "2026-04-28T05:00:00Z"})
        resumed = source(server.url, tmp_path).fetch_week(REPO, WINDOW, silent)
    assert next(record["title"] for record in resumed.records if record["number"] == number) == "Another title"


def test_a_day_later_everything_is_fetched_anew(github: StandIn, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        source(github.url, tmp_path).fetch_week(REPO, WINDOW, interrupting(40))
    later = source(github.url, tmp_path, at=SOON_AFTER + timedelta(hours=25)).fetch_week(REPO, WINDOW, silent)
    assert not any(note.startswith("resumed") for note in later.notes)
    assert github.stats()["by_kind"]["graphql:Resolve"] == 2


def test_a_torn_file_is_not_read(github: StandIn, clean: dict[str, pa.Table], tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        source(github.url, tmp_path).fetch_week(REPO, WINDOW, interrupting(40))
    for path in tmp_path.rglob("*.jsonl"):
        path.write_bytes(path.read_bytes()[:-9])
    assert differences(tables(source(github.url, tmp_path).fetch_week(REPO, WINDOW, silent)), clean) == []


def test_a_stored_week_leaves_nothing_behind(github: StandIn, tmp_path: Path) -> None:
    asked = source(github.url, tmp_path)
    asked.fetch_week(REPO, WINDOW, silent)
    folder = tmp_path / ".checkpoints" / "acme%2Flattice" / "2026-W17"
    assert list(folder.glob("*.jsonl"))
    assert not any(TOKEN.encode() in path.read_bytes() for path in folder.iterdir())
    asked.forget(REPO, WINDOW)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(github: StandIn, tmp_path: Path) -> None:
    (tmp_path / ".checkpoints").write_text("in the way")
    with pytest.raises(WarehouseError, match=r"\.checkpoints.*cannot be written.*Make room there, or mend its permissions"):
        source(github.url, tmp_path).fetch_week(REPO, WINDOW, silent)
