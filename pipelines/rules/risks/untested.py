"""Missing tests: source behaviour changed, enough of it, and no test was added or changed.

Only added source lines count as new behaviour: a removal leaves less to test, a rename none, and documentation, CI,
benchmarks, generated and vendored files are not behaviour of this code base.

False positives: a change that an existing test covers already; a port held by tests that run elsewhere (hardware);
tests that live in another repository. What the description says was tested lowers the grade, since it was tried at
least once, but leaves the flag: nothing will try it again.
"""

from collections.abc import Iterator

import pandas as pd

from pipelines.rules.risks.base import Finding, Grade, RiskRule, RiskWeek, counted, grade, lowered

# Added source lines from which a test could be expected. Sixty is a screen of code: less is mostly a guard, a fallback or an
# option. A refactoring adds lines that the tests it had still hold, so it needs twice as many; a revert restores what was.
_FIRES_AT_LINES = {"feature": 60, "fix": 60, "performance": 60, "chore": 60, "ci": 60, "docs": 60, "test": 60, "refactor": 120}
_MEDIUM_AT_LINES = 150.0
_HIGH_AT_LINES = 600.0
# Lines put in the place of lines of nearly the same number are a rename or a reformatting: a tenth more is no new behaviour.
_REPLACED = 1.1
_WITHOUT = ("none", "moved_only", "removed_only")


def _find(week: RiskWeek) -> Iterator[Finding]:
    pulls = week.pulls[week.pulls["tests_state"].isin(_WITHOUT)]
    bars = pulls["change_kind"].map(_FIRES_AT_LINES)
    added, removed = pulls["source_added_lines_count"], pulls["source_removed_lines_count"]
    mechanical = (removed > 0) & (added <= removed * _REPLACED) & (added * _REPLACED >= removed)
    lost_tests = (pulls["removed_test_files_count"] > 0) & (added >= bars / 2)
    fired = pulls[((added >= bars) & ~mechanical) | (lost_tests & (added > removed))]
    sources = week.files[(week.files["kind"] == "source") & (week.files["change_type"] != "removed")]
    paths = sources.groupby("number")["path"].agg(list)
    for number, pull in fired.iterrows():
        lines = int(pull["source_added_lines_count"])
        described = isinstance(pull["described_tests"], str)
        reverted = bool(pd.notna(pull["reverted_by_number"]))
        severity = _severity(lines, int(pull["core_files_count"]), described=described, reverted=reverted)
        measures = {
            "added_lines": lines,
            "files": int(pull["source_files_count"]),
            "kind": pull["change_kind"],
            "tests": pull["tests_state"],
            "core_files": int(pull["core_files_count"]),
            "described": described,
        }
        evidence = tuple(f"file:{path}" for path in paths.get(number, []))
        yield Finding(int(number), severity, _confidence(lines, described=described), _reason(measures), measures, evidence)


def _severity(lines: int, core_files: int, *, described: bool, reverted: bool) -> Grade:
    severity = grade(lines * (2 if core_files else 1), _MEDIUM_AT_LINES, _HIGH_AT_LINES)
    for milder in (described, reverted):
        severity = lowered(severity) if milder else severity
    return severity


def _confidence(lines: int, *, described: bool) -> Grade:
    return "medium" if described or lines < _MEDIUM_AT_LINES else "high"


def _reason(measures: dict[str, object]) -> str:
    became = {
        "none": "no test file is changed",
        "moved_only": "test files are only moved",
        "removed_only": "test files are only deleted",
    }
    core = ", core files among them" if measures["core_files"] else ""
    said = " The description says what was tried by hand." if measures["described"] else ""
    return (
        f"Adds {counted(int(str(measures['added_lines'])), 'source line')} in {counted(int(str(measures['files'])), 'file')}{core}; "
        f"{became[str(measures['tests'])]}.{said}"
    )


RULES = (
    RiskRule(
        "missing_tests",
        "Missing tests",
        "Added source lines against test files added or changed.",
        "medium",
        _find,
        ("files",),
    ),
)
