"""A full disk, damaged files, two runs at once: a clear line, nothing half, and the next run mends it."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psutil
import pytest

from pipelines.defs.running import Work, run_weeks
from pipelines.defs.steps import derive_week, fetch_week
from pipelines.defs.watching import WeekOutcome
from pipelines.errors import WarehouseError
from pipelines.sources.sample import SampleSource
from pipelines.tables import DERIVED_TABLES, RAW_TABLES, TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import parse_week
from tests.conftest import ROOT, SAMPLE, Silent, sample_entry
from tests.github_standin import StandIn
from tests.github_standin.fixtures import sample as from_sample
from tests.killing import assert_nothing_half, begin_in_fork, contents, killed_after, published
from tests.unit.sources.github.asking import MUCH_LATER, SOON_AFTER
from tests.unit.sources.github.asking import source as github_source

FIRST, SECOND = WEEKS = [parse_week("2026-W12"), parse_week("2026-W13")]


def run(warehouse: Warehouse, *steps: str) -> list[WeekOutcome]:
    work = Work(warehouse, sample_entry(), SampleSource, frozenset(steps or ("fetch", "derive", "report")))
    return list(run_weeks(work, WEEKS, Silent(), print))


@pytest.fixture
def stored(tmp_path: Path, sample_tables: Warehouse) -> Warehouse:
    """Two weeks of the sample, fetched and derived, that a test may harm."""
    warehouse = Warehouse(tmp_path / "warehouse")
    for table in (*RAW_TABLES, *DERIVED_TABLES):
        for week in WEEKS:
            target = warehouse.path(table, SAMPLE, week)
            target.parent.mkdir(parents=True)
            shutil.copy2(sample_tables.path(table, SAMPLE, week), target)
    return warehouse


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small file system can only be mounted by root")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_ends_in_a_clear_line_and_is_mended_where_there_is_room(small_disk: Path, sample_tables: Warehouse) -> None:
    warehouse = Warehouse(small_disk / "warehouse")
    outcomes = run(warehouse)
    assert any(outcome.failure and "No space left on device. Make room" in outcome.failure for outcome in outcomes)
    assert_nothing_half(warehouse, SAMPLE, WEEKS)
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert [outcome.failure for outcome in run(warehouse)] == [None, None]
    assert contents(warehouse, SAMPLE, WEEKS) == contents(sample_tables, SAMPLE, WEEKS)


@pytest.mark.parametrize("name", [table.name for table in (*RAW_TABLES, *DERIVED_TABLES)])
@pytest.mark.parametrize("harm", ["cut", "foreign"])
def test_a_damaged_file_is_made_again(stored: Warehouse, sample_tables: Warehouse, name: str, harm: str) -> None:
    path = stored.path(TABLES[name], SAMPLE, SECOND)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] if harm == "cut" else b"PAR1 of somebody else PAR1")
    entry = sample_entry()
    fetch_week(stored, SampleSource, entry, SECOND, Silent().progress, refresh=False)
    derive_week(stored, entry, SECOND)
    after, wanted = (contents(house, SAMPLE, [SECOND]) for house in (stored, sample_tables))
    if len(stored.read(TABLES["raw_fetches"], SAMPLE, SECOND)) > 1:  # fetched once more, which its history tells
        del after[f"{SECOND} raw_fetches"], wanted[f"{SECOND} raw_fetches"]
    assert after == wanted


def test_damage_in_a_week_before_is_named_with_what_mends_it(stored: Warehouse) -> None:
    stored.path(TABLES["derived_themes"], SAMPLE, FIRST).write_bytes(b"not parquet")
    with pytest.raises(WarehouseError, match=r"derived_themes.*Write it again: pullweek report acme/lattice 2026-W12 --rerun"):
        derive_week(stored, sample_entry(), SECOND, rerun=True)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")  # the children only run weeks
def test_two_runs_of_the_same_weeks_at_once_end_in_the_same_files(tmp_path: Path, sample_site: Warehouse) -> None:
    warehouse = Warehouse(tmp_path / "warehouse")

    def work() -> None:
        assert [outcome.failure for outcome in run(warehouse)] == [None, None]

    other = os.fork()
    if other == 0:
        status = 1
        try:
            begin_in_fork()
            work()
            status = 0
        finally:
            os._exit(status)
    assert killed_after(300.0, work)
    assert os.waitstatus_to_exitcode(os.waitpid(other, 0)[1]) == 0
    assert contents(warehouse, SAMPLE, WEEKS) == contents(sample_site, SAMPLE, WEEKS)
    ours, theirs = (published(house, SAMPLE, [FIRST]) for house in (warehouse, sample_site))
    assert ours == theirs
    assert len(warehouse.read(TABLES["raw_fetches"], SAMPLE, FIRST)) == 1, "the second run found the week whole"


@pytest.fixture
def rerunning(tmp_path: Path, sample_site: Warehouse) -> Iterator[tuple[Warehouse, subprocess.Popen[str]]]:
    """A copy of the sample's site, and the command that makes all its weeks again, publishing in processes beside."""
    warehouse = Warehouse(tmp_path / "copy")
    shutil.copytree(sample_site.root, warehouse.root)
    command = [sys.executable, "-m", "pipelines.cli", "backfill", SAMPLE, "2026-W12..2026-W17", "--rerender"]
    environment = os.environ | {"PULLWEEK_WAREHOUSE": str(warehouse.root), "PULLWEEK_SETTINGS": str(ROOT / "pullweek.toml")}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as child:
        yield warehouse, child
        child.kill()


