"""Every way in which GitHub may fail, against the stand-in: what comes of it, and what is said about it."""

import logging
import random
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pyarrow as pa
import pytest

from pipelines.errors import PullweekError, SourceError
from pipelines.sources.github.client import Pace
from pipelines.sources.github.revision import PARSED_TABLES
from pipelines.sources.records import FetchedWeek
from pipelines.weeks import Week
from tests.github_standin import StandIn
from tests.github_standin.fixtures import sample
from tests.unit.sources.github.asking import (
    MUCH_LATER,
    REPO,
    SOON_AFTER,
    TOKEN,
    FakeTime,
    differences,
    silent,
    source,
    state,
    tables,
)

Tables = dict[str, pa.Table]
Rule = dict[str, Any]

WEEK = Week(2026, 17)
WINDOW = WEEK.window("UTC")

PASSING = ["502", "503", "504", "truncated", "cut", "reset", "html", "errors_only", "errors_with_data", "RESOURCE_LIMITS_EXCEEDED"]
WAITING = ["RATE_LIMITED", "RATE_LIMIT", "secondary_200", "secondary_403", "secondary_429"]
STOPPING = {
    "401": r"the token is refused \(401 Bad credentials\).*set GITHUB_TOKEN",
    "403_saml": r"single sign-on \(SAML\)\. Authorise the token for it at https://github\.com/orgs/acme/sso",
    "404": r"not found \(404\)\. Check the repository's name, GITHUB_API_URL",
    "451": r"unavailable for legal reasons \(451 Repository access blocked\).*take it out of pullweek\.toml",
}


@pytest.fixture(scope="module")
def served() -> Iterator[StandIn]:
    with StandIn(sample()) as server:
        yield server


@pytest.fixture
def github(served: StandIn) -> Iterator[StandIn]:
    served.faults()
    served.reset()
    yield served
    served.faults()


@pytest.fixture(scope="module")
def clean(served: StandIn) -> Tables:
    served.faults()
    return tables(source(served.url).fetch_week(REPO, WINDOW, silent))


def fetch(github: StandIn, **options: Any) -> FetchedWeek:
    return source(github.url, **options).fetch_week(REPO, WINDOW, silent)


@pytest.mark.parametrize("fault", [*PASSING, *WAITING])
def test_a_fault_that_passes_leaves_no_trace_in_the_tables(github: StandIn, clean: Tables, fault: str) -> None:
    github.faults(*({"fault": fault, "kind": f"graphql:{kind}", "nth": 1} for kind in ("Resolve", "Updated", "Details", "More")))
    fetched = fetch(github)
    assert github.stats()["faults"][fault] >= 3
    assert state(fetched) == "complete"
    assert differences(tables(fetched), clean) == []


@pytest.mark.parametrize("kind", ["Search", "History"])
@pytest.mark.parametrize("fault", ["502", "truncated", "secondary_403", "errors_with_data", "RESOURCE_LIMITS_EXCEEDED"])
def test_a_fault_while_an_older_week_is_found_leaves_no_trace(github: StandIn, clean: Tables, fault: str, kind: str) -> None:
    github.faults({"fault": fault, "kind": f"graphql:{kind}", "nth": [1, 2]})
    assert differences(tables(fetch(github, at=MUCH_LATER)), clean) == []


def test_an_answer_that_does_not_come_is_asked_for_again(github: StandIn, clean: Tables) -> None:
    github.faults({"fault": "slow", "seconds": 1.6, "kind": "graphql:Details", "nth": 1})
    pace = Pace(timeout_seconds=1, backoff_seconds=0.01, clock=FakeTime().clock)
    assert differences(tables(fetch(github, pace=pace)), clean) == []


@pytest.mark.parametrize(("fault", "said"), STOPPING.items())
def test_what_will_not_pass_stops_with_one_line_that_says_what_to_do(github: StandIn, fault: str, said: str) -> None:
    github.faults({"fault": fault})
    with pytest.raises(SourceError, match=rf"^GitHub acme/lattice 2026-W17: .*{said}") as caught:
        fetch(github)
    assert "\n" not in str(caught.value)
    assert github.stats()["requests"] == 1


@pytest.mark.parametrize("fault", STOPPING)
def test_it_stops_in_the_middle_of_the_details_too(github: StandIn, fault: str) -> None:
    github.faults({"fault": fault, "kind": "Details", "nth": 2})
    with pytest.raises(SourceError, match=STOPPING[fault]):
        fetch(github)


