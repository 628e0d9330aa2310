"""Fixtures that more than one room's tests use: the sample repository, stored, derived and reported once a test run."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from pipelines.settings import RepositorySettings
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week, parse_week
from tests.browser.bounds import pytest_terminal_summary

if TYPE_CHECKING:
    from pipelines.defs.watching import WeekOutcome

__all__ = ["pytest_terminal_summary"]  # a hook, here since workers run the tests and the first process prints

# The same examples each time: a commit passes or fails by what it holds. HYPOTHESIS_PROFILE=default looks for new ones.
settings.register_profile("seeded", derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "seeded"))

ROOT = Path(__file__).parents[1]
SAMPLE = "acme/lattice"


def sample_entry() -> RepositorySettings:
    from pipelines.sources.sample import WEEKS

    return RepositorySettings(name=SAMPLE, source="sample", first_week=WEEKS[0])


def sample_week_list() -> list[Week]:
    from pipelines.sources.sample import WEEKS

    return [parse_week(week) for week in WEEKS]


class Silent:
    """A watcher that looks away."""

    is_attended = True

    def begin(self, week: Week) -> None:
        """A week begins."""

    def progress(self, done: int, total: int | None, doing: str) -> None:
        """Something moved on."""

    def end(self, outcome: "WeekOutcome") -> None:
        """A week ended."""


def run_sample(warehouse: Warehouse, *steps: str) -> None:
    """Run steps for every week of the sample, as a run of the assets does."""
    from pipelines.defs.running import Work, run_weeks
    from pipelines.sources.sample import SampleSource

    work = Work(warehouse, sample_entry(), SampleSource, frozenset(steps))
    for outcome in run_weeks(work, sample_week_list(), Silent(), print):
        assert outcome.failure is None, outcome.failure


def _made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Warehouse], None]) -> Warehouse:
    """A warehouse that the first worker to ask makes and every other worker reads."""
    shared = factory.getbasetemp().parent if factory.getbasetemp().name.startswith("popen-") else factory.getbasetemp()
    root = shared / name
    with (shared / f"{name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if not (root / ".made").exists():
            make(Warehouse(root))
            (root / ".made").touch()
    return Warehouse(root)


@pytest.fixture(scope="session")
def sample_tables(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """The six weeks of the sample, fetched and derived; tests only read it."""
    return _made_once(tmp_path_factory, "sample-tables", lambda warehouse: run_sample(warehouse, "fetch", "derive"))


@pytest.fixture(scope="session")
def sample_site(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """The six weeks of the sample with their published reports, as ``pullweek demo`` makes them; tests only read it.

    What the command printed lies beside, in ``demo.out`` and ``demo.err``.
    """

    return _made_once(tmp_path_factory, "sample-site", _demo)


def _demo(warehouse: Warehouse) -> None:
    command = [sys.executable, "-m", "pipelines.cli", "demo"]
    warehouse.root.mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(warehouse.root),
        "PULLWEEK_WAREHOUSE": str(warehouse.root),
        "LANG": "C.UTF-8",
    }
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    (warehouse.root / "demo.out").write_text(ended.stdout, encoding="utf-8")
    (warehouse.root / "demo.err").write_text(ended.stderr, encoding="utf-8")


@pytest.fixture
def command_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty warehouse and no settings, tokens or Dagster home of the machine; the warehouse's root."""
    root = tmp_path / "warehouse"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PULLWEEK_WAREHOUSE", str(root))
    for name in ("GITHUB_TOKEN", "GITHUB_API_URL", "PULLWEEK_SETTINGS", "DAGSTER_HOME"):
        monkeypatch.delenv(name, raising=False)
    return root
