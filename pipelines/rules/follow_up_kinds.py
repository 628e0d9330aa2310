"""The suggestions a week gives rise to, by kind; which of them are made is chosen in ``follow_ups.py``.

Each kind turns risks, links and measures of the week into suggestions that name what would settle them. One suggestion
covers the pull requests of one module, so that a reader gets a task and not a list.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pipelines.rules.follow_up_model import SEVERITY_ORDER, Suggestion
from pipelines.rules.inputs import WeekInputs
from pipelines.rules.later_changes import telling_folder, telling_stem
from pipelines.rules.rows import Frames, tuples
from pipelines.rules.words import words_of

#: From this importance on a merge without approval is worth a second look afterwards: the upper part of the scale.
REVIEW_FROM_IMPORTANCE = 6.5
#: A file with a quarter of the lines of the largest is one of those a pull request is about; of these the first few.
MAIN_FILE_SHARE, _MOST_FILES = 0.25, 5
#: Hours after which a revert is rather a decision than a mishap: two weeks, as for quick fixes.
_MISHAP_HOURS = 14 * 24.0
_WORST_TWO = ("high", "medium")


@dataclass(frozen=True)
class Risk:
    """A row of ``derived_risks`` with its measures read, and the pull request's module and importance."""

    number: int
    rule: str
    severity: str
    measures: Mapping[str, Any]
    evidence: tuple[str, ...]
    module: str
    importance: float


class WeekFindings:
    """What the suggestions of a week are made of."""

    def __init__(self, inputs: WeekInputs, made: Frames) -> None:
        self.own_names = {" ".join(words_of(name)) for name in inputs.repo.split("/")}
        self.modules, self.importance = self._modules(inputs, made), self._importance(inputs, made)
        self.docs_touched = {
            number: docs > 0 for number, docs in tuples(made, "derived_pull_requests", "number", "docs_files_count")
        }
        self.risks = self._risks(made)
        self._sources = self._added(made)
        columns = ("number", "kind", "target_number", "hours_between", "target_repo")
        links = tuples(made, "derived_links", *columns)
        self.links = sorted((link[:4] for link in links if link[4].lower() == inputs.repo.lower()), key=lambda link: link[:3])

    @staticmethod
    def _modules(inputs: WeekInputs, made: Frames) -> dict[int, str]:
        """The primary module of each pull request of the stored weeks and this one."""
        return dict(_both(inputs, made, "derived_pull_requests", "primary_module"))

    @staticmethod
    def _importance(inputs: WeekInputs, made: Frames) -> dict[int, float]:
        return dict(_both(inputs, made, "derived_importance", "importance"))

    @staticmethod
    def _added(made: Frames) -> dict[int, list[tuple[int, str]]]:
        columns = ("number", "path", "kind", "is_rename_only", "change_type", "added_lines_count")
        found: dict[int, list[tuple[int, str]]] = {}
        for number, path, kind, is_moved, change, lines in tuples(made, "derived_files", *columns):
            if kind == "source" and not is_moved and change != "removed":
                found.setdefault(number, []).append((lines or 0, path))
        return found

    def _risks(self, made: Frames) -> list[Risk]:
        rows = tuples(made, "derived_risks", "number", "rule", "severity", "measures_json", "evidence")
        return [
            Risk(
                number,
                rule,
                severity,
                json.loads(text),
                tuple(evidence),
                self.modules.get(number, ""),
                self.importance.get(number, 1.0),
            )
            for number, rule, severity, text, evidence in sorted(rows, key=lambda row: row[:2])
        ]

    def main_sources(self, number: int) -> list[str]:
        """List the source files that got most of a pull request's added lines; a line in a settings file is not its subject."""
        files = self._sources.get(number, [])
        most = max((lines for lines, _ in files), default=0)
        return [path for lines, path in sorted(files, key=lambda file: (-file[0], file[1])) if lines >= most * MAIN_FILE_SHARE][
            :_MOST_FILES
        ]

    def of_rules(self, *rules: str, severities: tuple[str, ...] = _WORST_TWO) -> dict[str, list[Risk]]:
        """Group the findings of some rules by module."""
        found: dict[str, list[Risk]] = {}
        for risk in self.risks:
            if risk.rule in rules and risk.severity in severities:
                found.setdefault(risk.module or f"#{risk.number}", []).append(risk)
        return found


