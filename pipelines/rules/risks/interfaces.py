"""Changes of what others build on: public interfaces, and settings that are taken away.

Where diffs were read, definitions and flags that are gone tell. Elsewhere a title, a label or the name of the file does,
and the confidence is less. Additions alone break nobody and do not fire.

False positives: a file called ``api`` that nobody outside uses; a flag that moved to another file of which no diff was
read; a title that retires a flag which was never released.
"""

import re
from collections.abc import Iterator

import pandas as pd

from pipelines.rules.change_kind import RETIRES
from pipelines.rules.risks.base import Finding, Grade, RiskRule, RiskWeek, counted, named
from pipelines.rules.risks.diffs import Taken, taken

_BREAKING_TITLE = re.compile(r"^[a-z]+(\([^)]*\))?!:|\bbreaking\b(?! down)", re.IGNORECASE)
_BREAKING_BODY = re.compile(r"^BREAKING[ -]CHANGE:", re.MULTILINE)
_BREAKING_LABEL = re.compile(r"breaking|backward.?incompatib|api.?change|deprecat", re.IGNORECASE)
_INTERFACE_PATH = re.compile(
    r"(^|/)(apis?|public|openapi|swagger|sdk|include)/|\.(proto|thrift|graphql|pyi)$|(^|/)(openapi|swagger)[\w.-]*\.(json|ya?ml)$"
    r"|(^|/)(protocols?|schemas?|interfaces?|api|public_api|io_struct)\.\w+$|(^|/)protocols/"
)
# Lines removed from an interface file: a renamed field is one, a reworked message is five.
_REMOVED_LINES, _MANY_REMOVED_LINES = 5, 50

_SETTING_WORDS = r"(--[a-z][\w-]+|(?-i:\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b)|\b(?:flags?|options?|arguments?|args?|env(?:ironment)? ?var(?:iable)?s?|settings?|config(?:uration)?s?|parameters?|params?)\b)"  # fmt: skip
_RETIRED_SETTING = re.compile(rf"{RETIRES.pattern}.{{0,50}}?(?P<setting>{_SETTING_WORDS})|\brenam(?:e[sd]?|ing) .{{0,50}}?(?P<renamed>{_SETTING_WORDS})", re.IGNORECASE)  # fmt: skip
_NAMED_SETTING = re.compile(r"--[a-z][\w-]+|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")


def _taken(week: RiskWeek) -> dict[int, Taken]:
    """What the diffs of each pull request take away from source; pull requests without a diff are not in it."""
    rows = week.files[(week.files["kind"] == "source") & week.files["patch"].notna()]
    return {int(number): taken(patches) for number, patches in rows.groupby("number")["patch"]}


def _interface_change(week: RiskWeek) -> Iterator[Finding]:
    by_diff = _taken(week)
    source = week.files[week.files["kind"] == "source"]
    inside = source[[bool(_INTERFACE_PATH.search(path.lower())) for path in source["path"]]]
    paths = inside.groupby("number").agg(paths=("path", list), removed=("removed_lines_count", "sum"))
    for number, pull in week.pulls.iterrows():
        found = by_diff.get(int(number))
        touched = paths.loc[number] if number in paths.index else None
        breaking = _breaking(pull)
        removed = int(touched["removed"]) if touched is not None else 0
        definitions = [*found.removed_definitions, *found.changed_definitions] if found and touched is not None else []
        if not (breaking or definitions or (found is None and removed >= _REMOVED_LINES)) or pull["source_files_count"] == 0:
            continue
        listed = list(touched["paths"]) if touched is not None else []
        severity: Grade = "high" if breaking else "medium" if definitions or removed >= _MANY_REMOVED_LINES else "low"
        confidence: Grade = "high" if breaking else "medium" if definitions else "low"
        measures = {"breaking_by": breaking, "definitions": definitions, "paths": listed, "removed_lines": removed}
        yield Finding(
            int(number), severity, confidence, _interface_reason(measures), measures, _files(listed) or (f"pull:{number}",)
        )


def _breaking(pull: "pd.Series[object]") -> str:
    """Where the pull request calls itself breaking: title, label, body, or nowhere."""
    labels, body = pull["labels"], pull["body"]
    if _BREAKING_TITLE.search(str(pull["title"])):
        return "title"
    if isinstance(labels, list) and any(_BREAKING_LABEL.search(label) for label in labels):
        return "label"
    return "body" if isinstance(body, str) and _BREAKING_BODY.search(body) else ""


def _interface_reason(measures: dict[str, object]) -> str:
    definitions, paths, removed = measures["definitions"], measures["paths"], measures["removed_lines"]
    parts = [f"Its {measures['breaking_by']} calls it breaking" if measures["breaking_by"] else ""]
    parts.append(f"removes or changes {named(map(str, definitions))}" if isinstance(definitions, list) and definitions else "")
    if isinstance(paths, list) and paths:
        parts.append(f"takes {counted(int(str(removed)), 'line')} out of {named(map(str, paths))}")
    told = "; ".join(part for part in parts if part)
    return told[:1].upper() + told[1:] + "."


def _setting_removed(week: RiskWeek) -> Iterator[Finding]:
    by_diff = _taken(week)
    for number, pull in week.pulls[week.pulls["source_files_count"] > 0].iterrows():
        found = by_diff.get(int(number))
        title = str(pull["title"])
        in_title = _RETIRED_SETTING.search(title) if pull["source_removed_lines_count"] else None
        removed = list(found.removed_settings) if found else []
        if not removed and not in_title:
            continue
        settings = removed or sorted(set(_NAMED_SETTING.findall(in_title[0] if in_title else "")))
        told = f"Takes away {named(settings)}" if settings else "Its title says that a setting goes"
        source = "by its diff" if removed else "by its title"
        severity: Grade = "medium" if settings else "low"
        confidence: Grade = "high" if removed and in_title else "medium" if settings else "low"
        measures = {"settings": settings, "found_in": "diff" if removed else "title"}
        yield Finding(int(number), severity, confidence, f"{told}, {source}.", measures, (f"pull:{number}",))


def _files(paths: list[str]) -> tuple[str, ...]:
    return tuple(f"file:{path}" for path in paths)


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
