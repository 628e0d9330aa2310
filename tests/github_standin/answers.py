"""Answers in GitHub's own shapes: status, headers and body."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLError

from tests.github_standin.errors import RESOURCE_LIMITS, SOMETHING_WENT_WRONG, entry

Json = dict[str, Any]

_DOCS = "https://docs.github.com/rest"


@dataclass
class Answer:
    """One HTTP answer; ``wait`` seconds before it is sent, ``reset`` to drop the connection instead."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0
    reset: bool = False
    announce: int | None = None  # a Content-Length larger than what is sent: the body is cut
    nodes: int = 0
    points: int = 0


def json_answer(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """A JSON body."""
    return Answer(status, json.dumps(body).encode(), {"content-type": "application/json; charset=utf-8", **(headers or {})})


def message(status: int, text: str, **more: object) -> Answer:
    """GitHub's plain error: ``message``, ``documentation_url``, ``status``."""
    return json_answer({"message": text, "documentation_url": _DOCS, "status": str(status), **more}, status)


def bad_credentials() -> Answer:
    """A token that is wrong, expired or revoked."""
    return message(401, "Bad credentials")


def unauthenticated() -> Answer:
    """No token at all."""
    return message(401, "This endpoint requires you to be authenticated.")


def not_found() -> Answer:
    """Nothing there, or nothing this token may see."""
    return message(404, "Not Found")


def secondary(retry_after: int | None, status: int = 403) -> Answer:
    """A secondary limit; GitHub sends it as 403 or 429, and for GraphQL also as 200."""
    text = (
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub "
        "Support for help, please include the request ID ABCD:1234:5678:9ABC:DEF0."
    )
    if status == 200:
        made = json_answer({"errors": [{"type": "RATE_LIMITED", "message": text}]})
    else:
        made = json_answer({"documentation_url": f"{_DOCS}/overview/rate-limits#secondary-rate-limits", "message": text}, status)
    if retry_after is not None:
        made.headers["retry-after"] = str(retry_after)
    return made


def exhausted_graphql(headers: dict[str, str], kind: str = "RATE_LIMITED") -> Answer:
    """All points spent: HTTP 200 with an error."""
    made = json_answer({"errors": [{"type": kind, "message": "API rate limit exceeded for user ID 1."}]})
    made.headers.update(headers)
    return made


def exhausted_rest(headers: dict[str, str]) -> Answer:
    """All requests spent: 403."""
    made = message(403, "API rate limit exceeded for user ID 1.")
    made.headers.update(headers)
    return made


def gateway(status: int) -> Answer:
    """A query that took too long: 502 as JSON, 503 and 504 as a page."""
    if status == 502:
        return json_answer({"data": None, "errors": [{"message": SOMETHING_WENT_WRONG}]}, 502)
    names = {503: "Service Unavailable", 504: "Gateway Time-out"}
    page = f"<html><head><title>{status} {names.get(status, '')}</title></head><body><h1>{status}</h1></body></html>"
    return Answer(status, page.encode(), {"content-type": "text/html"})


def html_page() -> Answer:
    """A page in place of JSON, with status 200: what a proxy or a maintenance page sends."""
    return Answer(200, b"<!DOCTYPE html><html><body><h1>Unicorn!</h1></body></html>", {"content-type": "text/html"})


def cut_short(answer: Json) -> Json:
    """An answer whose query passed the compute limit: what was asked is null, except the rate limit."""
    data = answer.get("data") or {}
    kept = {
        key: value if key == "rateLimit" else [None] * len(value) if isinstance(value, list) else None
        for key, value in data.items()
    }
    failed = [key for key in kept if key != "rateLimit"]
    return {"data": kept, "errors": [entry("RESOURCE_LIMITS_EXCEEDED", RESOURCE_LIMITS, [key]) for key in failed]}


def invalid(error: GraphQLError) -> Json:
    """A query that does not fit the schema, in GitHub's words where they are known."""
    places = [{"line": place.line, "column": place.column} for place in error.locations or []]
    for pattern, worded in _WORDED:
        match = pattern.match(error.message)
        if match:
            extensions, text = worded(*match.groups())
            return {"path": ["query"], "extensions": extensions, "locations": places, "message": text}
    return {"locations": places, "message": error.message}


def _no_field(name: str, owner: str) -> tuple[Json, str]:
    return {"code": "undefinedField", "typeName": owner, "fieldName": name}, f"Field '{name}' doesn't exist on type '{owner}'"


def _no_argument(argument: str, _owner: str, name: str) -> tuple[Json, str]:
    known = {"code": "argumentNotAccepted", "name": name, "typeName": "Field", "argumentName": argument}
    return known, f"Field '{name}' doesn't accept argument '{argument}'"


def _no_type(name: str) -> tuple[Json, str]:
    return {"code": "undefinedType", "typeName": name}, f"No such type {name}, so it can't be a fragment condition"


def _no_value(value: str, owner: str) -> tuple[Json, str]:
    return {
        "code": "argumentLiteralsIncompatible",
        "typeName": "Field",
    }, f"Argument has an invalid value ({value}). Expected type '{owner}'."


_WORDED: tuple[tuple[re.Pattern[str], Callable[..., tuple[Json, str]]], ...] = (
    (re.compile(r"Cannot query field '(\w+)' on type '(\w+)'"), _no_field),
    (re.compile(r"Unknown argument '(\w+)' on field '(\w+)\.(\w+)'"), _no_argument),
    (re.compile(r"Unknown type '(\w+)'"), _no_type),
    (re.compile(r"Value '(\w+)' does not exist in '(\w+)' enum"), _no_value),
)
