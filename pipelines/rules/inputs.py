"""What a rule may look at: the raw week, the weeks before, and the repository's settings."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from pipelines.settings import RuleSettings

#: Frames by table name, each of the dtypes that ``pipelines.tables`` names.
Frames = Mapping[str, pd.DataFrame]

#: How many weeks before a week its trends and core paths stand on: a quarter, long enough for medians and quartiles.
HISTORY_WEEKS = 12


@dataclass(frozen=True)
class WeekInputs:
    """One repository-week with what came before it.

    ``raw`` holds every raw table of the week. ``history`` holds every raw and derived table of the stored ones of the
    twelve weeks before, each with a column ``week`` in front; ``history_weeks`` names those weeks, oldest first (a
    stored week in which nothing was merged is named there and has no rows). A week not named is unknown, not empty.
    """

    repo: str
    week: str
    raw: Frames
    history: Frames
    history_weeks: tuple[str, ...]
    settings: RuleSettings

    def bot_logins(self) -> frozenset[str]:
        """Logins of plain users that the settings declare to be bots, lower case."""
        return frozenset(login.lower() for login in self.settings.bots)
