"""GitHub's search language for pull requests, as far as it is used: ``repo:o/n is:pr is:merged merged:A..B sort:created-asc``.

Ranges include both ends. A date alone stands for its whole day in UTC; an instant in Z form for itself.
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.github_standin.known import iso

Facts = dict[str, Any]

_TERM = re.compile(r'(-?)([a-z-]+):("[^"]*"|\S+)|("[^"]*"|\S+)')
_DATES = {"created": "createdAt", "updated": "updatedAt", "merged": "mergedAt", "closed": "closedAt"}
_STATES = {"merged": {"MERGED"}, "open": {"OPEN"}, "closed": {"CLOSED", "MERGED"}, "unmerged": {"OPEN", "CLOSED"}}
_LAST = "￿"  # sorts after every instant


@dataclass
class Search:
    """What a query asks for."""

    repositories: list[str] = field(default_factory=list)
    states: list[set[str]] = field(default_factory=list)
    ranges: list[tuple[str, str, str]] = field(default_factory=list)
    base: str | None = None
    author: str | None = None
    words: list[str] = field(default_factory=list)
    nothing: bool = False  # asks for issues, of which there are none
    sort: str = "createdAt"
    descending: bool = True

    @classmethod
    def parse(cls, query: str) -> "Search":
        """Read a query; an unknown qualifier finds nothing, so that a misspelt query is seen."""
        made = cls()
        for match in _TERM.finditer(query):
            if match[4]:
                made.words.append(match[4].strip('"').lower())
            else:
                made._take(match[2], match[3].strip('"'), negated=bool(match[1]))
        return made

    def _take(self, name: str, value: str, *, negated: bool) -> None:
        if name == "repo" and not negated:
            self.repositories.append(value)
        elif name in {"is", "type", "state"}:
            self._state(value, negated=negated)
        elif name in _DATES and not negated:
            self._range(_DATES[name], value)
        elif name == "base" and not negated:
            self.base = value
        elif name == "author" and not negated:
            self.author = value.lower()
        elif name == "sort" and not negated:
            key, _, way = value.partition("-")
            self.sort, self.descending = _DATES.get(key, "createdAt"), way != "asc"
        else:
            self.nothing = True

    def _state(self, value: str, *, negated: bool) -> None:
        if value in _STATES:
            allowed = _STATES[value]
            self.states.append({"OPEN", "CLOSED", "MERGED"} - allowed if negated else allowed)
        elif value not in {"pr", "public"} or negated:
            self.nothing = True

    def _range(self, name: str, value: str) -> None:
        try:
            self.ranges.append((name, *_range(value)))
        except ValueError:  # not a date
            self.nothing = True

    def matches(self, facts: Facts) -> bool:
        """Whether a pull request is found."""
        return (
            not self.nothing
            and all(facts["state"] in allowed for allowed in self.states)
            and all(facts[name] is not None and low <= facts[name] <= high for name, low, high in self.ranges)
            and self.base in {None, facts["baseRefName"]}
            and self.author in {None, (facts["author"] or "").lower()}
            and all(word in facts["title"].lower() for word in self.words)
        )

    def order(self, facts: Facts) -> tuple[str, int]:
        """The key to sort by."""
        return (facts[self.sort] or "", facts["number"])


def _range(value: str) -> tuple[str, str]:
    low, dots, high = value.partition("..")
    if dots:
        return ("" if low == "*" else _low(low)), (_LAST if high == "*" else _high(high))
    for sign in (">=", "<=", ">", "<"):
        if value.startswith(sign):
            moment = value[len(sign) :]
            return {
                ">=": (_low(moment), _LAST),
                ">": (_high(moment) + "!", _LAST),
                "<=": ("", _high(moment)),
                "<": ("", _before(_low(moment))),
            }[sign]
    return _low(value), _high(value)


def _low(moment: str) -> str:
    return _instant(moment) if "T" in moment else f"{moment}T00:00:00Z"


def _high(moment: str) -> str:
    return _instant(moment) if "T" in moment else f"{moment}T23:59:59Z"


def _instant(moment: str) -> str:
    return iso(datetime.fromisoformat(moment).astimezone(UTC))


def _before(moment: str) -> str:
    return moment[:-1]  # "2026-01-01T00:00:00" sorts just before the same text with its Z