def test_an_address_that_has_moved_says_which_setting_to_mend(github: StandIn) -> None:
    github.faults({"fault": "301", "location": "https://elsewhere.example/api/graphql"})
    with pytest.raises(SourceError, match=r"the address has moved\. Set GITHUB_API_URL"):
        fetch(github)


def test_a_secondary_limit_waits_as_long_as_it_is_told(github: StandIn) -> None:
    time = FakeTime()
    github.faults({"fault": "secondary_403", "retry_after": 240, "kind": "Updated", "nth": 1})
    fetch(github, pace=Pace(timeout_seconds=5, clock=time.clock))
    assert 239 <= time.slept <= 250


def test_a_secondary_limit_without_a_hint_waits_a_minute_and_then_longer(github: StandIn) -> None:
    time = FakeTime()
    github.faults({"fault": "secondary_429", "kind": "Updated", "nth": [1, 2]})
    fetch(github, pace=Pace(timeout_seconds=5, clock=time.clock))
    assert 179 <= time.slept <= 190


def test_a_limit_shows_a_countdown(github: StandIn) -> None:
    github.faults({"fault": "RATE_LIMITED", "kind": "Updated", "nth": 1, "reset_in": 90})
    said: list[str] = []

    def listen(done: int, total: int | None, doing: str) -> None:
        del done, total
        said.append(doing)

    source(github.url).fetch_week(REPO, WINDOW, listen)
    waits = [text for text in said if text.startswith("waiting")]
    assert waits[0].startswith("waiting 1 min 3")
    assert waits[-1] == "waiting 1 s for GitHub's hourly limit"
    assert len(waits) > 60


def test_a_limit_longer_than_allowed_stops_with_what_remains(github: StandIn, tmp_path: Any) -> None:
    github.faults({"fault": "RATE_LIMITED", "kind": "Details", "nth": [3, 4, 5, 6], "reset_in": 1800})
    with pytest.raises(
        SourceError,
        match=r"hourly limit.*allowed in all \(--max-wait\)\. Run again after .*; \d+ of 51 pull requests are read and kept",
    ):
        fetch(github, root=tmp_path, max_wait_seconds=60.0)


def test_a_null_in_a_batch_is_asked_for_alone(github: StandIn, clean: Tables) -> None:
    number = clean["raw_pull_requests"]["number"].to_pylist()[3]
    github.faults({"fault": "null_nodes", "numbers": [number], "only_in_batches": True})
    assert differences(tables(fetch(github)), clean) == []


def test_what_stays_null_is_listed_and_the_week_is_partial(github: StandIn, clean: Tables) -> None:
    number = clean["raw_pull_requests"]["number"].to_pylist()[3]
    github.faults({"fault": "null_nodes", "numbers": [number], "kind": "Details"})
    fetched = fetch(github)
    made = tables(fetched)
    assert made["raw_fetches"]["missing_numbers"].to_pylist() == [[number]]
    assert made["raw_fetches"]["state"].to_pylist() == ["partial"]
    assert any(note.startswith(f"{number}: ") for note in fetched.notes)
    assert_nothing_wrong(made, clean)


def test_one_that_always_fails_is_left_out_alone(github: StandIn, clean: Tables) -> None:
    pull = clean["raw_pull_requests"].to_pylist()[5]
    github.faults({"fault": "502", "kind": "Details", "body": f'"{pull["node_id"]}"'})
    made = tables(fetch(github))
    assert made["raw_fetches"]["missing_numbers"].to_pylist() == [[pull["number"]]]
    assert_nothing_wrong(made, clean)


def test_a_github_that_only_fails_is_not_asked_for_ever(github: StandIn) -> None:
    github.faults({"fault": "502", "kind": "Details"})
    with pytest.raises(SourceError, match=r"no good answer from http://127.*: HTTP 502"):
        fetch(github)
    assert github.stats()["requests"] < 20


@pytest.mark.parametrize("moment", [SOON_AFTER, MUCH_LATER], ids=["walked", "searched"])
@pytest.mark.parametrize("answer", ["null", "502"])
def test_what_is_too_much_at_once_is_asked_for_in_smaller_pieces(clean: Tables, answer: str, moment: datetime) -> None:
    with StandIn(sample(), compute_limit=90, compute_answer=answer) as server:
        made = tables(source(server.url, at=moment).fetch_week(REPO, WINDOW, silent))
        assert server.stats()["requests"] < 120
    assert made["raw_fetches"]["state"].to_pylist() == ["complete"]
    assert differences(made, clean) == []


