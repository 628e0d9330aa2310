from typing import Any

import pandas as pd
import pytest

from pipelines.rules.explain import explain
from pipelines.rules.importance import COMPONENTS
from tests.unit.rules.weeks import changed, derived, one, pull, review, week_of

Rows = list[dict[str, Any]]


def _scores(pulls: Rows, files: Rows, **tables: Rows) -> dict[int, float]:
    rows = derived(week_of({"raw_pull_requests": pulls, "raw_files": files, **tables}))["derived_importance"]
    return dict(zip(rows["number"].tolist(), rows["score"].tolist(), strict=True))


def _score(row: dict[str, Any], *files: dict[str, Any], **tables: Rows) -> float:
    return _scores([row], list(files), **tables)[row["number"]]


def test_components_add_up_to_the_score() -> None:
    made = derived(
        week_of({"raw_pull_requests": [pull(1)], "raw_files": [changed(1, "src/a.py", 300), changed(1, "tests/test_a.py", 80)]})
    )
    row = one(made, "derived_importance", 1)
    assert row["score"] == pytest.approx(sum(row[name] for name in COMPONENTS))
    assert set(COMPONENTS) == {name for name in row.index if name.endswith("_points")}


def test_the_scale_does_not_depend_on_the_rest_of_the_week() -> None:
    small, big = changed(1, "src/a.py", 30), [changed(number, "src/b.py", 5000) for number in range(2, 9)]
    assert _score(pull(1), small) == _scores([pull(1), *(pull(n) for n in range(2, 9))], [small, *big])[1]


def test_importance_stays_on_its_scale() -> None:
    huge = [changed(1, f"src/m{spot}/d{spot}/x.py", 3000) for spot in range(30)]
    rows = derived(week_of({"raw_pull_requests": [pull(1, labels=["breaking", "p0"])], "raw_files": huge}))["derived_importance"]
    assert 9.0 <= rows["importance"].iloc[0] <= 10.0


def test_a_feature_outranks_its_refactoring_and_its_documentation() -> None:
    feature = _score(pull(1, "Add a cache"), changed(1, "src/a.py", 200))
    refactoring = _score(pull(1, "Refactor the cache"), changed(1, "src/a.py", 200))
    docs = _score(pull(1, "Add a page on the cache"), changed(1, "docs/a.md", 20_000))
    assert feature > refactoring > docs


def test_a_short_retirement_outranks_a_refactoring_of_its_size() -> None:
    assert _score(pull(1, "Remove the old engine"), changed(1, "src/a.py", 0, 200)) > _score(
        pull(1, "Refactor the old engine"), changed(1, "src/a.py", 0, 200)
    )


@pytest.mark.parametrize(
    "row",
    [
        pull(1, "Add a cache", author_login="dependabot", author_type="Bot"),
        pull(1, "Fix typo: cahce"),
    ],
)
def test_mechanical_changes_stay_low(row: dict[str, Any]) -> None:
    assert _score(row, changed(1, "src/a.py", 100, 100)) <= _score(pull(1, "Refactor it"), changed(1, "src/a.py", 100, 100)) - 0.4


def test_generated_and_vendored_lines_count_nothing() -> None:
    assert _score(pull(1), changed(1, "src/a.py"), changed(1, "vendor/x.c", 90_000)) == _score(pull(1), changed(1, "src/a.py"))


def test_tests_breadth_reviews_and_labels_give_points() -> None:
    alone = _score(pull(1), changed(1, "src/a/x.py", 100))
    assert _score(pull(1), changed(1, "src/a/x.py", 100), changed(1, "tests/test_x.py", 60)) > alone
    assert _score(pull(1), changed(1, "src/a/x.py", 50), changed(1, "src/b/x.py", 50)) > alone
    assert _score(pull(10, reviews_count=1), changed(10, "src/a/x.py", 100), raw_reviews=[review(10, "bo")]) > alone
    urgent, trivial = (_score(pull(1, labels=[label]), changed(1, "src/a/x.py", 100)) for label in ("high priority", "trivial"))
    assert urgent > alone > trivial


def test_a_reverted_change_loses_its_rank_and_a_reland_gains() -> None:
    pulls = [pull(1, "Add a queue"), pull(2, "Add a queue too"), pull(5, 'Revert "Add a queue"', body="Reverts #1")]
    files = [changed(number, "src/a.py", 200) for number in (1, 2, 5)]
    scores = _scores(pulls, files)
    assert scores[1] == pytest.approx(scores[2] - 2.0)


