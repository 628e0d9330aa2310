"""Changes of what others build on: public interfaces, and settings that are taken away.

Where diffs were read, definitions and flags that are gone tell. Elsewhere a title, a label or the name of the file does,
and the confidence is less. Additions alone break nobody and do not fire.

False positives: a file called ``api`` that nobody outside uses; a flag that moved to another file of which no diff was
read; a title that retires a flag which was never released.
"""

import re
from collections.abc import Iterator
from typing import Any

from pipelines.rules.change_kind import RETIRES
from pipelines.rules.risks.base import ChangedFile, Finding, Grade, Pull, RiskRule, RiskWeek, counted, file_rows, named
from pipelines.rules.risks.diffs import Taken, taken

_BREAKING_TITLE = re.compile(r"^[a-z]+(\([^)]*\))?!:|\bbreaking\b(?! down)", re.IGNORECASE)
_BREAKING_BODY = re.compile(r"^BREAKING[ -]CHANGE:", re.MULTILINE)
_BREAKING_LABEL = re.compile(r"breaking|backward.?incompatib|api.?change|deprecat", re.IGNORECASE)
_INTERFACE_PATH = re.compile(
    r"/(?:(apis?|public|openapi|swagger|sdk|include|protocols)/|(openapi|swagger)[\w.-]*\.(json|ya?ml)$"
    r"|(protocols?|schemas?|interfaces?|api|public_api|io_struct)\.\w+$)|\.(proto|thrift|graphql|pyi)$"
)
_INTERFACE_TITLE = re.compile(
    r"\b(chang|renam|remov|expand|unif|updat|rework|deprecat|drop|replac|align)\w*\b.{0,40}\b(api|apis|interfaces?|signatures?|protocol|endpoints?)\b"
    r"|\b(api|interface|signature)\b.{0,30}\b(chang|renam|remov|refactor|rework|clean)",
    re.IGNORECASE,
)
# Lines removed from an interface file: a renamed field is one, a reworked message is five.
_REMOVED_LINES, _MANY_REMOVED_LINES = 5, 50

_CAPITALS = r"(?-i:\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b)"
_SETTING = (
    rf"(?:--[a-z][\w-]+|{_CAPITALS}|\b(?:flags?|options?|arguments?|args?|env(?:ironment)? ?var(?:iable)?s?|settings?"
    r"|config(?:uration)?s?|parameters?|params?)\b)"
)
_RETIRED_SETTING = re.compile(rf"(?:{RETIRES.pattern}|\brenam(?:e[sd]?|ing)\b).{{0,50}}?{_SETTING}", re.IGNORECASE)
_NAMED_SETTING = re.compile(r"--[a-z][\w-]+|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")


def _taken(files: list[ChangedFile]) -> Taken | None:
    """What the diffs of source take away; None where no diff was read."""
    patches = [file.patch for file in files if file.kind == "source" and file.patch is not None]
    return taken(patches) if patches else None


def _interface_change(week: RiskWeek) -> Iterator[Finding]:
    for number, files in week.files_where(lambda file: file.kind == "source"):
        pull = week.pulls[number]
        inside = [file for file in files if _INTERFACE_PATH.search(f"/{file.path.lower()}")]
        found, breaking = _taken(inside), _breaking(pull)
        removed = sum(file.removed_lines for file in inside)
        definitions = [*found.removed_definitions, *found.changed_definitions] if found else []
        by_title = bool(_INTERFACE_TITLE.search(pull["title"])) and pull["source_removed_lines_count"] >= _REMOVED_LINES
        if not (breaking or definitions or by_title or (found is None and removed >= _REMOVED_LINES)):
            continue
        paths = [file.path for file in inside]
        severity: Grade = "high" if breaking else "medium" if definitions or removed >= _MANY_REMOVED_LINES else "low"
        confidence: Grade = "high" if breaking else "medium" if definitions else "low"
        measures = {
            "breaking_by": breaking,
            "definitions": definitions,
            "paths": paths,
            "removed_lines": removed,
            "by_title": by_title,
        }
        yield Finding(number, severity, confidence, _interface_reason(measures), measures, file_rows(paths) or (f"pull:{number}",))


def _breaking(pull: Pull) -> str:
    """Where the pull request calls itself breaking: title, label, body, or nowhere."""
    if _BREAKING_TITLE.search(pull["title"]):
        return "title"
    if any(_BREAKING_LABEL.search(label) for label in pull["labels"] or ()):
        return "label"
    return "body" if _BREAKING_BODY.search(pull["body"] or "") else ""


def _interface_reason(measures: dict[str, Any]) -> str:
    parts = [f"its {measures['breaking_by']} calls it breaking"] if measures["breaking_by"] else []
    parts += ["its title says that an interface changes"] if measures["by_title"] else []
    parts += [f"removes or changes {named(measures['definitions'])}"] if measures["definitions"] else []
    parts += [f"takes {counted(measures['removed_lines'], 'line')} out of {named(measures['paths'])}"] if measures["paths"] else []
    told = "; ".join(parts)
    return told[:1].upper() + told[1:] + "."


def _setting_removed(week: RiskWeek) -> Iterator[Finding]:
    for number, files in week.files_where(lambda file: file.kind == "source"):
        pull, found = week.pulls[number], _taken(files)
        in_title = _RETIRED_SETTING.search(pull["title"]) if pull["source_removed_lines_count"] else None
        removed = list(found.removed_settings) if found else []
        if not removed and in_title is None:
            continue
        settings = removed or sorted(set(_NAMED_SETTING.findall(in_title[0] if in_title else "")))
        told = f"Takes away or renames {named(settings)}" if settings else "A setting goes or changes its name"
        severity: Grade = "medium" if settings else "low"
        confidence: Grade = "high" if removed and in_title else "medium" if settings else "low"
        measures = {"settings": settings, "found_in": "diff" if removed else "title"}
        reason = f"{told}, by its {measures['found_in']}."
        yield Finding(number, severity, confidence, reason, measures, (f"pull:{number}",))


RULES = (
    RiskRule(
        "interface_change",
        "Public interface changed",
        "Titles, labels and descriptions that call a change breaking; lines and definitions taken out of interface files.",
        "medium",
        _interface_change,
        ("files",),
        fires_on_part=True,
    ),
    RiskRule(
        "setting_removed",
        "Setting removed or renamed",
        "Flags and environment variables that titles retire or diffs take away.",
        "medium",
        _setting_removed,
        ("files",),
        fires_on_part=True,
    ),
)
