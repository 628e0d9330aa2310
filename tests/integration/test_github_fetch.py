"""Whole weeks fetched from the stand-in for GitHub: enumeration, details, pages, names, cost."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from pipelines.errors import SettingsError, SourceError
from pipelines.settings import LandingRule
from pipelines.sources.github.source import GitHubSource
from pipelines.sources.records import PullRequestRecord
from pipelines.sources.sample import SampleSource
from pipelines.weeks import Week, Window
from tests.github_standin import StandIn, from_records
from tests.github_standin.fixtures import sample, sglang
from tests.unit.sources.github.asking import MUCH_LATER, REPO, SOON_AFTER, differences, silent, source, state, tables
from tests.unit.sources.github.records import connection, record, user

W17 = Week(2026, 17).window("UTC")


@pytest.fixture(scope="module")
def github() -> Iterator[StandIn]:
    with StandIn(sample()) as server:
        yield server


def at(window: Window, **after: float) -> str:
    return (window.start_utc + timedelta(**after)).strftime("%Y-%m-%dT%H:%M:%SZ")


def merged(number: int, moment: str, **changes: Any) -> PullRequestRecord:
    plain = {"createdAt": moment, "mergedAt": moment, "closedAt": moment, "updatedAt": moment}
    return record(number, **(plain | {"mergeCommit": {"oid": f"{number:040x}"}} | changes))


def serving(*records: PullRequestRecord) -> StandIn:
    return StandIn(from_records(records, REPO))


@pytest.mark.parametrize("moment", [SOON_AFTER, MUCH_LATER], ids=["walked", "searched"])
@pytest.mark.parametrize("week", [13, 15, 17])
def test_a_week_from_github_is_the_week_that_github_holds(github: StandIn, week: int, moment: datetime) -> None:
    window = Week(2026, week).window("UTC")
    fetched = source(github.url, at=moment).fetch_week(REPO, window, silent)
    expected = SampleSource().fetch_week(REPO, window, silent)
    assert fetched.enumerated_numbers == expected.enumerated_numbers
    assert differences(tables(fetched), tables(expected)) == []
    assert state(fetched) == "complete"
    assert fetched.opened_count == expected.opened_count


def test_the_two_ways_of_finding_a_week_agree(github: StandIn) -> None:
    walked = source(github.url, at=SOON_AFTER).fetch_week(REPO, W17, silent)
    searched = source(github.url, at=MUCH_LATER).fetch_week(REPO, W17, silent)
    assert (walked.enumerated_by, searched.enumerated_by) == ("updated", "search+history")
    assert differences(tables(walked), tables(searched)) == []


def test_a_week_in_which_nothing_was_merged_is_whole_and_empty(github: StandIn) -> None:
    fetched = source(github.url).fetch_week(REPO, Week(2026, 15).window("UTC"), silent)
    assert fetched.records == []
    assert state(fetched) == "complete"


def test_a_repository_without_commits_has_an_empty_week() -> None:
    with StandIn(from_records([], REPO)) as server:
        fetched = source(server.url, at=MUCH_LATER).fetch_week(REPO, W17, silent)
    assert fetched.enumerated_numbers == []


def test_the_window_is_half_open_to_the_second() -> None:
    last = W17.end_utc - W17.start_utc - timedelta(seconds=1)
    moments = {1: at(W17), 2: at(W17, seconds=last.total_seconds()), 3: at(W17, days=7), 4: at(W17, seconds=-1)}
    with serving(*(merged(number, moment) for number, moment in moments.items())) as server:
        for now in (SOON_AFTER, MUCH_LATER):
            fetched = source(server.url, at=now).fetch_week(REPO, W17, silent)
            assert fetched.enumerated_numbers == [1, 2]
            assert fetched.enumeration_differences == []  # search, whose spans include both ends, counts the same
            assert fetched.opened_count == 2


def test_a_pull_request_updated_long_after_the_week_still_belongs_to_it() -> None:
    with serving(merged(1, at(W17), updatedAt="2026-04-27T23:00:00Z"), merged(2, at(W17))) as server:
        assert source(server.url).fetch_week(REPO, W17, silent).enumerated_numbers == [1, 2]


def test_one_that_is_updated_during_the_walk_is_not_lost() -> None:
    pulls = [merged(number, at(W17, minutes=number)) for number in range(1, 251)]
    with serving(*pulls) as server:
        asked = []

        def touch(done: int, total: int | None, doing: str) -> None:
            del done, total
            asked.append(doing)
            if len(asked) == 1:  # the first page is read; number 1 is on the last
                server.mutate({"op": "set", "number": 1, "fields": {"title": "touched"}, "at": "2026-04-28T05:59:59Z"})

        fetched = source(server.url).fetch_week(REPO, W17, touch)
    assert fetched.enumerated_numbers == list(range(1, 251))


def test_more_than_a_thousand_in_a_day_are_all_found() -> None:
    pulls = [merged(number, at(W17, seconds=number * 60)) for number in range(1, 1_201)]
    with serving(*pulls) as server:
        fetched = source(server.url, at=MUCH_LATER).fetch_week(REPO, W17, silent)
        assert server.stats()["by_kind"]["graphql:Search"] > 14
    assert fetched.enumerated_numbers == list(range(1, 1_201))
    assert len(fetched.records) == 1_200


def test_where_search_and_history_disagree_both_are_kept_and_it_is_told() -> None:
    with serving(*(merged(number, at(W17, hours=number)) for number in (1, 2, 3, 4))) as server:
        server.mutate({"op": "hide", "numbers": [2], "from": "search"}, {"op": "hide", "numbers": [3], "from": "history"})
        fetched = source(server.url, at=MUCH_LATER).fetch_week(REPO, W17, silent)
    assert fetched.enumerated_numbers == [1, 2, 3, 4]
    assert fetched.enumeration_differences == ["2: in history only", "3: in search only"]


def test_where_search_counts_another_number_than_the_walk_it_is_told() -> None:
    with serving(merged(1, at(W17)), merged(2, at(W17))) as server:
        server.mutate({"op": "hide", "numbers": [2], "from": "search"})
        fetched = source(server.url).fetch_week(REPO, W17, silent)
    assert fetched.enumerated_numbers == [1, 2]
    assert fetched.enumeration_differences == ["search counts 1, 2 found"]


def test_one_merged_into_another_branch_is_kept_and_is_no_difference() -> None:
    with serving(merged(1, at(W17)), merged(2, at(W17), baseRefName="release/1.4")) as server:
        fetched = source(server.url, at=MUCH_LATER).fetch_week(REPO, W17, silent)
    assert fetched.enumerated_numbers == [1, 2]
    assert fetched.enumeration_differences == []
    assert tables(fetched)["raw_pull_requests"]["is_base_default"].to_pylist() == [True, False]


def test_every_connection_is_read_to_its_end() -> None:
    who, when = user("bob"), at(W17)

    def said(name: str) -> dict[str, Any]:
        return {"id": name, "body": "Hm.", "createdAt": when, "author": who, "isMinimized": False}

    def thread(name: str, count: int) -> dict[str, Any]:
        plain = {"id": name, "isResolved": False, "isOutdated": False, "path": "a", "line": 1, "originalLine": 1}
        talk = [said(f"{name}_{place}") | {"replyTo": None, "pullRequestReview": None} for place in range(count)]
        return plain | {"subjectType": "LINE", "resolvedBy": None, "comments": connection(*talk)}

    def review(name: str) -> dict[str, Any]:
        return {"id": name, "state": "COMMENTED", "body": "", "submittedAt": when, "author": who, "isMinimized": False}

    files = [{"path": f"f{place:04}", "additions": 1, "deletions": 0, "changeType": "ADDED"} for place in range(230)]
    big = merged(
        1,
        when,
        changedFiles=230,
        files=connection(*files),
        reviews=connection(*(review(f"PRR_{place}") for place in range(130))),
        comments=connection(*(said(f"IC_{place}") for place in range(205))),
        reviewThreads=connection(thread("PRRT_big", 140), *(thread(f"PRRT_{place}", 1) for place in range(60))),
        labels=connection(*({"name": f"l{place}"} for place in range(70))),
    )
    with serving(big) as server:
        made = tables(source(server.url).fetch_week(REPO, W17, silent))
    assert made["raw_fetches"]["state"].to_pylist() == ["complete"]
    counts = {
        name: made[name].num_rows
        for name in ("raw_files", "raw_reviews", "raw_comments", "raw_review_threads", "raw_review_comments")
    }
    assert list(counts.values()) == [230, 130, 205, 61, 200]
    assert len(made["raw_pull_requests"]["labels"].to_pylist()[0]) == 70


def test_more_files_than_github_lists_are_marked_as_cut() -> None:
    files = [{"path": f"f{place:05}", "additions": 1, "deletions": 0, "changeType": "ADDED"} for place in range(150)]
    with serving(merged(1, at(W17), changedFiles=4_000, files=connection(*files)), merged(2, at(W17))) as server:
        made = tables(source(server.url).fetch_week(REPO, W17, silent))
    assert made["raw_fetches"]["cut_parts"].to_pylist() == [["1:files"]]
    assert made["raw_fetches"]["state"].to_pylist() == ["partial"]
    assert made["raw_files"].num_rows == 151


def closed(number: int, by: dict[str, Any], *labels: str) -> PullRequestRecord:
    """A pull request that was closed, not merged: the stand-in's event says by its author."""
    shut = merged(number, at(W17), mergedAt=None, state="CLOSED", mergeCommit=None, author=by)
    shut["labels"] = connection(*({"name": label} for label in labels))  # type: ignore[typeddict-item]  # because: a plain dict
    return shut


