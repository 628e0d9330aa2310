"""The sample as a source: windows, boundaries, and what it refuses."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.errors import SourceError
from pipelines.sources.records import FetchedWeek, Source
from pipelines.sources.sample import CASES, REPOSITORY, WEEKS, SampleSource, opened_pulls, records
from pipelines.weeks import parse_week

ZONES = ("UTC", "Asia/Shanghai", "America/Los_Angeles", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin")


def fetch(week: str, timezone: str = "UTC", repo: str = "acme/lattice") -> FetchedWeek:
    source: Source = SampleSource()
    return source.fetch_week(repo, parse_week(week).window(timezone), lambda _done, _total, _doing: None)


def numbers(week: str, timezone: str = "UTC") -> list[int]:
    return [record["number"] for record in fetch(week, timezone).records]


def test_the_last_second_and_the_first_instant_lie_in_two_weeks() -> None:
    assert CASES["last_second"] in numbers("2026-W12")
    assert CASES["last_second"] not in numbers("2026-W13")
    assert CASES["first_instant"] in numbers("2026-W13")
    assert CASES["first_instant"] not in numbers("2026-W12")


def test_in_shanghai_both_lie_in_the_second_week() -> None:
    assert {CASES["last_second"], CASES["first_instant"]} <= set(numbers("2026-W13", "Asia/Shanghai"))


@settings(max_examples=12, deadline=None)
@given(timezone=st.sampled_from(ZONES))
def test_in_every_zone_the_weeks_part_the_records_and_one_is_empty(timezone: str) -> None:
    weeks = [numbers(week, timezone) for week in WEEKS]
    together = [number for week in weeks for number in week]
    assert len(together) == len(set(together)) >= len(records()) - 3
    assert [week for week, found in zip(WEEKS, weeks, strict=True) if not found] == ["2026-W15"]


def test_the_empty_week_is_a_whole_fetch_of_nothing() -> None:
    fetched = fetch("2026-W15")
    assert (fetched.records, fetched.enumerated_numbers) == ([], [])
    assert fetched.opened_count is not None
    assert fetched.opened_count > 5


def test_a_fetch_says_where_it_is_from_and_when() -> None:
    progress: list[tuple[int, int | None, str]] = []
    window = parse_week("2026-W17").window("UTC")
    fetched = SampleSource().fetch_week("acme/lattice", window, lambda *seen: progress.append(seen))
    assert fetched.repository == REPOSITORY
    assert (fetched.source, fetched.enumerated_by, fetched.requests_count, fetched.points_spent) == ("sample", "sample", 0, 0)
    assert fetched.started_at == fetched.finished_at == datetime(2026, 4, 27, 6, tzinfo=UTC)
    assert fetched.enumerated_numbers == [r["number"] for r in fetched.records] == sorted(fetched.enumerated_numbers)
    assert fetched.opened_count == sum(datetime.fromisoformat(at) in window for _, at in opened_pulls())
    assert progress == [(len(fetched.records), len(fetched.records), "pull requests of the sample")]


@pytest.mark.parametrize("timezone", ZONES)
def test_nothing_in_a_week_is_later_than_its_fetch(timezone: str) -> None:
    for week in WEEKS:
        fetched = fetch(week, timezone)
        assert fetched.started_at > fetched.window.end_utc
        assert all(datetime.fromisoformat(str(r["updatedAt"])) < fetched.finished_at for r in fetched.records)


@pytest.mark.parametrize("week", WEEKS)
def test_opened_counts_are_of_the_window(week: str) -> None:
    window = parse_week(week).window("Europe/Berlin")
    opened = [datetime.fromisoformat(at) for _, at in opened_pulls()]
    assert fetch(week, "Europe/Berlin").opened_count == sum(window.start_utc <= at < window.end_utc for at in opened) > 10


def test_what_is_fetched_may_be_changed() -> None:
    fetch("2026-W12").records[0]["files"]["nodes"].clear()
    assert fetch("2026-W12").records[0]["files"]["nodes"]


def test_another_repository_is_refused() -> None:
    with pytest.raises(SourceError, match=r"octo/cat.*acme/lattice only.*GITHUB_TOKEN"):
        fetch("2026-W12", repo="octo/cat")


@pytest.mark.parametrize("week", ["2026-W11", "2026-W18"])
def test_another_week_is_unknown_rather_than_empty(week: str) -> None:
    with pytest.raises(SourceError, match=rf"{week}.*2026-W12 to 2026-W17.*unknown, not empty"):
        fetch(week)
