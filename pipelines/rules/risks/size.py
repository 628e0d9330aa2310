"""Large and broad changes: more source than a review can hold, in several parts of the code at once.

False positives: a mechanical rename through many files; a new model or driver that is large but hangs on nothing.
"""

from collections.abc import Iterator

from pipelines.rules.risks.base import Finding, Grade, RiskRule, RiskWeek, counted, named

# Reviews find fewest faults beyond some four hundred lines (SmartBear's study at Cisco, 2006); twice that is large
# beyond doubt. Broad is three parts of the code, each of which has people of its own.
_LINES, _MODULES = 800, 3
# Many parts at once are broad even where fewer lines change.
_BROAD_LINES, _BROAD_MODULES = 400, 5
_HIGH_LINES, _HIGH_MODULES = 2000, 8


def _find(week: RiskWeek) -> Iterator[Finding]:
    for number, files in week.files_where(lambda file: file.kind == "source"):
        lines, modules = sum(file.lines for file in files), sorted({file.module for file in files})
        large = lines >= _LINES and len(modules) >= _MODULES
        if not large and not (lines >= _BROAD_LINES and len(modules) >= _BROAD_MODULES):
            continue
        severity: Grade = "high" if lines >= _HIGH_LINES or len(modules) >= _HIGH_MODULES else "medium"
        places = f"{counted(len(files), 'file')} of {counted(len(modules), 'module')}: {named(modules)}"
        measures = {"lines": lines, "files": len(files), "modules": modules}
        yield Finding(
            number, severity, "high", f"Changes {counted(lines, 'source line')} in {places}.", measures, (f"pull:{number}",)
        )


RULES = (
    RiskRule(
        "large_and_broad",
        "Large and broad change",
        "Source lines and modules changed at once.",
        "medium",
        _find,
        ("files",),
        fires_on_part=True,
    ),
)
