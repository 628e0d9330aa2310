"""Data sets: of Parquet files, of the sample, made up the same way every time."""

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.github_standin import Dataset, StandIn, from_parquet, invent
from tests.github_standin.core import Core
from tests.github_standin.fixtures import REPO, SHARED, sample, sglang
from tests.github_standin.known import iso, node_id, number_of
from tests.unit.github_standin import examples

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parents[3]


def _pull(number: int, day: int, sha: str, changed_files: int = 1) -> Json:
    moment = datetime(2026, 4, day, 12, tzinfo=UTC)
    counts = {"changed_files": changed_files, "additions": 3 * changed_files, "deletions": 0}
    return {
        "number": number,
        "title": f"T{number} {{x}}",
        "author": "ada",
        "authored_at": moment,
        "merged_at": moment,
        "merge_commit_sha": sha,
    } | counts


@pytest.fixture
def small(tmp_path: Path) -> Dataset:
    pulls = [_pull(1, 20, "a"), _pull(2, 21, "b"), _pull(2, 22, "c", 0), _pull(3, 23, "d")]
    files: list[Json] = [
        {"number": 1, "path": "x.py", "previous_path": None, "status": "modified", "additions": 3.0, "deletions": 0.0},
        {"number": 2, "path": "y.py", "previous_path": "z.py", "status": "renamed", "additions": 3.0, "deletions": 0.0},
        {"number": 3, "path": "w.png", "previous_path": None, "status": "removed", "additions": None, "deletions": float("nan")},
    ]
    pq.write_table(pa.Table.from_pylist(pulls), tmp_path / "p.parquet")
    pq.write_table(pa.Table.from_pylist(files), tmp_path / "f.parquet")
    return from_parquet(tmp_path / "p.parquet", tmp_path / "f.parquet", "a/b")


def test_facts_are_taken_as_they_are(small: Dataset) -> None:
    record = small.build(1)
    assert (record["title"], record["mergedAt"], record["mergeCommit"]) == ("T1 {x}", "2026-04-20T12:00:00Z", {"oid": "a"})
    assert record["files"]["nodes"] == [{"path": "x.py", "changeType": "MODIFIED", "additions": 3, "deletions": 0}]
    assert small.build(3)["files"]["nodes"] == [{"path": "w.png", "changeType": "DELETED", "additions": None, "deletions": None}]


def test_of_a_number_that_landed_twice_the_later_commit_counts_and_the_other_is_plain(small: Dataset) -> None:
    assert small.facts[2]["mergedAt"] == "2026-04-22T12:00:00Z"
    assert [commit.oid for commit in small.commits] == ["b"]
    assert small.build(2)["mergeCommit"] == {"oid": "c"}
    assert small.build(2)["files"]["nodes"] == []


def test_a_range_limits_by_merge_time_half_open(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist([_pull(1, 20, "a"), _pull(2, 21, "b")]), tmp_path / "p.parquet")
    none = pa.table(
        {name: pa.array([], pa.string()) for name in ("number", "path", "previous_path", "status", "additions", "deletions")}
    )
    pq.write_table(none, tmp_path / "f.parquet")
    limits = {"first": datetime(2026, 4, 20, 12, tzinfo=UTC), "last": datetime(2026, 4, 21, 12, tzinfo=UTC)}
    assert list(from_parquet(tmp_path / "p.parquet", tmp_path / "f.parquet", "a/b", **limits).facts) == [1]


@pytest.mark.parametrize("number", examples.NUMBERS)
def test_made_up_parts_hold_together(number: int) -> None:
    known = examples.known(number)
    record = invent.record(known, examples.WORLD)
    assert record["createdAt"] < record["mergedAt"] <= record["updatedAt"]
    for part in ("files", "reviews", "reviewThreads", "comments", "labels", "timelineItems"):
        assert record[part]["totalCount"] == len(record[part]["nodes"])
    talk = [node.get("submittedAt") or node["createdAt"] for part in ("reviews", "comments") for node in record[part]["nodes"]]
    assert all(record["createdAt"] <= moment <= record["mergedAt"] for moment in talk)
    in_threads = sum(thread["comments"]["totalCount"] for thread in record["reviewThreads"]["nodes"])
    assert sum(review["comments"]["totalCount"] for review in record["reviews"]["nodes"]) == in_threads
    assert record["updatedAt"] == iso(invent.updated(known))


