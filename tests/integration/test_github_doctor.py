"""What the doctor finds, against the stand-in."""

from datetime import UTC, datetime
from pathlib import Path

from pipelines.sources.github.client import Pace
from pipelines.sources.github.doctor import Finding, diagnose
from tests.github_standin import StandIn
from tests.github_standin.fixtures import sample
from tests.unit.sources.github.asking import REPO, TOKEN, FakeTime


def look(
    server: StandIn, tmp_path: Path, repo: str | None = REPO, token: str = TOKEN, pace: Pace | None = None
) -> dict[str, Finding]:
    pace = pace or Pace(timeout_seconds=5, backoff_seconds=0.01, attempts_count=2, clock=FakeTime().clock)
    findings = diagnose({"GITHUB_TOKEN": token, "GITHUB_API_URL": server.url}, repo, tmp_path, pace)
    assert not any(TOKEN in repr(finding) for finding in findings)
    return {finding.name: finding for finding in findings}


def test_all_is_well_and_a_week_has_its_price(tmp_path: Path) -> None:
    with StandIn(sample()) as server:
        found = look(server, tmp_path)
        assert server.stats()["requests"] <= 5
    assert {name: finding.state for name, finding in found.items() if name != "clock"} == dict.fromkeys(
        [name for name in found if name != "clock"], "good"
    )
    assert found["token"].said.startswith("token 1 of 1: classic personal token of ")
    assert "2026-W17: 51 merged, about 17 requests" in found["cost"].said
    assert "of 5000 points left" in found["limits"].said


def test_no_token_and_no_repository_need_no_network(tmp_path: Path) -> None:
    [token, disk] = diagnose({}, None, tmp_path)
    assert (token.state, disk.state) == ("bad", "good")
    assert "GITHUB_TOKEN: not set" in token.said


def test_a_refused_token_and_an_unknown_repository_are_told_apart(tmp_path: Path) -> None:
    with StandIn(sample()) as server:
        assert "the token is refused (401" in look(server, tmp_path, token="bad")["access"].said
        assert "not found" in look(server, tmp_path, repo="acme/nothing")["access"].said


def test_a_wrong_clock_and_few_points_left_are_warnings(tmp_path: Path) -> None:
    wrong = FakeTime(datetime(2020, 1, 1, tzinfo=UTC))
    with StandIn(sample(), points=10) as server:
        look(server, tmp_path)
        look(server, tmp_path)
        found = look(server, tmp_path, pace=Pace(timeout_seconds=5, clock=wrong.clock))
    assert (found["clock"].state, found["limits"].state) == ("warning", "warning")
    assert "1 of 10 points left" in found["limits"].said


def test_checks_that_may_not_be_read_are_a_warning(tmp_path: Path) -> None:
    with StandIn(sample(), forbidden=["Commit.statusCheckRollup"]) as server:
        assert look(server, tmp_path)["checks"].state == "warning"


def test_a_renamed_repository_and_an_enterprise_host_are_told(tmp_path: Path) -> None:
    with StandIn(sample(), enterprise=True) as server:
        server.mutate({"op": "rename", "name": "acme/trellis"})
        found = look(server, tmp_path)
    assert found["repository"].said == "acme/lattice (now called acme/trellis) can be read"
    assert "tells no limits" in found["limits"].said
    assert "(an enterprise host)" in found["host"].said


def test_a_host_that_does_not_answer_is_one_finding(tmp_path: Path) -> None:
    pace = Pace(timeout_seconds=1, backoff_seconds=0.01, attempts_count=2, clock=FakeTime().clock)
    found = diagnose({"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": "http://127.0.0.1:9"}, REPO, tmp_path, pace)
    assert [finding.state for finding in found if finding.name == "access"] == ["bad"]
