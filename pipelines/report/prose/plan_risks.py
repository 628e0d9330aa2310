"""Risk observations: what was seen, how that compares, and the rows that show it."""

from pipelines.report.facts_risks import SEVERITIES
from pipelines.report.model import PullFacts, RiskFacts, RiskFlag
from pipelines.report.prose.clauses import reverted_clause
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.say import Clauses, Code, Fact, HeadedPlan, Listed, Pull, Say, Slot, Title
from pipelines.report.prose.texts import rule_title, short_path

_MOST_SHOWN = 3
_MOST_FILES = 2
#: Rules about how much changed.
_SIZE_RULES = frozenset({"missing_tests", "large_and_broad"})
#: Rules about files as such: which one says more than the title does.
_PATH_RULES = frozenset(
    {"core_path_change", "security_path", "migration", "interface_change", "setting_removed", "dependency_change"}
)
#: A fifth above its usual is told as more: below that a count of pull requests moves by chance.
_MORE_SHARE = 1.2


def risks(paths: Paths) -> tuple[HeadedPlan, ...]:
    """A headed run of sentences a rule that fired."""
    return tuple(_risk(paths, risk) for risk in paths.report["risks"])


def _risk(paths: Paths, risk: RiskFacts) -> HeadedPlan:
    rule = risk["rule"]
    sentences = (_observed(paths, risk), _shown(paths, risk), _unknown(paths, risk))
    return HeadedPlan(rule, rule_title(rule), tuple(say for say in sentences if say is not None))


def _observed(paths: Paths, risk: RiskFacts) -> Say:
    rule = risk["rule"]
    n = Fact(paths.risk(rule, "count"))
    severities = [severity for severity in SEVERITIES if risk["by_severity"][severity]]
    slots: dict[str, Slot] = {
        "severities": Clauses(tuple(_of_severity(paths, rule, severity) for severity in severities), "prose.between_counts"),
        "what": Say(f"prose.what.{rule}", n=n, otherwise=Say("prose.what.any", n=n)),
    }
    if risk["usual"] is None:
        return Say("prose.risk.observed_only", slots)
    return Say("prose.risk.observed", {**slots, "against": _against(paths, risk, risk["usual"])})


def _of_severity(paths: Paths, rule: str, severity: str) -> Slot:
    return Say(f"prose.n.{severity}", n=Fact(paths.risk(rule, f"by_severity.{severity}")))


def _against(paths: Paths, risk: RiskFacts, usual: float) -> Say:
    slots: dict[str, Slot] = {"usual": Fact(paths.risk(risk["rule"], "usual"))}
    if not usual:
        return Say("prose.risk.against_none")
    if risk["count"] > usual * _MORE_SHARE:
        return Say("prose.risk.against_more", slots)
    return Say("prose.risk.against_less" if risk["count"] * _MORE_SHARE < usual else "prose.risk.against_same", slots)


def _shown(paths: Paths, risk: RiskFacts) -> Say:
    """The first pull requests by severity, each with what the rule saw in it."""
    shown = tuple(_evidence(paths, number, risk["rule"]) for number in risk["pull_requests"][:_MOST_SHOWN])
    return Say("prose.risk.shown", {"evidence": Clauses(shown)})


def _evidence(paths: Paths, number: int, rule: str) -> Slot:
    pull = paths.pull_at(number)
    flag = next(flag for flag in pull["risks"] if flag["rule"] == rule)
    files = [row.removeprefix("file:") for row in flag["evidence"] if row.startswith("file:")]
    others = _other_pulls(pull, flag)
    slots: dict[str, Slot] = {"pull": Pull(number), "title": Title(number), "severity": Say(f"term.severity.{flag['severity']}")}
    if rule in _SIZE_RULES:
        lines: dict[str, Slot] = {"added": Fact(paths.pull(number, "added")), "removed": Fact(paths.pull(number, "removed"))}
        more: Slot = Say("prose.size", lines)
    elif rule == "open_threads" and pull["open_threads"]:
        more = Say("prose.n.threads", n=Fact(paths.pull(number, "open_threads")))
    elif (undone := reverted_clause(paths, number)) is not None and rule == "reverted":
        more = undone
    elif others:
        more = Listed(tuple(Pull(other) for other in others))
    elif files and rule in _PATH_RULES:
        more = Listed(tuple(Code(short_path(path)) for path in files[:_MOST_FILES]))
    else:
        return Say("prose.risk.evidence", slots)
    return Say("prose.risk.evidence_more", {**slots, "more": more})


def _other_pulls(pull: PullFacts, flag: RiskFlag) -> list[int]:
    """Pull requests that the flag names and the links know, so that each can be followed."""
    linked = {link["number"] for link in pull["links"]} | {pull["reverted_by"]}
    named = [row.removeprefix("pull:") for row in flag["evidence"] if row.startswith("pull:")]
    return [int(text) for text in named if text.isdecimal() and int(text) in linked and int(text) != pull["number"]]


def _unknown(paths: Paths, risk: RiskFacts) -> Say | None:
    return Say("prose.risk.unknown", n=Fact(paths.risk(risk["rule"], "unknown"))) if risk["unknown"] else None
