"""Reverted, relanded, and quick fixes: changes that did not hold the first time.

False positives: a revert that was itself undone; a title that says "revert" of a setting rather than of a change (links
need a number or the other title). A quick fix may finish work that was planned in two parts: it is a low risk.
"""

from collections.abc import Iterator

from pipelines.rules.risks.base import Finding, Grade, RiskRule, RiskWeek

# Two weeks: later than that, a fix is maintenance rather than a sign that the change was not ready.
_QUICK_HOURS = 14 * 24.0
# Reverted within two days: it broke something that was noticed at once.
_SOON_HOURS = 48.0


def lived(hours: float | None) -> str:
    """How long a change lived, in words."""
    if hours is None:
        return "after a time that is not known"
    return f"{hours:.1f} hours" if hours < _SOON_HOURS else f"{hours / 24:.0f} days"


def _rounded(hours: float | None) -> float | None:
    return None if hours is None else round(hours, 1)


def _reverted(week: RiskWeek) -> Iterator[Finding]:
    relands = {link["target_number"]: int(link["number"]) for link in reversed(week.links) if link["kind"] == "relands"}
    for number, pull in week.pulls.items():
        if pull["reverted_by_number"] is None:
            continue
        by, hours, again = int(pull["reverted_by_number"]), pull["reverted_after_hours"], relands.get(number)
        after = f"{lived(hours)} after its merge" if hours is not None else lived(hours)
        severity: Grade = "low" if again else "high" if hours is not None and hours <= _SOON_HOURS else "medium"
        reason = f"Reverted by #{by}, {after}." + (f" Relanded by #{again}." if again else "")
        yield Finding(number, severity, "high", reason, {"by": by, "hours": _rounded(hours), "relanded_by": again}, (f"pull:{by}",))


def _linked(week: RiskWeek, kind: str) -> Iterator[tuple[int, int, float | None]]:
    """The week's pull requests with their links of a kind: number, target, hours between; the nearest target alone."""
    found: dict[int, tuple[float, int, float | None]] = {}
    for link in week.links:
        if link["kind"] == kind and link["number"] in week.pulls:
            hours = link["hours_between"]
            near = (float("inf") if hours is None else float(hours), int(link["target_number"]), hours)
            found[link["number"]] = min(near, found.get(link["number"], near))
    return ((number, target, hours) for number, (_, target, hours) in sorted(found.items()))


def _relanded(week: RiskWeek) -> Iterator[Finding]:
    for number, target, hours in _linked(week, "relands"):
        measures = {"target": target, "hours": _rounded(hours)}
        yield Finding(number, "medium", "high", f"Brings back #{target}, which was reverted before.", measures, (f"pull:{target}",))


def _quick_fix(week: RiskWeek) -> Iterator[Finding]:
    for number, target, hours in _linked(week, "fixes"):
        if hours is not None and 0 <= hours <= _QUICK_HOURS:
            measures = {"target": target, "hours": _rounded(hours)}
            yield Finding(number, "low", "medium", f"Fixes #{target}, merged {lived(hours)} before.", measures, (f"pull:{target}",))


RULES = (
    RiskRule("reverted", "Reverted", "Pull requests known to revert this one.", "high", _reverted),
    RiskRule("relanded", "Relanded", "Links to a change that was reverted before.", "medium", _relanded),
    RiskRule("quick_fix", "Quick fix", "Links to a change of the last two weeks that this one fixes.", "low", _quick_fix),
)
