"""The server over HTTP, as a client sees it: tokens, budgets, latency, steering, the command."""

import json
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from tests.github_standin import StandIn
from tests.unit.github_standin import examples

Json = dict[str, Any]

VIEWER = "query Me { viewer { login } rateLimit { cost remaining limit used resetAt nodeCount } }"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn(examples.dataset()) as running:
        yield running


def _call(url: str, data: object = None, token: str | None = examples.TOKEN) -> tuple[int, dict[str, str], Any]:
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url, body, {"authorization": f"bearer {token}"} if token else {})  # noqa: S310  # because: loopback
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310  # because: loopback
            assert isinstance(answer, HTTPResponse)
            return answer.status, dict(answer.headers), json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), json.loads(error.read() or b"{}")


def _ask(
    server: StandIn, query: str = VIEWER, path: str = "/graphql", token: str | None = examples.TOKEN
) -> tuple[int, dict[str, str], Any]:
    return _call(server.url + path, {"query": query, "variables": {}}, token)


def test_a_query_is_answered_at_both_addresses(server: StandIn) -> None:
    for path in ("/graphql", "/api/graphql"):
        status, _, body = _ask(server, path=path)
        assert (status, body["data"]["viewer"]["login"]) == (200, "octocat")


def test_a_missing_and_a_bad_token_are_refused(server: StandIn) -> None:
    assert _ask(server, token=None)[:1] == (401,)
    status, _, body = _ask(server, token="bad-one")
    assert (status, body["message"], body["status"]) == (401, "Bad credentials", "401")
    with StandIn(examples.dataset(), tokens={"only-this"}) as strict:
        assert _ask(strict)[0] == 401
        assert _ask(strict, token="only-this")[0] == 200


def test_points_are_counted_by_token_and_told_in_headers_and_answer(server: StandIn) -> None:
    _ask(server, token="first")
    _, headers, body = _ask(server, token="first")
    assert headers["x-ratelimit-remaining"] == "4998"
    assert body["data"]["rateLimit"]["remaining"] == 4998
    assert body["data"]["rateLimit"] | {"resetAt": ""} == {
        "cost": 1,
        "remaining": 4998,
        "limit": 5000,
        "used": 2,
        "resetAt": "",
        "nodeCount": 0,
    }
    assert _ask(server, token="second")[2]["data"]["rateLimit"]["remaining"] == 4999


def test_points_run_out_as_an_error_in_a_good_answer_and_come_back_in_the_next_window() -> None:
    core = examples.core(points=2)
    clock = [1_000.0]
    core.meter.clock = lambda: clock[0]
    assert ["data" in examples.ask(core, VIEWER) for _ in range(2)] == [True, True]
    refused = examples.send(core, VIEWER)
    assert (refused.status, examples.body(refused)["errors"][0]["type"]) == (200, "RATE_LIMITED")
    assert (refused.headers["x-ratelimit-remaining"], refused.headers["x-ratelimit-reset"]) == ("0", "4600")
    clock[0] = 4_600.0
    assert "data" in examples.ask(core, VIEWER)


def test_two_thousand_points_a_minute_are_a_secondary_limit() -> None:
    core = examples.core()
    core.meter.note(examples.TOKEN, 2_000, 1.0)
    answer = examples.send(core, VIEWER)
    assert (answer.status, answer.headers["retry-after"]) == (403, "60")
    assert examples.send(core, VIEWER, token="other").status == 200


def test_a_minute_of_server_time_a_minute_is_a_secondary_limit() -> None:
    core = examples.core()
    core.meter.note(examples.TOKEN, 1, 61.0)
    assert examples.send(core, VIEWER).status == 403


def test_an_enterprise_host_has_no_limits() -> None:
    with StandIn(examples.dataset(), enterprise=True) as server:
        _, headers, body = _ask(server, path="/api/graphql")
        assert body["data"]["rateLimit"] is None
        assert not [name for name in headers if name.lower().startswith("x-ratelimit")]
        assert _call(f"{server.enterprise_url}/rate_limit")[0] == 404
        assert _call(f"{server.enterprise_url}/meta")[2]["installed_version"]


def test_a_schema_may_lack_a_field_a_type_or_a_value() -> None:
    with StandIn(examples.dataset(), without=["PullRequest.reviewDecision", "MergedEvent"]) as server:
        _, _, body = _ask(server, 'query { node(id: "x") { ... on PullRequest { reviewDecision } ... on MergedEvent { id } } }')
        assert "data" not in body
        assert [error["extensions"]["code"] for error in body["errors"]] == ["undefinedField", "undefinedType"]
        assert body["errors"][0]["message"] == "Field 'reviewDecision' doesn't exist on type 'PullRequest'"


def test_the_quick_way_and_graphql_core_give_the_same_bytes() -> None:
    inner = "nodes { number title reviews(first: 5) { nodes { body } } }"
    query = f'query {{ repository(owner: "acme", name: "rocket") {{ pullRequests(first: 9) {{ {inner} }} }} }}'
    bodies = []
    for exact in (False, True):
        with StandIn(examples.dataset(), exact=exact) as server:
            bodies.append(json.dumps(_ask(server, query)[2]))
    assert bodies[0] == bodies[1]


