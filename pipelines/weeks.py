"""ISO weeks and the half-open UTC windows they stand for.

A week is named ``2026-W17`` and runs from Monday 00:00 to the next Monday 00:00 of the repository's time zone.
Because local midnights move with daylight saving time, a window may be 167 or 169 hours long.
Nothing here asks for the time of day except :func:`last_closed`, which takes it as an argument.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pipelines.errors import UsageError

#: How many weeks before a week its trends and core paths stand on: a quarter, long enough for medians and quartiles.
HISTORY_WEEKS = 12

_USUAL_WEEKS = 52
_WEEK = re.compile(r"(\d{4})-W(\d{2})")


@dataclass(frozen=True, order=True)
class Week:
    """One ISO week, without a time zone: ``Week(2026, 17)``."""

    year: int
    number: int

    def __post_init__(self) -> None:
        try:
            date.fromisocalendar(self.year, self.number, 1)
        except ValueError:
            raise UsageError(
                f"week {self.year}-W{self.number:02d}: {self.year} has no such ISO week. {_advice(self.year)}"
            ) from None

    def __str__(self) -> str:
        return f"{self.year:04d}-W{self.number:02d}"

    @property
    def monday(self) -> date:
        """The Monday on which the week begins."""
        return date.fromisocalendar(self.year, self.number, 1)

    @property
    def sunday(self) -> date:
        """The last day of the week."""
        return self.monday + timedelta(days=6)

    def shift(self, weeks: int) -> "Week":
        """The week so many weeks later; earlier where negative."""
        return week_of_day(self.monday + timedelta(weeks=weeks))

    def window(self, timezone: str) -> "Window":
        """The half-open window of this week in a time zone such as ``Asia/Shanghai``."""
        zone = zone_of(timezone)
        start, end = (datetime(d.year, d.month, d.day, tzinfo=zone) for d in (self.monday, self.shift(1).monday))
        return Window(self, timezone, start.astimezone(UTC), end.astimezone(UTC))


@dataclass(frozen=True)
class Window:
    """The instants of one week: ``start_utc <= merged_at_utc < end_utc``."""

    week: Week
    timezone: str
    start_utc: datetime
    end_utc: datetime

    def __contains__(self, instant: datetime) -> bool:
        return self.start_utc <= instant < self.end_utc


def _advice(year: int) -> str:
    last = date(year, 12, 28).isocalendar().week if MINYEAR <= year <= MAXYEAR else _USUAL_WEEKS
    return f"Weeks of {year} run from {year}-W01 to {year}-W{last:02d}."


def zone_of(timezone: str) -> ZoneInfo:
    """The zone of an IANA name; :class:`UsageError` where there is none."""
    try:
        return ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(
            f"time zone {timezone!r}: not an IANA name. Give one such as UTC, Europe/Berlin or Asia/Shanghai."
        ) from None


def parse_week(text: str) -> Week:
    """``2026-W17`` as a :class:`Week`; :class:`UsageError` where it is not one."""
    match = _WEEK.fullmatch(text)
    if match is None:
        raise UsageError(f"week {text!r}: not an ISO week. Write it as 2026-W17.")
    return Week(int(match[1]), int(match[2]))


def week_of_day(day: date) -> Week:
    """The ISO week a calendar day lies in."""
    year, number, _ = day.isocalendar()
    return Week(year, number)


def week_of(instant: datetime, timezone: str) -> Week:
    """The week an instant lies in by the clock of a time zone."""
    return week_of_day(instant.astimezone(zone_of(timezone)).date())


def last_closed(now: datetime, timezone: str) -> Week:
    """The newest week that has ended at ``now``."""
    return week_of(now, timezone).shift(-1)


def week_range(first: Week, last: Week) -> Iterator[Week]:
    """Every week from ``first`` to ``last``, both included, oldest first."""
    week = first
    while week <= last:
        yield week
        week = week.shift(1)


def parse_range(text: str) -> list[Week]:
    """``2026-W05..2026-W17`` as its weeks, oldest first; a single week is a range of one."""
    first_text, dots, last_text = text.partition("..")
    first = parse_week(first_text)
    last = parse_week(last_text) if dots else first
    if last < first:
        raise UsageError(f"weeks {text!r}: the range runs backwards. Write it as {last}..{first}.")
    return list(week_range(first, last))
