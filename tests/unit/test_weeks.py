"""Weeks: names, windows, boundaries, daylight saving, the year's end."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.errors import UsageError
from pipelines.weeks import Week, last_closed, parse_range, parse_week, week_of, week_of_day, zone_of

ZONES = st.sampled_from(["UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kathmandu"])
INSTANTS = st.datetimes(datetime(2010, 1, 1), datetime(2035, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))  # noqa: DTZ001  because: the zone is added behind


def test_window_is_monday_to_monday_of_the_zone() -> None:
    window = parse_week("2026-W17").window("Asia/Shanghai")
    assert window.start_utc == datetime(2026, 4, 19, 16, tzinfo=UTC)
    assert window.end_utc == datetime(2026, 4, 26, 16, tzinfo=UTC)


def test_window_is_half_open() -> None:
    window = parse_week("2026-W17").window("UTC")
    assert window.start_utc in window
    assert window.end_utc not in window
    assert window.end_utc - timedelta(microseconds=1) in window


@pytest.mark.parametrize(("week", "hours"), [("2026-W13", 167), ("2026-W43", 169), ("2026-W20", 168)])
def test_window_follows_daylight_saving(week: str, hours: int) -> None:
    window = parse_week(week).window("Europe/Berlin")
    assert (window.end_utc - window.start_utc) == timedelta(hours=hours)


@given(INSTANTS, ZONES)
def test_every_instant_lies_in_exactly_its_week(instant: datetime, zone: str) -> None:
    week = week_of(instant, zone)
    assert instant in week.window(zone)
    assert instant not in week.shift(-1).window(zone)
    assert instant not in week.shift(1).window(zone)


@given(INSTANTS, ZONES)
def test_windows_of_neighbours_touch(instant: datetime, zone: str) -> None:
    week = week_of(instant, zone)
    assert week.window(zone).end_utc == week.shift(1).window(zone).start_utc


@given(st.dates(date(1990, 1, 1), date(2100, 1, 1)))
def test_text_and_week_go_both_ways(day: date) -> None:
    week = week_of_day(day)
    assert parse_week(str(week)) == week
    assert week.monday <= day <= week.sunday


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("2026-W60", r"2026-W60.*no such ISO week.*2026-W01 to 2026-W53"),
        ("2025-W53", r"2025 has no such ISO week.*2025-W52"),
        ("2026-W00", "no such ISO week"),
        ("W17", "not an ISO week. Write it as 2026-W17"),
        ("2026-17", "not an ISO week"),
        ("2026-W17\n", "not an ISO week"),
        ("0000-W01", "no such ISO week"),
    ],
)
def test_what_is_no_week_is_refused_with_advice(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_week(text)


def test_a_year_of_53_weeks() -> None:
    assert str(Week(2026, 53).shift(1)) == "2027-W01"
    assert [str(week) for week in parse_range("2026-W52..2027-W02")] == ["2026-W52", "2026-W53", "2027-W01", "2027-W02"]


def test_a_range_that_runs_backwards_is_refused() -> None:
    with pytest.raises(UsageError, match=r"runs backwards. Write it as 2026-W05..2026-W17"):
        parse_range("2026-W17..2026-W05")


def test_last_closed_depends_on_the_clock_of_the_zone() -> None:
    sunday_evening = datetime(2026, 4, 26, 17, tzinfo=UTC)  # Monday 01:00 in Shanghai
    assert str(last_closed(sunday_evening, "Asia/Shanghai")) == "2026-W17"
    assert str(last_closed(sunday_evening, "UTC")) == "2026-W16"


@pytest.mark.parametrize("name", ["Asia/Shangai", "", "../etc/passwd", "a\0b"])
def test_an_unknown_zone_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="not an IANA name"):
        zone_of(name)