def test_one_in_ten_is_a_highlight_if_it_deserves_it() -> None:
    pulls, files = [pull(number) for number in range(1, 31)], [changed(number, "src/a.py", number * 20) for number in range(1, 31)]
    rows = derived(week_of({"raw_pull_requests": pulls, "raw_files": files}))["derived_importance"]
    assert rows.loc[rows["is_highlight"], "number"].tolist() == [28, 29, 30]
    assert sorted(rows["rank"]) == list(range(1, 31))
    dull = derived(week_of({"raw_pull_requests": [pull(1, "Fix typo")], "raw_files": [changed(1, "docs/a.md", 1, 1)]}))
    assert not dull["derived_importance"]["is_highlight"].any()


def _explained(number: int) -> dict[str, Any] | None:
    tables = {
        "raw_pull_requests": [pull(1, "Add a queue", reviews_count=None), pull(5, 'Revert "Add a queue"', body="Reverts #1")],
        "raw_files": [changed(1, "src/a.py", 200)],
    }
    inputs = week_of(tables)
    made = derived(inputs)
    theme = {
        "number": 1,
        "theme": "caching",
        "is_primary": True,
        "is_emerging": False,
        "rule": "word",
        "evidence": "queue",
        "weight": 1.0,
    }
    return explain({**inputs.raw, **made, "derived_themes": pd.DataFrame([theme])}, number)


def test_a_pull_request_is_explained_with_the_rule_behind_each_figure() -> None:
    told = _explained(1)
    assert told is not None
    assert told["change_kind"] == {"is": "feature", "rule": "title_word"}
    assert told["files"][0]["kind_rule"] == "source_ending"
    assert [risk["rule"] for risk in told["risks"]] == ["reverted", "missing_tests"]
    assert [part["component"] for part in told["importance"]["components"][:2]] == ["base_points", "size_points"]
    assert [(link["direction"], link["number"]) for link in told["links"]] == [("to", 5)]
    assert {"rule": "unapproved", "title": "Merged without approval", "needs": ["reviews"]} in told["silent_rules"]
    assert told["measures"]["human_reviews_count"] is None


def test_an_unknown_number_is_explained_by_none() -> None:
    assert _explained(77) is None


@pytest.mark.parametrize("files", [[], [changed(1, "docs/a.md", 20)]], ids=["none", "docs"])
def test_a_week_without_a_source_file_has_no_breadth(files: Rows) -> None:
    made = derived(week_of({"raw_pull_requests": [pull(1), pull(2)], "raw_files": files}))
    assert made["derived_importance"]["breadth_points"].tolist() == [0.0, 0.0]


def _sweep(files: int, lines: int = 2) -> Rows:
    return [changed(1, f"src/part_{spot % 9}/f{spot}.py", lines, 1) for spot in range(files)]


def test_one_small_edit_in_many_files_is_a_sweep_whatever_its_title_says() -> None:
    title = "Add `from __future__ import annotations` everywhere"
    few, many = _score(pull(1, title), *_sweep(39)), _score(pull(1, title), *_sweep(40))
    assert many < few - 3.5
    assert many < 6.0  # no highlight


@pytest.mark.parametrize(
    "title", ["Sort imports", "Run the codemod over examples", "Reformat with a longer line", "Bump the copyright year"]
)
def test_a_title_that_says_so_makes_a_sweep_of_ten_files(title: str) -> None:
    assert _score(pull(1, title), *_sweep(10, 3)) < _score(pull(1, "Add a thing"), *_sweep(10, 3)) - 1.0


@pytest.mark.parametrize("more", [[changed(1, f"src/new/{spot}.py", 60) for spot in range(8)], []])
def test_work_in_many_files_is_no_sweep(more: Rows) -> None:
    lines = 2 if more else 9
    swept = _score(pull(1), *_sweep(40))
    assert _score(pull(1), *_sweep(40, lines), *more) > swept + 3.5


def test_what_a_program_wrote_makes_no_sweep_and_hides_none() -> None:
    written = [changed(1, f"vendor/lib/{spot}.py", 1) for spot in range(60)]
    assert _score(pull(1), changed(1, "src/a.py", 40), *written) > 4.5
    assert _score(pull(1), *_sweep(40), *(file | {"added_lines_count": 900} for file in written)) < 6.0


def test_files_whose_lines_are_not_known_make_no_sweep() -> None:
    unknown = [file | {"added_lines_count": None} for file in _sweep(60)]
    assert _score(pull(1), *unknown) > _score(pull(1), *_sweep(60))
