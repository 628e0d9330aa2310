"""How many review threads a pull request was merged with: open, outdated and resolved, those begun by bots apart."""

from collections import Counter
from collections.abc import Collection
from typing import Any, NamedTuple

from pipelines.rules.inputs import WeekInputs
from pipelines.rules.people import is_person
from pipelines.rules.rows import tuples

COUNTS = ("open_threads_count", "open_bot_threads_count", "outdated_threads_count", "resolved_threads_count")


class ThreadState(NamedTuple):
    """A review thread with its state at the merge: open, outdated, resolved or unknown."""

    number: int
    thread_id: str
    path: str
    state: str
    is_human: bool


def states(inputs: WeekInputs) -> list[ThreadState]:
    """The review threads of the week, sorted by number and id.

    A thread belongs to who wrote its first comment; where no comment was read, to a person, so that nothing is waved away.
    """
    columns = ("created_at_utc", "comment_id", "number", "thread_id", "author_login", "author_type")
    begun: dict[tuple[int, str], tuple[str, str]] = {}
    for _, _, number, thread, login, kind in sorted(tuples(inputs.raw, "raw_review_comments", *columns)):
        begun.setdefault((number, thread), (login, kind))
    bots = inputs.bot_logins()
    rows = tuples(inputs.raw, "raw_review_threads", "number", "thread_id", "path", "is_resolved", "is_outdated")
    found = []
    for number, thread, path, resolved, outdated in rows:
        first = begun.get((number, thread))
        is_human = first is None or is_person(*first, bots)
        found.append(ThreadState(number, thread, path, _state(resolved, outdated), is_human))
    return sorted(found)


def _state(resolved: bool | None, outdated: bool | None) -> str:  # noqa: FBT001  # because: the two stand in one row of a table
    if resolved:
        return "resolved"
    if resolved is None or outdated is None:
        return "unknown"
    return "outdated" if outdated else "open"


def measures(inputs: WeekInputs, unknown: Collection[int]) -> dict[int, dict[str, Any]]:
    """Thread counts of each pull request by number; null where its threads (``unknown``) or a state of them were not read."""
    rows = states(inputs)
    counts = Counter((row.number, _counted_as(row)) for row in rows)
    lost = {*unknown, *(row.number for row in rows if row.state == "unknown")}
    return {
        pull.number: {name: None if pull.number in lost else counts[pull.number, name] for name in COUNTS} for pull in inputs.pulls
    }


def _counted_as(row: ThreadState) -> str:
    if row.state == "open" and not row.is_human:
        return "open_bot_threads_count"
    return f"{row.state}_threads_count"
