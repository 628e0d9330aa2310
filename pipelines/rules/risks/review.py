"""Unresolved review: open threads, changes requested and not withdrawn, merged without approval or by the author alone.

False positives: a thread that was answered in words and left open; a reviewer who asked for changes and approved by
word of mouth; a repository whose custom is to merge without the button. Threads that only the author wrote in count as
a person's, since GitHub does not tell notes from questions. Bots' pull requests are nobody's to approve and are left out.
"""

from collections.abc import Iterator

import pandas as pd

from pipelines.rules.risks.base import Finding, Grade, RiskRule, RiskWeek, counted, grade, named

# One open thread is often a nit; three are a discussion that the merge cut off.
_MEDIUM_THREADS, _HIGH_THREADS = 2.0, 5.0
# Source lines from which nobody's second look is more than a formality: a screen of code, and a change too long to see at once.
_MEDIUM_LINES, _HIGH_LINES = 60.0, 400.0


def _open_threads(week: RiskWeek) -> Iterator[Finding]:
    states = week.thread_states
    rows = states[(states["state"] == "open") & states["is_human"]]
    for number, threads in rows[rows["number"].isin(week.pulls.index)].groupby("number"):
        count, paths = len(threads), sorted(set(threads["path"]))
        core = set(week.pulls.at[number, "core_paths"]) & set(paths)
        severity = "high" if core and count >= _MEDIUM_THREADS else grade(count, _MEDIUM_THREADS, _HIGH_THREADS)
        reason = f"Merged with {counted(count, 'open review thread')} on {named(paths)}, neither resolved nor outdated."
        measures = {"threads": count, "paths": paths, "core_paths": sorted(core)}
        yield Finding(int(number), severity, "high", reason, measures, tuple(f"thread:{thread}" for thread in threads["thread_id"]))


def _changes_requested(week: RiskWeek) -> Iterator[Finding]:
    reviews = week.inputs.raw["raw_reviews"]
    asked = reviews[reviews["state"] == "CHANGES_REQUESTED"]
    pulls = week.pulls[[bool(len(logins)) if isinstance(logins, list) else False for logins in week.pulls["changes_requested_by"]]]
    for number, pull in pulls.iterrows():
        people = list(pull["changes_requested_by"])
        others = len(pull["approvers"])
        mine = asked[(asked["number"] == number) & asked["author_login"].isin(people)]
        severity: Grade = "medium" if others else "high"
        reason = (
            f"Changes requested by {named(people)} were not withdrawn; {counted(others, 'other person', 'other people')} approved."
        )
        measures = {"people": len(people), "approvals": others}
        yield Finding(int(number), severity, "high", reason, measures, tuple(f"review:{review}" for review in mine["review_id"]))


def _unapproved(week: RiskWeek) -> Iterator[Finding]:
    pulls = week.by_people()
    for number, pull in pulls[~pulls["is_approved"].fillna(True)].iterrows():
        reviews = int(pull["human_reviews_count"])
        reason = f"Merged without a person's approval; {counted(reviews, 'review')} by people other than the author."
        measures = {"reviews": reviews, "source_lines": _source_lines(pull), "core_files": int(pull["core_files_count"])}
        yield Finding(int(number), _by_size(pull), "high", reason, measures, (f"pull:{number}",))


def _self_merged(week: RiskWeek) -> Iterator[Finding]:
    pulls = week.by_people()
    for number, pull in pulls[pulls["is_self_merged"].fillna(False)].iterrows():
        reason = "Merged by its author; nobody else approved it."
        measures = {"source_lines": _source_lines(pull), "core_files": int(pull["core_files_count"])}
        yield Finding(int(number), _by_size(pull), "high", reason, measures, (f"pull:{number}",))


def _source_lines(pull: "pd.Series[object]") -> int:
    return int(str(pull["source_added_lines_count"])) + int(str(pull["source_removed_lines_count"]))


def _by_size(pull: "pd.Series[object]") -> Grade:
    """How much went in unseen; lines of a pull request that touches core files count twice."""
    return grade(_source_lines(pull) * (2 if pull["core_files_count"] else 1), _MEDIUM_LINES, _HIGH_LINES)


RULES = (
    RiskRule("open_threads", "Open review threads", "Review threads begun by people, neither resolved nor outdated at the merge.", "medium", _open_threads, ("threads",)),
    RiskRule("changes_requested", "Changes requested", "The last verdict of each reviewer.", "high", _changes_requested, ("reviews",)),
    RiskRule("unapproved", "Merged without approval", "Approvals by people other than the author, until the merge.", "medium", _unapproved, ("reviews",)),
    RiskRule("self_merged", "Merged by its author alone", "Who merged it, and who approved.", "medium", _self_merged, ("reviews",)),
)  # fmt: skip
