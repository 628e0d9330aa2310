"""What a failed answer means, and what to do about it: one table of causes, one clear message each.

GitHub says the same thing in many ways: a limit as 200, 403 or 429; a heavy query as 502, a timeout or
``RESOURCE_LIMITS_EXCEEDED``; a missing permission as 403, or as ``errors`` beside good data.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pipelines.errors import SourceError
from pipelines.sources.github.queries import lacking

#: again: the same request may succeed later, a smaller one sooner. primary, secondary: wait, or use another token.
#: field: ask without it. token: this token is of no use. fatal: stop. partial: keep what came.
Kind = Literal["again", "primary", "secondary", "field", "token", "fatal", "partial"]

_PRIMARY_TYPES = frozenset({"RATE_LIMITED", "RATE_LIMIT"})
_HEAVY_TYPES = frozenset({"RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED", "TIMEOUT", "SERVICE_UNAVAILABLE", "INTERNAL"})
_HEAVY_WORDS = ("something went wrong", "timeout", "timed out", "resource limit")
_SERVER_ERROR = 500
_OK = 200
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _TOO_MANY, _LEGAL = 401, 403, 404, 429, 451
_REFUSED = 400
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class LimitReachedError(SourceError):
    """The wait for a limit would be longer than allowed."""


@dataclass(frozen=True)
class Reply:
    """An answer as it came: ``broken`` says why there is none to read (reset, timeout, cut off, not JSON)."""

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    payload: Any = None
    broken: str | None = None

    @property
    def errors(self) -> list[dict[str, Any]]:
        """The errors of a GraphQL answer; none where it holds none."""
        found = self.payload.get("errors") if isinstance(self.payload, dict) else None
        return [error for error in found if isinstance(error, dict)] if isinstance(found, list) else []

    @property
    def data(self) -> dict[str, Any] | None:
        """The data of a GraphQL answer; None where there is none or it is not an object."""
        found = self.payload.get("data") if isinstance(self.payload, dict) else None
        return found if isinstance(found, dict) else None

    @property
    def message(self) -> str:
        """What GitHub said, in one line, however it said it."""
        if self.errors:
            return "; ".join(dict.fromkeys(str(error.get("message")) for error in self.errors[:3]))
        said = self.payload.get("message") if isinstance(self.payload, dict) else None
        return str(said or self.broken or f"HTTP {self.status}")


@dataclass(frozen=True)
class Fault:
    """What is wrong with an answer: its kind, a message that says what to do, and how long GitHub asked to wait."""

    kind: Kind
    message: str
    retry_after_seconds: float | None = None


def classify(reply: Reply, *, is_graphql: bool = True) -> Fault | None:
    """What is wrong with an answer; None where nothing is."""
    if reply.broken is not None:
        return Fault("again", reply.broken)
    fault = _of_limits(reply) or _of_status(reply)
    if fault is not None or not is_graphql:
        return fault
    if reply.errors:
        return _of_errors(reply)
    if reply.data is None:
        return Fault("again", f"an answer that is not GraphQL's (HTTP {reply.status})")
    return None


def _of_limits(reply: Reply) -> Fault | None:
    said = reply.message.lower()
    wait = _seconds(reply.headers.get("retry-after"))
    if "secondary rate limit" in said or "abuse detection" in said:
        return Fault("secondary", f"GitHub's secondary limit: {reply.message}", wait)
    if any(error.get("type") in _PRIMARY_TYPES for error in reply.errors) or "rate limit exceeded" in said:
        return Fault("primary", f"the hourly limit is reached: {reply.message}", wait)
    if reply.status in {_FORBIDDEN, _TOO_MANY}:
        if reply.headers.get("x-ratelimit-remaining") == "0":
            return Fault("primary", f"the hourly limit is reached: {reply.message}", wait)
        if reply.status == _TOO_MANY or wait is not None:
            return Fault("secondary", f"GitHub's secondary limit: {reply.message}", wait)
    return None


def _seconds(text: str | None) -> float | None:
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None  # an HTTP date: GitHub is not known to send one; the default wait serves


def _of_status(reply: Reply) -> Fault | None:
    status, said = reply.status or _OK, reply.message
    if status >= _SERVER_ERROR:
        return Fault("again", f"HTTP {status}")
    if status in _REDIRECTS:
        return Fault("fatal", f"HTTP {status}: the address has moved. Set GITHUB_API_URL to the new one.")
    if status == _FORBIDDEN and (_is_saml(reply) or "saml" in said.lower()):
        return Fault("fatal", _saml(reply))
    known = {
        _UNAUTHORIZED: Fault("token", f"the token is refused (401 {said}). Make a new one and set GITHUB_TOKEN."),
        _FORBIDDEN: Fault("fatal", f"the token may not do this (403 {said}). Give it read access to pull requests and contents."),
        _NOT_FOUND: Fault("fatal", "not found (404). Check the repository's name, GITHUB_API_URL, and that the token may see it."),
        _LEGAL: Fault("fatal", f"unavailable for legal reasons (451 {said}). It cannot be fetched; take it out of pullweek.toml."),
    }
    if status in known:
        return known[status]
    return Fault("fatal", f"HTTP {status}: {said}. Check GITHUB_API_URL.") if status >= _REFUSED else None


def _is_saml(reply: Reply) -> bool:
    return "x-github-sso" in reply.headers or any((error.get("extensions") or {}).get("saml_failure") for error in reply.errors)


def _saml(reply: Reply) -> str:
    _, _, address = reply.headers.get("x-github-sso", "").partition("url=")
    where = f" at {address}" if address else " in the token's settings, under 'Configure SSO'"
    return f"the organisation asks for single sign-on (SAML). Authorise the token for it{where}."


def _of_errors(reply: Reply) -> Fault:
    errors, said = reply.errors, reply.message
    if any(lacking(error) for error in errors):
        return Fault("field", f"the server's schema lacks a field: {said}")
    if any(_is_heavy(error) for error in errors):
        return Fault("again", said)
    at_root = [error for error in errors if error.get("path") in (["repository"], ["search"], ["viewer"]) or not error.get("path")]
    if not at_root and reply.data is not None:
        return Fault("partial", said)
    return _of_root(reply, at_root)


def _of_root(reply: Reply, at_root: list[dict[str, Any]]) -> Fault:
    """The fault of errors that concern the whole question: the repository, or no place at all."""
    said = reply.message
    if _is_saml(reply) or "saml" in said.lower():
        return Fault("fatal", _saml(reply))
    types = {error.get("type") for error in at_root}
    if "NOT_FOUND" in types:
        return Fault("fatal", f"not found: {said} Check its name, and that the token may see it.")
    if types & {"FORBIDDEN", "INSUFFICIENT_SCOPES"}:
        return Fault("fatal", f"the token may not read this: {said}. Give it read access to pull requests and contents.")
    has_data = any(value is not None for key, value in (reply.data or {}).items() if key != "rateLimit")
    return Fault("partial" if has_data else "again", said)


def _is_heavy(error: Mapping[str, Any]) -> bool:
    """Whether an error says that the query was too much at once, wherever it struck; or only without a place, that it failed."""
    if error.get("type") == "RESOURCE_LIMITS_EXCEEDED":
        return True
    return not error.get("path") and (error.get("type") in _HEAVY_TYPES or _has_words(error))


def _has_words(error: Mapping[str, Any]) -> bool:
    said = str(error.get("message")).lower()
    return any(words in said for words in _HEAVY_WORDS)
