"""Run weeks through the asset graph and tell how each ended; what ``report``, ``backfill`` and ``demo`` share."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from pipelines.commands.progress import watching
from pipelines.defs.current import is_current
from pipelines.defs.forking import begin_loading, processes_count
from pipelines.defs.watching import STEPS, WeekOutcome
from pipelines.errors import PullweekError
from pipelines.settings import RepositorySettings
from pipelines.warehouse import Warehouse
from pipelines.weeks import HISTORY_WEEKS, Week, week_range


@dataclass(frozen=True)
class Ended:
    """A run of weeks as the command tells it."""

    warehouse: Warehouse
    repo: str
    outcomes: list[WeekOutcome]

    @property
    def failed(self) -> list[WeekOutcome]:
        """The weeks that failed."""
        return [outcome for outcome in self.outcomes if outcome.failure is not None]

    def page(self, week: Week) -> Path:
        """The page of a week."""
        return self.warehouse.report_folder(self.repo, week) / "report.en.html"

    def facts(self, week: Week) -> dict[str, Any]:
        """What the command tells of a reported week."""
        report = json.loads((self.warehouse.report_folder(self.repo, week) / "report.json").read_bytes())
        coverage = report["coverage"]
        return {
            "merged": report["counts"]["merged"],
            "highlights": len(report["highlights"]),
            "history_weeks": coverage["history_weeks"],
            **{key: coverage[key] for key in ("enumerated", "read", "state")},
        }

    def tell_in_passing(self, outcome: WeekOutcome) -> str:
        """The line of a week as it ends; nothing where it failed, since ``finish`` lists those."""
        return "" if outcome.failure is not None else self.tell(outcome)

    def tell(self, outcome: WeekOutcome) -> str:
        """One line for a week."""
        if outcome.failure is not None:
            return f"{self.repo} {outcome.week}: failed: {' '.join(outcome.failure.split())}"
        facts = self.facts(outcome.week)
        partial = "" if facts["state"] == "complete" else f", PARTIAL ({facts['read']} of {facts['enumerated']} read)"
        kept = f"; nothing to do: {', '.join(sorted(outcome.skipped))}" if outcome.skipped else ""
        return (
            f"{self.repo} {outcome.week}: {facts['merged']} merged, {facts['highlights']} highlights{partial}, "
            f"on {facts['history_weeks']} of {HISTORY_WEEKS} weeks before{kept}"
        )


def run_weeks(
    warehouse: Warehouse,
    entry: RepositorySettings,
    weeks: Sequence[Week],
    *,
    refresh: Sequence[Week] = (),
    rerun: bool = False,
    rerender: bool = False,
    max_wait_seconds: float = 0.0,
) -> Ended:
    """Fetch, derive and report every week from the oldest to the newest of these; a failing week stops no other.

    Dagster is asked from the first week on that is not current; where all are, it is not even imported.
    """
    every = list(week_range(min(weeks), max(weeks)))
    ended = Ended(warehouse, entry.name, [])
    with watching(entry.name, len(every), ended.tell_in_passing) as watcher:
        asked = [] if rerun or rerender else every
        current = list(takewhile(lambda week: week not in refresh and is_current(warehouse, entry, week), asked))
        for week in current:
            watcher.begin(week)
            ended.outcomes.append(WeekOutcome(week, skipped=frozenset(STEPS)))
            watcher.end(ended.outcomes[-1])
        if len(current) < len(every):
            if processes_count(len(every)) and (rerender or not rerun):  # a rerun renders only what comes out different
                begin_loading()
            from pipelines.defs.launch import Launcher, open_instance

            with open_instance(warehouse) as instance:
                launcher = Launcher(instance, warehouse, entry, max_wait_seconds)
                ended.outcomes.extend(launcher.run(every[len(current) :], watcher, refresh=refresh, rerun=rerun, rerender=rerender))
    return ended


def finish(ended: Ended, *, as_json: bool) -> int:
    """Print the end of a run: JSON or the path of the newest page; raise where a week failed."""
    good = [outcome.week for outcome in ended.outcomes if outcome.failure is None]
    if as_json:
        print(json.dumps({"repo": ended.repo, "weeks": [_row(ended, outcome) for outcome in ended.outcomes]}, indent=1))
    elif good:
        print(ended.page(max(good)))
    if len(ended.outcomes) == 1 and ended.failed:
        raise PullweekError(ended.failed[0].failure or "")
    if ended.failed:
        for outcome in ended.failed:
            print(f"pullweek: {ended.tell(outcome)}", file=sys.stderr)
        raise PullweekError(
            f"{ended.repo}: {len(ended.failed)} of {len(ended.outcomes)} weeks failed, listed above. "
            "Run it again to go on with these."
        )
    return 0


def _row(ended: Ended, outcome: WeekOutcome) -> dict[str, Any]:
    row: dict[str, Any] = {"week": str(outcome.week), "failure": outcome.failure, "skipped": sorted(outcome.skipped), "page": None}
    return row if outcome.failure is not None else row | {"page": str(ended.page(outcome.week))} | ended.facts(outcome.week)
