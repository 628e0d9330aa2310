"""Two ways to execute one validated query over the same documents; a test holds their answers equal.

:func:`exactly` is graphql-core. :func:`quickly` walks a plan compiled from the selection set, without per-field promises,
info objects and coercions of values that are already what they should be. It does what queries of this project need: no
mutations, no subscriptions, no custom directives.
"""

from collections.abc import Callable
from typing import Any, cast

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLError,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLResolveInfo,
    GraphQLSchema,
    OperationDefinitionNode,
    execute_sync,
    get_named_type,
    is_abstract_type,
    is_leaf_type,
)
from graphql.execution.collect_fields import collect_fields, collect_sub_fields
from graphql.execution.values import get_argument_values, get_variable_values
from graphql.language import FragmentDefinitionNode, get_location

from tests.github_standin.errors import RefusedError, entry
from tests.github_standin.resolve import Context, resolver

Json = dict[str, Any]
Read = Callable[[Json], Any]
Complete = Callable[[Any], Any]


def operation_of(document: DocumentNode, name: str | None) -> OperationDefinitionNode | None:
    """The operation to run: by its name, or the only one."""
    found = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
    named = [node for node in found if name is None or (node.name and node.name.value == name)]
    return named[0] if len(named) == 1 else None


def exactly(schema: GraphQLSchema, document: DocumentNode, variables: Json, name: str | None, context: Context) -> Json:
    """The answer by graphql-core's own execution."""

    def resolve(parent: Any, info: GraphQLResolveInfo, **args: object) -> object:
        found = resolver(info.parent_type.name, info.field_name, get_named_type(info.return_type).name)
        return (parent or {}).get(info.field_name) if found is None else found(parent or {}, args, context)

    result = execute_sync(
        schema,
        document,
        variable_values=variables,
        operation_name=name,
        field_resolver=resolve,
        type_resolver=lambda value, *_: str(value["__typename"]),
    )
    answer: Json = {"data": result.data}
    if result.errors:
        answer["errors"] = [_formatted(error) for error in result.errors]
    return answer


def _formatted(error: GraphQLError) -> Json:
    original = error.original_error
    kind = original.kind if isinstance(original, RefusedError) else "INTERNAL"
    locations = [{"line": place.line, "column": place.column} for place in error.locations or []]
    return entry(kind, error.message, list(error.path) if error.path is not None else None, locations)


class _FieldError(Exception):
    """A value that may not be null failed; it travels outwards to the next place that may be null."""

    def __init__(self, kind: str, message: str, node: FieldNode, path: list[str | int]) -> None:
        super().__init__(message)
        self.kind = kind
        self.node = node
        self.path = path


def quickly(schema: GraphQLSchema, document: DocumentNode, variables: Json, name: str | None, context: Context) -> Json:
    """The same answer by a compiled plan."""
    operation = operation_of(document, name)
    query = schema.query_type
    if operation is None or query is None:
        return {"data": None, "errors": [{"message": f"No operation named {name!r}"}]}
    values = get_variable_values(schema, operation.variable_definitions or (), variables)
    if isinstance(values, list):
        return {"data": None, "errors": [_formatted(error) for error in values]}
    walker = _Walker(schema, document, values, context)
    fields = collect_fields(schema, walker.fragments, values, query, operation.selection_set)
    try:
        data = walker.plan(query, fields)({})
    except _FieldError as failure:
        walker.note(failure)
        data = None
    answer: Json = {"data": data}
    if walker.errors:
        answer["errors"] = walker.errors
    return answer