def test_the_compute_limit_leaves_nulls_or_a_502() -> None:
    query = (
        'query { rateLimit { cost } repository(owner: "acme", name: "rocket") { pullRequests(first: 20) { nodes { number } } } }'
    )
    cut = examples.ask(examples.core(compute_limit=10), query)
    assert (cut["data"]["repository"], cut["errors"][0]["type"]) == (None, "RESOURCE_LIMITS_EXCEEDED")
    assert cut["data"]["rateLimit"] == {"cost": 1}
    assert examples.send(examples.core(compute_limit=10, compute_answer="502"), query).status == 502
    assert "errors" not in examples.ask(examples.core(compute_limit=20), query)


def test_latency_is_kept_and_not_counted_as_the_servers_own_time() -> None:
    with StandIn(examples.dataset(), latency_ms=300) as server:
        begun = time.monotonic()
        _ask(server)
        spent = time.monotonic() - begun
        assert server.stats()["seconds"] <= spent - 0.3
    slow = examples.send(
        examples.core(node_latency_us=1_000), 'query { search(type: ISSUE, query: "is:pr", first: 30) { issueCount } }'
    )
    assert slow.wait == pytest.approx(0.03)


def test_requests_at_the_same_time_are_counted_and_more_than_a_hundred_refused() -> None:
    with StandIn(examples.dataset(), latency_ms=800) as server:
        threads = [threading.Thread(target=_ask, args=(server,)) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.stats()["most_at_once"] == 5
    core = examples.core()
    core.stats.now = 101
    assert examples.send(core, VIEWER).status == 403


def test_what_was_asked_is_counted_and_can_be_reset(server: StandIn) -> None:
    _ask(server)
    _call(f"{server.url}/repos/acme/rocket/pulls/40")
    status, _, stats = _call(f"{server.url}/_standin/stats", token=None)
    assert (status, stats) == (200, server.stats())
    assert stats["by_kind"] == {"graphql:Me": 1, "rest:GET /repos/{}/{}/pulls/{}": 1}
    assert (stats["requests"], stats["points"], stats["by_status"]) == (2, 1, {"200": 2})
    _call(f"{server.url}/_standin/reset", {})
    assert server.stats()["requests"] == 0


def test_ids_that_were_asked_for_are_remembered(server: StandIn) -> None:
    for _ in range(2):
        _call(
            f"{server.url}/graphql", {"query": "query($ids: [ID!]!) { nodes(ids: $ids) { id } }", "variables": {"ids": ["PRR_40"]}}
        )
    assert server.asked_ids() == {"PRR_40": 2}


def test_faults_and_changes_can_be_sent(server: StandIn) -> None:
    assert _call(f"{server.url}/_standin/faults", [{"fault": "451", "times": 1}])[0] == 200
    assert _ask(server)[0] == 451
    assert _ask(server)[0] == 200
    assert _call(f"{server.url}/_standin/mutate", {"op": "set", "number": 40, "fields": {"title": "New"}})[0] == 200
    assert _call(f"{server.url}/repos/acme/rocket/pulls/40")[2]["title"] == "New"
    assert _call(f"{server.url}/_standin/mutate", {"op": "set", "number": 4_000, "fields": {}})[0] == 400
    assert _call(f"{server.url}/_standin/faults", [{"fault": "no-such"}])[0] == 400
    assert _call(f"{server.url}/_standin/nothing")[0] == 404


def test_malformed_queries_are_answered_as_errors(server: StandIn) -> None:
    assert "Parse error" in _ask(server, "query {")[2]["errors"][0]["message"]
    assert _call(f"{server.url}/graphql", {"variables": {}})[0] == 400
    assert "errors" in _call(f"{server.url}/graphql", {"query": "query($id: ID!) { node(id: $id) { id } }", "variables": {}})[2]
    assert "errors" in _call(f"{server.url}/graphql", {"query": "query A { viewer { login } } query B { viewer { login } }"})[2]


def test_two_servers_over_one_data_set_do_not_share_changes() -> None:
    data = examples.dataset()
    with StandIn(data) as first, StandIn(data) as second:
        first.mutate({"op": "remove", "number": 40})
        assert _call(f"{first.url}/repos/acme/rocket/pulls/40")[0] == 404
        assert _call(f"{second.url}/repos/acme/rocket/pulls/40")[0] == 200


def test_the_command_says_where_it_listens_and_at_the_end_what_was_asked() -> None:
    command = [sys.executable, "-m", "tests.github_standin", "--sample", "--fault", "503,kind=graphql,nth=2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = line.removeprefix("listening on ").strip()
        assert line.startswith("listening on http://127.0.0.1:")
        assert _call(f"{url}/graphql", {"query": VIEWER})[0] == 200
        assert _call(f"{url}/meta")[0] == 200
        process.send_signal(signal.SIGTERM)
        said = json.loads(process.stdout.read())
    assert process.returncode == 0
    assert said["by_kind"] == {"graphql:Me": 1, "rest:GET /meta": 1}
