import re
from functools import cache
from pathlib import Path

import graphql
import pytest

import tests.github_standin
from pipelines.sources.github.queries import Queries, lacking

SCHEMA = Path(tests.github_standin.__file__).with_name("schema.graphql").read_text(encoding="utf-8")
OPERATIONS = re.findall(r"^query (\w+)", Path("pipelines/sources/github/queries.graphql").read_text(encoding="utf-8"), re.MULTILINE)


@cache
def built(schema: str) -> graphql.GraphQLSchema:
    return graphql.build_schema(schema, assume_valid_sdl=True)


def problems(text: str, schema: str = SCHEMA) -> list[graphql.GraphQLError]:
    return graphql.validate(built(schema), graphql.parse(text))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_is_whole_and_brings_no_fragment_too_many(operation: str) -> None:
    assert problems(Queries().text(operation)) == []


def told(errors: list[graphql.GraphQLError]) -> list[dict[str, object]]:
    return [
        {"message": error.message, "locations": [{"line": place.line, "column": place.column} for place in error.locations or []]}
        for error in errors
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ["  reviewThreads(after: String, before: String, first: Int, last: Int): PullRequestReviewThreadConnection!"],
        ["  isResolved: Boolean!", "  reviewDecision: PullRequestReviewDecision", "  mergeCommit: Commit"],
        ["  body: String!"],
        ["  originalLine: Int"],
    ],
)
def test_fields_that_a_schema_lacks_are_cut_out_until_it_accepts_the_query(lines: list[str]) -> None:
    older = SCHEMA
    for line in lines:
        assert line in older
        older = older.replace(line + "\n", "")
    queries = Queries()
    for operation in ("Details", "MoreThreads", "MoreThreadComments", "MoreReviews", "Stamps"):
        for _ in range(3):
            sent = queries.text(operation)
            if errors := problems(sent, older):
                assert queries.drop(operation, sent, told(errors))
        assert problems(queries.text(operation), older) == []
    assert queries.dropped


def test_another_worker_may_have_cut_it_already() -> None:
    queries = Queries()
    sent = queries.text("Details")
    queries.drop_checks()
    assert queries.drop("Details", sent, [])
    assert "statusCheckRollup" not in queries.text("Details")
    assert problems(queries.text("Details")) == []


def test_an_error_that_names_no_place_cuts_nothing() -> None:
    queries = Queries()
    sent = queries.text("Viewer")
    assert not queries.drop("Viewer", sent, [{"message": "Field 'x' doesn't exist on type 'Y'"}])


def test_only_errors_of_the_schema_are_taken_for_such() -> None:
    assert lacking({"message": "Field 'a' doesn't exist on type 'B'"}) == "a"
    assert lacking({"message": "Cannot query field 'a' on type 'B'. Did you mean 'c'?"}) == "a"
    assert lacking({"message": "x", "extensions": {"code": "undefinedType", "typeName": "T"}}) == "T"
    assert lacking({"message": "Something went wrong"}) is None
