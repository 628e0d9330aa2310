"""Frames as plain rows and back: the rules look at a few hundred rows a week, where pandas costs more a call than a row."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd
import pyarrow as pa

from pipelines.tables import TABLES, to_frame

Row = Mapping[str, Any]


def values(column: "pd.Series[Any]") -> list[Any]:
    """The values of a column as plain Python, None for every null; instants are of UTC and bear no zone, which is quickest."""
    if column.dtype == object:
        return [None if _is_null(value) else value for value in column.tolist()]
    if column.dtype.kind == "M":
        instants: list[Any] = column.to_numpy(dtype="datetime64[us]").tolist()
        return instants
    listed: list[Any] = pa.array(column, from_pandas=True).to_pylist()
    return listed


def tuples(frame: pd.DataFrame, *names: str) -> Iterator[tuple[Any, ...]]:
    """The rows of some columns of a frame, in its order, None for every null."""
    return zip(*(values(frame[name]) for name in names), strict=True)


def dicts(frame: pd.DataFrame, names: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """The rows of a frame by column, in its order, None for every null."""
    columns = [str(name) for name in frame.columns] if names is None else list(names)
    return [dict(zip(columns, row, strict=True)) for row in tuples(frame, *columns)]


def frame_of(table: str, rows: Iterable[Row]) -> pd.DataFrame:
    """Rows as a frame of a table's contract, sorted by its key; a row must name every column that may not be null.

    The contract itself is held by whoever stores the frame; here rows only take its types.
    """
    contract = TABLES[table]
    made = pa.Table.from_pylist(list(rows), schema=contract.schema)
    return to_frame(made.sort_by([(name, "ascending") for name in contract.key]))


def _is_null(value: object) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)  # noqa: PLR0124  # because: only NaN differs from itself