def test_an_old_server_is_asked_again_without_the_fields_it_lacks(clean: Tables) -> None:
    lacking = [
        "PullRequestReviewThread.isResolved",
        "PullRequest.reviewDecision",
        "IssueComment.isMinimized",
        "AddedToMergeQueueEvent.actor",
    ]
    with StandIn(sample(), enterprise=True, without=lacking) as server:
        fetched = source(server.enterprise_url).fetch_week(REPO, WINDOW, silent)
    made = tables(fetched)
    assert "the server's schema lacks actor, isMinimized, isResolved, reviewDecision: not known" in fetched.notes
    assert set(made["raw_review_threads"]["is_resolved"].to_pylist()) == {None}
    assert made["raw_review_threads"]["thread_id"].equals(clean["raw_review_threads"]["thread_id"])
    assert made["raw_files"].equals(clean["raw_files"])


def test_a_whole_part_that_an_old_server_lacks_is_missing_not_empty() -> None:
    with StandIn(sample(), enterprise=True, without=["PullRequest.reviewThreads", "PullRequest.timelineItems"]) as server:
        made = tables(source(server.enterprise_url).fetch_week(REPO, WINDOW, silent))
    assert {tuple(parts) for parts in made["raw_pull_requests"]["missing_parts"].to_pylist()} == {
        ("reviewThreads", "timelineItems")
    }
    assert set(made["raw_pull_requests"]["review_threads_count"].to_pylist()) == {None}
    assert made["raw_fetches"]["state"].to_pylist() == ["partial"]


def test_a_token_that_may_not_see_checks_leaves_them_unknown_and_the_rest_whole(clean: Tables) -> None:
    with StandIn(sample(), forbidden=["Commit.statusCheckRollup"]) as server:
        fetched = source(server.url).fetch_week(REPO, WINDOW, silent)
        assert server.stats()["by_kind"]["graphql:Details"] <= 7  # nothing is asked twice for it
    made = tables(fetched)
    assert set(made["raw_pull_requests"]["checks_state"].to_pylist()) == {None}
    assert {tuple(parts) for parts in made["raw_pull_requests"]["missing_parts"].to_pylist()} <= {(), ("checks",)}
    assert any("permission for checks" in note for note in fetched.notes)
    assert state(fetched) == "complete"
    assert set(differences(made, clean)) == {"raw_pull_requests"}


def test_one_refused_token_of_two_is_left_out_and_told() -> None:
    with StandIn(sample(), tokens=["good"]) as server:
        fetched = source(server.url, token="revoked,good").fetch_week(REPO, WINDOW, silent)
    assert state(fetched) == "complete"
    assert "token 1 of 2 was refused and left out" in fetched.notes


def test_the_hour_of_one_token_used_up_the_other_goes_on() -> None:
    time = FakeTime()
    with StandIn(sample(), points=8) as server:
        pace = Pace(timeout_seconds=5, clock=time.clock)
        fetched = source(server.url, token="one,two", pace=pace).fetch_week(REPO, WINDOW, silent)
        assert server.stats()["by_status"] == {"200": fetched.requests_count}
    assert state(fetched) == "complete"
    assert time.slept == 0


def test_limits_are_kept_before_they_are_hit(clean: Tables) -> None:
    with StandIn(sample(), points=9, window_seconds=1.0) as server:
        pace = Pace(timeout_seconds=5)  # real time: the stand-in's hour lasts a second
        made = source(server.url, pace=pace).fetch_week(REPO, WINDOW, silent)
        assert server.stats()["by_status"] == {"200": made.requests_count}
    assert made.enumerated_numbers == clean["raw_pull_requests"]["number"].to_pylist()


def test_a_tenth_of_faults_costs_at_most_half_as_many_requests_again(github: StandIn, clean: Tables) -> None:
    fetch(github)
    without = github.stats()["requests"]
    github.reset()
    github.faults({"fault": "502", "probability": 0.1, "seed": 5})
    assert differences(tables(fetch(github)), clean) == []
    assert github.stats()["requests"] <= 1.5 * without + 1


def test_no_network_is_told_in_one_line() -> None:
    with pytest.raises(
        SourceError,
        match=r"^GitHub acme/lattice 2026-W17: no good answer from http://127.*: the connection failed .*Check the network",
    ):
        source("http://127.0.0.1:9").fetch_week(REPO, WINDOW, silent)


