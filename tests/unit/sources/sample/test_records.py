"""The records as a whole: shape, counts, order, and that they agree with themselves and with the tree."""

import json
import re
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from typing import Any, get_type_hints

from pipelines.sources.records import PullRequestRecord
from pipelines.sources.sample import WEEKS, opened_pulls, records
from pipelines.sources.sample.content import tree
from pipelines.weeks import week_of

CONNECTIONS = ("labels", "closingIssuesReferences", "files", "reviews", "reviewThreads", "comments", "timelineItems")
PATCH_STATUS = {"ADDED", "DELETED", "MODIFIED", "RENAMED"}


def instants_of(record: PullRequestRecord) -> list[str]:
    inner = [n["createdAt"] for part in ("comments", "timelineItems") for n in record[part]["nodes"]]
    inner += [review["submittedAt"] for review in record["reviews"]["nodes"]]
    inner += [c["createdAt"] for thread in record["reviewThreads"]["nodes"] for c in thread["comments"]["nodes"]]
    return [str(record["mergedAt"]), str(record["closedAt"]), str(record["updatedAt"]), record["createdAt"], *inner]


def ids_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["id"]] if isinstance(value.get("id"), str) and len(value) > 1 else []
        return own + [
            found for key, inner in value.items() if key not in ("replyTo", "pullRequestReview") for found in ids_in(inner)
        ]
    return [found for inner in value for found in ids_in(inner)] if isinstance(value, list) else []


def test_there_are_enough_in_every_week_but_the_empty_one() -> None:
    counts = Counter(str(week_of(datetime.fromisoformat(str(r["mergedAt"])), "UTC")) for r in records())
    assert sum(counts.values()) >= 240
    assert {week: counts[week] for week in WEEKS if not 45 <= counts[week] <= 55} == {"2026-W15": 0}
    assert set(counts) <= set(WEEKS)


def test_every_field_of_the_record_is_there_and_no_other() -> None:
    optional = PullRequestRecord.__optional_keys__
    for record in records():
        assert set(record) == set(get_type_hints(PullRequestRecord)) - optional


def test_numbers_and_ids_are_unique_and_numbers_follow_the_opening() -> None:
    found = records()
    numbers = [r["number"] for r in found]
    assert numbers == sorted(set(numbers))
    assert [r["createdAt"] for r in found] == sorted(r["createdAt"] for r in found)
    ids = ids_in(found)
    assert len(ids) == len(set(ids)) > 1000


def test_connections_are_whole_and_sums_agree() -> None:
    for record in records():
        for part in CONNECTIONS:
            assert record[part]["totalCount"] == len(record[part]["nodes"]), (record["number"], part)  # type: ignore[literal-required]  # because: mypy does not follow the loop's names
        for thread in record["reviewThreads"]["nodes"]:
            assert thread["comments"]["totalCount"] == len(thread["comments"]["nodes"]) >= 1
        files = record["files"]["nodes"]
        assert record["changedFiles"] == len(files) == len({f["path"] for f in files}) > 0, record["title"]
        assert record["additions"] == sum(f["additions"] for f in files)
        assert record["deletions"] == sum(f["deletions"] for f in files)
        assert {f["changeType"] for f in files} <= PATCH_STATUS
        assert all(("previousPath" in f) == (f["changeType"] == "RENAMED") for f in files)
        assert record["commits"]["totalCount"] >= len(record["commits"]["nodes"]) == 1


def test_comments_of_threads_belong_to_reviews_by_the_same_account() -> None:
    for record in records():
        reviews = {r["id"]: r for r in record["reviews"]["nodes"]}
        counts: Counter[str] = Counter()
        for thread in record["reviewThreads"]["nodes"]:
            for comment in thread["comments"]["nodes"]:
                review = reviews[comment["pullRequestReview"]["id"]]
                assert review["author"] == comment["author"]
                counts[review["id"]] += 1
        assert {key: review["comments"]["totalCount"] for key, review in reviews.items()} == {key: counts[key] for key in reviews}


def test_nobody_judges_or_questions_a_change_of_their_own_and_threads_are_about_its_files() -> None:
    for record in records():
        author = record["author"] or {"login": "ghost"}
        for review in record["reviews"]["nodes"]:
            assert review["state"] == "COMMENTED" or (review["author"] or {}).get("login") != author["login"], record["title"]
        for thread in record["reviewThreads"]["nodes"]:
            assert (thread["comments"]["nodes"][0]["author"] or {}).get("login") != author["login"], record["title"]
            assert (thread["line"] is None) == thread["isOutdated"]
            assert thread["path"] in {f["path"] for f in record["files"]["nodes"]}, (record["title"], thread["path"])


