"""The small language of the data files, and the choices by hash."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.errors import SourceError
from pipelines.sources import sample
from pipelines.sources.sample.choice import between, draw, oid, shuffled, weighted
from pipelines.sources.sample.content import FileChange, parse_file
from pipelines.sources.sample.talk import Comment, Pools, Review, Thread, parse_talk


def test_talk_is_read_with_its_author_filled_in() -> None:
    text = "thread open a/b.py:7\n  ada: Why?\n  author: Because.\nreview approved ada:\nafter author: Red again."
    talk = parse_talk(text, "grace")
    assert talk.threads == (Thread("open", "a/b.py", 7, (("ada", "Why?"), ("grace", "Because."))),)
    assert talk.reviews == (Review("ada", "APPROVED", ""),)
    assert talk.comments == (Comment("grace", "after", "Red again."),)


@pytest.mark.parametrize("text", ["thread closed a.py:1", "  ada: Nobody began.", "review maybe ada: hm"])
def test_talk_that_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(SourceError, match="not understood"):
        parse_talk(text, "grace")


def test_file_lines() -> None:
    assert parse_file("a.py +3 -1", "here") == FileChange("a.py", 3, 1, "MODIFIED")
    assert parse_file("a.py +3 A", "here") == FileChange("a.py", 3, 0, "ADDED")
    assert parse_file("a.py -9 D", "here") == FileChange("a.py", 0, 9, "DELETED")
    assert parse_file("a.png AB", "here") == FileChange("a.png", 0, 0, "ADDED")
    assert parse_file("a.py > b.py", "here") == FileChange("b.py", 0, 0, "RENAMED", "a.py")
    with pytest.raises(SourceError, match=r"here: file line 'a.py \+x'"):
        parse_file("a.py +x", "here")


def test_pools_hand_out_everything_before_they_repeat() -> None:
    pools = Pools()
    first = [pools.next("docs") for _ in range(4)]
    assert len(set(first)) == 4
    assert pools.next("docs") == first[0]


@given(st.lists(st.text()), st.text())
def test_choices_stay_in_bounds_and_repeat(options: list[str], key: str) -> None:
    assert 0 <= draw(key) < 1
    assert 3 <= between(3, 9, key) <= 9
    assert sorted(shuffled(options, key)) == sorted(options)
    assert shuffled(options, key) == shuffled(options[::-1], key)
    assert weighted([("never", 0.0), ("always", 1.0)], key) == "always"
    assert len(oid(key)) == 40


def test_a_name_that_is_not_there_is_said() -> None:
    with pytest.raises(AttributeError, match="NOTHING"):
        _ = sample.NOTHING
