"""The door to the table contracts: look one up, make an empty frame of it, hold a frame against it.

The contracts themselves are data: ``contracts/raw.py``, ``contracts/derived.py`` and ``contracts/prose.py``. In pandas a column is

- ``int64`` or ``bool`` where null may not stand, ``Int64`` or ``boolean`` where it may,
- ``float64`` with NaN for null, ``str`` with NaN for null, ``datetime64[us, UTC]`` with NaT for null,
- ``object`` holding lists (None for null) where the type is a list.
"""

import functools
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.contracts.derived import DERIVED_TABLES
from pipelines.contracts.model import Column, Table
from pipelines.contracts.prose import PROSE_TABLES
from pipelines.contracts.raw import RAW_TABLES
from pipelines.errors import ContractError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DERIVED_TABLES", "PROSE_TABLES", "RAW_TABLES", "TABLES", "Column", "Table", "conform", "empty_frame", "to_frame"]

TABLES: dict[str, Table] = {table.name: table for table in (*RAW_TABLES, *DERIVED_TABLES, *PROSE_TABLES)}

_SHOWN_KEYS = 3


def conform(table: Table, frame: "pd.DataFrame", where: str) -> pa.Table:
    """The frame as an Arrow table of the contract, columns in its order, rows sorted by key.

    Raises :class:`ContractError` on a missing or surplus column, a wrong type, a null where none may be, or a
    repeated key. ``where`` names the repository and week in its message. The frame itself is left as it is.
    """
    names = [column.name for column in table.columns]
    surplus, missing = sorted(set(frame.columns) - set(names)), sorted(set(names) - set(frame.columns))
    if surplus or missing:
        raise ContractError(
            f"{table.name} {where}: missing columns {missing}, surplus columns {surplus}. Mend the rule that makes it."
        )
    arrays = [_array(table, column, frame[column.name], where) for column in table.columns]
    made = pa.Table.from_arrays(arrays, schema=table.schema)
    if not _is_sorted(table, made):  # most rules make their rows in order, and sorting copies every column
        made = made.sort_by([(name, "ascending") for name in table.key])
        _refuse_repeated_keys(table, made, where)
    return made


def _array(table: Table, column: Column, values: "pd.Series[Any]", where: str) -> pa.Array:
    try:
        array = to_arrow(values, column.type)
    except (pa.ArrowException, UnicodeEncodeError, OverflowError, TypeError) as error:
        raise ContractError(f"{table.name} {where}: column {column.name} is not {column.type}: {error}.") from error
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if array.null_count and not column.nullable:
        rows = ", ".join(str(i) for i in pc.indices_nonzero(array.is_null()).to_pylist()[:_SHOWN_KEYS])
        raise ContractError(
            f"{table.name} {where}: {array.null_count} nulls in {column.name}, where none may be, e.g. rows {rows}."
        )
    return array


def to_arrow(values: "pd.Series[Any]", kind: pa.DataType | None = None) -> pa.Array | pa.ChunkedArray:
    """A pandas column as Arrow, null for all that pandas takes for null."""
    from pandas.arrays import NumpyExtensionArray

    held = values.array  # of the column itself Arrow asks for one protocol after another, which takes longer than the rows
    return pa.array(held.to_numpy() if isinstance(held, NumpyExtensionArray) else held, kind, from_pandas=True)


def _is_sorted(table: Table, made: pa.Table) -> bool:
    """Whether every row's key comes after that of the row before; then none is repeated either."""
    rises = pa.scalar(False)
    for name in reversed(table.key):
        key = made.column(name).combine_chunks()
        before, after = key.slice(0, max(len(key) - 1, 0)), key.slice(1)
        rises = pc.or_(pc.less(before, after), pc.and_(pc.equal(before, after), rises))
    return pc.all(rises, skip_nulls=False).as_py() is True


def _refuse_repeated_keys(table: Table, made: pa.Table, where: str) -> None:
    """Raise where two rows of a sorted table have one key."""
    keys = [made.column(name).combine_chunks() for name in table.key]
    same = [pc.equal(key.slice(1), key.slice(0, max(len(key) - 1, 0))) for key in keys]
    repeats = pc.indices_nonzero(functools.reduce(pc.and_, same)).to_pylist()
    if repeats:
        repeated = sorted({tuple(key[place].as_py() for key in keys) for place in repeats})
        shown = ", ".join(str(key if len(key) > 1 else key[0]) for key in repeated[:_SHOWN_KEYS])
        raise ContractError(
            f"{table.name} {where}: {len(repeated)} repeated keys ({', '.join(table.key)}), e.g. {shown}. "
            "Run with --refresh, or mend the rule that makes it."
        )


def to_frame(made: pa.Table) -> "pd.DataFrame":
    """An Arrow table as a pandas frame of the dtypes named above; nullability is taken from its schema."""
    import pandas as pd

    return pd.DataFrame({field.name: _pandas_values(made.column(place), field) for place, field in enumerate(made.schema)})


def _pandas_values(values: pa.ChunkedArray, field: pa.Field) -> Any:
    """A column's values as pandas holds them: arrays rather than Series, whose indexes a frame would align one by one."""
    import numpy as np
    import pandas as pd

    if pa.types.is_int64(field.type):
        return pd.Int64Dtype().__from_arrow__(values) if field.nullable else values.to_numpy()  # type: ignore[attr-defined]  # because: the stubs leave it out
    if pa.types.is_boolean(field.type):
        return pd.BooleanDtype().__from_arrow__(values) if field.nullable else values.to_numpy()  # type: ignore[attr-defined]  # because: the stubs leave it out
    if pa.types.is_floating(field.type):
        return values.to_numpy()
    if pa.types.is_list(field.type):
        return np.fromiter(values.to_pylist(), dtype=object, count=len(values))
    if pa.types.is_string(field.type):
        return pd.StringDtype(na_value=np.nan).__from_arrow__(values)  # type: ignore[attr-defined]  # because: the stubs leave it out
    return values.to_pandas()


def empty_frame(table: Table) -> "pd.DataFrame":
    """A frame of the contract with no rows."""
    return to_frame(table.schema.empty_table())
