"""Missing tests: source behaviour changed, enough of it, and no test was added or changed.

Only added source lines count as new behaviour: a removal leaves less to test, a rename none, and documentation, CI,
benchmarks, generated and vendored files are not behaviour of this code base.

False positives: a change that an existing test covers already; a port held by tests that run elsewhere (hardware);
tests that live in another repository. What the description says was tested lowers the grade, since it was tried at
least once, but leaves the flag: nothing will try it again.
"""

from collections.abc import Iterator
from typing import Any

from pipelines.rules.risks.base import Finding, Grade, Pull, RiskRule, RiskWeek, counted, file_rows, grade, lowered

# Added source lines from which a test could be expected. Sixty is a screen of code: less is mostly a guard, a fallback or an
# option. A refactoring adds lines that the tests it had still hold, so it needs twice as many; a revert restores what was.
_FIRES_AT_LINES = {**dict.fromkeys(("feature", "fix", "performance", "chore", "ci", "docs", "test"), 60.0), "refactor": 120.0}
_NEVER = float("inf")
_MEDIUM_AT_LINES = 150.0
_HIGH_AT_LINES = 600.0
# Lines put in the place of lines of nearly the same number are a rename or a reformatting: a tenth more is no new behaviour.
_REPLACED = 1.1
_WITHOUT = ("none", "moved_only", "removed_only")


def _find(week: RiskWeek) -> Iterator[Finding]:
    for number, pull in week.pulls.items():
        if pull["tests_state"] not in _WITHOUT or not _adds_behaviour(pull):
            continue
        lines, described = int(pull["source_added_lines_count"]), pull["described_tests"] is not None
        severity = _severity(lines, pull["core_files_count"], described=described, reverted=pull["reverted_by_number"] is not None)
        measures = {
            "added_lines": lines,
            "files": pull["source_files_count"],
            "kind": pull["change_kind"],
            "tests": pull["tests_state"],
            "core_files": pull["core_files_count"],
            "described": described,
        }
        paths = [file.path for file in week.files[number] if file.kind == "source" and file.change_type != "removed"]
        yield Finding(number, severity, _confidence(lines, described=described), _reason(measures), measures, file_rows(paths))


def _adds_behaviour(pull: Pull) -> bool:
    added, removed = pull["source_added_lines_count"], pull["source_removed_lines_count"]
    bar = _FIRES_AT_LINES.get(pull["change_kind"], _NEVER)
    if pull["removed_test_files_count"] and added > removed:
        bar /= 2  # a test was deleted with it: half as much new code already stands where a test stood
    replaced = removed > 0 and added <= removed * _REPLACED and removed <= added * _REPLACED
    return bool(added >= bar and not replaced)


def _severity(lines: int, core_files: int, *, described: bool, reverted: bool) -> Grade:
    severity = grade(lines * (2 if core_files else 1), _MEDIUM_AT_LINES, _HIGH_AT_LINES)
    for milder in (described, reverted):
        severity = lowered(severity) if milder else severity
    return severity


def _confidence(lines: int, *, described: bool) -> Grade:
    return "medium" if described or lines < _MEDIUM_AT_LINES else "high"


def _reason(measures: dict[str, Any]) -> str:
    became = {
        "none": "no test file is changed",
        "moved_only": "test files are only moved",
        "removed_only": "test files are only deleted",
    }
    core = ", core files among them" if measures["core_files"] else ""
    said = " The description says what was tried by hand." if measures["described"] else ""
    return (
        f"Adds {counted(measures['added_lines'], 'source line')} in {counted(measures['files'], 'file')}{core}; "
        f"{became[measures['tests']]}.{said}"
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
