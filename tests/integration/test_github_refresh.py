"""A stored week read again: what did not change costs next to nothing, what did is replaced whole."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest

from pipelines.settings import LandingRule
from pipelines.sources.github.revision import Revision, revision
from pipelines.weeks import Week
from tests.github_standin import StandIn, from_records
from tests.github_standin.fixtures import sample, sglang
from tests.unit.sources.github.asking import MUCH_LATER, REPO, SOON_AFTER, differences, silent, source, tables
from tests.unit.sources.github.records import comment, connection, record, thread, user

WINDOW = Week(2026, 17).window("UTC")
LATER = SOON_AFTER + timedelta(hours=3)


@pytest.fixture
def github() -> Iterator[StandIn]:
    with StandIn(sample()) as server:
        yield server


@pytest.fixture
def stored(github: StandIn) -> dict[str, pa.Table]:
    made = tables(source(github.url).fetch_week(REPO, WINDOW, silent))
    github.reset()
    return made


def refresh(github: StandIn, stored: dict[str, pa.Table], **options: Any) -> dict[str, pa.Table]:
    options = {"at": LATER} | options
    return tables(source(github.url, **options).refresh_week(REPO, WINDOW, stored, silent), fetch_number=2)


def fetch(made: dict[str, pa.Table]) -> dict[str, Any]:
    [row] = made["raw_fetches"].to_pylist()
    found: dict[str, Any] = row
    return found


def some_with_threads(stored: dict[str, pa.Table]) -> int:
    open_ones = [row for row in stored["raw_review_threads"].to_pylist() if not row["is_resolved"]]
    number: int = open_ones[0]["number"]
    return number


def test_an_unchanged_week_costs_two_requests_and_stays_as_it_is(github: StandIn, stored: dict[str, pa.Table]) -> None:
    made = refresh(github, stored)
    assert differences(made, stored) == []
    assert revision(stored, made) == Revision()
    assert github.stats()["by_kind"] == {"graphql:Resolve": 1, "graphql:Stamps": 1}
    assert fetch(made)["points_spent"] <= 2
    assert fetch(made)["enumerated_by"] == "updated"
    assert fetch(made)["state"] == "complete"


@pytest.mark.shared
def test_an_unchanged_week_of_hundreds_costs_at_most_six_requests() -> None:
    window = Week(2026, 17).window("Asia/Shanghai")
    with StandIn(sglang()) as server:
        before = tables(source(server.url, at=MUCH_LATER).fetch_week("sgl-project/sglang", window, silent))
        server.reset()
        again = source(server.url, at=MUCH_LATER).refresh_week("sgl-project/sglang", window, before, silent)
        assert server.stats()["requests"] <= 6
        assert server.stats()["points"] <= 5
    assert differences(tables(again), before) == []


def test_a_title_changed_after_the_merge_is_read(github: StandIn, stored: dict[str, pa.Table]) -> None:
    number = stored["raw_pull_requests"]["number"].to_pylist()[7]
    github.mutate({"op": "set", "number": number, "fields": {"title": "Renamed after the merge"}})
    made = refresh(github, stored)
    assert revision(stored, made) == Revision(changed=(number,))
    assert "Renamed after the merge" in made["raw_pull_requests"]["title"].to_pylist()
    assert github.stats()["by_kind"]["graphql:Details"] == 1
    stamped_once = [name for name, count in github.asked_ids().items() if count == 1 and name.startswith("PR_")]
    assert len(stamped_once) == 50


def test_a_thread_that_was_resolved_without_moving_the_stamp_is_seen(github: StandIn, stored: dict[str, pa.Table]) -> None:
    number = some_with_threads(stored)
    nodes = [row for row in stored["raw_review_threads"].to_pylist() if row["number"] == number]
    github.mutate(*({"op": "resolve_thread", "number": number, "index": place, "by": "ada"} for place in range(len(nodes))))
    made = refresh(github, stored)
    assert revision(stored, made) == Revision(changed=(number,))
    assert {row["is_resolved"] for row in made["raw_review_threads"].to_pylist() if row["number"] == number} == {True}


def test_what_was_deleted_in_a_pull_request_is_gone(github: StandIn, stored: dict[str, pa.Table]) -> None:
    number = stored["raw_comments"]["number"].to_pylist()[0]
    github.mutate({"op": "set", "number": number, "fields": {"comments": connection()}, "touch": False})
    made = refresh(github, stored)
    assert number not in made["raw_comments"]["number"].to_pylist()
    assert revision(stored, made).changed == (number,)


def test_a_comment_that_came_later_is_there(github: StandIn, stored: dict[str, pa.Table]) -> None:
    number = stored["raw_pull_requests"]["number"].to_pylist()[0]
    github.mutate({"op": "append", "number": number, "connection": "comments", "node": comment("IC_late"), "touch": False})
    assert "IC_late" in refresh(github, stored)["raw_comments"]["comment_id"].to_pylist()


def test_one_that_was_deleted_is_gone_and_told(github: StandIn, stored: dict[str, pa.Table]) -> None:
    number = stored["raw_pull_requests"]["number"].to_pylist()[2]
    github.mutate({"op": "remove", "number": number})
    made = refresh(github, stored)
    assert revision(stored, made) == Revision(removed=(number,))
    assert fetch(made)["state"] == "complete"
    assert not any(number in table["number"].to_pylist() for name, table in made.items() if name != "raw_fetches")


def test_one_that_came_to_light_later_is_added(github: StandIn, stored: dict[str, pa.Table]) -> None:
    moment = "2026-04-22T10:00:00Z"
    late = record(
        9_999, mergedAt=moment, closedAt=moment, updatedAt=moment, reviewThreads=connection(thread("PRRT_late", comment("c")))
    )
    github.mutate({"op": "add", "record": late})
    made = refresh(github, stored)
    assert revision(stored, made) == Revision(added=(9_999,))
    assert github.stats()["by_kind"]["graphql:Updated"] >= 1


def test_a_renamed_repository_keeps_its_rows(github: StandIn, stored: dict[str, pa.Table]) -> None:
    github.mutate({"op": "rename", "name": "acme/trellis"})
    made = refresh(github, stored)
    assert fetch(made)["repository_name"] == "acme/trellis"
    assert fetch(made)["repository_id"] == fetch(stored)["repository_id"]
    assert differences(made, stored) == []


def test_a_week_stored_while_it_was_running_is_looked_for_again(github: StandIn) -> None:
    during = WINDOW.end_utc - timedelta(days=2)
    before = tables(source(github.url, at=during).fetch_week(REPO, WINDOW, silent))
    github.reset()
    refresh(github, before)
    assert github.stats()["by_kind"]["graphql:Updated"] >= 1


def test_what_was_missing_is_tried_again(github: StandIn) -> None:
    github.faults(
        {"fault": "null_nodes", "numbers": list(range(1, 10_000)), "kind": "Details", "nth": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}
    )
    partial = tables(source(github.url).fetch_week(REPO, WINDOW, silent))
    assert fetch(partial)["missing_numbers"]
    github.faults()
    made = refresh(github, partial)
    assert fetch(made)["state"] == "complete"
    assert made["raw_pull_requests"].num_rows == 51


def test_what_cannot_be_compared_is_kept_and_told(github: StandIn, stored: dict[str, pa.Table]) -> None:
    number = stored["raw_pull_requests"]["number"].to_pylist()[4]
    github.faults({"fault": "null_nodes", "numbers": [number], "kind": "Stamps"})
    made = refresh(github, stored)
    assert number in made["raw_pull_requests"]["number"].to_pylist()


def test_without_the_row_of_its_fetch_the_week_is_looked_for_again_and_still_not_read(
    github: StandIn, stored: dict[str, pa.Table]
) -> None:
    made = refresh(github, {name: table for name, table in stored.items() if name != "raw_fetches"})
    assert differences(made, stored) == []
    assert github.stats()["by_kind"].keys() == {"graphql:Resolve", "graphql:Stamps", "graphql:Updated"}


def test_tables_of_another_contract_are_fetched_whole(github: StandIn, stored: dict[str, pa.Table]) -> None:
    older = stored | {"raw_files": stored["raw_files"].drop_columns(["patch"])}
    made = refresh(github, older)
    assert differences(made, stored) == []
    assert github.stats()["by_kind"]["graphql:Details"] > 1


def test_a_landed_one_is_kept_and_a_changed_one_stays_landed() -> None:
    moment = "2026-04-22T10:00:00Z"
    bot = user("merge-bot", "Bot")
    landed = record(
        5, mergedAt=None, state="CLOSED", mergeCommit=None, author=bot, closedAt=moment, landedAt=moment, landedOid="e" * 40
    )
    rule = LandingRule(bot="merge-bot", commit_pattern=r"\(#(\d+)\)")
    with StandIn(from_records([landed, record(1)], REPO)) as server:
        before = tables(source(server.url, landing=lambda _repo: rule).fetch_week(REPO, WINDOW, silent))
        again = refresh(server, before, landing=lambda _repo: rule)
        assert differences(again, before) == []
        server.mutate({"op": "set", "number": 5, "fields": {"title": "New"}})
        changed = refresh(server, before, landing=lambda _repo: rule)
    pull = changed["raw_pull_requests"].to_pylist()[1]
    assert (pull["title"], pull["merge_kind"], pull["merge_commit_oid"]) == ("New", "landed", "e" * 40)


def test_an_interrupted_refresh_sees_the_week_as_it_is_when_it_goes_on(
    github: StandIn, stored: dict[str, pa.Table], tmp_path: Any
) -> None:
    numbers = stored["raw_pull_requests"]["number"].to_pylist()
    github.mutate(*({"op": "set", "number": number, "fields": {"title": "New"}} for number in numbers[:30]))
    github.faults({"fault": "401", "kind": "Details", "nth": 2})
    with pytest.raises(Exception, match="token is refused"):
        refresh(github, stored, root=tmp_path)
    github.faults()
    github.mutate({"op": "remove", "number": numbers[-1]})
    made = refresh(github, stored, root=tmp_path)
    assert revision(stored, made) == Revision(changed=tuple(numbers[:30]), removed=(numbers[-1],))
