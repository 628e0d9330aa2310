"""Sole expert: one person alone makes the changes of an area, and made this one too.

It is about the area, not about the person: nobody else would know it if they were away. No names are given.
It fires once an area and week, on the largest of that person's changes there.

False positives: a new area in its first weeks; an area whose other experts review rather than write.
"""

from collections.abc import Iterator

from pipelines.rules.people import is_person
from pipelines.rules.risks.base import Finding, Grade, RiskRule, RiskWeek, counted, source_lines

# Fewer than five changes in three months is a quiet area, in which one author says little.
_LEAST_CHANGES = 5
_SHARE = 0.8
# With fewer weeks than a month an area has one author by chance.
_LEAST_WEEKS = 4
# Fewer lines than a screen spread no knowledge that would be missed.
_LEAST_LINES, _MANY_LINES = 60, 400
_SHOWN = 5


def _find(week: RiskWeek) -> Iterator[Finding]:
    if len(week.inputs.history_weeks) < _LEAST_WEEKS:
        return
    areas = _areas(week)
    alone = {module: login for module, people in areas.items() if (login := _alone(people)) is not None}
    candidates: dict[str, list[int]] = {}
    for number, pull in week.by_people():
        if source_lines(pull) >= _LEAST_LINES and alone.get(pull["primary_module"]) == pull["author_login"]:
            candidates.setdefault(pull["primary_module"], []).append(number)
    for module, numbers in sorted(candidates.items()):
        yield _finding(week, module, numbers, areas[module])


def _alone(people: dict[str, list[int]]) -> str | None:
    """Who makes nearly all changes of an area that has enough of them."""
    changes = sum(map(len, people.values()))
    login, own = max(people.items(), key=lambda item: (len(item[1]), item[0]))
    return login if changes >= _LEAST_CHANGES and len(own) >= changes * _SHARE else None


def _finding(week: RiskWeek, module: str, numbers: list[int], people: dict[str, list[int]]) -> Finding:
    own, others = max(people.values(), key=len), len(people) - 1
    changes = sum(map(len, people.values()))
    lines = {number: source_lines(week.pulls[number]) for number in numbers}
    largest = min(numbers, key=lambda number: (-lines[number], number))
    reason = (
        f"{len(own)} of {counted(changes, 'change')} to {module} in the weeks before are by its author, "
        f"and {len(numbers)} this week; {counted(others, 'other person', 'other people')} changed it."
    )
    severity: Grade = "medium" if sum(lines.values()) >= _MANY_LINES else "low"
    measures = {"module": module, "changes": changes, "own_changes": len(own), "other_people": others, "this_week": len(numbers)}
    return Finding(largest, severity, "medium", reason, measures, tuple(f"pull:{number}" for number in own[-_SHOWN:]))


def _areas(week: RiskWeek) -> dict[str, dict[str, list[int]]]:
    """Modules with the people who changed their source in the weeks before, and their pull requests."""
    bots, past = week.inputs.bot_logins(), week.inputs.past_pulls
    authors = {pull.number: pull.author_login for pull in past if is_person(pull.author_login, pull.author_type, bots)}
    made = week.inputs.past("derived_pull_requests", "number", "primary_module", "source_files_count")
    modules = {number: module for number, module, sources in made if sources > 0}
    areas: dict[str, dict[str, list[int]]] = {}
    for number in sorted(authors.keys() & modules.keys()):
        areas.setdefault(modules[number], {}).setdefault(authors[number], []).append(number)
    return areas


RULES = (
    RiskRule(
        "sole_expert",
        "Sole expert",
        "Who made the changes of the same module in the weeks before.",
        "low",
        _find,
        ("files",),
        fires_on_part=True,
    ),
)
