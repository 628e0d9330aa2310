"""How many pull requests to ask for at once, and with which page bounds: small enough to answer in time, few enough.

A batch that fails is asked once more, then in halves; after eight good ones a batch grows by one (AIMD). Page bounds
are the batch's greatest counts, so a batch of quiet pull requests costs few points: GitHub counts each thread's
comments as a request of its own, whether there are any or not.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pipelines.sources.github.enumerate import Candidate

START_SIZE = 14
LARGEST_SIZE = 25
GROW_AFTER = 8
WEIGHT_MAX = 1_500  # nodes a batch is expected to bring: GitHub gives a query 10 s
PAGE_MAX = 100
THREADS_MAX = 50
THREAD_COMMENTS = 30  # more are rare, and paged
UNKNOWN_COUNT = 20  # where only the history told of a pull request
_BASE_WEIGHT = 10
_COMMENTS_A_THREAD = 3
_CONNECTIONS_A_PULL = 8  # of the fragment Detail, thread comments apart
_POINT = 100  # requests that GitHub counts as one point


@dataclass(frozen=True)
class Bounds:
    """``first`` of each connection that a batch sets."""

    files: int
    reviews: int
    threads: int
    comments: int
    thread_comments: int = THREAD_COMMENTS

    @property
    def variables(self) -> dict[str, int]:
        """The bounds as variables of the operation ``Details``."""
        return {
            "files": self.files,
            "reviews": self.reviews,
            "threads": self.threads,
            "comments": self.comments,
            "threadComments": self.thread_comments,
        }

    def smaller(self, times: int) -> "Bounds":
        """The bounds halved so many times: further pages bring the rest."""
        return Bounds(
            *(max(5, bound >> times) for bound in (self.files, self.reviews, self.threads, self.comments, self.thread_comments))
        )


@dataclass(frozen=True)
class Batch:
    """Pull requests asked for together; ``failed_count`` says how often this batch has failed."""

    candidates: tuple[Candidate, ...]
    failed_count: int = 0

    @property
    def bounds(self) -> Bounds:
        """Page bounds that hold every pull request of the batch, as far as GitHub allows."""
        full = Bounds(
            files=_bound((one.files for one in self.candidates), PAGE_MAX),
            reviews=_bound((one.reviews for one in self.candidates), PAGE_MAX),
            threads=_bound((one.threads for one in self.candidates), THREADS_MAX),
            comments=_bound((one.comments for one in self.candidates), PAGE_MAX),
        )
        return full.smaller(self.failed_count) if len(self.candidates) == 1 and self.failed_count else full

    @property
    def variables(self) -> dict[str, Any]:
        """Variables of the operation ``Details``."""
        return {"ids": [one.id for one in self.candidates], **self.bounds.variables}

    @property
    def points(self) -> int:
        """About what the batch costs."""
        return max(1, -(-len(self.candidates) * (_CONNECTIONS_A_PULL + self.bounds.threads) // _POINT))

    def halves(self) -> tuple["Batch", ...]:
        """The batch in two, to be asked anew; a batch of one stays, with its failures counted."""
        if len(self.candidates) == 1:
            return (Batch(self.candidates, self.failed_count),)
        middle = len(self.candidates) // 2
        return Batch(self.candidates[:middle]), Batch(self.candidates[middle:])


def _bound(counts: Iterable[int | None], largest: int) -> int:
    return max(1, min(largest, max(UNKNOWN_COUNT if count is None else count for count in counts)))


def weight(one: Candidate) -> int:
    """About how many nodes the details of a pull request hold."""
    files, reviews, threads, comments = (
        UNKNOWN_COUNT if count is None else min(count, PAGE_MAX) for count in (one.files, one.reviews, one.threads, one.comments)
    )
    return _BASE_WEIGHT + files + 2 * reviews + threads * (1 + _COMMENTS_A_THREAD) + comments


class Queue:
    """Pull requests still to be asked for, heaviest first; not safe between threads without a lock."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        ordered = sorted(candidates, key=lambda one: (-_bound([one.threads], PAGE_MAX), -weight(one), one.number))
        self._waiting = deque(ordered)
        self._again: deque[Batch] = deque()
        self._good_count = 0
        self.size = START_SIZE

    def next(self) -> Batch | None:
        """The next batch; None where nothing waits."""
        if self._again:
            return self._again.popleft()
        taken: list[Candidate] = []
        total = 0
        while self._waiting and len(taken) < self.size:
            total += weight(self._waiting[0])
            if taken and total > WEIGHT_MAX:
                break
            taken.append(self._waiting.popleft())
        return Batch(tuple(taken)) if taken else None

    def again(self, one: Candidate) -> None:
        """Ask for a pull request alone."""
        self._again.append(Batch((one,)))

    def succeeded(self) -> None:
        """A batch came back whole: after enough of them, ask for one more at once."""
        self._good_count += 1
        if self._good_count >= GROW_AFTER:
            self._good_count = 0
            self.size = min(self.size + 1, LARGEST_SIZE)

    def failed(self, batch: Batch) -> None:
        """A batch failed: once more as it is, then in halves, and smaller batches from here on."""
        self._good_count = 0
        again = Batch(batch.candidates, batch.failed_count + 1)
        if again.failed_count == 1 or len(batch.candidates) == 1:
            self._again.appendleft(again)
            return
        self.size = max(1, min(self.size, len(batch.candidates)) // 2)
        self._again.extendleft(reversed(again.halves()))
