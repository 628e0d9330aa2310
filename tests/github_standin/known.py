"""What is known of a pull request, and repeatable choices for all that is not."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

T = TypeVar("T")
Node = dict[str, Any]

WEB = "https://github.com"


@dataclass(frozen=True)
class Known:
    """What the data know of one pull request."""

    number: int
    title: str
    author: str
    created: datetime
    merged: datetime
    oid: str
    additions: int
    deletions: int
    changed_files: int
    files: tuple[Node, ...]


@dataclass(frozen=True)
class World:
    """What is the same for every pull request of the repository."""

    name: str  # OWNER/NAME
    branch: str
    reviewers: tuple[str, ...]  # busiest authors first
    numbers: tuple[int, ...]
    by_title: dict[str, int]


class Dice:
    """Repeatable choices for one pull request: the same question always gets the same answer."""

    def __init__(self, number: int) -> None:
        self.number = number

    def below(self, question: str, limit: int) -> int:
        """A whole number from 0 to ``limit - 1``."""
        digest = hashlib.blake2b(f"{self.number}:{question}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % max(limit, 1)

    def chance(self, question: str, percent: float) -> bool:
        """Whether an event of so many percent happens."""
        return self.below(question, 10_000) < percent * 100

    def choice(self, question: str, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.below(question, len(options))]


def oid(*parts: object) -> str:
    """A commit id that is the same for the same parts."""
    return hashlib.blake2b(":".join(map(str, parts)).encode(), digest_size=20).hexdigest()


def node_id(prefix: str, number: int, index: int = 0) -> str:
    """A global id from which :func:`number_of` finds the pull request again, without reading any."""
    return f"{prefix}_kw{number:08x}{index:04x}"


def number_of(identifier: str) -> int | None:
    """The pull request that an id of :func:`node_id` belongs to."""
    match = re.fullmatch(r"[A-Z]+_kw([0-9a-f]{8})[0-9a-f]{4,}", identifier)
    return int(match[1], 16) if match else None


def iso(moment: datetime) -> str:
    """``2026-04-20T08:15:00Z``."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def person(login: str) -> Node:
    """A user's account in a record."""
    return {"__typename": "User", "login": login}


def joined(nodes: list[Node]) -> Node:
    """A connection whose pages are joined."""
    return {"totalCount": len(nodes), "nodes": nodes}