class _Walker:
    """Compiles selection sets into closures, once for each object type that is met, and keeps the errors."""

    def __init__(self, schema: GraphQLSchema, document: DocumentNode, values: Json, context: Context) -> None:
        self.schema = schema
        self.values = values
        self.context = context
        self.fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
        self.errors: list[Json] = []
        self.path: list[str | int] = []

    def note(self, failure: _FieldError) -> None:
        """Put a failure among the errors of the answer."""
        place = failure.node.loc
        where = get_location(place.source, place.start) if place else None
        locations = [{"line": where.line, "column": where.column}] if where else []
        self.errors.append(entry(failure.kind, str(failure), failure.path, locations))

    def plan(self, parent: GraphQLObjectType, fields: dict[str, list[FieldNode]]) -> Callable[[Json], Json]:
        """A function from a document to the object asked for."""
        steps = [self._step(parent, key, nodes) for key, nodes in fields.items()]

        def run(source: Json) -> Json:
            return {key: read(source) for key, read in steps}

        return run

    def _step(self, parent: GraphQLObjectType, key: str, nodes: list[FieldNode]) -> tuple[str, Read]:
        name = nodes[0].name.value
        if name == "__typename":
            return key, lambda _: parent.name
        definition = parent.fields[name]
        if is_leaf_type(definition.type):
            return key, lambda source: source.get(name)
        where = f"{parent.name}.{name}"
        if isinstance(definition.type, GraphQLNonNull) and is_leaf_type(definition.type.of_type):
            return key, self._required_leaf(key, name, nodes[0], where)
        return key, self._branch(key, self._reader(parent, name, nodes[0]), self._complete(definition.type, nodes, where), nodes[0])

    def _required_leaf(self, key: str, name: str, node: FieldNode, where: str) -> Read:
        def read(source: Json) -> object:
            value = source.get(name)
            if value is None:
                raise _FieldError("INTERNAL", _null(where), node, [*self.path, key])
            return value

        return read

    def _reader(self, parent: GraphQLObjectType, name: str, node: FieldNode) -> Read:
        definition = parent.fields[name]
        found = resolver(parent.name, name, get_named_type(definition.type).name)
        if found is None:
            return lambda source: source.get(name)
        args = get_argument_values(definition, node, self.values)
        return lambda source: found(source, args, self.context)

    def _branch(self, key: str, read: Read, complete: Complete, node: FieldNode) -> Read:
        def branch(source: Json) -> object:
            self.path.append(key)
            try:
                return complete(read(source))
            except RefusedError as refusal:
                return complete(_FieldError(refusal.kind, refusal.message, node, self.path.copy()))
            finally:
                self.path.pop()

        return branch

    def _complete(self, kind: GraphQLOutputType, nodes: list[FieldNode], where: str) -> Complete:
        """What makes a value of a type of what was read; a failure becomes null here where null is allowed."""
        if isinstance(kind, GraphQLNonNull):
            return self._required(self._bare(kind.of_type, nodes, where), nodes[0], where)
        inner = self._bare(kind, nodes, where)

        def optional(value: object) -> object:
            if value is None:
                return None
            try:
                if isinstance(value, _FieldError):
                    raise value
                return inner(value)
            except _FieldError as failure:
                self.note(failure)
                return None

        return optional

    def _required(self, inner: Complete, node: FieldNode, where: str) -> Complete:
        def required(value: object) -> object:
            if isinstance(value, _FieldError):
                raise value
            if value is None:
                raise _FieldError("INTERNAL", _null(where), node, self.path.copy())
            return inner(value)

        return required

    def _bare(self, kind: GraphQLOutputType, nodes: list[FieldNode], where: str) -> Complete:
        if isinstance(kind, GraphQLList):
            return self._list(self._complete(kind.of_type, nodes, where), nodes[0])
        if is_leaf_type(kind):
            return lambda value: value
        plans: dict[str, Callable[[Json], Json]] = {}

        def made(value: Any) -> Json:
            name = value["__typename"] if is_abstract_type(kind) else str(kind)
            if name not in plans:
                concrete = cast("GraphQLObjectType", self.schema.type_map[name])
                fields = collect_sub_fields(self.schema, self.fragments, self.values, concrete, nodes)
                plans[name] = self.plan(concrete, fields)
            return plans[name](value)

        return made

    def _list(self, complete: Complete, node: FieldNode) -> Complete:
        def items(values: Any) -> list[object]:
            answer = []
            for index, value in enumerate(values):
                self.path.append(index)
                try:
                    if isinstance(value, RefusedError):
                        answer.append(complete(_FieldError(value.kind, value.message, node, self.path.copy())))
                    else:
                        answer.append(complete(value))
                finally:
                    self.path.pop()
            return answer

        return items


def _null(where: str) -> str:
    return f"Cannot return null for non-nullable field {where}."
