"""Contracts: complete, and held before anything is written."""

import random

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.errors import ContractError
from pipelines.tables import TABLES, Table, conform, empty_frame, to_frame

FILES = TABLES["raw_files"]
THREADS = TABLES["raw_review_threads"]


def files_frame(numbers: list[int]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "number": numbers,
            "path": [f"src/{number}.py" for number in numbers],
            "previous_path": None,
            "change_type": "modified",
            "added_lines_count": pd.array([1] * len(numbers), dtype="Int64"),
            "removed_lines_count": pd.array([None] * len(numbers), dtype="Int64"),
            "patch": None,
        }
    )


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_contracts_say_everything(table: Table) -> None:
    names = [column.name for column in table.columns]
    assert len(set(names)) == len(names)
    assert set(table.key) <= set(names)
    assert table.grain.startswith("One row per ")
    assert all(not column.nullable for column in table.columns if column.name in table.key)
    for column in table.columns:
        assert column.description.endswith(".")
        assert column.source
        if column.type == pa.timestamp("us", tz="UTC"):
            assert column.name.endswith("_utc")
        if column.type == pa.bool_():
            assert column.name.startswith(("is_", "will_"))


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_an_empty_week_conforms(table: Table) -> None:
    made = conform(table, empty_frame(table), "acme/lattice 2026-W15")
    assert made.num_rows == 0
    assert made.schema.equals(table.schema, check_metadata=True)


def test_rows_are_sorted_by_key_and_the_frame_is_left_alone() -> None:
    frame = files_frame([3, 1, 2])
    assert conform(FILES, frame, "here")["number"].to_pylist() == [1, 2, 3]
    assert list(frame["number"]) == [3, 1, 2]


def test_null_and_zero_stay_apart() -> None:
    frame = files_frame([1, 2]).assign(added_lines_count=pd.array([0, None], dtype="Int64"))
    back = to_frame(conform(FILES, frame, "here"))
    assert back["added_lines_count"].tolist() == [0, pd.NA]


def test_missing_and_surplus_columns_are_named() -> None:
    with pytest.raises(
        ContractError, match=r"raw_files acme/lattice 2026-W12: missing columns \['patch'\], surplus columns \['diff'\]"
    ):
        conform(FILES, files_frame([1]).rename(columns={"patch": "diff"}), "acme/lattice 2026-W12")


def test_a_wrong_type_is_named() -> None:
    with pytest.raises(ContractError, match="column number is not int64"):
        conform(FILES, files_frame([1]).assign(number="one"), "here")


def test_a_float_that_is_no_whole_number_is_refused() -> None:
    with pytest.raises(ContractError, match="column number is not int64"):
        conform(FILES, files_frame([1]).assign(number=1.5), "here")


def test_a_null_where_none_may_be_is_refused() -> None:
    frame = files_frame([1, 2]).assign(change_type=pd.Series(["modified", None], dtype="str"))
    with pytest.raises(ContractError, match=r"1 nulls in change_type, where none may be, e.g. rows 1"):
        conform(FILES, frame, "here")


def test_repeated_keys_are_counted_and_shown() -> None:
    with pytest.raises(ContractError, match=r"1 repeated keys \(number, path\), e.g. \(7, 'src/7.py'\)"):
        conform(FILES, files_frame([7, 7, 8]), "here")


@given(st.lists(st.integers(1, 10**6), unique=True, max_size=30), st.randoms())
def test_the_order_of_rows_does_not_matter(numbers: list[int], shuffle: random.Random) -> None:
    shuffled = list(numbers)
    shuffle.shuffle(shuffled)
    assert conform(FILES, files_frame(numbers), "here").equals(conform(FILES, files_frame(shuffled), "here"))


def test_dtypes_are_those_that_the_module_names() -> None:
    frame = empty_frame(THREADS)
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert kinds["number"] == "int64"
    assert kinds["line"] == "Int64"
    assert kinds["is_resolved"] == "boolean"
    assert kinds["path"] == "str"
