from typing import Any

import pandas as pd
import pytest

from pipelines.rules import core_paths
from pipelines.settings import RuleSettings
from pipelines.tables import TABLES, conform, to_frame
from tests.unit.rules.weeks import WEEK, changed, pull, week_of, weeks_before

Tables = dict[str, list[dict[str, Any]]]


def _history(paths: dict[str, int], weeks: int = 6, **given: Any) -> dict[str, Tables]:
    """Weeks in which each path was changed by so many people, one a pull request; a file of one person stands beside each."""
    stored: dict[str, Tables] = {}
    for place, week in enumerate(weeks_before(weeks)):
        pulls, files = [], []
        for spot, (path, people) in enumerate(paths.items()):
            for person in range(people):
                number = place * 1000 + spot * 100 + person
                pulls.append(pull(number, author_login=f"p{person}", **given))
                files += [changed(number, path), changed(number, f"src/quiet/{number}.py")]
        stored[week] = {"raw_pull_requests": pulls, "raw_files": files}
    return stored


def _core(stored: dict[str, Tables], settings: RuleSettings | None = None, **tables: list[dict[str, Any]]) -> pd.DataFrame:
    made = core_paths.derive(week_of(tables, settings, stored), {})
    return to_frame(conform(TABLES["derived_core_paths"], made, WEEK)).sort_values("rank")


def test_a_file_that_many_people_changed_is_core_with_its_evidence() -> None:
    row = _core(_history({"src/scheduler.py": 5, "src/corner.py": 2})).iloc[0]
    assert (row["path"], row["people_count"], row["pull_requests_count"], row["changed_weeks_count"]) == (
        "src/scheduler.py",
        5,
        30,
        6,
    )
    assert (row["basis"], row["weight"], row["history_weeks_count"]) == ("history", 1.0, 6)


def test_a_corner_of_two_people_is_not_core() -> None:
    assert list(_core(_history({"src/scheduler.py": 5, "src/corner.py": 2}))["path"]) == ["src/scheduler.py"]


def test_settings_and_registries_weigh_less() -> None:
    core = _core(_history({"src/server_args.py": 8, "src/scheduler.py": 6}))
    assert list(core["path"]) == ["src/scheduler.py", "src/server_args.py"]
    assert list(core["weight_rule"]) == ["source", "settings"]


def test_tests_and_documentation_are_never_core() -> None:
    assert _core(_history({"tests/test_all.py": 9, "docs/index.md": 9})).empty


def test_bots_are_no_people() -> None:
    assert _core(_history({"src/scheduler.py": 9}, author_type="Bot")).empty


def test_with_too_little_history_it_says_breadth() -> None:
    core = _core(_history({"src/scheduler.py": 5}, weeks=2))
    assert list(core["basis"]) == ["breadth"]
    assert list(core["history_weeks_count"]) == [2]


def test_without_history_the_week_itself_tells() -> None:
    pulls = [pull(number, author_login=f"p{number}") for number in range(1, 5)]
    files = [changed(number, "src/scheduler.py") for number in range(1, 5)] + [changed(1, f"src/q{n}.py") for n in range(30)]
    assert list(_core({}, raw_pull_requests=pulls, raw_files=files)["basis"]) == ["breadth"]


def test_nothing_known_is_an_empty_table() -> None:
    assert _core({}).empty


def test_a_rename_carries_its_people_along() -> None:
    stored = _history({"src/old.py": 5})
    newest = max(stored)
    stored[newest]["raw_pull_requests"].append(pull(9999, author_login="mover"))
    stored[newest]["raw_files"].append(changed(9999, "src/new.py", 0, 0, change_type="renamed", previous_path="src/old.py"))
    row = _core(stored).iloc[0]
    assert (row["path"], row["people_count"]) == ("src/new.py", 6)


def test_a_file_that_was_deleted_is_core_no_more() -> None:
    stored = _history({"src/gone.py": 5})
    stored[max(stored)]["raw_pull_requests"].append(pull(9999))
    stored[max(stored)]["raw_files"].append(changed(9999, "src/gone.py", 0, 90, change_type="removed"))
    assert _core(stored).empty


def test_what_was_core_last_week_stays_until_it_falls_well_below_the_bar() -> None:
    low = _history({"src/a.py": 5, "src/b_utils.py": 4, "src/c_utils.py": 4})
    assert list(_core(low)["path"]) == ["src/a.py"]
    row = {"path": "src/b_utils.py", "rank": 1, "score": 3.0, "basis": "history", "people_count": 5, "pull_requests_count": 5}
    row |= {"changed_weeks_count": 2, "history_weeks_count": 6, "weight": 0.6, "weight_rule": "helpers"}
    low[max(low)]["derived_core_paths"] = [row]
    assert list(_core(low)["path"]) == ["src/a.py", "src/b_utils.py"]


def test_settings_add_and_forbid() -> None:
    stored = _history({"src/scheduler.py": 5, "src/loud.py": 6})
    settings = RuleSettings(core_paths_add=("src/quiet/0.py", "src/never.py"), core_paths_forbid=("src/loud.py",))
    core = _core(stored, settings).set_index("path")
    assert sorted(core.index) == ["src/quiet/0.py", "src/scheduler.py"]
    assert core.loc["src/quiet/0.py", "basis"] == "configured"


def test_core_stays_a_small_part_of_the_code() -> None:
    stored = _history({f"src/f{spot}.py": 5 for spot in range(9)}, weeks=4)
    assert len(_core(stored)) <= (9 + 9 * 5 * 4) / 20 + 1


def test_the_note_says_how_much_history_there_is() -> None:
    assert core_paths.history_note(12) == ""
    assert "3 of 12 weeks" in core_paths.history_note(3)
    assert "breadth" in core_paths.history_note(3)
    assert "breadth" not in core_paths.history_note(8)
    assert WEEK not in weeks_before(3)


@pytest.mark.parametrize(
    ("users", "rule", "score", "counted"), [(5, "imported_by_many", 6.0, [5]), (1, "settings", 3.0, [1]), (0, "settings", 3.0, [])]
)
def test_a_settings_file_that_many_import_weighs_in_full(users: int, rule: str, score: float, counted: list[int]) -> None:
    """Where diffs were read; without them its name alone decides, and nobody is said to import it."""
    stored = _history({"pkg/settings.py": 6})
    files = next(iter(stored.values()))["raw_files"]
    files += [changed(0, f"pkg/user_{user}.py", patch="+from pkg.settings import LIMIT\n") for user in range(users)]
    core = _core(stored)
    row = core[core["path"] == "pkg/settings.py"]
    assert (row["weight_rule"].tolist(), row["score"].tolist()) == ([rule], [score])
    assert row["importers_count"].dropna().tolist() == counted
