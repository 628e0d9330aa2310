import json
from typing import Any

import pandas as pd
import pytest

from pipelines.errors import SettingsError
from pipelines.rules.risks import RULES, active_rules, coverage
from pipelines.rules.risks.diffs import taken
from pipelines.settings import PathRisk, RuleSettings
from tests.unit.rules.test_core_paths import _history
from tests.unit.rules.test_measures import _comment, _thread
from tests.unit.rules.weeks import changed, derived, pull, review, risk_rules, week_of, weeks_before

Rows = list[dict[str, Any]]


def _fired(row: dict[str, Any], files: Rows, settings: RuleSettings | None = None, **tables: Rows) -> dict[str, str]:
    made = derived(week_of({"raw_pull_requests": [row], "raw_files": files, **tables}, settings))
    return risk_rules(made, row["number"])


def test_every_rule_has_an_id_a_title_and_says_what_it_looks_at() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES) == 17
    assert all(rule.title and rule.looks_at.endswith(".") for rule in RULES)


@pytest.mark.parametrize(
    ("title", "added", "removed", "severity"),
    [
        ("Add a cache", 59, 0, None),
        ("Add a cache", 60, 0, "low"),
        ("Add a cache", 150, 0, "medium"),
        ("Add a cache", 600, 0, "high"),
        ("Refactor the cache", 119, 10, None),
        ("Refactor the cache", 120, 10, "low"),
        ("Rename caches", 300, 300, None),
        ("Remove the cache", 0, 900, None),
        ('Revert "Add a cache"', 300, 0, None),
    ],
)
def test_missing_tests_are_graded_by_added_behaviour(title: str, added: int, removed: int, severity: str | None) -> None:
    assert _fired(pull(1, title), [changed(1, "src/cache.py", added, removed)]).get("missing_tests") == severity


def test_missing_tests_are_graver_in_core_and_milder_where_something_was_tried() -> None:
    before = _history({"src/cache.py": 5})
    files = [changed(1, "src/cache.py", 100)]
    made = derived(week_of({"raw_pull_requests": [pull(1)], "raw_files": files}, before=before))
    assert risk_rules(made, 1)["missing_tests"] == "medium"
    assert (
        _fired(pull(1, body="Tested on two machines with old data."), [changed(1, "src/cache.py", 200)])["missing_tests"] == "low"
    )


def test_deleting_a_test_halves_the_bar() -> None:
    files = [changed(1, "src/cache.py", 30), changed(1, "tests/test_cache.py", 0, 80, change_type="removed")]
    assert "missing_tests" in _fired(pull(1), files)
    assert "missing_tests" not in _fired(pull(1), files[:1])


@pytest.mark.parametrize(
    "path", ["docs/a.md", "benchmarks/run.py", ".github/workflows/x.yml", "vendor/x.c", "api/x_pb2.py", "tests/test_a.py"]
)
def test_only_source_needs_tests(path: str) -> None:
    assert "missing_tests" not in _fired(pull(1), [changed(1, path, 900)])


def test_with_files_cut_missing_tests_say_nothing() -> None:
    assert "missing_tests" not in _fired(pull(1, changed_files_count=4000), [changed(1, "src/cache.py", 900)])


@pytest.mark.parametrize(("lines", "severity"), [(9, None), (10, "low"), (50, "medium"), (200, "high")])
def test_core_path_changes_are_graded_by_weighted_lines(lines: int, severity: str | None) -> None:
    tables = {"raw_pull_requests": [pull(1)], "raw_files": [changed(1, "src/scheduler.py", lines)]}
    made = derived(week_of(tables, before=_history({"src/scheduler.py": 5})))
    assert risk_rules(made, 1).get("core_path_change") == severity


def test_a_core_finding_carries_its_evidence_and_measures() -> None:
    tables = {"raw_pull_requests": [pull(1)], "raw_files": [changed(1, "src/scheduler.py", 50)]}
    risks = derived(week_of(tables, before=_history({"src/scheduler.py": 5})))["derived_risks"]
    row = risks[risks["rule"] == "core_path_change"].iloc[0]
    assert row["evidence"] == ["file:src/scheduler.py"]
    assert json.loads(row["measures_json"])["people"] == 5
    assert "5 people" in row["reason"]


