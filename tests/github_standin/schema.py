"""The schema, whole or without some of its parts as on an older enterprise server."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from graphql import DocumentNode, GraphQLSchema, build_ast_schema, parse, visit
from graphql.language import REMOVE, NamedTypeNode, Node, TypeNode, Visitor

SDL = Path(__file__).with_name("schema.graphql")


@lru_cache(maxsize=1)
def _document() -> DocumentNode:
    return parse(SDL.read_text(encoding="utf-8"), no_location=True)


@lru_cache(maxsize=64)
def load(without: frozenset[str] = frozenset()) -> GraphQLSchema:
    """The executable schema; ``without`` names fields (``PullRequest.reviewDecision``), types or values of enumerations."""
    return build_ast_schema(visit(_document(), _Cut(without)) if without else _document())


class _Cut(Visitor):
    """Takes types, fields and values of enumerations out, and the fields and unions that would refer to them."""

    def __init__(self, without: frozenset[str]) -> None:
        super().__init__()
        self._without = without

    def enter(self, node: Node, _key: Any, _parent: Any, _path: Any, ancestors: list[Any]) -> object:
        name = getattr(getattr(node, "name", None), "value", None)
        if node.kind.endswith("_type_definition"):
            return REMOVE if name in self._without else None
        if node.kind in {"field_definition", "enum_value_definition"}:
            owner = ancestors[-1] if not isinstance(ancestors[-1], tuple | list) else ancestors[-2]
            gone = f"{owner.name.value}.{name}" in self._without or _named(getattr(node, "type", None)) in self._without
            return REMOVE if gone else None
        in_union = (
            isinstance(node, NamedTypeNode) and ancestors and getattr(_nearest(ancestors), "kind", "") == "union_type_definition"
        )
        return REMOVE if in_union and name in self._without else None


def _nearest(ancestors: list[Any]) -> object:
    return next(one for one in reversed(ancestors) if not isinstance(one, tuple | list))


def _named(kind: TypeNode | None) -> str | None:
    while kind is not None and not isinstance(kind, NamedTypeNode):
        kind = getattr(kind, "type", None)
    return kind.name.value if kind is not None else None
