"""Risks by rule against their usual, suggestions, core paths: counts and choices of stored rows."""

from collections import Counter, defaultdict
from typing import Any

from pipelines.report.facts_rows import Row, WeekRows, json_object
from pipelines.report.facts_trends import median_of
from pipelines.report.model import PullFacts, RiskFacts, Suggestion
from pipelines.weeks import HISTORY_WEEKS

SEVERITIES = ("high", "medium", "low")
_ORDER = {severity: index for index, severity in enumerate(SEVERITIES)}
#: What a rule cannot do without, by the name of the part that was not read; a rule not named needs none of them.
_NEEDS: dict[str, frozenset[str]] = {
    "missing_tests": frozenset({"files"}),
    "core_path_change": frozenset({"files"}),
    "open_threads": frozenset({"reviewThreads"}),
    "changes_requested": frozenset({"reviews"}),
    "unapproved": frozenset({"reviews"}),
    "self_merged": frozenset({"reviews"}),
    "large_and_broad": frozenset({"files"}),
    "interface_change": frozenset({"files"}),
    "setting_removed": frozenset({"files"}),
    "dependency_change": frozenset({"files"}),
    "ci_change": frozenset({"files"}),
    "security_path": frozenset({"files"}),
    "migration": frozenset({"files"}),
    "sole_expert": frozenset({"files"}),
}


def risk_facts(rows: WeekRows, pulls: list[PullFacts]) -> list[RiskFacts]:
    """Rules that fired, most severe first, then the most frequent; ``usual`` over the stored ones of the 12 weeks before."""
    fired: dict[str, list[Row]] = defaultdict(list)
    for row in rows["derived_risks"]:
        fired[row["rule"]].append(row)
    rank = {pull["number"]: pull["rank"] for pull in pulls}
    past = [Counter(row["rule"] for row in week_rows) for week_rows in rows.past("derived_risks", HISTORY_WEEKS).values()]
    made = [_risk(rule, found, rank, past, pulls) for rule, found in fired.items()]
    return sorted(
        made, key=lambda risk: (_ORDER[risk["severity"]], -risk["by_severity"][risk["severity"]], -risk["count"], risk["rule"])
    )


def _risk(rule: str, found: list[Row], rank: dict[int, int], past: list[Counter[str]], pulls: list[PullFacts]) -> RiskFacts:
    ordered = sorted(found, key=lambda row: (_ORDER[row["severity"]], rank[row["number"]]))
    by_severity = Counter(row["severity"] for row in found)
    return {
        "rule": rule,
        "count": len(found),
        "severity": ordered[0]["severity"],
        "confidence": ordered[0]["confidence"],
        "by_severity": {severity: by_severity[severity] for severity in SEVERITIES},
        "usual": median_of(counter[rule] for counter in past),
        "weeks_known": len(past),
        "pull_requests": [row["number"] for row in ordered],
        "looked_at": len(pulls),
        "unknown": sum(bool(_NEEDS.get(rule, frozenset()) & set(pull["unknown_parts"])) for pull in pulls),
    }


def suggestion_facts(rows: WeekRows, *, earlier: bool) -> list[Suggestion]:
    """This week's suggestions by rank, or those of the weeks before with what became of them."""
    week = str(rows.week)
    kept = [row for row in rows["derived_follow_ups"] if (row["created_week"] != week) == earlier]
    return [_suggestion(row) for row in sorted(kept, key=lambda row: (row["rank"], row["follow_up_id"]))]


def _suggestion(row: Row) -> Suggestion:
    return {
        "id": row["follow_up_id"],
        "kind": row["kind"],
        "created_week": row["created_week"],
        "severity": row["severity"],
        "rank": row["rank"],
        "pull_requests": row["pull_requests"],
        "subject": row["subject"],
        "measures": json_object(row["measures_json"]),
        "evidence": row["evidence"],
        "done_when": row["done_when"],
        "done_when_facts": json_object(row["done_when_json"]),
        "state": row["state"],
        "closed_by": row["closed_by_number"],
        "closed_week": row["closed_week"],
    }


def core_path_facts(rows: WeekRows) -> list[dict[str, Any]]:
    """The files that count as core this week, the first by rank, each with the pull requests that changed it."""
    changed: dict[str, list[int]] = defaultdict(list)
    for row in rows["derived_files"]:
        if row["is_core"]:
            changed[row["path"]].append(row["number"])
    ordered = sorted(rows["derived_core_paths"], key=lambda row: (row["rank"], row["path"]))
    return [{**row, "pull_requests": sorted(changed[row["path"]])} for row in ordered]
