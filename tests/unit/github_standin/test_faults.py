"""Each fault as it arrives at a client, and when it strikes."""

import http.client
import json
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.github_standin import StandIn
from tests.github_standin.faults import FAULTS, FaultScript, parse_flag
from tests.unit.github_standin.examples import TOKEN, Json, ask, body, core, dataset, get, send

QUERY = 'query Details { node(id: "PR_kw000000010000") { ... on PullRequest { number } } }'

INSTEAD = (
    ("502", 502, "Something went wrong"),
    ("503", 503, "<html>"),
    ("504", 504, "<html>"),
    ("html", 200, "<!DOCTYPE html>"),
    ("errors_only", 200, '"data": null'),
    ("RATE_LIMITED", 200, '"type": "RATE_LIMITED"'),
    ("RATE_LIMIT", 200, '"type": "RATE_LIMIT"'),
    ("secondary_200", 200, "secondary rate limit"),
    ("secondary_403", 403, "secondary rate limit"),
    ("secondary_429", 429, "secondary rate limit"),
    ("401", 401, "Bad credentials"),
    ("403_saml", 403, "SAML"),
    ("404", 404, "Not Found"),
    ("451", 451, "Repository access blocked"),
    ("301", 301, "Moved Permanently"),
)


@pytest.mark.parametrize(("name", "status", "text"), INSTEAD)
def test_a_fault_in_place_of_the_answer(name: str, status: int, text: str) -> None:
    of = core({"fault": name, "nth": 2})
    assert send(of, QUERY).status == 200
    answer = send(of, QUERY)
    assert (answer.status, text in answer.body.decode()) == (status, True)
    assert "errors" not in body(send(of, QUERY))
    assert of.stats.report()["faults"] == {name: 1}


def test_hints_of_limits() -> None:
    for name in ("secondary_200", "secondary_403", "secondary_429"):
        assert "retry-after" not in send(core({"fault": name}), QUERY).headers
        assert send(core({"fault": name, "retry_after": 7}), QUERY).headers["retry-after"] == "7"
    limited = send(core({"fault": "RATE_LIMITED", "reset_in": 3}), QUERY)
    assert limited.headers["x-ratelimit-remaining"] == "0"
    assert (
        get(core({"fault": "301", "location": "http://127.0.0.1:1/x"}), "/repos/a/b").headers["location"] == "http://127.0.0.1:1/x"
    )
    assert "x-github-sso" in send(core({"fault": "403_saml"}), QUERY).headers


def test_a_fault_may_cost_points() -> None:
    of = core({"fault": "502", "points": 3, "times": 1})
    send(of, QUERY)
    send(of, QUERY)
    assert (of.stats.points, of.meter.budget(TOKEN, "graphql").remaining) == (4, 4_996)


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn(dataset()) as running:
        yield running


def _raw(server: StandIn) -> bytes:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    try:
        connection.request("POST", "/graphql", json.dumps({"query": QUERY}), {"authorization": f"bearer {TOKEN}"})
        return connection.getresponse().read()
    finally:
        connection.close()


