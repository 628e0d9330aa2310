"""What Dagster shows of an asset's making is what its rule reads."""

from collections.abc import Iterator, Mapping

import pandas as pd

from pipelines.defs.lineage import MADE_OF, REPORT, all_made_of
from pipelines.defs.steps import week_inputs
from pipelines.rules.derive import STEPS
from pipelines.rules.inputs import WeekInputs
from pipelines.tables import DERIVED_TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import parse_week
from tests.conftest import sample_entry


class Recording(Mapping[str, pd.DataFrame]):
    """Frames that remember which of them were asked for."""

    def __init__(self, frames: Mapping[str, pd.DataFrame], asked: set[str]) -> None:
        self._frames, self._asked = frames, asked

    def __getitem__(self, name: str) -> pd.DataFrame:
        self._asked.add(name)
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._frames)

    def __len__(self) -> int:
        return len(self._frames)


def test_every_derived_table_and_the_report_have_a_making() -> None:
    assert set(MADE_OF) == {table.name for table in DERIVED_TABLES} | {REPORT}


def test_a_step_reads_only_what_it_is_shown_to_be_made_of(sample_tables: Warehouse) -> None:
    inputs = week_inputs(sample_tables, sample_entry(), parse_week("2026-W17"))
    made: dict[str, pd.DataFrame] = {}
    for name, step in STEPS:
        asked: set[str] = set()
        recorded = WeekInputs(
            inputs.repo, inputs.week, Recording(inputs.raw, asked), inputs.history, inputs.history_weeks, inputs.settings
        )
        made[name] = step(recorded, Recording(made, asked))
        assert asked <= all_made_of(name), f"{name} also reads {sorted(asked - all_made_of(name))}"


def test_no_making_is_said_twice() -> None:
    for name, direct in MADE_OF.items():
        for each in direct:
            through_others = {further for other in direct if other != each for further in all_made_of(other)}
            assert each not in through_others, f"{name}: {each} reaches it through another anyway"
