"""Suggestions: what to do, on what evidence, done when; and what became of the earlier ones."""

from pipelines.report.model import Suggestion
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.say import Code, Fact, HeadedPlan, Listed, Pull, Say, Slot, Style
from pipelines.report.prose.texts import short_path

_MOST_PULLS, _MOST_CODES = 5, 3
#: Measures that the evidence of a kind is told with, the one that chooses the plural first; without any of them the
#: evidence is told without numbers. Those of hours carry their unit.
_MEASURES: dict[str, tuple[str, ...]] = {
    "add_tests": ("pull_requests", "added_lines"),
    "resolve_threads": ("threads",),
    "reland": ("hours",),
    "watch_fix": ("fixes", "hours"),
    "review_after_merge": ("pull_requests", "importance"),
    "spread_knowledge": ("changes", "own_changes"),
    "watch_large": ("pull_requests", "lines"),
}


def suggestions(paths: Paths) -> tuple[HeadedPlan, ...]:
    """A headed run of sentences a suggestion of this week: evidence below the action, and when it is done."""
    items = enumerate(paths.report["suggestions"])
    return tuple(
        HeadedPlan(item["id"], _action(item), (_evidence(item, f"suggestions[{index}]"), _done(item))) for index, item in items
    )


def earlier(paths: Paths) -> tuple[HeadedPlan, ...]:
    """A headed sentence an earlier suggestion: open, done or moot, and by which pull request."""
    items = enumerate(paths.report["earlier_suggestions"])
    return tuple(HeadedPlan(item["id"], _action(item), (_outcome(item, f"earlier_suggestions[{index}]"),)) for index, item in items)


def _slots(item: Suggestion) -> dict[str, Slot]:
    return {
        "subject": Code(item["subject"]),
        "pulls": Listed(tuple(Pull(number) for number in item["pull_requests"][:_MOST_PULLS])),
    }


def _action(item: Suggestion) -> Slot:
    """What to do. A subject that is a number has no module: its pull requests say where."""
    key = f"prose.suggest.{item['kind']}"
    slots = _slots(item)
    said = Say(key, slots, otherwise=Say("prose.suggest.any", slots))
    return Say(f"{key}_pulls", slots, otherwise=said) if item["subject"].startswith("#") else said


def _evidence(item: Suggestion, place: str) -> Say:
    slots = _slots(item) | {"severity": Say(f"term.severity.{item['severity']}")}
    names = _MEASURES.get(item["kind"], ())
    if any(not isinstance(item["measures"].get(name), int | float) for name in names):
        return Say("prose.evidence.any", slots)
    for name in names:
        style: Style = "hours" if name == "hours" else "number"
        slots[name] = Fact(f"{place}.measures.{name}", style)
    by = item["measures"].get("reverted_by")
    slots |= {"by": Pull(by)} if isinstance(by, int) else {}
    slots |= {"settings": _codes(item["measures"].get("settings")), "paths": _codes(item["done_when_facts"].get("paths"))}
    n = Fact(f"{place}.measures.{names[0]}") if names else None
    return Say(f"prose.evidence.{item['kind']}", slots, n, otherwise=Say("prose.evidence.any", slots))


def _codes(found: object) -> Slot:
    """Paths or settings by name, the first few."""
    texts = [str(text) for text in found] if isinstance(found, list) else []
    return Listed(tuple(Code(short_path(text)) for text in texts[:_MOST_CODES]))


def _done(item: Suggestion) -> Say:
    return Say(f"prose.done.{item['done_when']}", _slots(item), otherwise=Say("prose.done.any"))


def _outcome(item: Suggestion, place: str) -> Say:
    week: Slot = Fact(f"{place}.created_week", "text")
    if item["closed_by"] is not None and item["state"] != "open":
        slots: dict[str, Slot] = {"week": week, "by": Pull(item["closed_by"])}
        if item["closed_week"] is not None:
            return Say(f"prose.earlier.{item['state']}_in", {**slots, "closed": Fact(f"{place}.closed_week", "text")})
        return Say(f"prose.earlier.{item['state']}_by", slots)
    return Say(f"prose.earlier.{item['state']}", {"week": week})
