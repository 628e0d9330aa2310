"""Suggestions name the action, the evidence and the end; earlier ones say what became of them."""

import pytest

from pipelines.report.check import problems
from pipelines.report.facts import report_from_rows
from pipelines.report.model import Headed, Report
from pipelines.report.prose.realise import plain
from tests.unit.report.week_rows import WeekBuilder, typical_week


def _report(week: WeekBuilder) -> Report:
    report = report_from_rows(week.build())
    assert list(problems(report)) == []
    return report


def _told(headed: list[Headed], key: str) -> list[str]:
    found = next(each for each in headed if each["key"] == key)
    return ["".join(map(plain, parts)) for parts in (found["heading"], *(sentence["parts"] for sentence in found["sentences"]))]


_SUGGESTIONS: list[tuple[str, str, str, str, list[str]]] = [
    (
        "add_tests",
        '{"pull_requests":2,"added_lines":300,"files":2}',
        "tests_near",
        "{}",
        [
            "Add tests for engine",
            "#101 and #102 added 300 lines of source there without a test; severity high.",
            "Done when a later pull request changes tests near those files.",
        ],
    ),
    (
        "resolve_threads",
        '{"threads":1}',
        "threads_resolved",
        '{"paths":["a/b.py"]}',
        [
            "Settle the review threads left open in engine",
            "1 thread of #101 and #102 was open at the merge, on b.py; severity high.",
            "Done when each is resolved, or its file is changed in answer.",
        ],
    ),
    (
        "reland",
        '{"reverted_by":105,"hours":1.5}',
        "relanded",
        "{}",
        [
            "Decide whether #101 and #102 comes back",
            "#105 took it back after 1.5 h; severity high.",
            "Done when it lands again, or the revert is itself undone.",
        ],
    ),
    (
        "reland",
        '{"reverted_by":105,"hours":null}',
        "relanded",
        "{}",
        [
            "Decide whether #101 and #102 comes back",
            "It stands on #101 and #102; severity high.",
            "Done when it lands again, or the revert is itself undone.",
        ],
    ),
    (
        "unheard",
        "{}",
        "unheard",
        "{}",
        [
            "Look again at #101 and #102 (engine)",
            "It stands on #101 and #102; severity high.",
            "Done when a later pull request settles it.",
        ],
    ),
]


@pytest.mark.parametrize(("kind", "measures", "done_when", "facts", "told"), _SUGGESTIONS)
def test_suggestions_name_action_evidence_and_end(kind: str, measures: str, done_when: str, facts: str, told: list[str]) -> None:
    week = typical_week().add(
        "derived_follow_ups",
        follow_up_id="one",
        kind=kind,
        created_week="2026-W17",
        severity="high",
        pull_requests=[101, 102],
        subject="engine",
        measures_json=measures,
        done_when=done_when,
        done_when_json=facts,
        state="open",
    )
    assert _told(_report(week)["prose"]["en"]["suggestions"], "one") == told


@pytest.mark.parametrize(
    ("state", "by", "closed", "words"),
    [
        ("open", None, None, "Suggested in 2026-W15, still open."),
        ("done", 103, None, "Suggested in 2026-W15, done by #103."),
        ("done", None, None, "Suggested in 2026-W15, done."),
        ("moot", None, None, "Suggested in 2026-W15, no longer applies."),
        ("moot", 103, None, "Suggested in 2026-W15, made moot by #103."),
        ("done", 103, "2026-W16", "Suggested in 2026-W15, done by #103 in 2026-W16."),
        ("moot", 103, "2026-W16", "Suggested in 2026-W15, made moot by #103 in 2026-W16."),
    ],
)
def test_earlier_suggestions_say_what_became_of_them(state: str, by: int | None, closed: str | None, words: str) -> None:
    week = typical_week().add(
        "derived_follow_ups",
        follow_up_id="old",
        kind="add_tests",
        created_week="2026-W15",
        severity="low",
        pull_requests=[55],
        subject="#55",
        measures_json="{}",
        done_when="tests_near",
        done_when_json="{}",
        state=state,
        closed_by_number=by,
        closed_week=closed,
    )
    assert _told(_report(week)["prose"]["en"]["earlier_suggestions"], "old") == ["Add tests for what #55 changed", words]
