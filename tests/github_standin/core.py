"""The stand-in without HTTP: a request in, an answer out."""

import json
import re
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from graphql import DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode, parse, validate
from graphql.execution.values import get_variable_values

from tests.github_standin import answers, rest
from tests.github_standin.answers import Answer
from tests.github_standin.dataset import Dataset
from tests.github_standin.errors import entry
from tests.github_standin.execute import exactly, operation_of, quickly
from tests.github_standin.faults import Fault, FaultScript
from tests.github_standin.limits import measure
from tests.github_standin.meter import AT_ONCE, Meter, Stats
from tests.github_standin.resolve import Context
from tests.github_standin.schema import load
from tests.github_standin.store import Store

Json = dict[str, Any]

_TOKEN = re.compile(r"(?:bearer|token)\s+(\S+)", re.IGNORECASE)
_OPERATION = re.compile(r"\b(?:query|mutation)\s+(\w+)")


@dataclass(frozen=True)
class Asked:
    """One request as the server received it."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    root: str  # http://127.0.0.1:PORT


@dataclass
class Options:
    """How the stand-in behaves."""

    exact: bool = False
    latency_ms: float = 0.0
    node_latency_us: float = 0.0
    compute_limit: int | None = None
    compute_answer: str = "null"  # null, or 502
    tokens: Collection[str] | None = None  # those that are good; None: any that does not begin with "bad"
    enterprise: bool = False  # no rate limit headers, /rate_limit is not found
    without: Collection[str] = ()  # fields the schema lacks
    forbidden: Collection[str] = ()  # fields the token may not read
    points: int = 5_000
    window_seconds: float = 3_600.0


@dataclass
class Core:
    """Data, budgets, faults and counts of one running stand-in."""

    dataset: Dataset
    options: Options = field(default_factory=Options)
    script: FaultScript = field(default_factory=FaultScript)
    stats: Stats = field(default_factory=Stats)

    def __post_init__(self) -> None:
        self.store = Store(self.dataset)
        self.meter = Meter(points=self.options.points, window=self.options.window_seconds)

    def reset(self) -> None:
        """Forget counts and budgets; data and faults stay."""
        self.stats = Stats(now=self.stats.now)
        self.meter.budgets.clear()
        self.meter.recent.clear()

    def kind(self, asked: Asked) -> str:
        """``graphql:Details`` or ``rest:GET /repos/{}/{}/pulls/{}``."""
        if not is_graphql(asked.path):
            return f"rest:{asked.method} {rest.template(asked.path)}"
        known = _body(asked)
        name = known.get("operationName") or next(iter(_OPERATION.findall(str(known.get("query", "")))), "anonymous")
        return f"graphql:{name}"

    def answer(self, asked: Asked) -> Answer:
        """The answer, with the time to wait before it is sent."""
        begun = time.perf_counter()
        kind = self.kind(asked)
        self.stats.kinds[kind] += 1
        fault = self.script.pick(kind, asked.path, asked.body.decode("utf-8", "replace"), _token(asked) or "")
        if fault is not None:
            self.stats.faults[fault.name] += 1
            self._charge(_token(asked) or "", int(fault.rule.get("points", 0)))
        answer = (fault.instead(asked) if fault else None) or self._honest(asked, fault)
        if fault is not None:
            answer = fault.after(answer)
        spent = time.perf_counter() - begun
        self.stats.seconds += spent
        self.stats.statuses[str(answer.status)] += 1
        answer.wait += self.options.latency_ms / 1_000 + answer.nodes * self.options.node_latency_us / 1_000_000
        if is_graphql(asked.path):
            self.meter.note(_token(asked) or "", answer.points, spent + answer.wait)
        return answer

    def _honest(self, asked: Asked, fault: Fault | None) -> Answer:
        if self.stats.now > AT_ONCE:
            return answers.secondary(60)
        token = _token(asked)
        if asked.path.endswith("/access_tokens"):
            return rest.installation_token(asked)
        if not rest.is_open(asked.path) and not self._good(token):
            return answers.bad_credentials() if token else answers.unauthenticated()
        if is_graphql(asked.path):
            return self._graphql(_body(asked), token or "", fault)
        return self._rest(asked, token or "")

    def _charge(self, token: str, points: int) -> None:
        self.meter.budget(token, "graphql").used += points
        self.stats.points += points

    def _good(self, token: str | None) -> bool:
        if token is None:
            return False
        tokens = self.options.tokens
        return not token.startswith("bad") if tokens is None else token in tokens or token.startswith("ghs_standin")

    def _rest(self, asked: Asked, token: str) -> Answer:
        resource = "search" if "/search/" in asked.path else "core"
        budget = self.meter.budget(token, resource)
        if not rest.is_free(asked.path):
            if budget.remaining < 1 and not self.options.enterprise:
                return answers.exhausted_rest(budget.headers())
            budget.used += 1
        with self.store.lock:
            made = rest.answer(asked, self.store, self.meter, token, enterprise=self.options.enterprise)
        made.headers.update({} if self.options.enterprise else budget.headers())
        return made

    def _graphql(self, body: Json, token: str, fault: Fault | None) -> Answer:
        text = body.get("query")
        if not isinstance(text, str):
            return answers.json_answer({"message": "A query attribute must be specified and must be a string.", "errors": []}, 400)
        without = frozenset(self.options.without) | (fault.without if fault else frozenset())
        schema = load(without)
        document, problems = _checked(text, without)
        if document is None or problems:
            return answers.json_answer({"errors": list(problems)})
        operation = operation_of(document, body.get("operationName"))
        if operation is None:
            return answers.json_answer({"errors": [{"message": "An operation name is required"}]})
        return self._priced(schema, document, operation, body, token, fault)

    def _priced(
        self,
        schema: GraphQLSchema,
        document: DocumentNode,
        operation: OperationDefinitionNode,
        body: Json,
        token: str,
        fault: Fault | None,
    ) -> Answer:
        given = body.get("variables") or {}
        values = get_variable_values(schema, operation.variable_definitions or (), given)
        if isinstance(values, list):
            return answers.json_answer({"errors": [_variable_error(error) for error in values]})
        asked = measure(schema, document, operation, values)
        if asked.refused:
            return answers.json_answer(_refused(asked.refused))
        budget = self.meter.budget(token, "graphql")
        if not self.options.enterprise:
            if budget.remaining < asked.points:
                return answers.exhausted_graphql(budget.headers())
            if self.meter.too_fast(token, asked.points):
                return answers.secondary(60)
        self._charge(token, asked.points)
        context = self._context(fault)
        context.rate = {} if self.options.enterprise else budget.document(asked.points, asked.nodes)
        run = exactly if self.options.exact else quickly
        with self.store.lock:
            made = run(schema, document, given, operation.name.value if operation.name else None, context)
        self.stats.nodes += context.nodes_served
        self._remember(given)
        return self._served(made, context, asked.points, {} if self.options.enterprise else budget.headers())

    def _served(self, made: Json, context: Context, points: int, headers: dict[str, str]) -> Answer:
        limit = self.options.compute_limit
        answer = answers.json_answer(made)
        if limit is not None and context.nodes_served > limit:
            answer = answers.gateway(502) if self.options.compute_answer == "502" else answers.json_answer(answers.cut_short(made))
        answer.headers.update(headers)
        answer.nodes, answer.points = context.nodes_served, points
        return answer

    def _context(self, fault: Fault | None) -> Context:
        return Context(
            self.store,
            forbidden=frozenset(self.options.forbidden) | (fault.forbidden if fault else frozenset()),
            null_numbers=fault.null_numbers if fault else frozenset(),
            null_only_in_batches=bool(fault and fault.rule.get("only_in_batches")),
        )

    def _remember(self, variables: Json) -> None:
        for value in variables.values():
            self.stats.asked_ids.update(one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))


def is_graphql(path: str) -> bool:
    """Whether a path is the GraphQL endpoint of github.com or of an enterprise host."""
    return path in {"/graphql", "/api/graphql"}


def _token(asked: Asked) -> str | None:
    match = _TOKEN.match(asked.headers.get("authorization", ""))
    return match[1] if match else None


def _body(asked: Asked) -> Json:
    try:
        known = json.loads(asked.body)
    except ValueError:
        return {}
    return known if isinstance(known, dict) else {}


@lru_cache(maxsize=256)
def _checked(text: str, without: frozenset[str]) -> tuple[DocumentNode | None, tuple[Json, ...]]:
    """A query parsed and validated, once for each text."""
    try:
        document = parse(text)
    except GraphQLError as error:
        places = [{"line": place.line, "column": place.column} for place in error.locations or []]
        return None, ({"message": f"Parse error: {error.message}", "locations": places},)
    errors = validate(load(without), document)
    return document, tuple(answers.invalid(error) for error in errors)


def _variable_error(error: GraphQLError) -> Json:
    places = [{"line": place.line, "column": place.column} for place in error.locations or []]
    return {"message": error.message, "locations": places, "extensions": {"code": "variableMismatch"}}


def _refused(refused: Sequence[Json]) -> Json:
    """Data null where it was asked, as GitHub answers a page that is too large."""
    if any(one["type"] == "MAX_NODE_LIMIT_EXCEEDED" for one in refused):
        return {"errors": [entry(one["type"], one["message"]) for one in refused if one["type"] == "MAX_NODE_LIMIT_EXCEEDED"]}
    roots = {one["path"][0] for one in refused}
    required = any(name in roots for name in ("search", "nodes"))
    return {"data": None if required else dict.fromkeys(sorted(roots)), "errors": list(refused)}
