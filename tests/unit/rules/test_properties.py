"""What must hold of the rules whatever a week looks like."""

from typing import Any

import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from pipelines.rules import flow
from pipelines.rules.inputs import WeekInputs
from tests.unit.rules.test_core_paths import _history
from tests.unit.rules.test_measures import _comment, _thread
from tests.unit.rules.weeks import changed, derived, pull, review, week_of

Rows = list[dict[str, Any]]
FEW = settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
PATHS = (
    "src/a.py",
    "src/b/c.rs",
    "src/utils.py",
    "tests/test_a.py",
    "docs/a.md",
    "ci/run.sh",
    "pyproject.toml",
    "vendor/x.c",
    "logo.svg",
)
LINES = st.integers(0, 800)
FILES = st.lists(st.tuples(st.sampled_from(PATHS), LINES, LINES), unique_by=lambda file: file[0], max_size=6)
#: Several pull requests at once, so that an example costs one derivation.
WEEKS = st.lists(FILES, min_size=1, max_size=8)


def _week(drawn: list[list[tuple[str, int, int]]]) -> tuple[Rows, Rows]:
    files = [changed(number, *file) for number, listed in enumerate(drawn, start=1) for file in listed]
    return [pull(number) for number in range(1, len(drawn) + 1)], files


def _flagged(pulls: Rows, files: Rows) -> set[int]:
    risks = derived(week_of({"raw_pull_requests": [dict(row) for row in pulls], "raw_files": files}))["derived_risks"]
    return set(risks.loc[risks["rule"] == "missing_tests", "number"])


@FEW
@given(WEEKS)
def test_adding_a_documentation_file_never_adds_a_missing_tests_flag(drawn: list[list[tuple[str, int, int]]]) -> None:
    pulls, files = _week(drawn)
    more = [changed(row["number"], "docs/new/page.md", 900) for row in pulls]
    assert _flagged(pulls, files + more) == _flagged(pulls, files)


@FEW
@given(WEEKS)
def test_a_rename_is_no_new_source_and_no_new_test(drawn: list[list[tuple[str, int, int]]]) -> None:
    pulls, files = _week(drawn)
    names = [(row["number"], end) for row in pulls for end in (".py", "_test.py")]
    moved = [changed(number, f"src/to{end}", 0, 0, change_type="renamed", previous_path=f"src/from{end}") for number, end in names]
    counts = ["source_files_count", "source_added_lines_count", "test_files_count"]
    plain, renamed = (
        derived(week_of({"raw_pull_requests": [dict(row) for row in pulls], "raw_files": rows}))["derived_pull_requests"][counts]
        for rows in (files, files + moved)
    )
    assert_frame_equal(plain, renamed)


VERDICTS = st.sampled_from(["APPROVED", "COMMENTED", "CHANGES_REQUESTED"])
BOTS = st.lists(st.tuples(st.sampled_from(["scan", "ci-bot"]), VERDICTS, st.floats(0, 9)), max_size=5)


@settings(max_examples=15, deadline=None)
@given(BOTS)
def test_a_bot_never_changes_human_review_times(drawn: list[tuple[str, str, float]]) -> None:
    people = [review(10, "bo", "COMMENTED", 2), review(10, "cy", "APPROVED", 4)]
    bots = {(login, state, hours): review(10, login, state, hours, kind="Bot") for login, state, hours in drawn}
    human = [
        "first_review_hours",
        "approval_hours",
        "reviewers",
        "approvers",
        "human_reviews_count",
        "changes_requested_by",
        "is_approved",
    ]
    alone, along = (
        flow.measures(week_of({"raw_pull_requests": [pull(10)], "raw_reviews": rows}), unknown=())[10]
        for rows in (people, people + list(bots.values()))
    )
    assert [alone[name] for name in human] == [along[name] for name in human]


def _rich_week() -> WeekInputs:
    pulls = [
        pull(1, "Add a queue", author_login="ada"),
        pull(2, "[Cache] fix a crash", author_login="bo", reviews_count=2),
        pull(3, 'Revert "Add a queue"', body="Reverts #1"),
        pull(10, "Bump engine to v2.0.1", author_login="dependabot", author_type="Bot", review_threads_count=2),
    ]
    files = [
        changed(1, "src/scheduler.py", 200, 30),
        changed(1, "src/new.py", 3, 1, change_type="renamed", previous_path="src/old.py"),
        changed(2, "src/cache.py", 70),
        changed(2, "tests/test_cache.py", 30),
        changed(3, "src/scheduler.py", 30, 200),
        changed(10, "uv.lock", 5, 5),
    ]
    reviews = [review(2, "cy", "COMMENTED", 1), review(2, "cy", "APPROVED", 2), review(2, "di", "CHANGES_REQUESTED", 1)]
    tables = {
        "raw_pull_requests": pulls,
        "raw_files": files,
        "raw_reviews": reviews,
        "raw_review_threads": [_thread("a"), _thread("b")],
    }
    return week_of(
        {**tables, "raw_review_comments": [_comment("a", "bo"), _comment("b", "scan", "Bot")]},
        before=_history({"src/scheduler.py": 5}),
    )


def _shuffled(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=seed)


@FEW
@given(st.integers(0, 10_000))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    inputs = _rich_week()
    raw, history = ({name: _shuffled(frame, seed) for name, frame in tables.items()} for tables in (inputs.raw, inputs.history))
    mixed = WeekInputs(inputs.repo, inputs.week, raw, history, inputs.history_weeks, inputs.settings)
    made, again = derived(inputs), derived(mixed)
    for name, frame in made.items():
        assert_frame_equal(frame, again[name])


def test_the_rules_leave_their_inputs_as_they_are() -> None:
    inputs = _rich_week()
    frames = [*inputs.raw.values(), *inputs.history.values()]
    copies = [frame.copy() for frame in frames]
    derived(inputs)
    for frame, copy in zip(frames, copies, strict=True):
        assert_frame_equal(frame, copy)