def test_instants_parse_and_lie_in_order() -> None:
    for record in records():
        for text in instants_of(record):
            assert re.fullmatch(r"2026-\d\d-\d\dT\d\d:\d\d:\d\dZ", text)
            assert record["createdAt"] <= text <= str(record["updatedAt"]), record["number"]
            assert datetime.fromisoformat(text).tzinfo == UTC
        assert all(review["submittedAt"] <= str(record["mergedAt"]) for review in record["reviews"]["nodes"])


def test_bots_are_waved_through_by_a_person_or_by_nobody() -> None:
    verdicts = Counter(
        tuple((review["state"], review["author"]["__typename"]) for review in record["reviews"]["nodes"])
        for record in records()
        if record["author"] is not None and record["author"]["login"] == "dependabot"
    )
    assert set(verdicts) == {(), (("APPROVED", "User"),)}
    assert verdicts[()] < verdicts[("APPROVED", "User"),]


def test_people_are_many_and_core_files_are_changed_by_many_of_them() -> None:
    authors = {r["author"]["login"] for r in records() if r["author"] is not None and r["author"]["__typename"] == "User"}
    assert 25 <= len(authors) <= 35
    by_path: dict[str, set[str]] = {}
    for record in records():
        for changed in record["files"]["nodes"]:
            by_path.setdefault(changed["path"], set()).add((record["author"] or {"login": "ghost"})["login"])
    assert len(by_path["lattice/scheduler.py"]) >= 8
    assert len(by_path["lattice/config.py"]) >= 8


def test_texts_are_distinct_and_leave_no_placeholder() -> None:
    people = [r for r in records() if r["author"] is None or r["author"]["login"] not in ("dependabot", "lattice-ci-robot")]
    titles = Counter(r["title"] for r in people)
    assert titles.most_common(1)[0][1] == 1
    assert len(titles) >= 200
    bodies = Counter(r["body"] for r in people if r["body"])
    assert bodies.most_common(1)[0][1] == 1
    for record in records():
        assert not re.search(r"#\{|\{issue:|\{oid:", record["body"] or ""), record["title"]
        assert "{" not in str(record["headRefName"])


def test_named_pull_requests_exist_and_are_older() -> None:
    opened = {number for number, _ in opened_pulls()}
    issues = {node["number"] for record in records() for node in record["closingIssuesReferences"]["nodes"]}
    for record in records():
        for text in re.findall(r"#(\d+)", record["body"] or ""):
            assert int(text) in opened | issues, (record["title"], text)
            assert int(text) < record["number"], (record["title"], text)


def test_files_agree_with_the_tree_from_change_to_change() -> None:
    alive = set(tree())
    assert len(alive) > 220
    for record in sorted(records(), key=lambda r: (str(r["mergedAt"]), r["number"])):
        if record["baseRefName"] != "main":
            continue
        for changed in record["files"]["nodes"]:
            path, kind = changed["path"], changed["changeType"]
            before = changed.get("previousPath", path)
            assert (before in alive) == (kind != "ADDED"), (record["title"], changed)
            alive.discard(before)
            if kind != "DELETED":
                alive.add(path)


def test_opened_pulls_hold_the_merged_ones_and_others() -> None:
    opened = dict(opened_pulls())
    merged = {r["number"]: r["createdAt"] for r in records()}
    assert merged.items() < opened.items()
    assert list(opened) == sorted(opened)


def test_records_are_copies_and_building_is_quick() -> None:
    lines = ("import time", "t = time.process_time()", "from pipelines.sources.sample import records", "records()")
    code = "; ".join((*lines, "print(time.process_time() - t)"))
    seconds = float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    assert seconds < 1.5  # under 1 s on a quiet machine
    records()[0]["title"] = "changed"
    started = time.perf_counter()
    assert records()[0]["title"] != "changed"
    assert time.perf_counter() - started < 1


def test_two_processes_give_the_same_bytes() -> None:
    lines = ("import json, hashlib", "from pipelines.sources.sample import records, CASES", "text = json.dumps([records(), CASES])")
    code = "; ".join((*lines, "print(hashlib.sha256(text.encode()).hexdigest())"))
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PATH": ""}, check=True, capture_output=True, text=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_records_survive_json() -> None:
    assert json.loads(json.dumps(records())) == records()
