from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.sources.github.checkpoint import Checkpoint, page_key
from pipelines.weeks import Week

WINDOW = Week(2026, 17).window("UTC")
NOW = datetime(2026, 4, 28, 6, tzinfo=UTC)
PULL: dict[str, Any] = {"id": "PR_1", "updatedAt": "2026-04-21T00:00:00Z", "title": "\ud800 \x00 界"}


def opened(root: Path | None, now: datetime = NOW, *, is_refresh: bool = False) -> Checkpoint:
    return Checkpoint(root, "a/b", WINDOW, now, is_refresh=is_refresh)


def test_what_was_kept_is_there_again_with_unsafe_text_as_it_came(tmp_path: Path) -> None:
    first = opened(tmp_path)
    assert not first.is_resumed
    first.keep_pulls([PULL])
    first.keep_page("k", {"x": 1}, is_lasting=False)
    again = opened(tmp_path, NOW + timedelta(hours=23))
    assert again.is_resumed
    assert again.begun_at == NOW
    assert again.pull("PR_1", PULL["updatedAt"]) == PULL
    assert again.pull("PR_1", None) == PULL
    assert again.pull("PR_1", "2026-04-22T00:00:00Z") is None
    assert again.page("k") == {"x": 1}


@pytest.mark.parametrize(
    ("now", "is_refresh"), [(WINDOW.end_utc - timedelta(hours=2), False), (NOW, True)], ids=["running", "refresh"]
)
def test_pages_that_enumerate_go_stale_in_a_running_week_and_at_a_refresh(tmp_path: Path, now: datetime, is_refresh: bool) -> None:  # noqa: FBT001  # because: a case
    made = opened(tmp_path, now, is_refresh=is_refresh)
    made.keep_page("closed", {"x": 1}, is_lasting=False)
    made.keep_page("lasting", {"x": 2}, is_lasting=True)
    again = opened(tmp_path, now, is_refresh=is_refresh)
    assert (again.page("closed"), again.page("lasting")) == (None, {"x": 2})


def test_another_zone_begins_anew(tmp_path: Path) -> None:
    opened(tmp_path).keep_pulls([PULL])
    other = Checkpoint(tmp_path, "a/b", Week(2026, 17).window("Asia/Shanghai"), NOW)
    assert not other.is_resumed
    assert not opened(tmp_path).is_resumed


def test_without_a_root_nothing_is_kept() -> None:
    made = opened(None)
    made.keep_pulls([PULL])
    made.discard()
    assert made.pull("PR_1", None) is None


def test_a_mark_that_cannot_be_read_begins_anew(tmp_path: Path) -> None:
    made = opened(tmp_path)
    made.keep_pulls([PULL])
    assert made.folder is not None
    (made.folder / "begun.json").write_text('{"at": "never"}')
    assert not opened(tmp_path).is_resumed


def test_one_week_is_discarded_without_the_other(tmp_path: Path) -> None:
    other = Checkpoint(tmp_path, "a/b", Week(2026, 16).window("UTC"), NOW)
    other.keep_pulls([PULL])
    opened(tmp_path).discard()
    assert Checkpoint(tmp_path, "a/b", Week(2026, 16).window("UTC"), NOW).is_resumed


@settings(max_examples=30)
@given(st.dictionaries(st.text(), st.none() | st.integers() | st.text()))
def test_a_question_has_one_key_in_whatever_order_it_is_put(variables: dict[str, Any]) -> None:
    turned = dict(reversed(variables.items()))
    assert page_key("Search", variables) == page_key("Search", turned)
    assert page_key("Search", variables) != page_key("Updated", variables)
