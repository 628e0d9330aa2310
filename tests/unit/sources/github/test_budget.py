from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from pipelines.errors import SourceError
from pipelines.sources.github.budget import SERVER_SECONDS_A_MINUTE, Budget, Clock
from pipelines.sources.github.faults import LimitReachedError

START = datetime(2026, 4, 28, 6, tzinfo=UTC)


class Still:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.clock = Clock(lambda: START + timedelta(seconds=self.passed), lambda: self.passed, self.move)

    def move(self, seconds: float) -> None:
        self.passed += seconds


def budget(still: Still, tokens_count: int = 1, max_wait_seconds: float = 4_000.0) -> tuple[Budget, list[str]]:
    said: list[str] = []
    return Budget(tokens_count, still.clock, max_wait_seconds=max_wait_seconds, say=said.append), said


def rate(remaining: int, minutes: float = 10) -> dict[str, object]:
    return {"remaining": remaining, "limit": 5_000, "resetAt": (START + timedelta(minutes=minutes)).isoformat()}


def test_without_a_word_on_limits_nothing_waits() -> None:
    still = Still()
    made, said = budget(still)
    for _ in range(1_000):
        with made.turn(1):
            pass
    assert (still.passed, said) == (0.0, [])


def test_the_hour_is_waited_for_before_the_last_point_is_overdrawn() -> None:
    still = Still()
    made, said = budget(still)
    made.note(0, rate(3), {})
    with made.turn(3):
        assert still.passed == 0
    made.note(0, rate(2), {})
    with made.turn(3):
        pass
    assert still.passed == pytest.approx(602)
    assert said[0] == "waiting 10 min 2 s for GitHub's hourly limit"


def test_points_of_requests_under_way_count() -> None:
    still = Still()
    made, _ = budget(still, tokens_count=2)
    made.note(0, rate(5), {})
    made.note(1, rate(4), {})
    with made.turn(4) as first, made.turn(4) as second:
        assert {first, second} == {0, 1}
    assert still.passed == 0


def test_a_longer_wait_than_allowed_is_refused_at_once() -> None:
    still = Still()
    made, _ = budget(still, max_wait_seconds=60)
    made.note(0, rate(0), {})
    with (
        pytest.raises(
            LimitReachedError, match=r"hourly limit: 10 min 2 s to wait, 1 min 0 s allowed in all.*after 2026-04-28 06:10 UTC"
        ),
        made.turn(1),
    ):
        pass
    assert still.passed == 0


def test_githubs_clock_counts_not_ours() -> None:
    still = Still()
    made, _ = budget(still)
    made.note(0, rate(0), {"date": format_datetime(START + timedelta(minutes=9), usegmt=True)})
    with made.turn(1):
        pass
    assert still.passed == pytest.approx(62)


def test_headers_serve_where_the_answer_does_not_tell() -> None:
    still = Still()
    made, _ = budget(still)
    told = {"x-ratelimit-resource": "graphql", "x-ratelimit-remaining": "0", "x-ratelimit-limit": "5000"}
    made.note(0, None, told | {"x-ratelimit-reset": f"{START.timestamp() + 30:.1f}", "date": "not a date"})
    with made.turn(1):
        pass
    assert still.passed == pytest.approx(32)


def test_server_time_stays_below_a_minute_a_minute() -> None:
    still = Still()
    made, said = budget(still)
    ends: list[tuple[float, float]] = []
    for _ in range(60):
        with made.turn(1):
            still.move(4.0)
        ends.append((still.passed, 4.0))
    for end, _ in ends:
        assert sum(seconds for moment, seconds in ends if end - 60 < moment <= end) <= SERVER_SECONDS_A_MINUTE + 4.0
    assert said == []


def test_points_a_minute_stay_below_two_thousand() -> None:
    still = Still()
    made, _ = budget(still)
    for _ in range(20):
        with made.turn(190):
            pass
    assert still.passed >= 60


def test_secondary_waits_double_and_end_with_a_good_answer() -> None:
    still = Still()
    made, _ = budget(still)
    waits = []
    for _ in range(3):
        made.slow_down(0, None)
        before = still.passed
        with made.turn(1):
            pass
        waits.append(still.passed - before)
    assert waits == [pytest.approx(60), pytest.approx(120), pytest.approx(240)]
    made.good(0)
    made.slow_down(0, None)
    before = still.passed
    with made.turn(1):
        pass
    assert still.passed - before == pytest.approx(60)


def test_a_hint_to_wait_not_at_all_waits_a_second() -> None:
    still = Still()
    made, _ = budget(still)
    made.slow_down(0, 0.0)
    with made.turn(1):
        pass
    assert still.passed == pytest.approx(1)


def test_a_refused_token_is_not_used_again() -> None:
    made, _ = budget(Still(), tokens_count=2)
    assert made.refuse(0)
    for _ in range(3):
        with made.turn(1) as token:
            assert token == 1
    assert not made.refuse(1)


def test_a_stop_ends_every_wait() -> None:
    made, _ = budget(Still())
    made.stop()
    with pytest.raises(LimitReachedError, match="stopped"), made.turn(1):
        pass


def test_where_every_token_is_refused_the_next_turn_says_so() -> None:
    made, _ = budget(Still())
    assert not made.refuse(0)
    with pytest.raises(SourceError, match=r"every token is refused.*set GITHUB_TOKEN"), made.turn(1):
        pass
