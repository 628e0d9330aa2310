"""What the commands that fetch have in common: which repository, by whose clock, which weeks."""

import argparse
from datetime import UTC, datetime

from pipelines.errors import UsageError
from pipelines.settings import RepositorySettings, load_settings, settings_path, warehouse_root
from pipelines.tables import TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week, last_closed, parse_week, week_range, zone_of


def open_warehouse() -> Warehouse:
    """The warehouse of the environment."""
    return Warehouse(warehouse_root())


def asked_repository(options: argparse.Namespace, warehouse: Warehouse) -> RepositorySettings:
    """The settings of the repository asked for; its time zone from the flag, the file, the stored weeks, or UTC."""
    settings = load_settings(settings_path())
    entry = settings.repository(options.repo)
    if options.timezone:
        return entry.model_copy(update={"timezone": zone_of(options.timezone).key})
    known = {named.name.lower() for named in settings.repositories}
    stored = warehouse.weeks(entry.name) if entry.name.lower() not in known else []
    if not stored:
        return entry
    fetches = warehouse.read(TABLES["raw_fetches"], entry.name, stored[-1])
    return entry.model_copy(update={"timezone": str(fetches.iloc[-1]["timezone"])})


def asked_week(text: str, entry: RepositorySettings, now: datetime | None = None) -> Week:
    """``last`` or an ISO week that has closed by the repository's clock."""
    instant = now or datetime.now(UTC)
    closed = last_closed(instant, entry.timezone)
    if text == "last":
        return closed
    week = parse_week(text)
    refuse_open([week], closed, entry.timezone)
    return week


def refuse_open(weeks: list[Week], closed: Week, timezone: str) -> None:
    """Raise where a week has not ended yet: half a week is never reported as one."""
    still_open = [str(week) for week in weeks if week > closed]
    if still_open:
        raise UsageError(
            f"week {', '.join(still_open[:3])}: has not ended yet by the clock of {timezone}. "
            f"The last closed week is {closed}; ask for that, or wait."
        )


def from_first_week(entry: RepositorySettings, weeks: list[Week]) -> RepositorySettings:
    """The settings with partitions that reach back to the oldest week asked for."""
    first = min([entry.starts, *weeks])
    return entry.model_copy(update={"first_week": str(first), "last_week": ""})


def missing_history(warehouse: Warehouse, entry: RepositorySettings, week: Week, wanted_weeks: int) -> list[Week]:
    """The weeks before, of so many, that are not stored whole with their derived tables; oldest first."""
    derived = set(warehouse.weeks(entry.name, "derived_follow_ups"))
    before = week_range(week.shift(-wanted_weeks), week.shift(-1)) if wanted_weeks else iter(())
    return [w for w in before if warehouse.week_state(entry.name, w) != "complete" or w not in derived]
