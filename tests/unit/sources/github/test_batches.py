from hypothesis import given
from hypothesis import strategies as st

from pipelines.sources.github.batches import LARGEST_SIZE, START_SIZE, WEIGHT_MAX, Batch, Queue, weight
from pipelines.sources.github.enumerate import Candidate

COUNTS = st.none() | st.integers(0, 4_000)


def pull(number: int, *counts: int | None) -> Candidate:
    files, reviews, threads, comments = counts or (1, 1, 1, 1)
    return Candidate(f"PR_{number}", number, "2026-04-21T00:00:00Z", None, "main", files, reviews, threads, comments)


@st.composite
def pulls(draw: st.DrawFn) -> list[Candidate]:
    counts = draw(st.lists(st.tuples(COUNTS, COUNTS, COUNTS, COUNTS), max_size=60))
    return [pull(number, *given) for number, given in enumerate(counts)]


@given(pulls(), st.lists(st.booleans(), max_size=200))
def test_every_pull_request_is_asked_for_until_it_came(candidates: list[Candidate], fates: list[bool]) -> None:
    queue, came, outcomes = Queue(candidates), [], iter(fates)
    while (batch := queue.next()) is not None:
        assert 1 <= len(batch.candidates) <= LARGEST_SIZE
        assert len(batch.candidates) == 1 or sum(weight(one) for one in batch.candidates) <= WEIGHT_MAX
        assert all(1 <= bound <= 100 for bound in batch.bounds.variables.values())
        if next(outcomes, True):
            queue.succeeded()
            came += [one.number for one in batch.candidates]
        else:
            queue.failed(batch)
    assert sorted(came) == [one.number for one in candidates]


def test_a_batch_fails_once_as_it_is_then_in_halves() -> None:
    queue = Queue(pull(number) for number in range(14))
    first = queue.next()
    assert first is not None
    queue.failed(first)
    again = queue.next()
    assert again is not None
    assert again.candidates == first.candidates
    queue.failed(again)
    sizes = []
    while (batch := queue.next()) is not None:
        sizes.append(len(batch.candidates))
    assert sizes == [7, 7]
    assert queue.size == START_SIZE // 2


def test_a_single_one_that_fails_is_asked_for_with_smaller_pages() -> None:
    batch = Batch((pull(1, 100, 80, 40, 60),), failed_count=2)
    assert batch.bounds.variables == {"files": 25, "reviews": 20, "threads": 10, "comments": 15, "threadComments": 7}


def test_batches_grow_by_one_after_eight_good_ones_and_not_without_end() -> None:
    queue = Queue([])
    for _ in range(8):
        queue.succeeded()
    assert queue.size == START_SIZE + 1
    for _ in range(1_000):
        queue.succeeded()
    assert queue.size == LARGEST_SIZE


def test_page_bounds_are_those_of_the_batch_and_price_follows_them() -> None:
    batch = Batch((pull(1, 3, 2, 0, 5), pull(2, 7, None, 9, 250)))
    assert batch.bounds.variables == {"files": 7, "reviews": 20, "threads": 9, "comments": 100, "threadComments": 30}
    assert batch.points == 1
    assert Batch(tuple(pull(number, 1, 1, 30, 1) for number in range(10))).points == 4