def test_a_connection_can_be_reset_or_cut_within_the_body(server: StandIn) -> None:
    whole = _raw(server)
    server.faults({"fault": "reset", "times": 1}, {"fault": "cut", "times": 1}, {"fault": "truncated", "times": 1})
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        _raw(server)
    with pytest.raises(http.client.IncompleteRead):
        _raw(server)
    half = _raw(server)
    assert half == whole[: len(whole) // 2]
    assert _raw(server) == whole


def test_a_slow_answer_waits() -> None:
    assert send(core({"fault": "slow", "seconds": 2.5}), QUERY).wait >= 2.5


def test_errors_can_stand_beside_good_data() -> None:
    answer = ask(core({"fault": "errors_with_data", "type": "SERVICE_UNAVAILABLE", "message": "hm"}), QUERY)
    assert answer["data"]["node"] == {"number": 1}
    assert answer["errors"] == [{"type": "SERVICE_UNAVAILABLE", "message": "hm"}]


def test_resource_limits_leave_null_data() -> None:
    answer = ask(
        core({"fault": "RESOURCE_LIMITS_EXCEEDED"}), 'query { rateLimit { cost } nodes(ids: ["PR_kw000000010000", "x"]) { id } }'
    )
    assert answer["data"] == {"rateLimit": {"cost": 1}, "nodes": [None, None]}
    assert answer["errors"][0] == {
        "type": "RESOURCE_LIMITS_EXCEEDED",
        "path": ["nodes"],
        "message": "Resource limits for this query exceeded.",
    }


def test_fields_can_be_missing_or_forbidden_for_some_requests() -> None:
    query = 'query { node(id: "PR_kw000000010000") { ... on PullRequest { reviewDecision statusCheckRollup { state } } } }'
    missing = ask(core({"fault": "missing_fields", "fields": ["PullRequest.reviewDecision"]}), query)
    assert missing["errors"][0]["extensions"]["fieldName"] == "reviewDecision"
    forbidden = ask(core({"fault": "forbidden_fields"}), query)
    assert forbidden["data"]["node"]["statusCheckRollup"] is None
    assert forbidden["errors"][0]["type"] == "FORBIDDEN"


def test_pull_requests_can_be_null_in_batches_only() -> None:
    of = core({"fault": "null_nodes", "numbers": [1], "only_in_batches": True})
    batch = ask(of, 'query { nodes(ids: ["PR_kw000000010000", "PR_kw000000020000"]) { id } }')
    assert [node is None for node in batch["data"]["nodes"]] == [True, False]
    assert ask(of, QUERY)["data"]["node"] == {"number": 1}
    assert ask(core({"fault": "null_nodes", "numbers": [1]}), QUERY)["data"]["node"] is None


MATCHES: tuple[tuple[Json, list[int]], ...] = (
    ({"nth": 3}, [3]),
    ({"nth": [1, 4]}, [1, 4]),
    ({"every": 2}, [2, 4, 6]),
    ({"times": 2}, [1, 2]),
    ({"probability": 0.0}, []),
    ({"probability": 1.0, "times": 1}, [1]),
    ({"kind": "^graphql:Details$"}, [1, 2, 3, 4, 5, 6]),
    ({"kind": "rest"}, []),
    ({"path": "/graphql$", "body": "needle", "token": "^me$", "nth": 6}, [6]),
    ({"token": "somebody else"}, []),
)


@pytest.mark.parametrize(("rule", "struck"), MATCHES)
def test_a_rule_strikes_when_it_says(rule: Json, struck: list[int]) -> None:
    script = FaultScript([{"fault": "502", **rule}])
    picks = [script.pick("graphql:Details", "/graphql", "hay needle", "me") for _ in range(6)]
    assert [index + 1 for index, fault in enumerate(picks) if fault] == struck


def test_nth_counts_only_requests_that_match() -> None:
    script = FaultScript([{"fault": "502", "kind": "Details", "nth": 2}])
    kinds = ["graphql:Details", "rest:GET /", "graphql:Details", "graphql:Details"]
    assert [script.pick(kind, "", "", "") is not None for kind in kinds] == [False, False, True, False]


def test_chance_is_the_same_for_the_same_seed() -> None:
    def run(seed: int) -> list[bool]:
        script = FaultScript([{"fault": "502", "probability": 0.3, "seed": seed}])
        return [script.pick("k", "", "", "") is not None for _ in range(200)]

    assert run(1) == run(1)
    assert run(1) != run(2)
    assert 30 < sum(run(1)) < 90


def test_flags_are_read_as_rules() -> None:
    assert parse_flag("502,kind=Details,nth=1;4,probability=0.5") == {
        "fault": "502",
        "kind": "Details",
        "nth": [1, 4],
        "probability": 0.5,
    }
    assert parse_flag("fault=slow,seconds=3") == {"fault": "slow", "seconds": 3}


def test_an_unknown_fault_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"'meteor': not known\. Known are .*502"):
        FaultScript([{"fault": "meteor"}])
    assert {name for name, _, _ in INSTEAD} < FAULTS
