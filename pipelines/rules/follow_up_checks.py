"""What became of a suggestion: done, moot or still open, found in what was merged and fetched since.

Each ``done_when`` has one check here. A check says done only on what it can point to: a pull request, or a state that
GitHub shows. What cannot be checked stays open until it is too old to matter.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pipelines.rules.follow_up_model import WEEKS_KEPT, Closing
from pipelines.rules.later_changes import Change, LaterChanges
from pipelines.weeks import parse_week

#: Links by which a later change takes up an earlier one.
_ANSWERS = frozenset({"fixes", "follows", "relands", "series", "reverts"})
_BREAKS = frozenset({"fixes", "reverts"})


def closing(
    done_when: str, looks_for: Mapping[str, Any], numbers: list[int], paths: list[str], later: LaterChanges
) -> Closing | None:
    """Find how a suggestion about these pull requests ended; None where it is still open, or its rule is not known."""
    check = _CHECKS.get(done_when)
    done = check(looks_for, numbers, later) if check else None
    return done or _moot(done_when, numbers, paths, later)


def too_old(created_week: str, week: str) -> Closing | None:
    """Close a suggestion by time: moot once it has stood for the weeks that suggestions are kept."""
    return Closing("moot", None, week) if parse_week(created_week).shift(WEEKS_KEPT) <= parse_week(week) else None


def _first(changes: list[Change]) -> Closing | None:
    return Closing("done", changes[0].number, changes[0].week) if changes else None


def _tests_near(looks_for: Mapping[str, Any], numbers: list[int], later: LaterChanges) -> Closing | None:
    """At least half of the pull requests have tests near their main files now; the one that made it half is named."""
    authors = {later.changes[number].author for number in numbers if number in later.changes}
    pulls = looks_for.get("pulls", [])
    first = [later.after(numbers, _testing(pull, authors, later))[:1] for pull in pulls]
    covered = sorted((changes[0] for changes in first if changes), key=lambda change: (change.merged_at, change.number))
    needed = (len(pulls) + 1) // 2
    return _first(covered[needed - 1 :]) if pulls else None


def _testing(pull: Mapping[str, Any], authors: set[str], later: LaterChanges) -> set[int]:
    """Find who tests one pull request: by a test named after a main file of it; or by a new one in a folder of that name.

    A folder holds much else, so there it must be a change of tests alone, or by an author of what is to be tested.
    """
    found = {number for stem in pull.get("stems", []) for number in later.testing.get(str(stem), ())}
    new = {number for folder in pull.get("folders", []) for number in later.newly_testing.get(folder, ())}
    changes = [later.changes[number] for number in new if number in later.changes]
    return found | {change.number for change in changes if change.source_files_count == 0 or change.author in authors}


def _threads_resolved(looks_for: Mapping[str, Any], numbers: list[int], later: LaterChanges) -> Closing | None:
    """All threads are resolved in the newest fetch; or a change that takes up the pull request changed their files."""
    still_open = later.open_threads(numbers)
    if still_open is not None and not set(looks_for.get("threads", [])) & still_open:
        return Closing("done", None, max(later.weeks))
    answering = {number for found in later.linking(numbers, _ANSWERS).values() for number in found}
    return _first(later.after(numbers, answering & later.touching(looks_for.get("paths", []))))


def _relanded(looks_for: Mapping[str, Any], numbers: list[int], later: LaterChanges) -> Closing | None:
    """A later change relands it, or reverts its revert."""
    back = later.linking(numbers, frozenset({"relands"}))
    undone = later.linking(looks_for.get("reverts", []), frozenset({"reverts"}))
    found = {number for group in (*back.values(), *undone.values()) for number in group}
    return _first(later.after([*numbers, *looks_for.get("reverts", [])], found))


def _documented(looks_for: Mapping[str, Any], numbers: list[int], later: LaterChanges) -> Closing | None:
    """A later change of documentation says the setting: in its diff, in its title, or by taking up the pull request."""
    settings = [str(setting) for setting in looks_for.get("settings", [])]
    touching = later.documenting
    answering = {number for found in later.linking(numbers, _ANSWERS).values() for number in found}
    saying = {number for number in touching if number in later.changes and any(s in later.changes[number].title for s in settings)}
    return _first(later.after(numbers, (touching & answering) | saying | later.patches_saying(settings, touching)))


def _fixed_again(looks_for: Mapping[str, Any], numbers: list[int], later: LaterChanges) -> Closing | None:
    """What it watched for came: one of the changes was fixed or reverted after all of them were merged."""
    watched = [int(number) for number in looks_for.get("numbers", numbers)]
    found = {number for group in later.linking(watched, _BREAKS).values() for number in group}
    return _first(later.after(watched, found))


def _reviewed(looks_for: Mapping[str, Any], numbers: list[int], later: LaterChanges) -> Closing | None:
    """Every one of the pull requests has an approval now; or each was taken up by a change of somebody else."""
    wanted = {int(number) for number in looks_for.get("numbers", numbers)}
    approved = later.approvals(wanted)
    if approved >= wanted:
        return Closing("done", None, max(later.weeks))
    taken_up = []
    for number in sorted(wanted - approved):
        author = later.changes[number].author if number in later.changes else ""
        by = [
            change
            for change in later.after([number], later.linking([number], _ANSWERS).get(number, set()))
            if change.author != author
        ]
        if not by:
            return None
        taken_up.append(by[0])
    return _first(sorted(taken_up, key=lambda change: (change.merged_at, change.number), reverse=True))


def _changed_by_another(looks_for: Mapping[str, Any], numbers: list[int], later: LaterChanges) -> Closing | None:
    """Another person changed source of the area."""
    own = {later.changes[number].author for number in numbers if number in later.changes}
    module = looks_for.get("module", "")
    found = {
        change.number
        for change in later.changes.values()
        if change.module == module and change.source_files_count and change.is_by_person and change.author not in own
    }
    return _first(later.after(numbers, found)) if own else None


def _moot(done_when: str, numbers: list[int], paths: list[str], later: LaterChanges) -> Closing | None:
    """What it was about is gone: all of its pull requests were reverted, or all of its files deleted."""
    if done_when == "relanded" or not numbers:
        return None
    reverted = later.linking(numbers, frozenset({"reverts"}))
    if set(reverted) >= set(numbers):
        last = later.after(numbers, {number for found in reverted.values() for number in found})
        return Closing("moot", last[-1].number, last[-1].week) if last else None
    if paths and later.deleting.keys() >= set(paths):
        last = later.after(numbers, (later.deleting[path] for path in paths))
        return Closing("moot", last[-1].number, last[-1].week) if last else None
    return None


_CHECKS: Mapping[str, Callable[[Mapping[str, Any], list[int], LaterChanges], Closing | None]] = {
    "tests_near": _tests_near,
    "threads_resolved": _threads_resolved,
    "relanded": _relanded,
    "documented": _documented,
    "fixed_again": _fixed_again,
    "reviewed": _reviewed,
    "changed_by_another": _changed_by_another,
}
