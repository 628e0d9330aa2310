"""Weeks derived one after another in one process, which share what the rules remember, and each alone: the same rows."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from pipelines.rules.derive import derive_week
from pipelines.rules.inputs import WeekInputs
from pipelines.settings import RuleSettings
from pipelines.tables import DERIVED_TABLES, RAW_TABLES, TABLES, conform
from pipelines.warehouse import Warehouse, content_hash
from pipelines.weeks import HISTORY_WEEKS, parse_week
from tests.conftest import ROOT, SAMPLE, sample_week_list

Hashes = dict[str, dict[str, str]]


def hashes(root: Path, weeks: Iterable[str]) -> Hashes:
    """The hash of every derived table of each week, made anew in the order given from what is stored before it."""
    warehouse = Warehouse(root)
    return {week: _hashes(warehouse, week) for week in weeks}


def _hashes(warehouse: Warehouse, name: str) -> dict[str, str]:
    week = parse_week(name)
    before = [past for past in warehouse.weeks(SAMPLE) if week.shift(-HISTORY_WEEKS) <= past < week]
    raw = {table.name: warehouse.read(table, SAMPLE, week) for table in RAW_TABLES}
    history = {table.name: warehouse.read_weeks(table, SAMPLE, before) for table in (*RAW_TABLES, *DERIVED_TABLES)}
    made = derive_week(WeekInputs(SAMPLE, name, raw, history, tuple(map(str, before)), RuleSettings()))
    return {table: content_hash(conform(TABLES[table], frame, name)) for table, frame in made.items()}


@pytest.fixture(scope="module")
def weeks() -> list[str]:
    return [str(week) for week in sample_week_list()]


@pytest.fixture(scope="module")
def in_a_row(sample_tables: Warehouse, weeks: list[str]) -> Hashes:
    return hashes(sample_tables.root, weeks)


def test_weeks_in_a_row_are_what_is_stored(sample_tables: Warehouse, in_a_row: Hashes) -> None:
    stored = {
        week: {table: sample_tables.stands_on(TABLES[table], SAMPLE, parse_week(week))["content"] for table in made}
        for week, made in in_a_row.items()
    }
    assert in_a_row == stored


def test_a_week_is_the_same_after_any_other(sample_tables: Warehouse, in_a_row: Hashes, weeks: list[str]) -> None:
    assert hashes(sample_tables.root, reversed([*weeks, *weeks[::2]])) == in_a_row


@pytest.mark.parametrize(("chosen", "seed"), [(slice(-1, None), "1"), (slice(3, 4), "2"), (slice(None, None, -1), "77")])
def test_a_fresh_process_makes_the_same(
    sample_tables: Warehouse, in_a_row: Hashes, weeks: list[str], chosen: slice, seed: str
) -> None:
    """The last week alone, that in which nothing was merged alone, and all of them backwards; each by another hash seed."""
    command = [sys.executable, "-m", "tests.unit.rules.test_many_weeks", str(sample_tables.root), *weeks[chosen]]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    assert json.loads(told) == {week: in_a_row[week] for week in weeks[chosen]}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(hashes(Path(sys.argv[1]), sys.argv[2:])))