def _both(inputs: WeekInputs, made: Frames, table: str, column: str) -> Iterator[tuple[int, Any]]:
    """Numbers and a column of the stored weeks, then of this week, which outweighs them."""
    yield from inputs.past(table, "number", column)
    yield from tuples(made, table, "number", column)


def _grouped(
    kind: str, subject: str, risks: list[Risk], done_when: str, looks_for: Mapping[str, object], measures: Mapping[str, object]
) -> Suggestion:
    return Suggestion(
        kind,
        subject,
        min((risk.severity for risk in risks), key=SEVERITY_ORDER.__getitem__),
        tuple(sorted({risk.number for risk in risks})),
        done_when,
        looks_for,
        measures,
        tuple(sorted({row for risk in risks for row in (*risk.evidence, f"pull:{risk.number}")})),
        max(risk.importance for risk in risks),
    )


def add_tests(week: WeekFindings) -> Iterator[Suggestion]:
    """Suggest tests for a module whose source grew without any: done when tests near its main files change."""
    for module, risks in week.of_rules("missing_tests").items():
        pulls = []
        for risk in sorted(risks, key=lambda risk: risk.number):
            paths = week.main_sources(risk.number)
            stems = sorted({telling_stem(path) for path in paths} - {""})
            folders = sorted({telling_folder(path) for path in paths} - {"", *week.own_names})
            pulls.append({"number": risk.number, "stems": stems, "folders": folders})
        lines = sum(int(risk.measures.get("added_lines", 0)) for risk in risks)
        files = len({row for risk in risks for row in risk.evidence if row.startswith("file:")})
        measures = {"pull_requests": len(risks), "added_lines": lines, "files": files}
        yield _grouped("add_tests", module, risks, "tests_near", {"pulls": pulls}, measures)


def resolve_threads(week: WeekFindings) -> Iterator[Suggestion]:
    """Suggest to settle threads open at the merge: done when each is resolved, or its file was changed in answer."""
    severities = ("high", "medium", "low")
    for module, risks in week.of_rules("open_threads", severities=severities).items():
        threads = sorted({row.removeprefix("thread:") for risk in risks for row in risk.evidence if row.startswith("thread:")})
        paths = sorted({str(path) for risk in risks for path in risk.measures.get("paths", [])})
        measures = {"pull_requests": len({risk.number for risk in risks}), "threads": len(threads)}
        yield _grouped("resolve_threads", module, risks, "threads_resolved", {"threads": threads, "paths": paths}, measures)


def reland(week: WeekFindings) -> Iterator[Suggestion]:
    """Suggest to reland what was reverted this week and has not come back: once, however many reverts name it."""
    reverts: dict[int, dict[int, float | None]] = {}
    for number, kind, target, hours in week.links:
        if kind == "reverts":
            reverts.setdefault(target, {})[number] = float(hours) if hours is not None and math.isfinite(hours) else None
    undone = {number for found in reverts.values() for number in found}
    for target, found in sorted(reverts.items()):
        if target not in week.modules:
            continue  # of a change that is not stored nothing is known, not even whether it should come back
        if target in undone:
            continue  # a revert that was reverted has come back by itself
        importance = week.importance.get(target, 1.0)
        first, lived = min(found.items(), key=lambda pair: pair[0])
        is_mishap = lived is None or lived <= _MISHAP_HOURS
        severity = "low" if not is_mishap else "high" if importance >= REVIEW_FROM_IMPORTANCE else "medium"
        measures = {"reverted_by": first, "hours": None if lived is None else round(lived, 1)}
        looks_for = {"numbers": [target], "reverts": sorted(found)}
        evidence = tuple(f"pull:{number}" for number in (*sorted(found), target))
        yield Suggestion("reland", f"#{target}", severity, (target,), "relanded", looks_for, measures, evidence, importance)


