"""All sentences of one report: the plan is the same whatever the language."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pipelines.report.model import Prose, Report
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.plan_groups import groups
from pipelines.report.prose.plan_pulls import pull_lines
from pipelines.report.prose.plan_risks import risks
from pipelines.report.prose.plan_suggestions import earlier, suggestions
from pipelines.report.prose.plan_summary import headline, summary
from pipelines.report.prose.plan_trends import trends
from pipelines.report.prose.realise import Realiser
from pipelines.report.prose.say import HeadedPlan, Say
from pipelines.report.words import Words


@dataclass(frozen=True)
class _Plan:
    """What all sections say, in no language yet."""

    headline: Say
    summary: tuple[Say, ...]
    headed: Mapping[str, tuple[HeadedPlan, ...]]


def write_prose(report: Report, languages: Iterable[str]) -> dict[str, Prose]:
    """The sentences of each language, by language: planned once from the facts alone, and worded in each."""
    plan = _plan(Paths(report))
    return {language: _worded(plan, Realiser(report, Words(language))) for language in languages}


def _plan(paths: Paths) -> _Plan:
    headed = {
        "groups": groups(paths),
        "trends": trends(paths),
        "risks": risks(paths),
        "pulls": pull_lines(paths),
        "suggestions": suggestions(paths),
        "earlier_suggestions": earlier(paths),
    }
    return _Plan(headline(paths), tuple(summary(paths)), {name: tuple(plans) for name, plans in headed.items()})


def _worded(plan: _Plan, realiser: Realiser) -> Prose:
    headed = {name: [realiser.headed(each) for each in plans] for name, plans in plan.headed.items()}
    return {
        "headline": realiser.sentence(plan.headline),
        "summary": [realiser.sentence(say) for say in plan.summary],
        "groups": headed["groups"],
        "trends": headed["trends"],
        "risks": headed["risks"],
        "pulls": headed["pulls"],
        "suggestions": headed["suggestions"],
        "earlier_suggestions": headed["earlier_suggestions"],
    }
