"""Paths into report.json, as jq writes them without the leading dot, and the values they lead to."""

import re
from functools import lru_cache
from typing import Any

from pipelines.errors import ReportError
from pipelines.report.model import PullFacts, Report, ThemeFacts

_STEP = re.compile(r"\.?([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]")


def value_at(report: Report, path: str) -> Any:
    """The value a path leads to; :class:`ReportError` where it leads nowhere."""
    value: Any = report
    try:
        for step in steps_of(path):
            value = value[step]
    except (KeyError, IndexError, TypeError, ValueError):
        raise ReportError(f"report {report['repo']} {report['week']}: no value at {path!r}. Mend the plan of its prose.") from None
    return value


# Each language's sentences, and the check of them, follow the same paths.
@lru_cache(maxsize=16384)
def steps_of(path: str) -> tuple[str | int, ...]:
    """The keys and positions of a path; ``ValueError`` where it is none."""
    steps: list[str | int] = []
    position = 0
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            raise ValueError(path)
        steps.append(step[1] or int(step[2]))
        position = step.end()
    return tuple(steps)


class Paths:
    """Where things stand in one report: the position of each pull request, theme and risk."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._pulls = {pull["number"]: index for index, pull in enumerate(report["pull_requests"])}
        self._themes = {theme["key"]: index for index, theme in enumerate(report["themes"])}
        self._risks = {risk["rule"]: index for index, risk in enumerate(report["risks"])}

    def pull(self, number: int, *steps: str) -> str:
        """Path of one of the week's pull requests, or of what lies below it."""
        return ".".join((f"pull_requests[{self._pulls[number]}]", *steps))

    def theme(self, key: str, step: str) -> str:
        """Path of a value of a theme."""
        return f"themes[{self._themes[key]}].{step}"

    def risk(self, rule: str, step: str) -> str:
        """Path of a value of a risk."""
        return f"risks[{self._risks[rule]}].{step}"

    def has_theme(self, key: str) -> bool:
        """Whether the report holds the theme's trend."""
        return key in self._themes

    def holds(self, number: int) -> bool:
        """Whether a pull request is one of the week's."""
        return number in self._pulls

    def pull_at(self, number: int) -> PullFacts:
        """The facts of one of the week's pull requests."""
        return self.report["pull_requests"][self._pulls[number]]

    def theme_at(self, key: str) -> ThemeFacts:
        """The facts of a theme."""
        return self.report["themes"][self._themes[key]]
