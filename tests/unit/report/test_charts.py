import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.report.charts import BAND_WEEKS, Charts, band_of
from pipelines.report.charts_spark import spark
from pipelines.report.charts_svg import Scale, element, runs, ticks
from pipelines.report.render import Context
from tests.report_fixture import make_report

VALUES = st.lists(st.one_of(st.none(), st.floats(0, 1e6), st.integers(0, 10**6)), max_size=13)


def charts(language: str = "en", count: int = 40, texts: tuple[str, ...] = ()) -> Charts:
    return Charts(Context(make_report(count, texts=texts), language))


def test_an_attribute_and_a_text_are_escaped() -> None:
    made = element("text", '<b onclick="x">', class_='"><script>', text_anchor="end")
    assert made == '<text class="&#34;&gt;&lt;script&gt;" text-anchor="end">&lt;b onclick=&#34;x&#34;&gt;</text>'


@given(VALUES)
def test_the_runs_of_a_series_hold_every_known_value_and_no_gap(series: list[float | int | None]) -> None:
    found = runs(series)
    assert [pair for run in found for pair in run] == [(i, float(v)) for i, v in enumerate(series) if v is not None]
    assert all(b[0] == a[0] + 1 for run in found for a, b in pairwise(run))
    assert all(series[run[0][0] - 1] is None for run in found if run[0][0])


@given(st.floats(0, 1e9))
def test_ticks_are_round_begin_at_zero_and_reach_the_top(high: float) -> None:
    made = ticks(high)
    assert made[0] == 0
    assert made[-1] >= high
    assert 2 <= len(made) <= 7
    assert all(mark == int(mark) for mark in made)


def test_a_scale_of_one_value_does_not_divide_by_zero() -> None:
    assert Scale(3, 3, 0, 10)(3) == 0


@given(VALUES)
def test_every_sparkline_is_well_formed_and_hidden_from_those_who_listen(series: list[float | int | None]) -> None:
    made = spark(series)
    if sum(value is not None for value in series) < 2:
        assert made == ""
    else:
        assert ET.fromstring(made).get("aria-hidden") == "true"  # noqa: S314  # because: it was made a line ago
        assert "nan" not in made


def test_a_band_needs_four_known_weeks() -> None:
    assert band_of([1, 2, 3, None, 9]) == type(band_of([]))(3, None, None, None)
    band = band_of([10, 20, 30, 40, 99])
    assert (band.known, band.low, band.median, band.high) == (BAND_WEEKS, 17.5, 25.0, 32.5)


@pytest.mark.parametrize(
    ("value", "words"),
    [(99, "more than the usual 20 to 20"), (20, "within the usual 20 to 20"), (3, "fewer than the usual 20 to 20")],
)
def test_the_finding_says_where_the_week_lies(value: int, words: str) -> None:
    report = make_report(40)
    report["tiles"][0]["value"] = value
    report["tiles"][0]["series"] = [*([20] * 12), value]
    figure = Charts(Context(report, "en")).merged()
    assert figure is not None
    assert figure.finding == f"{value} merged: {words}."


def test_a_short_history_is_said_and_draws_no_band() -> None:
    report = make_report(40)
    report["tiles"][0]["series"] = [None] * 10 + [1, 2, 40]
    figure = Charts(Context(report, "en")).merged()
    assert figure is not None
    assert "not known with 2 earlier weeks stored" in figure.finding
    assert 'class="band"' not in figure.picture


def test_unknown_weeks_are_gaps_and_not_zeros() -> None:
    report = make_report(40)
    report["tiles"][0]["series"] = [5, 6, None, 7, 8, 9, None, None, 4, 5, 6, 7, 8]
    figure = Charts(Context(report, "en")).merged()
    assert figure is not None
    assert len(re.findall(r'class="line"', figure.picture)) == 3


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_chart_is_well_formed_named_and_without_style_attributes(language: str) -> None:
    drawn = charts(language, texts=('<script>x</script>"', "a&b"))
    for figure in (drawn.merged(), drawn.modules(), drawn.sizes()):
        assert figure is not None
        root = ET.fromstring(figure.picture)  # noqa: S314  # because: it was made a line ago
        assert root.get("role") == "img"
        assert root.get("aria-label") == figure.finding
        assert "style=" not in figure.picture


def test_every_pull_request_is_one_dot() -> None:
    figure = charts().sizes()
    assert figure is not None
    assert len(re.findall(r"M[\d.]+ [\d.]+h0", figure.picture)) == 40


def test_last_weeks_tick_stands_only_where_last_week_is_known() -> None:
    drawn = charts()
    known = sum(row["last_week"] is not None for row in drawn.context.report["modules"])
    figure = drawn.modules()
    assert figure is not None
    assert figure.picture.count('class="tick"') == known == 4


def test_a_week_without_pull_requests_has_no_chart_of_them() -> None:
    drawn = charts(count=0)
    assert drawn.modules() is None
    assert drawn.sizes() is None


def test_no_label_runs_into_another() -> None:
    figure = charts(count=300).sizes()
    assert figure is not None
    at = [
        (float(x), float(y))
        for x, y in re.findall(r'<text x="([\d.]+)" y="([\d.]+)" text-anchor="\w+" class="label"', figure.picture)
    ]
    assert all(abs(a[0] - b[0]) > 38 or abs(a[1] - b[1]) > 8 for i, a in enumerate(at) for b in at[:i])
