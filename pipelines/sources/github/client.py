"""One question to GitHub and its answer: the token to use, the wait before, the retry after, the words when it fails.

PyGithub's requester carries the request. Its own retries and pauses are off: on POST it repeats a 5xx eleven times
without a pause, and its objects cost a request an attribute. A ``Github`` is not thread-safe (PyGithub #2052): each
thread has one of its own a token.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pipelines.errors import SourceError
from pipelines.sources.github.auth import Access
from pipelines.sources.github.budget import Budget, Clock
from pipelines.sources.github.checkpoint import Checkpoint, page_key
from pipelines.sources.github.faults import Fault, Reply, classify
from pipelines.sources.github.queries import Queries

if TYPE_CHECKING:
    from github import Github

USER_AGENT = "pullweek"
LARGEST_PAGE = 100  # GitHub's greatest
SMALLEST_PAGE = 6
_PAGE_ATTEMPTS = 2  # of a size, before a smaller one
LONGEST_BACKOFF_SECONDS = 30.0
_FIRST_ATTEMPTS = 3  # where nothing was ever answered, the network or the address is wrong, not the moment
_LACKING_FIELDS_MAX = 20  # an older server may lack several fields and name them one answer at a time

#: Which answers a checkpoint keeps: none, those that stay right once the week is over, those that always do.
Keep = Literal["no", "closed", "lasting"]


class AgainError(SourceError):
    """The request failed in a way that a later or smaller one may not."""


@dataclass(frozen=True)
class Pace:
    """How patient a client is; a test makes it quick."""

    timeout_seconds: int = 30  # GitHub gives up after 10 s; the rest is the line's
    backoff_seconds: float = 1.0
    attempts_count: int = 6
    clock: Clock = field(default_factory=Clock)


@dataclass(frozen=True)
class Answer:
    """The data of an answer, and the errors that came beside it."""

    data: dict[str, Any]
    errors: tuple[dict[str, Any], ...] = ()


class Client:
    """Asks GitHub within its limits; counts what it asked and spent. ``where`` stands in front of every error."""

    def __init__(self, access: Access, budget: Budget, checkpoint: Checkpoint, *, where: str, pace: Pace) -> None:
        self.queries = Queries()
        self.checkpoint = checkpoint
        self.where = where
        self.pace = pace
        self.page_size = LARGEST_PAGE
        self.requests_count = 0
        self.points_spent = 0
        self.notes: set[str] = set()
        self.last_headers: Mapping[str, str] = {}
        self._access = access
        self._budget = budget
        self._lock = threading.Lock()
        self._local = threading.local()
        self._sessions: list[Github] = []
        self._was_answered = False
        self._stop = threading.Event()

    def ask(
        self,
        operation: str,
        variables: Mapping[str, Any],
        *,
        points: int = 1,
        attempts_count: int | None = None,
        keep: Keep = "lasting",
        is_fresh: bool = False,
        is_whole: bool = True,
    ) -> Answer:
        """The answer to an operation of ``queries.graphql``.

        An answer kept by the checkpoint costs nothing; ``is_fresh`` asks all the same. Where an answer must be
        ``is_whole``, errors beside data are a failure. Raises :class:`AgainError` after ``attempts_count`` failures
        that may pass, and ``SourceError`` on one that will not.
        """
        key = page_key(operation, variables)
        kept = None if is_fresh or keep == "no" else self.checkpoint.page(key)
        if kept is not None:
            return Answer(kept)
        attempts = self.pace.attempts_count if attempts_count is None else attempts_count
        answer = self._answer(operation, variables, points, attempts, is_whole=is_whole)
        if keep != "no" and not answer.errors:
            self.checkpoint.keep_page(key, answer.data, is_lasting=keep == "lasting")
        return answer

    def ask_page(
        self, operation: str, variables: Mapping[str, Any], *, points: int = 1, keep: Keep = "closed", is_fresh: bool = False
    ) -> Answer:
        """A page of a listing, as :meth:`ask` gives it; where that is too much at once a smaller one, then and later."""
        while True:
            is_smallest = self.page_size <= SMALLEST_PAGE
            attempts = None if is_smallest else _PAGE_ATTEMPTS
            asked = {**variables, "first": self.page_size}
            try:
                return self.ask(operation, asked, points=points, attempts_count=attempts, keep=keep, is_fresh=is_fresh)
            except AgainError:
                if is_smallest:
                    raise
                self.page_size = max(SMALLEST_PAGE, self.page_size // 4)

    def _answer(self, operation: str, variables: Mapping[str, Any], points: int, attempts: int, *, is_whole: bool) -> Answer:
        failed = cut = 0
        while True:
            text = self.queries.text(operation)
            token, reply = self._graphql(text, variables, points)
            fault = classify(reply)
            if fault is None or (fault.kind == "partial" and not is_whole):
                return Answer(reply.data or {}, tuple(reply.errors))
            if fault.kind == "field":
                cut += 1
                if cut > _LACKING_FIELDS_MAX or not self.queries.drop(operation, text, reply.errors):
                    raise self.error(f"{fault.message}. The server is too old for pullweek.")
                continue
            if self._went_elsewhere(fault, token):
                continue
            failed += 1
            self._give_up(fault, failed, attempts)
            self.back_off(failed)

    def get(self, path: str, parameters: Mapping[str, Any]) -> Any:  # a REST answer is any JSON
        """The answer to a REST call; raises as :meth:`ask` does."""
        failed = 0
        while True:
            with self._budget.turn(0) as token:
                reply = self._send(token, "GET", path, dict(parameters), None)
            fault = classify(reply, is_graphql=False)
            if fault is None:
                return reply.payload
            if fault.kind == "primary":
                raise AgainError(self.text(fault.message))  # REST has an hour of its own, which the budget does not keep
            if self._went_elsewhere(fault, token):
                continue
            failed += 1
            self._give_up(fault, failed, self.pace.attempts_count)
            self.back_off(failed)

    def _went_elsewhere(self, fault: Fault, token: int) -> bool:
        """Whether the fault is answered by waiting or by another token, so that the same is to be asked again."""
        if fault.kind == "primary":
            self._budget.exhausted(token, fault.retry_after_seconds)
            return True
        if fault.kind == "secondary":
            self._budget.slow_down(token, fault.retry_after_seconds)
            return True
        if fault.kind == "token" and self._budget.refuse(token):
            with self._lock:
                self.notes.add(f"{self._access.credentials[token].name} was refused and left out")
            return True
        return False

    def _give_up(self, fault: Fault, failed: int, attempts: int) -> None:
        """Raise where there is no sense in asking again."""
        if fault.kind not in {"again", "partial"}:
            raise self.error(fault.message)
        allowed = attempts if self._was_answered else min(attempts, _FIRST_ATTEMPTS)
        if failed >= allowed:
            times = f" ({failed} times)" if failed > 1 else ""
            said = f"no good answer from {self._access.api_url}: {fault.message}{times}."
            raise AgainError(self.text(f"{said} Check the network and GitHub's status, then run again."))

    def back_off(self, failed: int) -> None:
        """Wait a while after so many failures in a row: longer each time."""
        self.pace.clock.sleep(min(self.pace.backoff_seconds * 2.0 ** (failed - 1), LONGEST_BACKOFF_SECONDS))

    def error(self, message: str) -> SourceError:
        """An error of this fetch, without secrets."""
        return SourceError(self.text(message))

    def text(self, message: str) -> str:
        """A message of this fetch in one line, without secrets."""
        return self.redact(f"{self.where}: {' '.join(message.split())}")

    def redact(self, text: str) -> str:
        """The text without any secret of this fetch."""
        return self._access.redact(text)

    def stop(self) -> None:
        """Let no thread ask anything more, nor wait."""
        self._stop.set()
        self._budget.stop()

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            for session in self._sessions:
                session.close()
            self._sessions.clear()

    def _graphql(self, text: str, variables: Mapping[str, Any], points: int) -> tuple[int, Reply]:
        if self._stop.is_set():
            raise self.error("stopped")
        with self._budget.turn(points) as token:
            reply = self._send(token, "POST", "", {}, {"query": text, "variables": dict(variables)})
        rate = (reply.data or {}).get("rateLimit")
        self._budget.note(token, rate, reply.headers)
        self.last_headers = reply.headers
        if reply.data is not None:
            self._budget.good(token)
        with self._lock:
            self.points_spent += int((rate or {}).get("cost") or 0)
        return token, reply

    def _send(self, token: int, verb: str, path: str, parameters: dict[str, Any], body: dict[str, Any] | None) -> Reply:
        from pipelines.sources.github.wire import read

        requester = self._session(token).requester
        with self._lock:
            self.requests_count += 1
        if body is not None:
            reply = read(lambda: requester.graphql_query(body["query"], body["variables"]), self.pace.timeout_seconds)
        else:
            reply = read(lambda: requester.requestJsonAndCheck(verb, path, parameters=parameters), self.pace.timeout_seconds)
        self._was_answered = self._was_answered or reply.status is not None
        return reply

    def _session(self, token: int) -> "Github":
        """This thread's ``Github`` for a token, made when first used."""
        from github import Github

        sessions: dict[int, Github] = self._local.__dict__.setdefault("sessions", {})
        if token not in sessions:
            sessions[token] = Github(
                auth=self._access.credentials[token].auth(),
                base_url=self._access.api_url,
                timeout=self.pace.timeout_seconds,
                user_agent=USER_AGENT,
                per_page=100,
                retry=None,
                seconds_between_requests=None,
                seconds_between_writes=None,
            )
            with self._lock:
                self._sessions.append(sessions[token])
        return sessions[token]
