"""Unresolved review: open threads, changes requested and not withdrawn, merged without approval or by the author alone.

False positives: a thread that was answered in words and left open; a reviewer who asked for changes and approved by
word of mouth; a repository whose custom is to merge without the button. Threads that only the author wrote in count as
a person's, since GitHub does not tell notes from questions. Bots' pull requests are nobody's to approve and are left out.
"""

from collections.abc import Callable, Iterator

from pipelines.rules.risks.base import Finding, Grade, Pull, RiskRule, RiskWeek, counted, grade, named, source_lines
from pipelines.rules.rows import tuples

# One open thread is often a nit; three are a discussion that the merge cut off.
_MEDIUM_THREADS, _HIGH_THREADS = 2.0, 5.0
# Source lines from which nobody's second look is more than a formality: a screen of code, and a change too long to see at once.
_MEDIUM_LINES, _HIGH_LINES = 60.0, 400.0


def _open_threads(week: RiskWeek) -> Iterator[Finding]:
    found: dict[int, list[tuple[str, str]]] = {}
    for thread in week.threads:
        if thread.state == "open" and thread.is_human:
            found.setdefault(thread.number, []).append((thread.thread_id, thread.path))
    for number, threads in found.items():
        if number not in week.pulls:
            continue
        count, paths = len(threads), sorted({path for _, path in threads})
        core = sorted(set(week.pulls[number]["core_paths"]) & set(paths))
        severity: Grade = "high" if core and count >= _MEDIUM_THREADS else grade(count, _MEDIUM_THREADS, _HIGH_THREADS)
        reason = f"Merged with {counted(count, 'open review thread')} on {named(paths)}, neither resolved nor outdated."
        measures = {"threads": count, "paths": paths, "core_paths": core}
        yield Finding(number, severity, "high", reason, measures, tuple(f"thread:{thread}" for thread, _ in threads))


def _changes_requested(week: RiskWeek) -> Iterator[Finding]:
    asked: dict[tuple[int, str], list[str]] = {}
    for number, login, state, review in tuples(week.inputs.raw, "raw_reviews", "number", "author_login", "state", "review_id"):
        if state == "CHANGES_REQUESTED":
            asked.setdefault((number, login), []).append(f"review:{review}")
    for number, pull in week.pulls.items():
        people = list(pull["changes_requested_by"] or ())
        if not people:
            continue
        others = len(pull["approvers"])
        severity: Grade = "medium" if others else "high"
        reason = (
            f"Changes requested by {named(people)} were not withdrawn; {counted(others, 'other person', 'other people')} approved."
        )
        measures = {"people": len(people), "approvals": others}
        evidence = tuple(review for person in people for review in asked.get((number, person), []))
        yield Finding(number, severity, "high", reason, measures, evidence)


def _unapproved(week: RiskWeek) -> Iterator[Finding]:
    for number, pull in week.by_people():
        if pull["is_approved"] is False:
            reviews = int(pull["human_reviews_count"])
            reason = f"Merged without a person's approval; {counted(reviews, 'review')} by people other than the author."
            measures = {"reviews": reviews, "source_lines": source_lines(pull), "core_files": pull["core_files_count"]}
            yield Finding(number, _by_size(pull), "high", reason, measures, (f"pull:{number}",))


def _self_merged(week: RiskWeek) -> Iterator[Finding]:
    for number, pull in week.by_people():
        if pull["is_self_merged"]:
            measures = {"source_lines": source_lines(pull), "core_files": pull["core_files_count"]}
            reason = "Merged by its author; nobody else approved it."
            yield Finding(number, _by_size(pull), "high", reason, measures, (f"pull:{number}",))


def _by_size(pull: Pull) -> Grade:
    """How much went in unseen; lines of a pull request that touches core files count twice."""
    return grade(source_lines(pull) * (2 if pull["core_files_count"] else 1), _MEDIUM_LINES, _HIGH_LINES)


def _rule(
    name: str, title: str, looks_at: str, find: Callable[[RiskWeek], Iterator[Finding]], *, severity: Grade = "medium"
) -> RiskRule:
    return RiskRule(name, title, looks_at, severity, find, ("threads",) if name == "open_threads" else ("reviews",))


RULES = (
    _rule(
        "open_threads", "Open review threads", "Threads begun by people, neither resolved nor outdated at the merge.", _open_threads
    ),
    _rule("changes_requested", "Changes requested", "The last verdict of each reviewer.", _changes_requested, severity="high"),
    _rule("unapproved", "Merged without approval", "Approvals by people other than the author, until the merge.", _unapproved),
    _rule("self_merged", "Merged by its author alone", "Who merged it, and who approved.", _self_merged),
)
