"""GitHub's limits kept before they are hit: points an hour, points a minute, seconds of server time a minute.

Each token has limits of its own; a request goes to the token that may go first. A wait is shown as a countdown.
Without any word on limits (an enterprise server may have none) a token counts as unlimited.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from pipelines.errors import SourceError
from pipelines.sources.github.faults import LimitReachedError

SERVER_SECONDS_A_MINUTE = 55.0  # GitHub allows 60 s of GraphQL time in 60 s
POINTS_A_MINUTE = 1_900  # GitHub allows 2,000
WINDOW_SECONDS = 60.0
SECONDARY_WAIT_SECONDS = 60.0  # GitHub: "wait for at least one minute", longer each time
LONGEST_SECONDARY_WAIT_SECONDS = 960.0
SHORTEST_SECONDARY_WAIT_SECONDS = 1.0  # a hint of 0 would have us ask for ever without a pause
RESET_SLACK_SECONDS = 2.0


@dataclass(frozen=True)
class Clock:
    """The time of day, a clock that never runs backwards, and how to wait; a test gives its own."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


@dataclass
class TokenState:
    """What is known of one token: None where GitHub has not said."""

    remaining: int | None = None
    limit: int | None = None
    reset_at: datetime | None = None
    blocked_until: float = 0.0  # by the monotonic clock
    secondary_count: int = 0
    is_refused: bool = False
    reserved: int = 0  # points of requests under way
    started: list[float] = field(default_factory=list)
    recent: deque[tuple[float, float, int]] = field(default_factory=deque)  # ended at, seconds, points

    def server_seconds(self, now: float) -> float:
        """Seconds of server time that count at this moment, requests under way included."""
        self.forget(now)
        return sum(seconds for _, seconds, _ in self.recent) + sum(now - start for start in self.started)

    def forget(self, now: float) -> None:
        """Drop what lies more than a minute back."""
        while self.recent and self.recent[0][0] <= now - WINDOW_SECONDS:
            self.recent.popleft()


@dataclass(frozen=True)
class _Wait:
    seconds: float
    token: int
    reason: str
    counts: bool  # whether it counts towards the longest wait allowed


