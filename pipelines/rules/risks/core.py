"""Core-path changes: a core file changed by more than a few lines.

False positives: a long change of comments or types in a core file; a file that was core and is being emptied.
The weight of settings and registries keeps the many one-line additions there from counting.
"""

from collections.abc import Iterator

from pipelines.rules.risks.base import Finding, Grade, RiskRule, RiskWeek, counted, file_rows, grade, named

# Changed lines in core files, each by its file's weight. Below ten it is a guard, a flag or a renamed argument, which
# review sees whole; from fifty on a screen no longer holds it; from two hundred on it is a rewrite.
_FIRES_AT_LINES = 10.0
_MEDIUM_AT_LINES = 50.0
_HIGH_AT_LINES = 200.0
# As many core files at once tie parts together that are rarely changed together.
_MANY_FILES = 4


def _find(week: RiskWeek) -> Iterator[Finding]:
    for number, files in week.files_where(lambda file: file.is_core):
        # A core file under a new name of this week is not in the table, and weighs as source.
        weights = {file.path: float(week.core[file.path]["weight"]) if file.path in week.core else 1.0 for file in files}
        weighted = sum(file.lines * weights[file.path] for file in files)
        if weighted >= _FIRES_AT_LINES:
            ordered = sorted(files, key=lambda file: (-file.lines * weights[file.path], file.path))
            yield _finding(number, [file.path for file in ordered], sum(file.lines for file in files), weighted, week)


def _finding(number: int, paths: list[str], lines: int, weighted: float, week: RiskWeek) -> Finding:
    rows = [week.core[path] for path in paths if path in week.core]
    severity: Grade = grade(weighted, _MEDIUM_AT_LINES, _HIGH_AT_LINES)
    if len(paths) >= _MANY_FILES and weighted >= _MEDIUM_AT_LINES:
        severity = "high"
    confidence: Grade = "high" if any(row["basis"] != "breadth" for row in rows) else "medium"
    people = max((int(row["people_count"]) for row in rows), default=0)
    before = f"; {counted(people, 'person', 'people')} had to change the busiest of them in the weeks before" if people else ""
    reason = f"Changes {counted(lines, 'line')} in {counted(len(paths), 'core file')}: {named(paths)}{before}."
    measures = {"lines": lines, "weighted_lines": round(weighted, 1), "files": len(paths), "paths": paths, "people": people}
    return Finding(number, severity, confidence, reason, measures, file_rows(paths))


RULES = (
    RiskRule(
        "core_path_change",
        "Core path changed",
        "Lines changed in files that many different people had to change in the weeks before.",
        "medium",
        _find,
        ("files",),
        fires_on_part=True,
    ),
)
