"""Run weeks through the asset graph and tell how each ended; what ``report``, ``backfill`` and ``demo`` share."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.commands.progress import reporting
from pipelines.errors import PullweekError
from pipelines.settings import RepositorySettings
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week

HISTORY_WEEKS_WANTED = 12


@dataclass(frozen=True)
class WeekOutcome:
    """How a week ended, as the command tells it."""

    week: Week
    failure: str | None
    facts: dict[str, Any]  # merged, read, highlights, history_weeks, state; empty where it failed
    page: Path


def run_weeks(
    warehouse: Warehouse, entry: RepositorySettings, weeks: list[Week], *, refresh: bool, max_wait_seconds: float
) -> list[WeekOutcome]:
    """Fetch, derive and report these weeks, oldest first; a failing week stops no other."""
    from pipelines.defs.launch import WeekRunner, open_instance

    outcomes = []
    with open_instance(warehouse) as instance, reporting(len(weeks)) as reporter:
        runner = WeekRunner(instance, warehouse, entry, max_wait_seconds=max_wait_seconds)
        for week in weeks:
            reporter.week(f"{entry.name} {week}")
            ended = runner.run(week, reporter.progress, refresh=refresh)
            outcome = _outcome(warehouse, entry.name, week, ended.failure)
            outcomes.append(outcome)
            reporter.week_done(summary_line(entry.name, outcome))
    return outcomes


def _outcome(warehouse: Warehouse, repo: str, week: Week, failure: str | None) -> WeekOutcome:
    folder = warehouse.report_folder(repo, week)
    page = folder / "report.en.html"
    if failure is not None:
        return WeekOutcome(week, failure, {}, page)
    report = json.loads((folder / "report.json").read_bytes())
    facts = {
        "merged": report["counts"]["merged"],
        "found": report["coverage"]["enumerated"],
        "read": report["coverage"]["read"],
        "state": report["coverage"]["state"],
        "highlights": len(report["highlights"]),
        "history_weeks": report["coverage"]["history_weeks"],
    }
    return WeekOutcome(week, None, facts, page)


def summary_line(repo: str, outcome: WeekOutcome) -> str:
    """One line for a week."""
    if outcome.failure is not None:
        return f"{repo} {outcome.week}: failed: {' '.join(outcome.failure.split())}"
    facts = outcome.facts
    partial = "" if facts["state"] == "complete" else f", PARTIAL ({facts['read']} of {facts['found']} read)"
    return (
        f"{repo} {outcome.week}: {facts['merged']} merged, {facts['highlights']} highlights{partial}, "
        f"on {facts['history_weeks']} of {HISTORY_WEEKS_WANTED} weeks before"
    )


def finish(repo: str, outcomes: list[WeekOutcome], *, as_json: bool) -> int:
    """Print the end of a run: JSON or the path of the newest page; raise where a week failed."""
    failed = [outcome for outcome in outcomes if outcome.failure is not None]
    if as_json:
        rows = [
            {"week": str(o.week), "failure": o.failure, "page": str(o.page) if o.failure is None else None, **o.facts}
            for o in outcomes
        ]
        print(json.dumps({"repo": repo, "weeks": rows}, indent=1))
    else:
        good = [outcome for outcome in outcomes if outcome.failure is None]
        if good:
            print(good[-1].page)
    if len(outcomes) == 1 and failed:
        raise PullweekError(failed[0].failure or "")
    if failed:
        for outcome in failed:
            print(f"pullweek: {summary_line(repo, outcome)}", file=sys.stderr)
        raise PullweekError(
            f"{repo}: {len(failed)} of {len(outcomes)} weeks failed, listed above. Run it again to go on with these."
        )
    return 0
