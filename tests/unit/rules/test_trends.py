from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.rules import trends
from pipelines.rules.emerging import log_odds
from pipelines.rules.rows import Frames
from tests.unit.rules.small_weeks import derive_weeks, pull, raw_week, weeks_from

LAST = "2026-W12"


def _weeks(counts: list[int], title: str = "[AMD] Tune", others: int = 10) -> dict[str, Frames]:
    """Weeks up to W12, each with so many pull requests of one title and ten others."""
    names = weeks_from("2026-W01", 12)[-len(counts) :]
    made: dict[str, Frames] = {}
    for at, (week, count) in enumerate(zip(names, counts, strict=True)):
        pulls: list[dict[str, Any]] = [pull(1000 * at + n, title, files=["pkg/gpu/a.py"]) for n in range(1, count + 1)]
        pulls += [pull(1000 * at + 500 + n, "Support cuda on gpu", files=["pkg/core/b.py"]) for n in range(others)]
        made[week] = raw_week(week, pulls)
    return made


def _row(counts: list[int], name: str = "amd") -> "pd.Series[Any]":
    frame = derive_weeks(_weeks(counts))[LAST]["derived_theme_trends"]
    return frame[(frame["dimension"] == "theme") & (frame["name"] == name)].iloc[0]


def test_a_theme_is_shown_against_the_weeks_before() -> None:
    row = _row([1, 2, 2, 3, 2, 9])
    assert row["history_counts"] == [1, 2, 2, 3, 2]
    assert row["history_weeks"] == weeks_from("2026-W07", 5)
    assert (row["pull_requests_count"], row["last_week_count"], row["median_4_weeks_count"]) == (9, 2, 2.0)
    assert (row["median_12_weeks_count"], row["quartile_1_count"], row["quartile_3_count"]) == (2.0, 2.0, 2.0)
    assert (row["change_count"], row["direction"], row["share"]) == (7.0, "rising", 9 / 19)
    assert len(row["movers"]) == 5


@pytest.mark.parametrize(
    ("counts", "direction"),
    [
        ([2, 2, 3, 2, 9], "rising"),
        ([9, 8, 9, 9, 1], "falling"),
        ([9, 8, 9, 9, 0], "falling"),
        ([5, 6, 5, 6, 7], "steady"),
        ([0, 0, 0, 0, 3], "new"),
        ([0, 0, 0, 0, 1], "steady"),
        ([0, 0, 0, 3], "unknown"),
        ([3], "unknown"),
    ],
)
def test_directions(counts: list[int], direction: str) -> None:
    *before, count = counts
    low, middle, high = (float(value) for value in np.quantile(before or [0], [0.25, 0.5, 0.75]))
    z = log_odds(count, count + 10, sum(before), sum(before) + 10 * len(before))
    assert trends.direction(count, before, (low, middle, high), z) == direction


def test_with_too_little_history_nothing_is_claimed() -> None:
    row = _row([2, 4])
    nulls = ["median_4_weeks_count", "median_12_weeks_count", "quartile_1_count", "quartile_3_count", "change_count", "z_score"]
    assert row[nulls].isna().all()
    assert row["last_week_count"] == 2


def test_a_week_that_is_not_stored_is_no_zero() -> None:
    weeks = _weeks([2, 2, 3, 2, 2, 4])
    del weeks["2026-W11"]
    frame = derive_weeks(weeks)[LAST]["derived_theme_trends"]
    row = frame[frame["name"] == "amd"].iloc[0]
    assert row["history_counts"] == [2, 2, 3, 2]
    assert pd.isna(row["last_week_count"])


def test_a_bigger_week_alone_is_no_rise() -> None:
    weeks = _weeks([4, 4, 5, 4, 8])
    weeks[LAST] = _weeks([8], others=22)[LAST]
    frame = derive_weeks(weeks)[LAST]["derived_theme_trends"]
    assert frame.loc[frame["name"] == "amd", "direction"].item() == "steady"


def test_modules_have_trends_and_an_empty_week_keeps_the_names_before_it() -> None:
    weeks = _weeks([2, 2, 3, 2, 0])
    weeks[LAST] = raw_week(LAST)
    frame = derive_weeks(weeks)[LAST]["derived_theme_trends"]
    assert set(frame["dimension"]) == {"theme", "module"}
    assert (frame["pull_requests_count"] == 0).all()
    assert (frame["share"] == 0.0).all()
    assert frame["z_score"].isna().all()


def test_a_rising_term_is_compared_with_the_titles_that_said_it_before() -> None:
    weeks = _weeks([2, 2, 2, 2, 2])
    said = weeks_from("2026-W08", 5)[1]
    weeks[said] = raw_week(said, [pull(2001, "Tune Helios-4"), *(pull(2100 + n, "Load cuda") for n in range(10))])
    weeks[LAST] = raw_week(LAST, [pull(9000 + n, f"Tune Helios-4 {n}", author_login=f"p{n}") for n in range(8)])
    frame = derive_weeks(weeks)[LAST]["derived_theme_trends"]
    row = frame[frame["name"] == "helios4"].iloc[0]
    assert (row["history_counts"], row["is_emerging"], row["direction"]) == ([0, 1, 0, 0], True, "rising")


@settings(deadline=None)
@given(st.integers(0, 40), st.lists(st.integers(0, 40), max_size=12), st.floats(-5, 5))
def test_one_more_never_turns_a_rise_into_a_fall(count: int, before: list[int], z: float) -> None:
    order = ["falling", "steady", "rising"]
    low, middle, high = (float(value) for value in np.quantile(before or [0], [0.25, 0.5, 0.75]))
    now, more = (trends.direction(n, before, (low, middle, high), z) for n in (count, count + 1))
    if now in order and more in order:
        assert order.index(more) >= order.index(now)
    assert (now == "unknown") == (len(before) < 4)