def test_commits_are_counted_though_not_listed() -> None:
    commits = [{"commit": {"oid": f"{place:040x}", "statusCheckRollup": {"state": "SUCCESS"}}} for place in range(300)]
    with serving(merged(1, at(W17), commits=connection(*commits))) as server:
        [pull] = tables(source(server.url).fetch_week(REPO, W17, silent))["raw_pull_requests"].to_pylist()
    assert (pull["commits_count"], pull["missing_parts"]) == (300, [])


def test_a_landed_pull_request_counts_by_the_repository_s_rule_and_only_by_it() -> None:
    landed = closed(5, user("merge-bot", "Bot"), "Merged")
    landed["landedAt"], landed["landedOid"] = at(W17), "e" * 40
    others = (merged(1, at(W17)), closed(6, user("ada"), "Merged"), closed(7, user("merge-bot", "Bot"), "stale"))
    rule = LandingRule(bot="merge-bot[bot]", label="Merged", commit_pattern=r"\(#(\d+)\)")
    with serving(landed, *others) as server:
        assert source(server.url).fetch_week(REPO, W17, silent).enumerated_numbers == [1]
        for now in (SOON_AFTER, MUCH_LATER):
            made = tables(source(server.url, at=now, landing=lambda _repo: rule).fetch_week(REPO, W17, silent))
            pulls = made["raw_pull_requests"].to_pylist()
            assert [(pull["number"], pull["merge_kind"]) for pull in pulls] == [(1, "merged"), (5, "landed")]
            assert pulls[1]["merge_commit_oid"] == "e" * 40


