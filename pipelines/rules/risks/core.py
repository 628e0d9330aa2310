"""Core-path changes: a core file changed by more than a few lines.

False positives: a long change of comments or types in a core file; a file that was core and is being emptied.
The weight of settings and registries keeps the many one-line additions there from counting.
"""

from collections.abc import Iterator

from pipelines.rules.risks.base import Finding, RiskRule, RiskWeek, counted, grade, named

# Changed lines in core files, each by its file's weight. Below ten it is a guard, a flag or a renamed argument, which
# review sees whole; from fifty on a screen no longer holds it; from two hundred on it is a rewrite.
_FIRES_AT_LINES = 10.0
_MEDIUM_AT_LINES = 50.0
_HIGH_AT_LINES = 200.0
# As many core files at once tie parts together that are rarely changed together.
_MANY_FILES = 4


def _find(week: RiskWeek) -> Iterator[Finding]:
    core = week.made["derived_core_paths"].set_index("path")
    files = week.files[week.files["is_core"]]
    weight = files["path"].map(core["weight"]).fillna(1.0)  # a core file under a new name of this week weighs as source
    files = files.assign(weighted=files["lines_count"] * weight)
    for number, rows in files.groupby("number"):
        weighted = float(rows["weighted"].sum())
        if weighted < _FIRES_AT_LINES:
            continue
        ordered = rows.sort_values(["weighted", "path"], ascending=[False, True])["path"].tolist()
        lines, count = int(rows["lines_count"].sum()), len(ordered)
        severity = (
            "high" if count >= _MANY_FILES and weighted >= _MEDIUM_AT_LINES else grade(weighted, _MEDIUM_AT_LINES, _HIGH_AT_LINES)
        )
        known = core.reindex(ordered)["people_count"].dropna()
        people = int(known.max()) if len(known) else 0
        reason = f"Changes {counted(lines, 'line')} in {counted(count, 'core file')}: {named(ordered)}"
        reason += (
            f"; {counted(people, 'person', 'people')} had to change the busiest of them in the weeks before." if people else "."
        )
        measures = {"lines": lines, "weighted_lines": round(weighted, 1), "files": count, "paths": ordered, "people": people}
        yield Finding(
            int(number), severity, _confidence(core.reindex(ordered)["basis"].tolist()), reason, measures, _evidence(ordered)
        )


def _confidence(bases: list[str]) -> str:
    return "high" if "history" in bases or "configured" in bases else "medium"


def _evidence(paths: list[str]) -> tuple[str, ...]:
    return tuple(f"file:{path}" for path in paths)


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