def document_setting(week: WeekFindings) -> Iterator[Suggestion]:
    """Suggest to write down settings that were taken away without a word in the documentation."""
    for risks in week.of_rules("setting_removed").values():
        for risk in risks:
            settings = sorted(str(setting) for setting in risk.measures.get("settings", []))
            if settings and not week.docs_touched.get(risk.number, False):
                looks_for = {"settings": settings, "numbers": [risk.number]}
                subject = settings[0] if len(settings) == 1 else f"{settings[0]} (+{len(settings) - 1})"
                yield _grouped("document_setting", subject, [risk], "documented", looks_for, {"settings": settings})


def watch_fix(week: WeekFindings) -> Iterator[Suggestion]:
    """Suggest to watch a change that needed a fix within days, or came back after a revert: it may need another."""
    by_target: dict[int, list[Risk]] = {}
    for risk in week.risks:
        if risk.rule in {"quick_fix", "relanded"}:
            by_target.setdefault(int(risk.measures.get("target", risk.number)), []).append(risk)
    for target, risks in sorted(by_target.items()):
        numbers = sorted({target, *(risk.number for risk in risks)})
        hours = [float(risk.measures["hours"]) for risk in risks if risk.measures.get("hours") is not None]
        measures = {"fixes": len(risks), "hours": min(hours, default=None)}
        base = _grouped("watch_fix", f"#{target}", risks, "fixed_again", {"numbers": numbers}, measures)
        yield Suggestion(**{**base.__dict__, "pull_requests": tuple(numbers)})


def review_after_merge(week: WeekFindings) -> Iterator[Suggestion]:
    """Suggest a second look at important changes that nobody approved."""
    for module, risks in week.of_rules("self_merged", "unapproved").items():
        weighty = [risk for risk in risks if risk.importance >= REVIEW_FROM_IMPORTANCE or risk.severity == "high"]
        if weighty:
            numbers = sorted({risk.number for risk in weighty})
            measures = {"pull_requests": len(numbers), "importance": max(risk.importance for risk in weighty)}
            yield _grouped("review_after_merge", module, weighty, "reviewed", {"numbers": numbers}, measures)


def spread_knowledge(week: WeekFindings) -> Iterator[Suggestion]:
    """Suggest that a second person changes an area that one alone knows."""
    for risks in week.of_rules("sole_expert").values():
        for risk in risks:
            module = str(risk.measures.get("module", risk.module))
            measures = {name: risk.measures[name] for name in ("changes", "own_changes", "this_week") if name in risk.measures}
            looks_for = {"module": module, "numbers": [risk.number]}
            yield _grouped("spread_knowledge", module, [risk], "changed_by_another", looks_for, measures)


def watch_large(week: WeekFindings) -> Iterator[Suggestion]:
    """Suggest to watch the largest changes: what breaks by them shows in the weeks after."""
    for module, risks in week.of_rules("large_and_broad", severities=("high",)).items():
        numbers = sorted({risk.number for risk in risks})
        measures = {"pull_requests": len(numbers), "lines": sum(int(risk.measures.get("lines", 0)) for risk in risks)}
        yield _grouped("watch_large", module, risks, "fixed_again", {"numbers": numbers}, measures)


#: Every kind, with how many new ones a week may hold; in the order in which equals are ranked: what is broken or
#: unanswered first, what would be good to have last.
KINDS: tuple[tuple[str, Callable[[WeekFindings], Iterator[Suggestion]], int], ...] = (
    ("reland", reland, 2),
    ("resolve_threads", resolve_threads, 2),
    ("add_tests", add_tests, 3),
    ("review_after_merge", review_after_merge, 2),
    ("document_setting", document_setting, 1),
    ("watch_fix", watch_fix, 1),
    ("spread_knowledge", spread_knowledge, 1),
    ("watch_large", watch_large, 1),
)
