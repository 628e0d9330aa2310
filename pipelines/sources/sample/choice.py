"""Choices that come out the same on every machine: SHA-256 of what is chosen for, never a random generator."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


def _digest(key: tuple[object, ...]) -> str:
    return hashlib.sha256("\x1f".join(map(str, key)).encode("utf-8", "surrogatepass")).hexdigest()


def draw(*key: object) -> float:
    """A number from 0 to just below 1 that depends on ``key`` alone."""
    return int(_digest(key)[:13], 16) / 16**13


def between(low: int, high: int, *key: object) -> int:
    """A whole number from ``low`` to ``high``, both included."""
    return low + int(draw(*key) * (high - low + 1))


def pick(options: Sequence[_T], *key: object) -> _T:
    """One of the options."""
    return options[between(0, len(options) - 1, *key)]


def weighted(options: Sequence[tuple[_T, float]], *key: object) -> _T:
    """One of the options, each with its weight; the weights need not add up to 1."""
    left = draw(*key) * sum(weight for _, weight in options)
    for option, weight in options:
        left -= weight
        if left < 0:
            return option
    return options[-1][0]


def shuffled(options: Sequence[_T], *key: object) -> list[_T]:
    """All options in an order that depends on ``key`` and on what they are."""
    return sorted(options, key=lambda option: _digest((*key, option)))


def oid(*key: object) -> str:
    """A commit's name: 40 hex digits."""
    return _digest(("oid", *key))[:40]


def node_id(prefix: str, *key: object) -> str:
    """A global id in the look of GitHub's: ``PR_kwDOLattic...``."""
    return f"{prefix}_kwDOLat{_digest((prefix, *key))[:16]}"
