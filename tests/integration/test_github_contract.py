"""GitHub's published schema against our queries and against the stand-in's schema.

The schema is the file ``schema.graphql`` of the npm package ``@octokit/graphql-schema`` (pinned in package.json).
"""

from functools import cache
from pathlib import Path

import pytest
from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    OperationDefinitionNode,
    build_ast_schema,
    is_introspection_type,
    is_required_argument,
    is_specified_scalar_type,
    parse,
    validate,
)

from tests.github_standin.schema import load

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "node_modules" / "@octokit" / "graphql-schema" / "schema.graphql"
QUERIES = ROOT / "pipelines" / "sources" / "github" / "queries.graphql"


@cache
def _published() -> GraphQLSchema | None:
    # assume_valid_sdl: the published file repeats a field, which the specification does not allow
    return build_ast_schema(parse(PUBLISHED.read_text(encoding="utf-8")), assume_valid_sdl=True) if PUBLISHED.is_file() else None


@pytest.fixture
def published() -> GraphQLSchema:
    schema = _published()
    if schema is None:
        pytest.skip("GitHub's published schema is not installed: run make contract")
    return schema


def _ours() -> dict[str, GraphQLNamedType]:
    known = load().type_map
    return {name: kind for name, kind in known.items() if not is_introspection_type(kind) and not is_specified_scalar_type(kind)}


def _errors(schema: GraphQLSchema, text: str) -> list[str]:
    return [f"{error.message} at {error.locations}" for error in validate(schema, parse(text), max_errors=20)]


def test_every_query_of_ours_fits_the_published_schema(published: GraphQLSchema) -> None:
    assert _errors(published, QUERIES.read_text(encoding="utf-8")) == []


def test_every_query_of_ours_fits_the_stand_in() -> None:
    text = QUERIES.read_text(encoding="utf-8")
    assert any(isinstance(node, OperationDefinitionNode) for node in parse(text).definitions)
    assert _errors(load(), text) == []


def test_a_query_with_an_unknown_field_does_not_fit(published: GraphQLSchema) -> None:
    text = "query { viewer { login nickname } }"
    assert "Cannot query field 'nickname' on type 'User'" in _errors(published, text)[0]
    assert "Cannot query field 'nickname' on type 'User'" in _errors(load(), text)[0]


@pytest.mark.parametrize("name", sorted(_ours()))
def test_a_type_of_the_stand_in_is_as_published(name: str, published: GraphQLSchema) -> None:
    ours, theirs = _ours()[name], published.type_map.get(name)
    assert theirs is not None, f"GitHub has no type {name}"
    assert type(ours) is type(theirs)
    assert _differences(ours, theirs) == []


def _differences(ours: GraphQLNamedType, theirs: GraphQLNamedType) -> list[str]:
    """What the stand-in says otherwise than GitHub; leaving things out is allowed, inventing is not."""
    if isinstance(ours, GraphQLObjectType | GraphQLInterfaceType) and isinstance(theirs, GraphQLObjectType | GraphQLInterfaceType):
        return [
            *_missing("interface", {one.name for one in ours.interfaces}, {one.name for one in theirs.interfaces}),
            *_fields(ours, theirs),
        ]
    if isinstance(ours, GraphQLUnionType) and isinstance(theirs, GraphQLUnionType):
        return _missing("member", {one.name for one in ours.types}, {one.name for one in theirs.types})
    if isinstance(ours, GraphQLEnumType) and isinstance(theirs, GraphQLEnumType):
        return _missing("value", set(ours.values), set(theirs.values))
    if isinstance(ours, GraphQLInputObjectType) and isinstance(theirs, GraphQLInputObjectType):
        pairs = {name: (str(one.type), str(theirs.fields[name].type)) for name, one in ours.fields.items() if name in theirs.fields}
        unlike = [f"{name}: {mine} here, {other} there" for name, (mine, other) in pairs.items() if mine != other]
        return [*_missing("input field", set(ours.fields), set(theirs.fields)), *unlike]
    return []


def _missing(what: str, ours: set[str], theirs: set[str]) -> list[str]:
    return [f"no {what} {name}" for name in sorted(ours - theirs)]


def _fields(ours: GraphQLObjectType | GraphQLInterfaceType, theirs: GraphQLObjectType | GraphQLInterfaceType) -> list[str]:
    found = _missing("field", set(ours.fields), set(theirs.fields))
    for name, mine in ours.fields.items():
        other = theirs.fields.get(name)
        if other is None:
            continue
        if str(mine.type) != str(other.type):
            found.append(f"{name}: {mine.type} here, {other.type} there")
        found += [f"{name}: {problem}" for problem in _arguments(mine.args, other.args)]
    return found


def _arguments(ours: dict[str, GraphQLArgument], theirs: dict[str, GraphQLArgument]) -> list[str]:
    found = _missing("argument", set(ours), set(theirs))
    found += [
        f"argument {name} is required there" for name, one in theirs.items() if is_required_argument(one) and name not in ours
    ]
    for name in sorted(set(ours) & set(theirs)):
        mine, other = ours[name], theirs[name]
        if (str(mine.type), mine.default_value) != (str(other.type), other.default_value):
            found.append(f"argument {name}: {mine.type} = {mine.default_value} here, {other.type} = {other.default_value} there")
    return found
