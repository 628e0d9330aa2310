"""The details of a week's pull requests: batches shared by two workers, every connection read to its end.

What could not be read is named: a part in the record's ``missing``, a whole pull request by its absence.
"""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from pipelines.sources.github.batches import THREAD_COMMENTS, Batch, Queue
from pipelines.sources.github.client import AgainError, Answer, Client
from pipelines.sources.github.enumerate import Candidate, Say
from pipelines.sources.github.shape import CONNECTIONS, Node, join, part_of, record_of
from pipelines.sources.records import PullRequestRecord

WORKERS_COUNT = 2  # more would only reach GitHub's limit of server time sooner
SINGLE_FAILURES_MAX = 4  # of a pull request alone, its page bounds halved each time
FAILURES_IN_A_ROW_MAX = 12  # of any batches: then it is GitHub that fails, not one pull request
_PAGES_MAX = 200  # of one connection: 20,000 nodes; a server that never ends is not followed for ever
_NODE_DEPTH = 2  # errors[].path of a whole node: ["nodes", 3]


@dataclass
class Details:
    """Records read, by number, and what a reader should know of them."""

    records: dict[int, PullRequestRecord] = field(default_factory=dict)
    notes: set[str] = field(default_factory=set)


def read_details(client: Client, candidates: Iterable[Candidate], say: Say) -> Details:
    """The records of the candidates; one that could not be read in any way is left out.

    Raises ``SourceError`` where GitHub fails altogether; what was read until then is kept by the checkpoint.
    """
    return _Reading(client, list(candidates), say).run()


