"""What a contract is made of: a column, a table, and the Arrow types they use."""

from dataclasses import dataclass

import pyarrow as pa

INT = pa.int64()
FLOAT = pa.float64()
BOOL = pa.bool_()
TEXT = pa.string()
INSTANT = pa.timestamp("us", tz="UTC")
INTS = pa.list_(pa.int64())
TEXTS = pa.list_(pa.string())
FILE_HASHES = pa.list_(pa.struct([("table", TEXT), ("rows_count", INT), ("sha256", TEXT)]))


@dataclass(frozen=True)
class Column:
    """One column: its Arrow type, whether null may stand in it, what it means, its unit and where it comes from."""

    name: str
    type: pa.DataType
    description: str
    source: str
    unit: str = ""
    nullable: bool = False


@dataclass(frozen=True)
class Table:
    """One table: ``name``, ``grain`` in one sentence, ``key``, ``columns``. ``repo`` and ``week`` come from the path."""

    name: str
    grain: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    schema_version: int = 1

    @property
    def is_raw(self) -> bool:
        """Whether the table is faithful to a source rather than derived by rules."""
        return self.name.startswith("raw_")

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema, with nullability; its metadata names the table and the contract's version."""
        fields = [pa.field(c.name, c.type, nullable=c.nullable) for c in self.columns]
        return pa.schema(fields, metadata={"pullweek.table": self.name, "pullweek.schema_version": str(self.schema_version)})


def col(name: str, kind: pa.DataType, description: str, source: str, unit: str = "") -> Column:
    """A column in which null may not stand."""
    return Column(name, kind, description, source, unit)


def maybe(name: str, kind: pa.DataType, description: str, source: str, unit: str = "") -> Column:
    """A column in which null stands for "not known"."""
    return Column(name, kind, description, source, unit, nullable=True)
