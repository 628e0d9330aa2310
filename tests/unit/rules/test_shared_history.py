"""The rules on the shared history of a real repository, measured against the published report of one week."""

import json
from collections import Counter

import pytest

from benchmarks.agreement import WEEK
from benchmarks.labels import BOUNDS, labels
from benchmarks.shared_data import FOLDER, WeekFrames, derive_all, is_there, raw_weeks
from pipelines.rules.files import kind_of

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not is_there(), reason="the shared history is not beside the project: ../shared/data/sglang"),
]


@pytest.fixture(scope="module")
def raw() -> dict[str, WeekFrames]:
    return raw_weeks()


@pytest.fixture(scope="module")
def week(raw: dict[str, WeekFrames]) -> WeekFrames:
    before = [name for name in raw if name <= WEEK][-13:]
    return derive_all(before, raw=raw)[WEEK]


def test_the_week_agrees_with_its_published_report(week: WeekFrames) -> None:
    truth = json.loads((FOLDER.parents[1] / "eval" / f"truth-{WEEK}.json").read_text(encoding="utf-8"))
    scores = week["derived_importance"].sort_values("rank")
    top = scores["number"].tolist()
    assert len(set(top[:24]) & set(truth["table"])) >= 9
    assert set(truth["table"]) <= set(top[:36])
    assert len(set(top[:24]) & set(truth["cited"])) >= 12
    assert 5.2 <= scores["importance"].mean() <= 6.2
    fired = Counter(week["derived_risks"]["rule"])
    for rule, published in (("core_path_change", "core_path"), ("missing_tests", "missing_tests")):
        assert fired[rule] == pytest.approx(truth["reported"][published], rel=0.15)


def test_core_paths_are_those_everyone_works_on(week: WeekFrames) -> None:
    names = {path.rpartition("/")[2] for path in week["derived_core_paths"]["path"]}
    assert {"server_args.py", "scheduler.py", "model_runner.py", "schedule_batch.py", "memory_pool.py"} <= names


def test_kinds_of_files_agree_with_the_labels(raw: dict[str, WeekFrames]) -> None:
    wanted = labels()
    told = {}
    for label in wanted:
        files = raw[label.week]["raw_files"]
        told[label.number] = " ".join(sorted({kind_of(path)[0] for path in files.loc[files["number"] == label.number, "path"]}))
    agreed = sum(told[label.number] == label.kinds for label in wanted)
    assert len(wanted) == 150
    assert agreed / len(wanted) >= BOUNDS["kinds"]