def test_open_threads_of_people_fire_and_those_of_bots_do_not() -> None:
    threads, comments = [_thread("a"), _thread("b"), _thread("c", outdated=True)], [_comment("b", "scan", "Bot")]
    fired = _fired(
        pull(10, review_threads_count=3), [changed(10, "src/a.py")], raw_review_threads=threads, raw_review_comments=comments
    )
    assert fired["open_threads"] == "low"
    assert "open_threads" not in _fired(pull(10, review_threads_count=1), [], raw_review_threads=[_thread("x", resolved=None)])


def test_review_rules_fire_where_reviews_are_known() -> None:
    files = [changed(10, "src/a.py", 100)]
    assert _fired(pull(10, merged_by_login="ada"), files)["unapproved"] == "medium"
    assert _fired(pull(10, merged_by_login="ada"), files)["self_merged"] == "medium"
    asked = _fired(pull(10, reviews_count=1), files, raw_reviews=[review(10, "bo", "CHANGES_REQUESTED")])
    assert asked["changes_requested"] == "high"
    unread = _fired(pull(10, reviews_count=None, merged_by_login="ada"), files)
    assert not {"unapproved", "self_merged", "changes_requested"} & unread.keys()


def test_a_bot_needs_nobody_s_approval() -> None:
    row = pull(10, author_login="dependabot", author_type="Bot", merged_by_login="dependabot")
    assert not {"unapproved", "self_merged"} & _fired(row, [changed(10, "src/a.py", 100)]).keys()


def test_reverted_and_relanded() -> None:
    pulls = [
        pull(1, "Add a queue"),
        pull(5, 'Revert "Add a queue"', body="Reverts #1"),
        pull(9, 'Reland "Add a queue (#1)"', body="Relands #1"),
    ]
    made = derived(week_of({"raw_pull_requests": pulls[:2]}))
    assert risk_rules(made, 1)["reverted"] == "high"
    rows = made["derived_risks"]
    assert rows.loc[rows["rule"] == "reverted", "reason"].tolist() == ["Reverted by #5, 4.0 hours after its merge."]
    relanded = derived(week_of({"raw_pull_requests": pulls}))
    assert risk_rules(relanded, 1)["reverted"] == "low"
    assert "relanded" in risk_rules(relanded, 9)


def test_a_quick_fix_names_the_change_it_fixes() -> None:
    pulls = [pull(1, "Add a queue"), pull(9, "Fix a crash", body="Fixes a regression from #1.")]
    assert risk_rules(derived(week_of({"raw_pull_requests": pulls})), 9).get("quick_fix") == "low"


def test_large_and_broad_needs_both() -> None:
    broad = [changed(1, f"src/m{spot}/x.py", 300) for spot in range(3)]
    assert _fired(pull(1), broad)["large_and_broad"] == "medium"
    assert "large_and_broad" not in _fired(pull(1), [changed(1, "src/m/x.py", 5000)])
    assert _fired(pull(1), [changed(1, f"src/m{spot}/x.py", 60) for spot in range(8)])["large_and_broad"] == "high"


PATCH = """@@ -1,9 +1,9 @@
-def load(path):
+def load(path, mode):
-class Gone:
-def moved():
+def moved():
-def _private():
-    parser.add_argument('--old-flag')
-X = os.environ['ENGINE_OLD']
"""


def test_a_diff_tells_what_is_taken_away() -> None:
    told = taken([PATCH])
    assert (told.removed_definitions, told.changed_definitions) == (("Gone",), ("load",))
    assert told.removed_settings == ("--old-flag", "ENGINE_OLD")
    assert taken(["+x\n", "--- a/x\n+++ b/x\n"]).removed_settings == ()


def test_interfaces_and_settings_fire_on_diffs_titles_and_labels() -> None:
    by_diff = _fired(pull(1), [changed(1, "src/api.py", 5, 5, patch=PATCH)])
    assert (by_diff["interface_change"], by_diff["setting_removed"]) == ("medium", "medium")
    assert _fired(pull(1, "feat!: new names"), [changed(1, "src/a.py")])["interface_change"] == "high"
    assert _fired(pull(1, labels=["breaking change"]), [changed(1, "src/a.py")])["interface_change"] == "high"
    assert _fired(pull(1, "Deprecate --old-flag"), [changed(1, "src/a.py", 1, 5)])["setting_removed"] == "medium"
    assert "interface_change" not in _fired(pull(1), [changed(1, "src/api.py", 500, 0)])
    assert "setting_removed" not in _fired(pull(1, "Remove identity preprocess_text functions"), [changed(1, "src/a.py", 1, 5)])


