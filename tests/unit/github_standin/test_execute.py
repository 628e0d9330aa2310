"""The quick way to execute gives what graphql-core gives."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graphql import (
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLUnionType,
    OperationDefinitionNode,
    get_named_type,
    is_leaf_type,
    parse,
    validate,
)

from tests.github_standin.execute import exactly, quickly
from tests.github_standin.resolve import Context
from tests.github_standin.schema import load
from tests.github_standin.store import Store
from tests.unit.github_standin import examples

Json = dict[str, Any]

SCHEMA = load()
STORE = Store(examples.dataset())
RATE = {
    "__typename": "RateLimit",
    "cost": 1,
    "limit": 9,
    "nodeCount": 2,
    "remaining": 8,
    "resetAt": "2026-04-20T00:00:00Z",
    "used": 1,
}
SPECIAL = STORE.facts[40]["id"]


def _both(query: str, variables: Json | None = None, context: Json | None = None) -> Json:
    document = parse(query)
    assert validate(SCHEMA, document) == []
    answers = [
        run(SCHEMA, document, variables or {}, None, Context(STORE, rate=RATE, **(context or {}))) for run in (exactly, quickly)
    ]
    for answer in answers:
        answer.get("errors", []).sort(key=repr)
    assert answers[0] == answers[1]
    assert list(answers[0]["data"] or {}) == list(answers[1]["data"] or {})
    return answers[1]


def _everything(kind: GraphQLNamedType, depth: int, name: str = "") -> str:
    """A selection of every field of a type, connections by their first four, down to a depth."""
    if isinstance(kind, GraphQLUnionType | GraphQLInterfaceType):
        members = SCHEMA.get_possible_types(kind)
        return "{ __typename " + " ".join(f"... on {one.name} {_everything(one, depth, f'_{one.name}')}" for one in members) + " }"
    assert isinstance(kind, GraphQLObjectType)
    return "{ __typename " + " ".join(_fields(kind, depth, name)) + " }"


def _fields(kind: GraphQLObjectType, depth: int, name: str) -> Iterator[str]:
    for field_name, field in kind.fields.items():
        alias = f"{field_name}{name}: " if name else ""
        returned = get_named_type(field.type)
        if is_leaf_type(returned):
            yield f"{alias}{field_name}"
        elif depth > 0 and not any(one for one in field.args if one in {"number", "qualifiedName"}):
            yield f"{alias}{field_name}{_arguments(field)} {_everything(returned, depth - 1)}"


def _arguments(field: GraphQLField) -> str:
    return "(first: 4)" if "first" in field.args else ""


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_every_field_of_a_pull_request_is_there_both_ways(depth: int) -> None:
    query = f'query {{ node(id: "{SPECIAL}") {{ ... on PullRequest {_everything(SCHEMA.type_map["PullRequest"], depth)} }} }}'
    answer = _both(query)
    assert "errors" not in answer
    assert answer["data"]["node"]["title"] == "Special"


def test_every_field_of_the_repository_is_there_both_ways() -> None:
    everything = _everything(SCHEMA.type_map["Repository"], 5)
    answer = _both(f'query {{ rateLimit {{ cost }} repository(owner: "acme", name: "rocket") {everything} }}')
    assert "errors" not in answer


QUERIES = (
    "query { viewer { login } rateLimit { cost remaining } }",
    'query { repository(owner: "no", name: "one") { id } viewer { login } }',
    'query { repository(owner: "acme", name: "rocket") { pullRequest(number: 999) { title } } }',
    """query { nodes(ids: ["nothing", "PR_kw000000010000"]) {
         __typename ... on PullRequest { title author { login ... on Bot { url } } } } }""",
    'query { node(id: "nothing") { id } }',
    """query { search(type: ISSUE, query: "repo:acme/rocket is:pr", last: 3) {
         issueCount edges { cursor node { ... on PullRequest { number } } } } }""",
    'query { search(type: ISSUE, query: "is:pr", first: 3, after: "???") { issueCount } }',
    """query A($yes: Boolean!, $no: Boolean!) {
         viewer @include(if: $yes) { a: login b: login @skip(if: $yes) url @include(if: $no) } }""",
    """fragment F on User { login ...G } fragment G on Actor { url }
       query { viewer { ...F ... on User { id } } viewer { databaseId } }""",
)


@pytest.mark.parametrize("query", QUERIES)
def test_both_ways_answer_alike(query: str) -> None:
    _both(query, {"yes": True, "no": False})


def test_a_null_that_may_not_be_travels_to_the_next_place_that_may() -> None:
    spoilt = STORE.document(5)
    kept = spoilt["reviewThreads"]
    spoilt["reviewThreads"] = [{"__typename": "PullRequestReviewThread", "id": "x", "isResolved": None}]
    try:
        threads = "... on PullRequest { id reviewThreads(first: 2) { nodes { isResolved } } }"
        query = f'query {{ nodes(ids: ["PR_kw000000050000", "PR_kw000000060000"]) {{ {threads} }} }}'
        answer = _both(query)
        spoilt["reviewThreads"] = None
        second = _both(query)
    finally:
        spoilt["reviewThreads"] = kept
    assert answer["data"]["nodes"][0]["reviewThreads"]["nodes"] == [None]
    assert answer["errors"][0]["path"] == ["nodes", 0, "reviewThreads", "nodes", 0, "isResolved"]
    assert second["data"]["nodes"][0] is None
    assert second["data"]["nodes"][1]["id"] == "PR_kw000000060000"


def test_a_token_that_may_not_read_checks_gets_null_and_an_error_both_ways() -> None:
    checks = "commits(last: 1) { nodes { commit { statusCheckRollup { state } } } }"
    query = f"query($id: ID!) {{ node(id: $id) {{ ... on PullRequest {{ title {checks} }} }} }}"
    answer = _both(query, {"id": SPECIAL}, {"forbidden": frozenset({"Commit.statusCheckRollup"})})
    assert answer["data"]["node"]["commits"]["nodes"][0]["commit"] == {"statusCheckRollup": None}
    assert [error["type"] for error in answer["errors"]] == ["FORBIDDEN"]


def test_pull_requests_that_fail_inside_come_back_null_both_ways() -> None:
    query = "query($ids: [ID!]!) { nodes(ids: $ids) { ... on PullRequest { number } } }"
    ids = [STORE.facts[number]["id"] for number in (1, 2, 3)]
    answer = _both(query, {"ids": ids}, {"null_numbers": frozenset({2})})
    assert answer["data"]["nodes"] == [{"number": 1}, None, {"number": 3}]
    alone = _both(query, {"ids": ids[1:2]}, {"null_numbers": frozenset({2}), "null_only_in_batches": True})
    assert alone["data"]["nodes"] == [{"number": 2}]


PROJECT_QUERIES = (Path(__file__).resolve().parents[3] / "pipelines" / "sources" / "github" / "queries.graphql").read_text(
    encoding="utf-8"
)
OPERATIONS = [node for node in parse(PROJECT_QUERIES).definitions if isinstance(node, OperationDefinitionNode)]
VALUES: Json = {
    "owner": "acme",
    "name": "rocket",
    "ref": "main",
    "id": SPECIAL,
    "first": 5,
    "after": None,
    "since": "2026-04-20T00:00:00Z",
    "until": "2026-04-24T00:00:00Z",
    **dict.fromkeys(("query", "merged", "opened"), "repo:acme/rocket is:pr"),
    **dict.fromkeys(("files", "reviews", "threads", "threadComments", "comments"), 3),
    "ids": [SPECIAL, *(STORE.facts[number]["id"] for number in range(1, 12)), "nothing"],
}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda node: str(node.name.value))
def test_the_projects_own_queries_are_answered_alike(operation: OperationDefinitionNode) -> None:
    assert operation.name is not None
    wanted = {one.variable.name.value for one in operation.variable_definitions}
    given = {name: "PRRT_40" if operation.name.value == "MoreThreadComments" and name == "id" else VALUES[name] for name in wanted}
    document = parse(PROJECT_QUERIES)
    answers = [run(SCHEMA, document, given, operation.name.value, Context(STORE, rate=RATE)) for run in (exactly, quickly)]
    assert answers[0] == answers[1]
    assert {error["type"] for error in answers[1].get("errors", [])} <= ({"NOT_FOUND"} if "ids" in wanted else set())
    assert answers[1]["data"]
