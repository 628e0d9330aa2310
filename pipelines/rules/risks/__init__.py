"""The risk rules: a registry, and the step that runs them over a week.

Each family of rules has a file, whose docstring says when its rules are wrong. A repository's settings may switch a
rule off, grade it anew, or add rules on paths of its own.
"""

from collections.abc import Mapping

import pandas as pd

from pipelines.errors import SettingsError
from pipelines.rules.inputs import WeekInputs
from pipelines.rules.risks import core, experts, interfaces, places, reverts, review, size, untested
from pipelines.rules.risks.base import Finding, RiskRule, RiskWeek
from pipelines.rules.rows import Frames, frame_of
from pipelines.settings import RuleSettings

__all__ = ["RULES", "Finding", "RiskRule", "RiskWeek", "active_rules", "coverage", "derive"]

#: Every rule that needs no configuration, in the order in which a report shows them.
RULES: tuple[RiskRule, ...] = (
    *core.RULES,
    *untested.RULES,
    *review.RULES,
    *reverts.RULES,
    *size.RULES,
    *interfaces.RULES,
    *places.RULES,
    *experts.RULES,
)


def active_rules(settings: RuleSettings) -> tuple[RiskRule, ...]:
    """The rules that run under these settings, a repository's own path rules last.

    Raises :class:`SettingsError` where the settings name a rule that does not exist.
    """
    known = {rule.id for rule in RULES}
    strange = sorted((set(settings.risks_off) | set(settings.risks_severity)) - known - set(settings.risks_paths))
    doubled = sorted(known & set(settings.risks_paths))
    if doubled:
        raise SettingsError(f"risks_paths {', '.join(doubled)}: a rule has that name already. Give the path rule another.")
    if strange:
        raise SettingsError(f"risks {', '.join(strange)}: no such rule. Rules are {', '.join(sorted(known))}.")
    own = (places.configured(name, risk) for name, risk in sorted(settings.risks_paths.items()))
    return tuple(rule for rule in (*RULES, *own) if rule.id not in settings.risks_off)


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per pull request and risk rule that fired."""
    week, severities = RiskWeek(inputs, made), inputs.settings.risks_severity
    rows = [
        finding.row(rule.id, severities.get(rule.id)) for rule in active_rules(inputs.settings) for finding in rule.findings(week)
    ]
    return frame_of("derived_risks", rows)


def coverage(pulls: pd.DataFrame, settings: RuleSettings | None = None) -> Mapping[str, int]:
    """How many pull requests of a week each rule could look at; of the others it says nothing.

    ``pulls`` is the week's ``derived_pull_requests``.
    """
    rules = active_rules(settings or RuleSettings())
    return {rule.id: sum(rule.knows(parts) for parts in pulls["unknown_parts"]) for rule in rules}