class Budget:
    """The limits of all tokens; :meth:`turn` waits until one may ask, and says which."""

    def __init__(self, tokens_count: int, clock: Clock, *, max_wait_seconds: float, say: Callable[[str], None]) -> None:
        self.tokens = [TokenState() for _ in range(tokens_count)]
        self.waited_seconds = 0.0
        self._clock = clock
        self._max_wait_seconds = max_wait_seconds
        self._say = say
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._skew_seconds = 0.0  # GitHub's clock less ours

    @contextmanager
    def turn(self, points: int) -> Iterator[int]:
        """The place of the token to use for a request of about so many points; its time counts until the block ends.

        Raises :class:`LimitReachedError` where the wait would be longer than allowed in all.
        """
        token = self._acquire(points)
        state, started = self.tokens[token], self._clock.monotonic()
        with self._lock:
            state.started.append(started)
        try:
            yield token
        finally:
            ended = self._clock.monotonic()
            with self._lock:
                state.started.remove(started)
                state.reserved -= points
                state.recent.append((ended, ended - started, points))

    def _acquire(self, points: int) -> int:
        while True:
            if self._stop.is_set():
                raise LimitReachedError("stopped while waiting")
            with self._lock:
                waits = [self._wait(place, points) for place, state in enumerate(self.tokens) if not state.is_refused]
                if not waits:  # another worker met the refusal of the last one
                    raise SourceError("every token is refused (401 Bad credentials). Make a new one and set GITHUB_TOKEN.")
                wait = min(waits, key=lambda wait: (wait.seconds, -(self.tokens[wait.token].remaining or 0)))
                if wait.seconds <= 0:
                    self.tokens[wait.token].reserved += points
                    return wait.token
                if wait.counts and self.waited_seconds + wait.seconds > self._max_wait_seconds:
                    raise LimitReachedError(self._too_long(wait))
            self._count_down(wait)

    def _wait(self, place: int, points: int) -> _Wait:
        state, now = self.tokens[place], self._clock.monotonic()
        if state.blocked_until > now:
            return _Wait(state.blocked_until - now, place, "GitHub's secondary limit", counts=True)
        if state.remaining is not None and state.reset_at is not None and state.remaining - state.reserved < points:
            until = (state.reset_at - self._clock.now()).total_seconds() - self._skew_seconds + RESET_SLACK_SECONDS
            if until > 0:
                return _Wait(until, place, "GitHub's hourly limit", counts=True)
            state.remaining = state.limit
        busy = state.server_seconds(now) >= SERVER_SECONDS_A_MINUTE
        if busy or sum(spent for *_, spent in state.recent) + state.reserved + points > POINTS_A_MINUTE:
            oldest = state.recent[0][0] + WINDOW_SECONDS - now if state.recent else 1.0
            return _Wait(max(oldest, 0.05), place, "GitHub's limit a minute", counts=False)
        return _Wait(0.0, place, "", counts=False)

    def _count_down(self, wait: _Wait) -> None:
        end = self._clock.monotonic() + wait.seconds
        while (left := end - self._clock.monotonic()) > 0 and not self._stop.is_set():
            if wait.counts:
                self._say(f"waiting {_spoken(left)} for {wait.reason}")
            self._clock.sleep(min(1.0, left))
        if wait.counts:
            with self._lock:
                self.waited_seconds += wait.seconds

    def _too_long(self, wait: _Wait) -> str:
        until = self._clock.now() + timedelta(seconds=wait.seconds)
        return (
            f"{wait.reason}: {_spoken(wait.seconds)} to wait, {_spoken(self._max_wait_seconds)} allowed in all (--max-wait). "
            f"Run again after {until:%Y-%m-%d %H:%M} UTC"
        )

    def stop(self) -> None:
        """End every wait: the fetch has failed or was interrupted."""
        self._stop.set()

    def note(self, token: int, rate: Mapping[str, Any] | None, headers: Mapping[str, str]) -> None:
        """Take in what an answer said of its token's limit, by ``rateLimit`` or, where that is absent, by headers."""
        with self._lock:
            state = self.tokens[token]
            self._note_skew(headers.get("date"))
            if rate:
                state.remaining, state.limit = rate.get("remaining"), rate.get("limit")
                state.reset_at = datetime.fromisoformat(rate["resetAt"]) if rate.get("resetAt") else None
            elif headers.get("x-ratelimit-resource") == "graphql" and headers.get("x-ratelimit-remaining", "").isdecimal():
                state.remaining = int(headers["x-ratelimit-remaining"])
                state.limit = _whole(headers.get("x-ratelimit-limit"))
                reset = _whole(headers.get("x-ratelimit-reset"))
                state.reset_at = None if reset is None else datetime.fromtimestamp(reset, UTC)

    def _note_skew(self, date: str | None) -> None:
        try:
            theirs = parsedate_to_datetime(date) if date else None
        except ValueError:
            return
        if theirs is not None and theirs.tzinfo is not None:
            self._skew_seconds = (theirs - self._clock.now()).total_seconds()

    def exhausted(self, token: int, retry_after_seconds: float | None) -> None:
        """GitHub said that the token's hour is used up."""
        with self._lock:
            state = self.tokens[token]
            state.remaining = 0
            known = state.reset_at is not None and state.reset_at > self._clock.now()
            if retry_after_seconds is not None or not known:
                wait = retry_after_seconds if retry_after_seconds is not None else SECONDARY_WAIT_SECONDS
                state.reset_at = self._clock.now() + timedelta(seconds=wait + self._skew_seconds)

    def slow_down(self, token: int, retry_after_seconds: float | None) -> None:
        """GitHub said that the token asks too fast: wait as told, else a minute, twice as long each time."""
        with self._lock:
            state = self.tokens[token]
            doubled = SECONDARY_WAIT_SECONDS * 2.0**state.secondary_count
            wait = min(doubled, LONGEST_SECONDARY_WAIT_SECONDS)
            if retry_after_seconds is not None:
                wait = max(retry_after_seconds, SHORTEST_SECONDARY_WAIT_SECONDS)
            state.secondary_count += 1
            state.blocked_until = self._clock.monotonic() + wait

    def good(self, token: int) -> None:
        """The token was served: its secondary limit is over."""
        with self._lock:
            self.tokens[token].secondary_count = 0

    def refuse(self, token: int) -> bool:
        """Never use the token again; whether there is another one."""
        with self._lock:
            self.tokens[token].is_refused = True
            return any(not state.is_refused for state in self.tokens)


def _whole(text: str | None) -> int | None:
    try:
        return None if text is None else int(float(text))  # floats have been seen (PyGithub #2697)
    except ValueError:
        return None


def _spoken(seconds: float) -> str:
    whole = max(1, round(seconds)) if seconds > 0 else 0
    return f"{whole // 60} min {whole % 60} s" if whole >= WINDOW_SECONDS else f"{whole} s"
