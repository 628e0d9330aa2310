"""Frames as plain rows and back: the rules look at a few hundred rows a week, where pandas costs more a call than a row."""

from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any

import pandas as pd
import pyarrow as pa

from pipelines.tables import TABLES, to_arrow, to_frame

Row = Mapping[str, Any]
#: Frames by table name, each of the dtypes that ``pipelines.tables`` names.
Frames = Mapping[str, pd.DataFrame]


class Plain(Mapping[str, pd.DataFrame]):
    """Frames, each column of which is made plain once, however many rules ask for it. The frames must not be changed."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        self._columns: dict[tuple[str, str], list[Any]] = {}

    def __getitem__(self, table: str) -> pd.DataFrame:
        """The frame of a table."""
        return self._frames[table]

    def __iter__(self) -> Iterator[str]:
        """Names of the tables."""
        return iter(self._frames)

    def __len__(self) -> int:
        """How many tables there are."""
        return len(self._frames)

    def column(self, table: str, name: str) -> list[Any]:
        """A column's values, as :func:`values` gives them."""
        kept = self._columns.get((table, name))
        if kept is None:
            kept = self._columns[table, name] = values(self._frames[table][name])
        return kept


def values(column: "pd.Series[Any]") -> list[Any]:
    """The values of a column as plain Python, None for every null; instants are of UTC and bear no zone, which is quickest."""
    if column.dtype == object:
        return [None if _is_null(value) else value for value in column.tolist()]
    if column.dtype.kind == "M":
        instants: list[Any] = column.to_numpy(dtype="datetime64[us]").tolist()
        return instants
    return _listed(to_arrow(column))


def _listed(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """The values of an Arrow column as plain Python; by way of numpy where that holds them as they are, which is twice as quick."""
    if column.null_count and not pa.types.is_string(column.type):
        found: list[Any] = column.to_pylist()
    else:
        plain = column.to_numpy() if isinstance(column, pa.ChunkedArray) else column.to_numpy(zero_copy_only=False)
        found = plain.tolist()
    return found


def column(frames: Frames, table: str, name: str) -> list[Any]:
    """The values of a column of a table as plain Python, None for every null."""
    return frames.column(table, name) if isinstance(frames, Plain) else values(frames[table][name])


def tuples(frames: Frames, table: str, *names: str) -> Iterator[tuple[Any, ...]]:
    """The rows of some columns of a table, in its order, None for every null."""
    return zip(*(column(frames, table, name) for name in names), strict=True)


def dicts(frames: Frames, table: str, names: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """The rows of a table by column, in its order, None for every null."""
    columns = [str(name) for name in frames[table].columns] if names is None else list(names)
    return [dict(zip(columns, row, strict=True)) for row in tuples(frames, table, *columns)]


def frame_of(table: str, rows: Iterable[Row]) -> pd.DataFrame:
    """Rows as a frame of a table's contract, sorted by its key; a row must name every column that may not be null.

    The contract itself is held by whoever stores the frame; here rows only take its types.
    """
    contract = TABLES[table]
    # Sorted here rather than by Arrow: most rules make their rows in order already, where this costs next to nothing.
    ordered = sorted(rows, key=itemgetter(*contract.key))
    columns = [pa.array([row.get(column.name) for row in ordered], type=column.type) for column in contract.columns]
    return to_frame(pa.Table.from_arrays(columns, schema=contract.schema))


def _is_null(value: object) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)  # noqa: PLR0124  # because: only NaN differs from itself
