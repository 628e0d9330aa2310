"""Budgets by token, and the counts of everything that was asked."""

import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]

WINDOW_SECONDS = 3_600
MINUTE_SECONDS = 60.0
POINTS_A_MINUTE = 2_000  # secondary limit of the GraphQL endpoint, as documented
SECONDS_A_MINUTE = 60.0  # of GraphQL time in a minute of real time, as documented
AT_ONCE = 100  # requests at the same time, as documented


@dataclass
class Budget:
    """One resource of one token: ``graphql`` in points, ``core`` and ``search`` in requests."""

    resource: str
    limit: int
    resets: float
    used: int = 0

    @property
    def remaining(self) -> int:
        """What is left until the reset."""
        return max(self.limit - self.used, 0)

    def headers(self) -> dict[str, str]:
        """GitHub's ``x-ratelimit-*`` headers."""
        known = {
            "limit": self.limit,
            "remaining": self.remaining,
            "used": self.used,
            "reset": int(self.resets),
            "resource": self.resource,
        }
        return {f"x-ratelimit-{name}": str(value) for name, value in known.items()}

    def document(self, cost: int, nodes: int) -> Json:
        """The ``RateLimit`` of GraphQL."""
        moment = datetime.fromtimestamp(int(self.resets), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        known = {"limit": self.limit, "remaining": self.remaining, "used": self.used, "resetAt": moment}
        return known | {"__typename": "RateLimit", "cost": cost, "nodeCount": nodes}


@dataclass
class Meter:
    """Every token's budgets; ``clock`` gives seconds since the epoch."""

    points: int = 5_000
    requests: int = 5_000
    window: float = WINDOW_SECONDS
    clock: Callable[[], float] = time.time
    budgets: dict[tuple[str, str], Budget] = field(default_factory=dict)
    recent: dict[str, deque[tuple[float, int, float]]] = field(default_factory=dict)

    def budget(self, token: str, resource: str) -> Budget:
        """The budget, fresh where its window has ended."""
        now = self.clock()
        known = self.budgets.get((token, resource))
        if known is None or now >= known.resets:
            limit = {"graphql": self.points, "search": 30}.get(resource, self.requests)
            window = MINUTE_SECONDS if resource == "search" else self.window
            known = self.budgets[token, resource] = Budget(resource, limit, now + window)
        return known

    def too_fast(self, token: str, points: int) -> bool:
        """Whether one more query would pass a secondary limit: points a minute, or seconds of GraphQL time a minute."""
        recent = self.recent.setdefault(token, deque())
        while recent and recent[0][0] < self.clock() - MINUTE_SECONDS:
            recent.popleft()
        spent, seconds = sum(one[1] for one in recent), sum(one[2] for one in recent)
        return spent + points > POINTS_A_MINUTE or seconds > SECONDS_A_MINUTE

    def note(self, token: str, points: int, seconds: float) -> None:
        """Remember what a query took."""
        self.recent.setdefault(token, deque()).append((self.clock(), points, seconds))


@dataclass
class Stats:
    """What was asked since the start or the last reset."""

    requests: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    points: int = 0
    nodes: int = 0
    now: int = 0
    most_at_once: int = 0
    seconds: float = 0.0
    asked_ids: Counter[str] = field(default_factory=Counter)  # ids given to node and nodes, over all requests

    def enter(self) -> None:
        """A request begins."""
        self.requests += 1
        self.now += 1
        self.most_at_once = max(self.most_at_once, self.now)

    def report(self) -> Json:
        """As JSON; ``seconds`` is the server's own time, without the latency that was asked for."""
        return {
            "requests": self.requests,
            "graphql_requests": sum(count for kind, count in self.kinds.items() if kind.startswith("graphql")),
            "rest_requests": sum(count for kind, count in self.kinds.items() if kind.startswith("rest")),
            "by_kind": dict(sorted(self.kinds.items())),
            "by_status": dict(sorted(self.statuses.items())),
            "faults": dict(sorted(self.faults.items())),
            "points": self.points,
            "nodes": self.nodes,
            "most_at_once": self.most_at_once,
            "seconds": round(self.seconds, 3),
        }
