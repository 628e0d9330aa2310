"""What a query may ask for and what it costs, computed from its text as GitHub documents it.

Nodes: each connection's ``first`` or ``last`` times those of the connections around it, added up; 500,000 at most.
Points: the requests needed to fill every connection (one for each parent), divided by 100, to the nearest whole number, at
least 1. A list of ids multiplies what is inside it. A connection asked only for its counts needs no ``first`` (GitHub
answers such queries, though the documentation says otherwise) and is taken to cost nothing.
"""

from dataclasses import dataclass, field
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    get_named_type,
)
from graphql.execution.values import get_argument_values
from graphql.language import get_location

from tests.github_standin.errors import entry

Json = dict[str, Any]

MAX_NODES = 500_000
MAX_PAGE = 100
MAX_IDS = 100
_PAGED = {"nodes", "edges", "pageInfo"}


@dataclass
class Measure:
    """What a query asks for: nodes at most, requests inside, and what is refused."""

    nodes: int = 0
    requests: int = 0
    refused: list[Json] = field(default_factory=list)

    @property
    def points(self) -> int:
        """Its price."""
        return max(1, round(self.requests / 100))


def measure(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, values: Json) -> Measure:
    """Walk a validated operation with its variables' values."""
    walk = _Walk(
        schema, {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}, values
    )
    if schema.query_type is not None:
        walk.selections(schema.query_type, operation.selection_set, 1, ())
    return walk.found


class _Walk:
    def __init__(self, schema: GraphQLSchema, fragments: dict[str, FragmentDefinitionNode], values: Json) -> None:
        self.schema = schema
        self.fragments = fragments
        self.values = values
        self.found = Measure()
        self.seen: set[tuple[str, ...]] = set()

    def selections(self, parent: GraphQLNamedType, chosen: SelectionSetNode, times: int, path: tuple[str, ...]) -> None:
        for node in chosen.selections:
            if isinstance(node, FieldNode):
                self._field(parent, node, times, path)
            elif isinstance(node, InlineFragmentNode):
                name = node.type_condition.name.value if node.type_condition else parent.name
                self.selections(self.schema.type_map[name], node.selection_set, times, path)
            elif isinstance(node, FragmentSpreadNode):
                fragment = self.fragments[node.name.value]
                self.selections(self.schema.type_map[fragment.type_condition.name.value], fragment.selection_set, times, path)

    def _field(self, parent: GraphQLNamedType, node: FieldNode, times: int, path: tuple[str, ...]) -> None:
        name = node.name.value
        if node.selection_set is None or not isinstance(parent, GraphQLObjectType | GraphQLInterfaceType):
            return
        definition = parent.fields[name]
        args = get_argument_values(definition, node, self.values)
        returned = get_named_type(definition.type)
        here = (*path, node.alias.value if node.alias else name)
        if name == "nodes" and parent == self.schema.query_type:
            times = self._ids(node, args["ids"], times, here)
        elif returned.name.endswith("Connection"):
            times = self._connection(node, args, times, here)
        self.selections(returned, node.selection_set, times, here)

    def _ids(self, node: FieldNode, ids: list[str], times: int, path: tuple[str, ...]) -> int:
        if len(ids) > MAX_IDS:
            self._refuse(
                "ARGUMENT_LIMIT", f"You may not provide more than {MAX_IDS} node ids; you provided {len(ids)}.", node, path
            )
        if path not in self.seen:
            self.seen.add(path)
            self.found.nodes += len(ids) * times
        return times * max(len(ids), 1)

    def _connection(self, node: FieldNode, args: Json, times: int, path: tuple[str, ...]) -> int:
        name = node.name.value
        side = "first" if args.get("first") is not None else "last"
        size = args.get(side)
        if size is None:
            if self._asks_for_nodes(node.selection_set):
                hint = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
                self._refuse("MISSING_PAGINATION_BOUNDARIES", hint, node, path)
            return times
        if size > MAX_PAGE:
            hint = f"Requesting {size} records on the `{name}` connection exceeds the `{side}` limit of {MAX_PAGE} records."
            self._refuse("EXCESSIVE_PAGINATION", hint, node, path)
        elif size < 1:
            hint = f"`{side}` on the `{name}` connection cannot be less than one: {size} was given."
            self._refuse("ARGUMENT_LIMIT", hint, node, path)
        if path not in self.seen:
            self.seen.add(path)
            self.found.requests += times
            self.found.nodes += times * size
            if self.found.nodes > MAX_NODES:
                hint = (
                    f"By the time this query traverses to the {name} connection, it is requesting up to {self.found.nodes:,} "
                    f"possible nodes which exceeds the maximum limit of {MAX_NODES:,}."
                )
                self._refuse("MAX_NODE_LIMIT_EXCEEDED", hint, node, path)
        return int(times * max(size, 1))

    def _asks_for_nodes(self, chosen: SelectionSetNode | None) -> bool:
        for node in chosen.selections if chosen else ():
            if isinstance(node, FieldNode):
                if node.name.value in _PAGED:
                    return True
            elif isinstance(node, InlineFragmentNode | FragmentSpreadNode):
                inner = self.fragments[node.name.value] if isinstance(node, FragmentSpreadNode) else node
                if self._asks_for_nodes(inner.selection_set):
                    return True
        return False

    def _refuse(self, kind: str, message: str, node: FieldNode, path: tuple[str, ...]) -> None:
        place = get_location(node.loc.source, node.loc.start) if node.loc else None
        locations = [{"line": place.line, "column": place.column}] if place else None
        if not any(known["type"] == kind and known["path"] == list(path) for known in self.found.refused):
            self.found.refused.append(entry(kind, message, list(path), locations))