@pytest.mark.parametrize("pattern", ["(", r"#\d+"])
def test_a_landing_rule_whose_pattern_cannot_tell_a_number_is_refused(pattern: str) -> None:
    rule = LandingRule(bot="merge-bot", commit_pattern=pattern)
    with (
        serving(closed(5, user("merge-bot", "Bot"))) as server,
        pytest.raises(SettingsError, match=r"commit_pattern.*pattern|group"),
    ):
        source(server.url, landing=lambda _repo: rule).fetch_week(REPO, W17, silent)


def test_a_renamed_repository_is_followed_and_told() -> None:
    with serving(merged(1, at(W17))) as server:
        server.mutate({"op": "rename", "name": "acme/trellis"})
        for now in (SOON_AFTER, MUCH_LATER):
            fetched = source(server.url, at=now).fetch_week(REPO, W17, silent)
            assert fetched.repository.name == "acme/trellis"
            assert fetched.enumerated_numbers == [1]
            assert "acme/lattice is now called acme/trellis" in fetched.notes


def test_a_repository_that_is_not_there_is_told_apart_from_an_empty_week(github: StandIn) -> None:
    with pytest.raises(SourceError, match=r"^GitHub acme/nothing 2026-W17: not found.*Check"):
        source(github.url).fetch_week("acme/nothing", W17, silent)