def test_made_up_parts_vary_over_pull_requests() -> None:
    records = [invent.record(examples.known(number), examples.WORLD) for number in range(1, 300)]
    for part in ("reviews", "reviewThreads", "comments", "labels", "timelineItems", "closingIssuesReferences"):
        assert {bool(record[part]["nodes"]) for record in records} == {True, False}
    threads = [thread for record in records for thread in record["reviewThreads"]["nodes"]]
    assert {(thread["isResolved"], thread["isOutdated"]) for thread in threads} == {
        (a, b) for a in (True, False) for b in (True, False)
    }
    assert any(record["author"] is None for record in records)
    assert any(record["isCrossRepository"] and record["headRepository"] is None for record in records)


def test_reverts_name_what_they_revert() -> None:
    world = examples.WORLD.__class__("a/b", "main", ("ada", "grace"), (1, 2), {"Fast path": 1})
    by_title = examples.known(2).__class__(**{**vars(examples.known(2)), "title": 'Revert "Fast path"'})
    by_number = examples.known(2).__class__(**{**vars(examples.known(2)), "title": 'Revert "Fast path (#77)"'})
    assert [invent.record(one, world)["body"] for one in (by_title, by_number)] == ["Reverts a/b#1", "Reverts a/b#77"]


def test_the_same_number_gets_the_same_parts_whatever_the_hash_seed() -> None:
    code = (
        "import hashlib, json; from tests.github_standin.invent import record; from tests.unit.github_standin import examples;"
        "print(hashlib.sha256(json.dumps([record(examples.known(n), examples.WORLD) for n in range(1, 60)]).encode()).hexdigest())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_ids_lead_back_to_their_number() -> None:
    assert [number_of(node_id(prefix, 26_807, index)) for prefix, index in (("PR", 0), ("PRRC", 70_000))] == [26_807, 26_807]
    assert number_of("PR_something") is None


def test_the_sample_is_served_as_it_is() -> None:
    of = Core(sample())
    merged = [number for number, facts in of.store.facts.items() if facts["mergedAt"]]
    assert len(merged) >= 240
    query = (
        "query($ids: [ID!]!) { nodes(ids: $ids) { ... on PullRequest { number title body reviews(first: 100) { totalCount } } } }"
    )
    for start in range(0, len(merged), 100):
        ids = [of.store.facts[number]["id"] for number in merged[start : start + 100]]
        answer = examples.ask(of, query, ids=ids)
        assert "errors" not in answer
        for node in answer["data"]["nodes"]:
            record = of.store.record(node["number"])
            assert (node["title"], node["body"]) == (record["title"], record["body"] or "")
            assert node["reviews"]["totalCount"] == record["reviews"]["totalCount"]


DETAILS = """query Details($ids: [ID!]!) { nodes(ids: $ids) { ... on PullRequest {
  id number title body state isDraft createdAt updatedAt mergedAt additions deletions changedFiles author { __typename login }
  labels(first: 30) { totalCount nodes { name } } files(first: 100) { totalCount nodes { path additions deletions changeType } }
  reviews(first: 20) { totalCount nodes { id state body submittedAt author { __typename login } commit { oid } } }
  reviewThreads(first: 20) { totalCount nodes { id isResolved isOutdated path line originalLine resolvedBy { login }
    comments(first: 20) { totalCount nodes { id body createdAt author { __typename login } replyTo { id } } } } }
  comments(first: 20) { totalCount nodes { id body createdAt author { __typename login } } }
  commits(last: 1) { totalCount nodes { commit { oid statusCheckRollup { state } } } }
  timelineItems(first: 20) { filteredCount nodes { __typename } } } } }"""


@pytest.mark.shared
def test_a_busy_week_is_served_in_a_few_seconds() -> None:
    with StandIn(sglang()) as server:
        of = server.core
        numbers = sorted(of.store.facts)[:336]
        assert len(numbers) == 336
        for start in range(0, 336, 12):
            answer = examples.ask(of, DETAILS, ids=[of.store.facts[number]["id"] for number in numbers[start : start + 12]])
            assert "errors" not in answer
        assert server.stats()["seconds"] < 5.0


@pytest.mark.shared
def test_the_whole_data_set_is_there_in_under_five_seconds() -> None:
    if not SHARED.is_dir():
        pytest.skip("../shared/data/sglang is not there: it is not part of the project")
    begun = time.process_time()
    data = from_parquet(SHARED / "pulls.parquet", SHARED / "files.parquet", REPO)
    assert time.process_time() - begun < 5.0
    assert len(data.facts) == 9_448
    week = Core(data).store.search("repo:sgl-project/sglang is:pr is:merged merged:2026-04-19T16:00:00Z..2026-04-26T15:59:59Z")
    assert len(week) == 238
    assert json.dumps(data.build(week[0])) == json.dumps(data.build(week[0]))
