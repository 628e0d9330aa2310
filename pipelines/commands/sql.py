"""``pullweek sql``: the tables as DuckDB views, each with the columns ``repo`` and ``week`` of its path."""

import argparse
import csv
import json
import sys
from typing import TYPE_CHECKING, Any

from pipelines.commands.asking import open_warehouse
from pipelines.errors import UsageError
from pipelines.tables import TABLES
from pipelines.warehouse import Warehouse

if TYPE_CHECKING:
    import duckdb


def run(options: argparse.Namespace) -> int:
    """Run one query and print its rows: as a table, ``--csv`` or ``--json``."""
    import duckdb

    connection = connect(open_warehouse())
    try:
        answer = connection.execute(options.query)
        names = [column[0] for column in answer.description or []]
        rows = answer.fetchall()
    except duckdb.Error as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"query {options.query!r}: {reason} Tables: {', '.join(sorted(TABLES))}.") from error
    _print(names, rows, options)
    return 0


def connect(warehouse: Warehouse) -> "duckdb.DuckDBPyConnection":
    """A DuckDB connection in memory with a view for every stored table; nothing can be written through it."""
    import duckdb

    connection = duckdb.connect(":memory:")
    connection.execute("SET TimeZone = 'UTC'")
    for table in TABLES.values():
        files = warehouse.root / "tables" / table.name / "*" / "*" / "part-0.parquet"
        if any((warehouse.root / "tables" / table.name).glob("*/*/part-0.parquet")):
            quoted = str(files).replace("'", "''")
            connection.execute(
                f"CREATE VIEW {table.name} AS SELECT * FROM read_parquet('{quoted}', hive_partitioning = true, "  # noqa: S608  because: a view cannot take parameters; the path is quoted
                "hive_types = {'repo': VARCHAR, 'week': VARCHAR})"
            )
    return connection


def _print(names: list[str], rows: list[tuple[Any, ...]], options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps([dict(zip(names, row, strict=True)) for row in rows], indent=1, default=str))
    elif options.csv or not sys.stdout.isatty():
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)
    else:
        from rich.console import Console
        from rich.table import Table

        table = Table(*names, box=None, pad_edge=False)
        for row in rows:
            table.add_row(*("" if value is None else str(value) for value in row))
        Console(markup=False).print(table)
