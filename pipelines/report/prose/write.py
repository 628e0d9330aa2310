"""All sentences of one report in one language."""

from pipelines.report.model import Prose, Report
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.plan_groups import groups
from pipelines.report.prose.plan_pulls import pull_lines
from pipelines.report.prose.plan_risks import risks
from pipelines.report.prose.plan_suggestions import earlier, suggestions
from pipelines.report.prose.plan_summary import headline, summary
from pipelines.report.prose.plan_trends import trends
from pipelines.report.prose.realise import Realiser
from pipelines.report.words import Words


def write_prose(report: Report, language: str) -> Prose:
    """The sentences of a language, planned from the facts alone; the same plan whatever the language."""
    paths, realiser = Paths(report), Realiser(report, Words(language))
    return {
        "headline": realiser.sentence(headline(paths)),
        "summary": [realiser.sentence(say) for say in summary(paths)],
        "groups": [realiser.headed(plan) for plan in groups(paths)],
        "trends": [realiser.headed(plan) for plan in trends(paths)],
        "risks": [realiser.headed(plan) for plan in risks(paths)],
        "pulls": [realiser.headed(plan) for plan in pull_lines(paths)],
        "suggestions": [realiser.headed(plan) for plan in suggestions(paths)],
        "earlier_suggestions": [realiser.headed(plan) for plan in earlier(paths)],
    }