@pytest.mark.parametrize(
    ("path", "rule", "severity"),
    [
        ("uv.lock", "dependency_change", "low"),
        (".github/workflows/test.yml", "ci_change", "low"),
        (".github/workflows/release.yml", "ci_change", "medium"),
        ("src/auth/session.py", "security_path", "medium"),
        ("src/OAuthClient.java", "security_path", "medium"),
        ("src/storage/migrations/0008_wide.py", "migration", "high"),
    ],
)
def test_places_that_need_other_eyes(path: str, rule: str, severity: str) -> None:
    assert _fired(pull(1), [changed(1, path)])[rule] == severity


@pytest.mark.parametrize("path", ["src/tokenizer/authors.py", "src/tokens.py", "docs/security.md"])
def test_words_that_only_look_like_security(path: str) -> None:
    assert "security_path" not in _fired(pull(1), [changed(1, path)])


def test_a_workflow_that_reads_secrets_is_graver() -> None:
    patch = "@@ -1 +1 @@\n+    token: ${{ secrets.TOKEN }}\n"
    assert _fired(pull(1), [changed(1, ".github/workflows/test.yml", patch=patch)])["ci_change"] == "medium"


def _area(people: list[str]) -> dict[str, dict[str, Rows]]:
    weeks = weeks_before(4)
    stored: dict[str, dict[str, Rows]] = {}
    for spot, week in enumerate(weeks):
        pulls = [pull(spot * 100 + place, author_login=login) for place, login in enumerate(people)]
        files = [changed(spot * 100 + place, "src/solver/x.py") for place in range(len(people))]
        made = derived(week_of({"raw_pull_requests": pulls, "raw_files": files}))["derived_pull_requests"]
        rows = made.astype(object).where(made.notna(), None).to_dict("records")
        plain = [{str(name): value for name, value in row.items()} for row in rows]
        stored[week] = {"raw_pull_requests": pulls, "raw_files": files, "derived_pull_requests": plain}
    return stored


def test_a_sole_expert_is_told_once_an_area() -> None:
    pulls = [pull(901, author_login="ada"), pull(902, author_login="ada")]
    files = [changed(901, "src/solver/x.py", 90), changed(902, "src/solver/y.py", 100)]
    tables = {"raw_pull_requests": pulls, "raw_files": files}
    alone = derived(week_of(tables, before=_area(["ada", "ada"])))["derived_risks"]
    assert alone.loc[alone["rule"] == "sole_expert", "number"].tolist() == [902]
    shared = derived(week_of(tables, before=_area(["ada", "bo"])))["derived_risks"]
    assert "sole_expert" not in set(shared["rule"])
    assert "ada" not in " ".join(alone["reason"])


def test_settings_switch_off_regrade_and_add() -> None:
    files = [changed(1, "src/cache.py", 900)]
    assert "missing_tests" not in _fired(pull(1), files, RuleSettings(risks_off=("missing_tests",)))
    assert _fired(pull(1), files, RuleSettings(risks_severity={"missing_tests": "low"}))["missing_tests"] == "low"
    own = RuleSettings(risks_paths={"kernels": PathRisk(paths=("src/**",), severity="high", reason="Kernels need two eyes.")})
    assert _fired(pull(1), files, own)["kernels"] == "high"
    assert [rule.id for rule in active_rules(own)][-1] == "kernels"


@pytest.mark.parametrize(
    "settings",
    [
        RuleSettings(risks_off=("no_such_rule",)),
        RuleSettings(risks_paths={"reverted": PathRisk(paths=("a",), reason="x")}),
    ],
)
def test_settings_that_name_no_rule_are_refused(settings: RuleSettings) -> None:
    with pytest.raises(SettingsError, match=r"no_such_rule.*Rules are|reverted.*has that name"):
        active_rules(settings)


def test_coverage_counts_what_each_rule_could_look_at() -> None:
    pulls = pd.DataFrame({"unknown_parts": [[], ["reviews"], ["files", "threads"]]})
    told = coverage(pulls)
    assert (told["missing_tests"], told["unapproved"], told["open_threads"], told["reverted"]) == (2, 2, 2, 3)