class _Reading:
    """One reading of details, shared by the workers."""

    def __init__(self, client: Client, candidates: list[Candidate], say: Say) -> None:
        self._client = client
        self._say = say
        self._total = len(candidates)
        self._lock = threading.Condition()
        self._made = Details()
        self._under_way = 0
        self._failures_in_a_row = 0
        self._error: BaseException | None = None
        kept = [(one, client.checkpoint.pull(one.id, one.updated_at)) for one in candidates]
        self._kept = [(one, node) for one, node in kept if node is not None]
        self._queue = Queue(one for one, node in kept if node is None)
        self._done = 0

    def run(self) -> Details:
        """Read everything: what was kept first, then batches by the workers."""
        with ThreadPoolExecutor(WORKERS_COUNT, thread_name_prefix="pullweek") as workers:
            try:
                running = [workers.submit(self._work) for _ in range(WORKERS_COUNT)]
                self._guarded(lambda: self._finish_all([(one, node, set()) for one, node in self._kept]))
                for worker in running:
                    worker.result()
            except BaseException as error:
                self._fail(error)
                raise
        if self._error is not None:
            raise self._error
        return self._made

    def _work(self) -> None:
        while (batch := self._take()) is not None:
            self._guarded(lambda batch=batch: self._read(batch))  # type: ignore[misc]  # because: a default argument binds the batch now
            with self._lock:
                self._under_way -= 1
                self._lock.notify_all()

    def _guarded(self, work: Callable[[], None]) -> None:
        """Do a piece of work; its error ends the others' too."""
        try:
            work()
        except BaseException as error:  # noqa: BLE001  # because: it is raised again by run(), in the caller's thread
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        with self._lock:
            self._error = self._error or error
            self._lock.notify_all()
        self._client.stop()

    def _take(self) -> Batch | None:
        """The next batch; None where all is read. A batch under way may yet come back in halves."""
        with self._lock:
            while self._error is None:
                batch = self._queue.next()
                if batch is not None:
                    self._under_way += 1
                    return batch
                if self._under_way == 0:
                    return None
                self._lock.wait()
            return None

    def _read(self, batch: Batch) -> None:
        try:
            answer = self._client.ask("Details", batch.variables, points=batch.points, attempts_count=1, keep="no", is_whole=False)
        except AgainError as error:
            self._failed(batch, error)
            return
        with self._lock:
            self._failures_in_a_row = 0
            self._queue.succeeded()
        self._sort_out(batch, answer)

    def _failed(self, batch: Batch, error: AgainError) -> None:
        with self._lock:
            self._failures_in_a_row += 1
            failures = self._failures_in_a_row
            alone = len(batch.candidates) == 1 and batch.failed_count + 1 >= SINGLE_FAILURES_MAX
            if failures < FAILURES_IN_A_ROW_MAX and not alone:
                self._queue.failed(batch)
            if alone:
                self._made.notes.add(f"{batch.candidates[0].number}: could not be read")
        if failures >= FAILURES_IN_A_ROW_MAX:
            raise error
        self._client.back_off(min(failures, 5))

    def _sort_out(self, batch: Batch, answer: Answer) -> None:
        """Take in what came; ask singly for what came with errors or not at all."""
        known = {one.id: one for one in batch.candidates}
        errors = _errors_by_place(answer.errors)
        came: list[tuple[Candidate, Node, set[str]]] = []
        for place, node in enumerate(answer.data.get("nodes") or []):
            one = known.get((node or {}).get("id", ""))
            if one is None:
                continue
            lost = self._named_parts(one, paths := errors.get(place, []), is_last=len(batch.candidates) == 1)
            if len(batch.candidates) > 1 and any(part_of(path) != "checks" for path in paths):
                continue  # asked singly below; checks that the token may not read stay unreadable
            came.append((one, node, lost))
            known.pop(one.id)
        self._client.checkpoint.keep_pulls(node for _, node, lost in came if not lost)
        self._finish_all(came)
        if len(batch.candidates) > 1:
            with self._lock:
                for one in known.values():
                    self._queue.again(one)
        else:
            for one in known.values():
                self._note(f"{one.number}: GitHub gives nothing for it; deleted, or hidden from the token")

    def _named_parts(self, one: Candidate, paths: list[list[Any]], *, is_last: bool) -> set[str]:
        """The parts that errors took; a plain field that they took is told by a note."""
        for path in paths:
            if is_last and path and part_of(path) is None:
                self._note(f"{one.number}: {path[0]} could not be read")
        return {part for path in paths if (part := part_of(path)) is not None}

    def _finish_all(self, came: list[tuple[Candidate, Node, set[str]]]) -> None:
        for one, node, lost in came:
            if "checks" in lost:
                self._client.queries.drop_checks()
                self._note("the state of checks is not readable with this token (it lacks the permission for checks and statuses)")
            self._page_on(one, node)
            record = record_of(node, one, lost)
            with self._lock:
                self._made.records[one.number] = record
                self._done += 1
                done = self._done
            self._say(done, self._total, "reading pull requests")

    def _note(self, text: str) -> None:
        with self._lock:
            self._made.notes.add(text)

    def _page_on(self, one: Candidate, node: Node) -> None:
        """Read the further pages of every connection of a pull request, and of its threads."""
        for part, operation in CONNECTIONS.items():
            self._follow(one, node["id"], node.get(part), part, operation)
        for thread in (node.get("reviewThreads") or {}).get("nodes") or []:
            if thread is not None:
                self._follow(one, thread["id"], thread.get("comments"), "comments", "MoreThreadComments")

    def _follow(self, one: Candidate, node_id: str, connection: Node | None, part: str, operation: str) -> None:
        for _ in range(_PAGES_MAX):
            if connection is None or not connection["pageInfo"]["hasNextPage"]:
                return
            asked: dict[str, Any] = {"id": node_id, "after": connection["pageInfo"]["endCursor"]}
            if operation == "MoreThreads":
                asked["threadComments"] = THREAD_COMMENTS
            try:
                page = (self._client.ask(operation, asked).data.get("node") or {}).get(part)
            except AgainError:
                page = None
            if not page or (not page["nodes"] and page["pageInfo"]["hasNextPage"]):
                self._note(f"{one.number}: a further page of {part} could not be read")
                return
            join(connection, page)


def _errors_by_place(errors: Iterable[dict[str, Any]]) -> dict[int, list[list[Any]]]:
    """Paths of errors, from the pull request on, by its place in the answer."""
    found: dict[int, list[list[Any]]] = {}
    for error in errors:
        path = error.get("path") or []
        if len(path) >= _NODE_DEPTH and path[0] == "nodes" and isinstance(path[1], int):
            found.setdefault(path[1], []).append(list(path[_NODE_DEPTH:]))
    return found
