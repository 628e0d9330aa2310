"""Mistakes in the data files are said, with the place and what to do."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pipelines.errors import SourceError
from pipelines.sources.sample import build, content, plan
from pipelines.sources.sample.content import Change, FileChange, people
from pipelines.sources.sample.plan import Planned

CHANGE = Change(week=12, title="A change", files=(FileChange("a.py", 1, 0, "MODIFIED"),), origin="special")
AT = datetime(2026, 3, 18, 12, tzinfo=UTC)


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(SourceError, match=r"ci\.toml, 'A change': unknown keys \['labels2'\]"):
        content._change({"week": 12, "title": "A change", "files": "a.py +1", "labels2": "x"}, "ci")


def test_talk_of_a_change_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "_talks", lambda: {"No such change": "review approved ada:"})
    with pytest.raises(SourceError, match="no change has the title 'No such change'"):
        content.changes.__wrapped__()


def test_a_merge_outside_its_week_is_refused() -> None:
    with pytest.raises(SourceError, match="not in week 12"):
        plan._merged_at(replace(CHANGE, merged=datetime(2026, 3, 25, tzinfo=UTC)))


def test_a_reference_to_nothing_is_refused() -> None:
    planned = Planned(replace(CHANGE, body="Follows #{nothing}."), "ada", AT, AT, 1)
    with pytest.raises(SourceError, match=r"#\{nothing\} names nothing"):
        build._body(planned)


def test_every_account_is_either_a_person_with_areas_or_a_newcomer_or_a_bot() -> None:
    for person in people().values():
        is_newcomer, is_machine = person.role == "FIRST_TIME_CONTRIBUTOR", person.kind == "Bot" or person.login.endswith("robot")
        assert bool(person.areas) != (is_newcomer or is_machine), person
