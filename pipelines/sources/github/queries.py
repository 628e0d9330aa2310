"""The operations of ``queries.graphql``, each with just the fragments it needs, less the fields a server lacks.

An enterprise server may be older than a field. It says so by ``errors[].locations`` in the text it was sent; the
field is cut out there, for this operation and every other that shares the fragment, and the query is asked again.
"""

import re
import threading
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

_START = re.compile(r"^(?:query|fragment) (\w+)", re.MULTILINE)
_SPREAD = re.compile(r"\.\.\.(\w+)")
_VARIABLE = re.compile(r",?\s*\$(\w+): [\w\[\]!]+")
_EMPTY = re.compile(r"\{\s*\}")  # GraphQL allows no selection of nothing
_CODES = frozenset({"undefinedField", "undefinedType"})
_MESSAGE = re.compile(r"(?:Field '(\w+)' doesn't exist on type|Cannot query field '(\w+)' on type)")


@cache
def _document() -> str:
    return files("pipelines.sources.github").joinpath("queries.graphql").read_text(encoding="utf-8")


def _parts(document: str) -> dict[str, str]:
    """Operations and fragments by name, each from its first line to the next one's, comments left out."""
    text = "\n".join(line for line in document.splitlines() if not line.startswith("#"))
    starts = [(match.start(), match[1]) for match in _START.finditer(text)]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return {name: text[start:end].strip() for (start, name), end in zip(starts, ends, strict=True)}


class Queries:
    """The texts of the operations; ``dropped`` names the fields that the server lacks, sorted."""

    def __init__(self) -> None:
        self._parts = _parts(_document())
        self._lock = threading.Lock()
        self.dropped: set[str] = set()

    def text(self, operation: str) -> str:
        """The operation and the fragments it uses, in the order in which they are first met."""
        with self._lock:
            return self._composed(operation)

    def _composed(self, operation: str) -> str:
        return _without_unused_variables("\n\n".join(self._parts[name] for name in self._needed(operation)))

    def _needed(self, operation: str) -> list[str]:
        names = [operation]
        for name in names:  # grows while it is walked
            names.extend(spread for spread in _SPREAD.findall(self._parts[name]) if spread in self._parts and spread not in names)
        return list(dict.fromkeys(names))

    def drop(self, operation: str, sent: str, errors: Iterable[Mapping[str, Any]]) -> bool:
        """Whether every field that the errors name was cut out of the operation's parts, so that it may be asked again."""
        fields = [name for error in errors if (name := lacking(error))]
        places = [place for error in errors if lacking(error) for place in error.get("locations") or []]
        with self._lock:
            if sent != self._composed(operation):
                return True  # another worker has cut it already
            offsets = sorted({_offset(sent, place["line"], place["column"]) for place in places}, reverse=True)
            cut = sent
            for offset in offsets:
                cut = _without_selection(cut, offset)
            if cut == sent:
                return False
            self.dropped.update(fields)
            self._parts.update(_parts(_EMPTY.sub("{ __typename }", cut)))
            return True

    def drop_checks(self) -> None:
        """Stop asking for the state of checks: the token may not read it."""
        with self._lock:
            self._parts["Detail"] = self._parts["Detail"].replace(" statusCheckRollup { state }", "")


def lacking(error: Mapping[str, Any]) -> str | None:
    """The field or type that an error says the server's schema lacks; None where it says something else."""
    extensions = error.get("extensions") or {}
    match = _MESSAGE.search(str(error.get("message")))
    if extensions.get("code") in _CODES or match:
        named = extensions.get("fieldName") or extensions.get("typeName") or (match and (match[1] or match[2]))
        return str(named or error.get("message"))
    return None


def _offset(text: str, line: int, column: int) -> int:
    lines = text.split("\n")
    return sum(len(before) + 1 for before in lines[: line - 1]) + column - 1


def _without_selection(text: str, offset: int) -> str:
    """The text without the field or inline fragment at an offset: its alias, arguments and selections too."""
    match = re.compile(r"(?:\.\.\.\s*on\s+\w+|\w+(?:\s*:\s*\w+)?)\s*").match(text, offset)
    if match is None:
        return text
    end = match.end()
    for opening, closing in (("(", ")"), ("{", "}")):
        if text[end : end + 1] == opening:
            end = _closing(text, end, opening, closing)
            end += len(text[end:]) - len(text[end:].lstrip())
    return text[:offset] + text[end:]


def _closing(text: str, start: int, opening: str, closing: str) -> int:
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] == opening) - (text[position] == closing)
        if depth == 0:
            return position + 1
    return len(text)


def _without_unused_variables(text: str) -> str:
    """The query with a header that declares only what is used, since GitHub refuses a variable that is not."""
    header, brace, body = text.partition("{")
    kept = _VARIABLE.sub(lambda match: match[0] if f"${match[1]}" in body else "", header)
    return kept.replace("(,", "(").replace("( ", "(").replace("()", "") + brace + body
