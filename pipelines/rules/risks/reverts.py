"""Reverted, relanded, and quick fixes: changes that did not hold the first time.

False positives: a revert that was itself undone; a title that says "revert" of a setting rather than of a change (links
need a number or the other title). A quick fix may finish work that was planned in two parts: it is a low risk.
"""

from collections.abc import Iterator

import pandas as pd

from pipelines.rules.risks.base import Finding, RiskRule, RiskWeek

# Two weeks: later than that, a fix is maintenance rather than a sign that the change was not ready.
_QUICK_HOURS = 14 * 24.0
# Reverted within two days: it broke something that was noticed at once.
_SOON_HOURS = 48.0


def _hours(value: object) -> float | None:
    return None if value is None or pd.isna(value) else round(float(str(value)), 1)


def lived(hours: float | None) -> str:
    """How long a change lived, in words."""
    if hours is None:
        return "after a time that is not known"
    return f"{hours:.1f} hours" if hours < _SOON_HOURS else f"{hours / 24:.0f} days"


def _reverted(week: RiskWeek) -> Iterator[Finding]:
    pulls = week.pulls[week.pulls["reverted_by_number"].notna()]
    for number, pull in pulls.iterrows():
        by, hours = int(pull["reverted_by_number"]), _hours(pull["reverted_after_hours"])
        after = f"{lived(hours)} after its merge" if hours is not None else lived(hours)
        relanded = week.links[(week.links["kind"] == "relands") & (week.links["target_number"] == number)]["number"]
        again = f" Relanded by #{int(relanded.iloc[0])}." if len(relanded) else ""
        measures = {"by": by, "hours": hours, "relanded_by": int(relanded.iloc[0]) if len(relanded) else None}
        severity = "low" if len(relanded) else "high" if hours is not None and hours <= _SOON_HOURS else "medium"
        yield Finding(int(number), severity, "high", f"Reverted by #{by}, {after}.{again}", measures, (f"pull:{by}",))


def _linked(week: RiskWeek, kinds: tuple[str, ...]) -> pd.DataFrame:
    links = week.links
    return links[links["kind"].isin(kinds) & links["number"].isin(week.pulls.index) & (links["number"] != links["target_number"])]


def _relanded(week: RiskWeek) -> Iterator[Finding]:
    for number, rows in _linked(week, ("relands",)).groupby("number"):
        target = int(rows["target_number"].iloc[0])
        hours = _hours(rows["hours_between"].iloc[0])
        reason = f"Brings back #{target}, which was reverted before."
        yield Finding(int(number), "medium", "high", reason, {"target": target, "hours": hours}, (f"pull:{target}",))


def _quick_fix(week: RiskWeek) -> Iterator[Finding]:
    rows = _linked(week, ("fixes",))
    for number, fixes in rows[rows["hours_between"].between(0, _QUICK_HOURS)].groupby("number"):
        first = fixes.sort_values(["hours_between", "target_number"]).iloc[0]
        target, hours = int(first["target_number"]), _hours(first["hours_between"])
        reason = f"Fixes #{target}, merged {lived(hours)} before."
        yield Finding(int(number), "low", "medium", reason, {"target": target, "hours": hours}, (f"pull:{target}",))


RULES = (
    RiskRule("reverted", "Reverted", "Pull requests known to revert this one.", "high", _reverted),
    RiskRule("relanded", "Relanded", "Links to a change that was reverted before.", "medium", _relanded),
    RiskRule("quick_fix", "Quick fix", "Links to a change of the last two weeks that this one fixes.", "low", _quick_fix),
)