@pytest.mark.parametrize("fault", ["401", "404", "502", "html", "null_nodes", "secondary_403"])
def test_the_token_is_in_no_table_error_log_or_repr(github: StandIn, caplog: pytest.LogCaptureFixture, fault: str) -> None:
    caplog.set_level(logging.DEBUG)
    github.faults({"fault": fault, "kind": "Details", "nth": [2, 3], "numbers": [1], "message": TOKEN})
    asked = source(github.url)
    told = repr(asked)
    try:
        fetched = asked.fetch_week(REPO, WINDOW, silent)
        told += repr(fetched) + repr([table.to_pylist() for table in tables(fetched).values()])
    except PullweekError as error:
        told += str(error) + repr(error)
    assert TOKEN not in told + caplog.text


def assert_nothing_wrong(made: Tables, clean: Tables) -> None:
    """Every pull request that is not said to lack anything has the rows of the clean fetch, and no other rows."""
    pulls = made["raw_pull_requests"].to_pylist()
    whole = {pull["number"] for pull in pulls if not pull["missing_parts"]}
    read = {pull["number"] for pull in pulls}
    [fetch] = made["raw_fetches"].to_pylist()
    expected = set(clean["raw_pull_requests"]["number"].to_pylist())
    assert read | set(fetch["missing_numbers"]) == expected
    cut = {pull["number"] for pull in pulls if set(pull["missing_parts"]) - {"checks"}}  # checks alone are told by a note
    assert (fetch["state"] == "complete") == (read == expected and not cut)
    for table in PARSED_TABLES:
        right = [row for row in clean[table.name].to_pylist() if row["number"] in whole]
        assert [row for row in made[table.name].to_pylist() if row["number"] in whole] == right


def script(seed: int, numbers: list[int]) -> list[Rule]:
    """One to four rules made of a seed: any fault, on any request, once, sometimes or often."""
    chance = random.Random(seed)  # noqa: S311  # because: no secret is made of it
    kinds = ["Resolve", "Updated", "Search", "History", "Details", "More", "graphql", "rest"]
    faults = [*PASSING, *WAITING, *STOPPING, "null_nodes", "forbidden_fields"]
    rules = []
    for _ in range(chance.randint(1, 4)):
        rule: Rule = {"fault": chance.choice(faults), "kind": chance.choice(kinds), "seed": chance.randint(0, 999)}
        if rule["fault"] in STOPPING:
            rule["nth"] = chance.randint(1, 12)
        elif chance.random() < 0.5:
            rule["probability"] = chance.choice([0.05, 0.2, 0.6])
        else:
            rule["nth"] = sorted(chance.sample(range(1, 15), chance.randint(1, 3)))
        rule["numbers"] = chance.sample(numbers, 5)
        if rule["fault"] == "forbidden_fields":
            choices = [
                "Commit.statusCheckRollup",
                "PullRequest.reviewThreads",
                "PullRequest.reviews",
                "PullRequest.author",
                "PullRequest.labels",
            ]
            rule["fields"] = [chance.choice(choices)]
        if chance.random() < 0.3:
            rule["retry_after"] = chance.randint(0, 30)
        rules.append(rule)
    return rules


def campaign(github: StandIn, clean: Tables, seeds: range) -> dict[str, int]:
    """Fetch by every script; how each ended. Fails where a table is wrong."""
    ends = {"complete": 0, "partial": 0}
    said: list[str] = []
    numbers = clean["raw_pull_requests"]["number"].to_pylist()
    for seed in seeds:
        github.faults(*script(seed, numbers))
        try:
            made = tables(fetch(github, at=MUCH_LATER if seed % 2 else SOON_AFTER))
        except SourceError as error:
            said.append(str(error))
            continue
        [end] = made["raw_fetches"]["state"].to_pylist()
        ends[end] += 1
        assert_nothing_wrong(made, clean)
    assert [text for text in said if not text.startswith("GitHub acme/lattice 2026-W17: ") or "\n" in text] == []
    return ends | {"error": len(said)}


def test_random_faults_end_complete_or_in_an_honest_word(github: StandIn, clean: Tables) -> None:
    ends = campaign(github, clean, range(20))  # the order of two workers decides what a rule strikes, so ends differ a little
    assert sum(ends.values()) == 20
    assert ends["complete"] > 0


@pytest.mark.soak
def test_many_random_faults_end_complete_or_in_an_honest_word(github: StandIn, clean: Tables) -> None:
    ends = campaign(github, clean, range(1_000, 1_250))
    assert all(ends.values()), ends
