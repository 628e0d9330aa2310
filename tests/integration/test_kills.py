"""SIGKILL at any moment: nothing half under a final name, and the next run gives what an undisturbed one gives."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipelines.warehouse import Warehouse
from pipelines.weeks import parse_week
from tests.conftest import SAMPLE, Silent, sample_entry
from tests.killing import assert_nothing_half, campaign, contents, published

WEEKS = [parse_week("2026-W12"), parse_week("2026-W13")]

# Forking is safe here: the parent has started no thread of Arrow's or the kernel's before it forks.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


def two_weeks(root: Path) -> Callable[[], None]:
    """Fetch, derive and report two weeks of the sample below a root."""

    def work() -> None:
        from pipelines.defs.running import Work, run_weeks
        from pipelines.sources.sample import SampleSource

        for outcome in run_weeks(Work(Warehouse(root), sample_entry(), SampleSource), WEEKS, Silent(), print):
            assert outcome.failure is None, outcome.failure

    return work


def preload() -> None:
    """Import what a run imports, so that kills fall into work and not into imports."""
    import pipelines.defs.running
    import pipelines.report.export
    import pipelines.report.export_kernel
    import pipelines.report.publish
    import pipelines.rules.derive
    import pipelines.sources.github.client
    import pipelines.sources.github.source
    import pipelines.sources.sample  # noqa: F401  because: imported for the child


def over_http(url: str) -> Callable[[Path], Callable[[], None]]:
    """The same weeks, fetched from a server that speaks as GitHub."""

    def start(root: Path) -> Callable[[], None]:
        def work() -> None:
            from pipelines.defs.running import Work, run_weeks
            from pipelines.sources.github.source import GitHubSource

            environment = {"GITHUB_TOKEN": "made-up", "GITHUB_API_URL": url}
            entry = sample_entry().model_copy(update={"source": "github"})
            source = GitHubSource.from_environment(environment, checkpoint_root=root)
            steps = frozenset({"fetch", "derive"})
            for outcome in run_weeks(Work(Warehouse(root), entry, lambda: source, steps), WEEKS, Silent(), print):
                assert outcome.failure is None, outcome.failure

        return work

    return start


@pytest.fixture
def served() -> Iterator[str]:
    """The address of a stand-in that serves the sample, in a process of its own, with a little latency."""
    command = [sys.executable, "-m", "tests.github_standin", "--sample", "--port", "0", "--latency-ms", "40"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1]
        server.terminate()


def run_campaign(
    tmp_path: Path, seed: int, kills: int, start: Callable[[Path], Callable[[], None]], longest_seconds: float
) -> None:
    """Kill, look after each kill, and hold every warehouse against an undisturbed one."""
    preload()

    def look(root: Path) -> None:
        assert_nothing_half(Warehouse(root), SAMPLE, WEEKS)

    (undisturbed,) = campaign(seed, 0, 1.0, tmp_path / "undisturbed", start, look)
    wanted = Warehouse(undisturbed)
    for root in campaign(seed, kills, longest_seconds, tmp_path / "killed", start, look):
        warehouse = Warehouse(root)
        look(root)
        assert contents(warehouse, SAMPLE, WEEKS) == contents(wanted, SAMPLE, WEEKS)
        if start is two_weeks:  # over HTTP the report differs by when its data was fetched
            assert published(warehouse, SAMPLE, WEEKS) == published(wanted, SAMPLE, WEEKS)


def test_a_few_kills_are_mended(tmp_path: Path) -> None:
    run_campaign(tmp_path, 1, 2, two_weeks, 6.0)


def test_a_few_kills_of_a_fetch_over_http_are_mended(tmp_path: Path, served: str) -> None:
    run_campaign(tmp_path, 2, 4, over_http(served), 1.5)


@pytest.mark.soak
@pytest.mark.parametrize("seed", [11, 12])
def test_many_kills_are_mended(tmp_path: Path, seed: int) -> None:
    run_campaign(tmp_path, seed, 40, two_weeks, 6.0)


@pytest.mark.soak
def test_many_kills_of_a_fetch_over_http_are_mended(tmp_path: Path, served: str) -> None:
    run_campaign(tmp_path, 13, 60, over_http(served), 1.5)
