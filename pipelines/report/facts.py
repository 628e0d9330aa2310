"""``report.json``: the facts of one repository-week, put together from stored rows alone.

It counts, takes medians of stored counts and chooses; it measures nothing. The same rows give the same bytes.
"""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from pipelines.report.facts_groups import group_facts
from pipelines.report.facts_pulls import pull_facts
from pipelines.report.facts_risks import core_path_facts, risk_facts, suggestion_facts
from pipelines.report.facts_rows import RulesAbout, WeekRows, instant_text, read_rows
from pipelines.report.facts_titles import titles_of
from pipelines.report.facts_trends import flow_facts, theme_facts, tile_facts, usual_of
from pipelines.report.json_text import indented
from pipelines.report.model import SCHEMA_VERSION, Coverage, PullFacts, Report, StandsOn
from pipelines.report.prose import write_prose
from pipelines.report.words import languages
from pipelines.warehouse import Warehouse
from pipelines.weeks import HISTORY_WEEKS, Week

__all__ = ["RulesAbout", "build_report", "report_bytes", "report_from_rows"]


def build_report(warehouse: Warehouse, repo: str, week: Week, about: RulesAbout) -> Report:
    """The report of a stored and derived repository-week; :class:`ReportError` where it is not whole."""
    return report_from_rows(read_rows(warehouse, repo, week, about))


def report_bytes(report: Report) -> bytes:
    """The file ``report.json``: UTF-8, keys sorted, ends with a line feed."""
    return (indented(report) + "\n").encode()


def report_from_rows(rows: WeekRows) -> Report:
    """Facts first, then the sentences that stand on them, a language each."""
    report = _facts(rows)
    report["prose"] = write_prose(report, languages())
    return report


def _facts(rows: WeekRows) -> Report:
    pulls = pull_facts(rows)
    themes = theme_facts(rows, "theme")
    risks = risk_facts(rows, pulls)
    window, previous = rows.window, str(rows.week.shift(-1))
    return {
        "schema_version": SCHEMA_VERSION,
        "repo": rows.repo,
        "repo_url": rows.repo_url,
        "week": str(rows.week),
        "window": {"start": rows.fetch["window_start_utc"], "end": rows.fetch["window_end_utc"], "timezone": window.timezone},
        "days": {"first": rows.week.monday.isoformat(), "last": rows.week.sunday.isoformat()},
        "data_as_of": rows.counts["data_as_of_utc"],
        "previous_week": previous if previous in rows.history else None,
        "next_week": None,
        "coverage": _coverage(rows),
        "counts": _counts(rows),
        "usual": _usual(rows),
        "tiles": tile_facts(rows),
        "flow": flow_facts(rows),
        "highlights": [pull["number"] for pull in sorted(pulls, key=lambda pull: pull["rank"]) if pull["is_highlight"]],
        "groups": group_facts(rows, pulls, themes),
        "pull_requests": pulls,
        "themes": themes,
        "theme_titles": _theme_titles(rows),
        "modules": theme_facts(rows, "module"),
        "risks": risks,
        "rules_looked": len({*rows.about.risk_rules, *(risk["rule"] for risk in risks)}),
        "quiet_rules": sorted(set(rows.about.risk_rules) - {risk["rule"] for risk in risks}),
        "core_paths": core_path_facts(rows),
        "suggestions": suggestion_facts(rows, earlier=False),
        "earlier_suggestions": suggestion_facts(rows, earlier=True),
        "first_time_authors": rows.counts["first_time_authors"],
        "reviewers": _reviewers(rows, pulls),
        "exclusions": _exclusions(rows),
        "search_url": _search_url(rows),
        "stands_on": _stands_on(rows),
        "prose": {},
    }


def _coverage(rows: WeekRows) -> Coverage:
    fetch, fetches = rows.fetch, rows["raw_fetches"]
    later = [row for row in fetches if row["fetch_number"] > fetches[0]["fetch_number"]]
    return {
        "state": fetch["state"],
        "revised": any(row["added_numbers"] or row["changed_numbers"] or row["removed_numbers"] for row in later),
        "enumerated": fetch["enumerated_count"],
        "read": fetch["read_count"],
        "missing_numbers": fetch["missing_numbers"],
        "cut_parts": fetch["cut_parts"],
        "differences": fetch["enumeration_differences"],
        "added_numbers": fetch["added_numbers"],
        "changed_numbers": fetch["changed_numbers"],
        "removed_numbers": fetch["removed_numbers"],
        "history_weeks": len(rows.history),
        "fetches": len(fetches),
        "source": fetch["source"],
        "notes": fetch["notes"],
    }


_NO_COUNTS = frozenset({"repository", "data_as_of_utc", "first_time_authors"})


def _counts(rows: WeekRows) -> dict[str, Any]:
    """The row of derived_week, ``merged_count`` as ``merged``; and how many first-time contributors it names."""
    made = {key.removesuffix("_count"): value for key, value in rows.counts.items() if key not in _NO_COUNTS}
    names = rows.counts["first_time_authors"]
    return {**made, "first_time_authors": None if names is None else len(names)}


def _usual(rows: WeekRows) -> dict[str, float | None]:
    keys = [key for key in rows.counts if key not in _NO_COUNTS and key != "history_weeks_count"]
    return {key.removesuffix("_count"): usual_of(rows, key, HISTORY_WEEKS) for key in keys}


def _theme_titles(rows: WeekRows) -> dict[str, dict[str, str]]:
    named = {row["theme"] for row in rows["derived_themes"]}
    named |= {row["name"] for row in rows["derived_theme_trends"] if row["dimension"] == "theme"}
    return {key: titles_of(rows, key) for key in sorted(named)}


def _reviewers(rows: WeekRows, pulls: list[PullFacts]) -> list[str] | None:
    if rows.counts["reviewers_count"] is None:
        return None
    return sorted({login for pull in pulls for login in pull["reviewers"] or []})


def _exclusions(rows: WeekRows) -> dict[str, int]:
    """What measures leave out, with counts: bots from times, these kinds of files from source."""
    files, measures = rows["derived_files"], rows["derived_pull_requests"]
    return {
        "bot_pull_requests": rows.counts["bot_merged_count"],
        "backports": sum(row["is_backport"] for row in measures),
        "generated_files": sum(row["kind"] == "generated" for row in files),
        "vendored_files": sum(row["kind"] == "vendored" for row in files),
        "renamed_only_files": sum(row["is_rename_only"] for row in files),
        "unread_pull_requests": len(rows.fetch["missing_numbers"]),
    }


def _search_url(rows: WeekRows) -> str:
    """The search that lists the week; GitHub's ranges hold both ends, so the last second stands for the end."""
    start, end = rows.fetch["window_start_utc"], instant_text(rows.window.end_utc - timedelta(seconds=1))
    return f"{rows.repo_url}/pulls?{urlencode({'q': f'is:pr is:merged merged:{start}..{end}'})}"


def _stands_on(rows: WeekRows) -> StandsOn:
    return {
        "raw": dict(rows.raw_hashes),
        "derived": dict(rows.derived_hashes),
        "history": dict(rows.history_hashes),
        "rules_version": rows.about.version,
        "settings": rows.about.settings,
        "program_version": rows.about.program_version,
    }