def command_of(process: psutil.Process) -> str:
    """The command line of a process that may end while it is looked at."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def kernels_of(process: psutil.Process) -> list[psutil.Process]:
    """The kernels of the processes that publish, once they have started."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        kernels = [each for each in process.children(recursive=True) if "ipykernel_launcher" in command_of(each)]
        if len(kernels) > 1:
            return kernels
        time.sleep(0.05)
    raise AssertionError("no kernels were started")


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="on one processor nothing is published beside")
def test_processes_that_publish_end_with_the_run_that_was_killed(rerunning: tuple[Warehouse, "subprocess.Popen[str]"]) -> None:
    warehouse, child = rerunning
    run_itself = psutil.Process(child.pid)
    kernels_of(run_itself)
    beside = run_itself.children(recursive=True)
    child.kill()
    assert psutil.wait_procs(beside, timeout=60)[1] == []
    assert_nothing_half(warehouse, SAMPLE, WEEKS)
    again = run_weeks(Work(warehouse, sample_entry(), SampleSource, rerender=True), WEEKS, Silent(), print)
    assert [outcome.failure for outcome in again] == [None, None]
    assert not list((warehouse.root / "reports" / ".staging").iterdir())


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="on one processor nothing is published beside")
def test_a_process_that_is_lost_loses_its_weeks_alone(rerunning: tuple[Warehouse, "subprocess.Popen[str]"]) -> None:
    warehouse, child = rerunning
    kernel = kernels_of(psutil.Process(child.pid))[0]
    parent = kernel.parent()
    assert parent is not None
    parent.kill()
    _, told = child.communicate(timeout=300)
    assert child.returncode == 1
    assert "the process that made its report was killed, perhaps for want of memory. Run it again." in told
    assert 1 <= told.count(": failed: ") <= 4, told
    assert_nothing_half(warehouse, SAMPLE, WEEKS)
    assert [outcome.failure for outcome in run(warehouse)] == [None, None]


@pytest.mark.parametrize("processors", [1, 2])
def test_a_kernel_that_does_not_start_is_told_and_what_is_published_stays(
    tmp_path: Path, sample_site: Warehouse, processors: int
) -> None:
    """In the process that publishes, one beside or this one: the kernel's own module ends at once."""
    warehouse = Warehouse(tmp_path / "copy")
    shutil.copytree(sample_site.root, warehouse.root)
    before = published(warehouse, SAMPLE, WEEKS)
    chosen = sorted(os.sched_getaffinity(0))[:processors]
    command = ["taskset", "-c", ",".join(map(str, chosen)), sys.executable, "-m", "pipelines.cli"]
    environment = os.environ | {"PULLWEEK_WAREHOUSE": str(warehouse.root), "PULLWEEK_SETTINGS": str(ROOT / "pullweek.toml")}
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "ipykernel_launcher.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    environment |= {"PYTHONPATH": str(tmp_path / "broken")}
    asked = [*command, "backfill", SAMPLE, f"{FIRST}..{SECOND}", "--rerender"]
    ended = subprocess.run(asked, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.count(": failed: notebook: no kernel of ") == len(WEEKS), ended.stderr
    assert "Traceback" not in ended.stderr
    assert published(warehouse, SAMPLE, WEEKS) == before


def test_a_clock_that_goes_backwards_loses_nothing_and_the_newest_fetch_is_the_last_one_made(tmp_path: Path) -> None:
    warehouse, entry = Warehouse(tmp_path / "warehouse"), sample_entry().model_copy(update={"source": "github"})
    steps = frozenset({"fetch", "derive"})
    outcomes: list[WeekOutcome] = []
    with StandIn(from_sample()) as server:
        for moment, refresh in ((MUCH_LATER, ()), (SOON_AFTER, (str(FIRST),)), (SOON_AFTER - timedelta(hours=1), ())):
            source = github_source(server.url, tmp_path / "checkpoints", at=moment)
            work = Work(warehouse, entry, lambda source=source: source, steps, frozenset(refresh))  # type: ignore[misc]  # because: a lambda's default has no type
            outcomes += run_weeks(work, [FIRST], Silent(), print)
    assert [outcome.failure for outcome in outcomes] == [None] * 3
    fetches = warehouse.read(TABLES["raw_fetches"], SAMPLE, FIRST)
    assert list(fetches["fetch_number"]) == [1, 2]
    assert fetches["finished_at_utc"].iloc[0] > fetches["finished_at_utc"].iloc[1]
    assert warehouse.last_fetch(SAMPLE, FIRST)["fetch_number"] == 2
    assert outcomes[-1].skipped == {"fetch", "derive"}, "what is stored is current whatever the clock says"
    assert warehouse.week_state(SAMPLE, FIRST) == "complete"
