"""Suggestions: what to do, on what evidence, done when; and what became of the earlier ones."""

from pipelines.report.model import Suggestion
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.say import Code, Fact, HeadedPlan, Listed, Pull, Say, Slot

_MOST_PULLS = 5


def suggestions(paths: Paths) -> tuple[HeadedPlan, ...]:
    """A headed run of sentences a suggestion of this week: evidence below the action, and when it is done."""
    made = []
    for item in paths.report["suggestions"]:
        done = Say(f"prose.done.{item['done_when']}", _slots(item), otherwise=Say("prose.done.any"))
        made.append(HeadedPlan(item["id"], _action(item), (_evidence(item), done)))
    return tuple(made)


def earlier(paths: Paths) -> tuple[HeadedPlan, ...]:
    """A headed sentence an earlier suggestion: open, done or moot, and by which pull request."""
    items = enumerate(paths.report["earlier_suggestions"])
    return tuple(HeadedPlan(item["id"], _action(item), (_outcome(item, index),)) for index, item in items)


def _slots(item: Suggestion) -> dict[str, Slot]:
    return {
        "subject": Code(item["subject"]),
        "pulls": Listed(tuple(Pull(number) for number in item["pull_requests"][:_MOST_PULLS])),
    }


def _action(item: Suggestion) -> Slot:
    return Say(f"prose.suggest.{item['kind']}", _slots(item), otherwise=Say("prose.suggest.any", _slots(item)))


def _evidence(item: Suggestion) -> Say:
    return Say("prose.suggest_evidence", {"pulls": _slots(item)["pulls"], "severity": Say(f"term.severity.{item['severity']}")})


def _outcome(item: Suggestion, index: int) -> Say:
    week: Slot = Fact(f"earlier_suggestions[{index}].created_week", "text")
    if item["closed_by"] is not None and item["state"] != "open":
        return Say(f"prose.earlier.{item['state']}_by", {"week": week, "by": Pull(item["closed_by"])})
    return Say(f"prose.earlier.{item['state']}", {"week": week})