def test_an_enterprise_host_is_asked_at_both_its_roots() -> None:
    renamed = [{"path": "b", "additions": 0, "deletions": 0, "changeType": "RENAMED", "previousPath": "a"}]
    with StandIn(from_records([merged(1, at(W17), files=connection(*renamed))], REPO), enterprise=True) as server:
        fetched = source(server.enterprise_url).fetch_week(REPO, W17, silent)
    assert fetched.records[0]["files"]["nodes"][0]["previousPath"] == "a"
    assert tables(fetched)["raw_fetches"]["state"].to_pylist() == ["complete"]


def test_an_app_s_installation_works_in_place_of_a_token() -> None:
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    app = {"GITHUB_APP_ID": "7", "GITHUB_APP_PRIVATE_KEY": pem.decode(), "GITHUB_APP_INSTALLATION_ID": "9"}
    with serving(merged(1, at(W17))) as server:
        asked = GitHubSource.from_environment(app | {"GITHUB_API_URL": server.url}, pace=source(server.url).pace)
        assert asked.fetch_week(REPO, W17, silent).enumerated_numbers == [1]
        assert server.stats()["by_kind"]["rest:POST /app/installations/{}/access_tokens"] >= 1


def test_an_app_s_key_that_is_none_is_told() -> None:
    app = {"GITHUB_APP_ID": "7", "GITHUB_APP_PRIVATE_KEY": "-----BEGIN PRIVATE KEY-----", "GITHUB_APP_INSTALLATION_ID": "9"}
    with pytest.raises(SettingsError, match="GITHUB_APP_PRIVATE_KEY: not an RSA private key"):
        GitHubSource.from_environment(app).fetch_week(REPO, W17, silent)


def test_previous_paths_keep_to_their_bound_and_what_is_left_out_is_told() -> None:
    def renaming(number: int, count: int) -> PullRequestRecord:
        files = [
            {"path": f"b{place}", "additions": 0, "deletions": 0, "changeType": "RENAMED", "previousPath": f"a{place}"}
            for place in range(count)
        ]
        return merged(number, at(W17), changedFiles=count, files=connection(*files))

    with serving(*(renaming(number, number) for number in range(1, 5))) as server:
        made = source(server.url, previous_paths_requests_max=2).fetch_week(REPO, W17, silent)
        assert server.stats()["rest_requests"] == 2
    known = {item["number"] for item in made.records if item["files"]["nodes"][0].get("previousPath")}
    assert known == {3, 4}
    assert any("not asked for in 2 pull requests" in note for note in made.notes)


def test_patches_come_where_they_are_wanted() -> None:
    with serving(merged(1, at(W17))) as server:
        fetched = source(server.url, wants_patches=True).fetch_week(REPO, W17, silent)
        assert server.stats()["rest_requests"] == 1
    assert fetched.records[0]["files"]["nodes"][0]["patch"]


def test_a_body_of_a_million_characters_survives() -> None:
    body = "x" * 999_000 + "\x00" + "界" * 999
    with serving(merged(1, at(W17), body=body)) as server:
        made = tables(source(server.url).fetch_week(REPO, W17, silent))["raw_pull_requests"].to_pylist()[0]
    assert made["body"] == body.replace("\x00", "\ufffd")
    assert made["replaced_characters_count"] == 1


def test_a_week_that_is_still_running_says_so() -> None:
    now = datetime(2026, 4, 22, tzinfo=UTC)
    with serving(merged(1, at(W17))) as server:
        fetched = source(server.url, at=now).fetch_week(REPO, W17, silent)
    assert "the week had not ended when it was fetched" in fetched.notes


@pytest.mark.shared
@pytest.mark.parametrize("moment", [datetime(2026, 5, 4, tzinfo=UTC), MUCH_LATER], ids=["walked", "searched"])
def test_a_real_week_costs_few_requests_and_points(moment: datetime) -> None:
    window = Week(2026, 17).window("Asia/Shanghai")
    with StandIn(sglang()) as server:
        fetched = source(server.url, at=moment, previous_paths_requests_max=5).fetch_week("sgl-project/sglang", window, silent)
        stats = server.stats()
    assert len(fetched.records) == 238
    assert state(fetched) == "complete"
    assert stats["requests"] == fetched.requests_count <= 45
    assert stats["points"] == fetched.points_spent <= 60
