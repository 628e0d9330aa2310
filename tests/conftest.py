"""Fixtures that more than one room's tests use: the sample repository, stored, derived and reported once a test run."""

import fcntl
from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines.settings import RepositorySettings
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week, parse_week

SAMPLE = "acme/lattice"


def quiet(done: int, total: int | None, doing: str) -> None:
    """Progress that nobody watches."""


def sample_entry() -> RepositorySettings:
    from pipelines.sources.sample import WEEKS

    return RepositorySettings(name=SAMPLE, source="sample", first_week=WEEKS[0])


def sample_week_list() -> list[Week]:
    from pipelines.sources.sample import WEEKS

    return [parse_week(week) for week in WEEKS]


def store_sample(warehouse: Warehouse, weeks: list[Week]) -> None:
    """Fetch and derive weeks of the sample."""
    from pipelines.defs.steps import derive_week, fetch_week
    from pipelines.sources.sample import SampleSource

    entry, source = sample_entry(), SampleSource()
    for week in weeks:
        fetch_week(warehouse, source, entry, week, quiet, refresh=False)
        derive_week(warehouse, entry, week)


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
    return _made_once(tmp_path_factory, "sample-tables", lambda warehouse: store_sample(warehouse, sample_week_list()))


@pytest.fixture(scope="session")
def sample_site(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """The six weeks of the sample with their published reports; tests only read it."""

    def make(warehouse: Warehouse) -> None:
        from pipelines.defs.steps import report_week

        store_sample(warehouse, sample_week_list())
        for week in sample_week_list():
            report_week(warehouse, sample_entry(), week)

    return _made_once(tmp_path_factory, "sample-site", make)


@pytest.fixture
def command_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty warehouse and no settings, tokens or Dagster home of the machine; the warehouse's root."""
    root = tmp_path / "warehouse"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PULLWEEK_WAREHOUSE", str(root))
    for name in ("GITHUB_TOKEN", "GITHUB_API_URL", "PULLWEEK_SETTINGS", "DAGSTER_HOME"):
        monkeypatch.delenv(name, raising=False)
    return root
