"""The schema, whole or without some of its fields as on an older enterprise server."""

from functools import lru_cache
from pathlib import Path

from graphql import GraphQLInterfaceType, GraphQLObjectType, GraphQLSchema, build_schema

SDL = Path(__file__).with_name("schema.graphql")


@lru_cache(maxsize=32)
def load(without: frozenset[str] = frozenset()) -> GraphQLSchema:
    """The executable schema; ``without`` names fields such as ``PullRequest.closingIssuesReferences``."""
    schema = build_schema(SDL.read_text(encoding="utf-8"))
    for name in without:
        kind, _, field = name.partition(".")
        owner = schema.type_map[kind]
        if isinstance(owner, GraphQLObjectType | GraphQLInterfaceType):
            del owner.fields[field]
    return schema
