"""Costs and refusals as GitHub documents them."""

from typing import Any

import pytest
from graphql import GraphQLSchema, build_schema, parse

from tests.github_standin.execute import operation_of
from tests.github_standin.limits import Measure, measure
from tests.github_standin.schema import load
from tests.unit.github_standin.examples import ask, core

Json = dict[str, Any]

#: Just enough of GitHub's schema for the worked examples of its documentation.
DOCUMENTED = build_schema("""
type Query { viewer: User }
type User { repositories(first: Int): RepositoryConnection followers(first: Int): FollowerConnection }
type RepositoryConnection { nodes: [Repository] } type FollowerConnection { nodes: [User] }
type Repository { issues(first: Int): IssueConnection pullRequests(first: Int): PullRequestConnection }
type IssueConnection { totalCount: Int nodes: [Issue] } type PullRequestConnection { nodes: [Issue] }
type Issue { comments(first: Int): CommentConnection labels(first: Int): LabelConnection }
type CommentConnection { nodes: [Comment] } type LabelConnection { nodes: [Comment] } type Comment { id: ID }
""")


def _measure(query: str, schema: GraphQLSchema = DOCUMENTED, **values: object) -> Measure:
    document = parse(query)
    operation = operation_of(document, None)
    assert operation is not None
    return measure(schema, document, operation, values)


def test_nodes_of_the_documented_simple_query() -> None:
    query = "{ viewer { repositories(first: 50) { nodes { issues(first: 10) { totalCount nodes { __typename } } } } } }"
    assert _measure(query).nodes == 550


def test_nodes_of_the_documented_complex_query() -> None:
    commented = "nodes { comments(first: 10) { nodes { id } } }"
    inner = f"pullRequests(first: 20) {{ {commented} }} issues(first: 20) {{ {commented} }}"
    followers = "followers(first: 10) { nodes { __typename } }"
    query = f"{{ viewer {{ repositories(first: 50) {{ nodes {{ {inner} }} }} {followers} }} }}"
    assert _measure(query).nodes == 22_060


def test_points_of_the_documented_query() -> None:
    query = (
        "{ viewer { repositories(first: 100) { nodes { issues(first: 50) { nodes { labels(first: 60) { nodes { id } } } } } } } }"
    )
    found = _measure(query)
    assert (found.requests, found.points) == (5_101, 51)


def test_a_connection_in_two_fragments_is_counted_once() -> None:
    same = "on User { repositories(first: 5) { nodes { issues { totalCount } } } }"
    query = f"{{ viewer {{ ...A ...B }} }} fragment A {same} fragment B {same}"
    assert _measure(query).nodes == 5


def test_ids_multiply_what_is_inside() -> None:
    found = _measure(
        "query($ids: [ID!]!) { nodes(ids: $ids) { ... on PullRequest { files(first: 7) { totalCount } } } }",
        load(),
        ids=["a", "b", "c"],
    )
    assert (found.nodes, found.requests, found.points) == (24, 3, 1)


def test_counts_alone_cost_nothing_and_need_no_page() -> None:
    found = _measure('query { nodes(ids: ["a"]) { ... on PullRequest { reviews { totalCount } files { totalCount } } } }', load())
    assert (found.requests, found.refused) == (0, [])


REFUSED = (
    (
        "first: 101",
        "EXCESSIVE_PAGINATION",
        "Requesting 101 records on the `pullRequests` connection exceeds the `first` limit of 100 records.",
    ),
    ("first: 0", "ARGUMENT_LIMIT", "cannot be less than one"),
    ("last: -1", "ARGUMENT_LIMIT", "`last` on the `pullRequests` connection"),
    (
        "after: null",
        "MISSING_PAGINATION_BOUNDARIES",
        "You must provide a `first` or `last` value to properly paginate the `pullRequests` connection.",
    ),
)


@pytest.mark.parametrize(("page", "kind", "message"), REFUSED)
def test_page_bounds_are_refused_in_githubs_shape(page: str, kind: str, message: str) -> None:
    answer = ask(
        core(), f'query {{ repository(owner: "acme", name: "rocket") {{ pullRequests({page}) {{ nodes {{ number }} }} }} }}'
    )
    assert answer["data"] == {"repository": None}
    error = answer["errors"][0]
    assert (error["type"], error["path"]) == (kind, ["repository", "pullRequests"])
    assert message in error["message"]


def test_a_page_of_exactly_one_hundred_is_fine() -> None:
    answer = ask(core(), 'query { repository(owner: "acme", name: "rocket") { pullRequests(first: 100) { nodes { number } } } }')
    assert len(answer["data"]["repository"]["pullRequests"]["nodes"]) == 34


def test_more_than_a_hundred_ids_are_refused() -> None:
    query = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }"
    assert "errors" in ask(core(), query, ids=[f"x{index}" for index in range(101)])
    answer = ask(core(), query, ids=[f"x{index}" for index in range(101)])
    assert answer["errors"][0]["message"] == "You may not provide more than 100 node ids; you provided 101."
    fine = ask(core(), query, ids=["PR_kw000000010000"] * 100)
    assert len(fine["data"]["nodes"]) == 100


def test_more_than_half_a_million_nodes_are_refused() -> None:
    inner = "reviewThreads(first: 100) { nodes { comments(first: 50) { nodes { id } } } }"
    answer = ask(
        core(), f'query {{ repository(owner: "acme", name: "rocket") {{ pullRequests(first: 100) {{ nodes {{ {inner} }} }} }} }}'
    )
    assert "data" not in answer
    assert answer["errors"][0]["type"] == "MAX_NODE_LIMIT_EXCEEDED"
    assert "requesting up to 510,100 possible nodes" in answer["errors"][0]["message"]
