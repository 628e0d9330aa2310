"""``pullweek docs``: the reference page of the tables, made from the contracts."""

import argparse

from pipelines.tables import TABLES, Table

HEAD = """\
# Tables

Made from the contracts by `make docs`; change those, not this page. Every file lies at
`tables/<table>/repo=<owner>%2F<name>/week=<2026-W17>/part-0.parquet` below the warehouse's root, so `repo` and `week` are columns
of every table for a reader of Hive partitions. A column that may be null says "not known" by it, never "none".
"""


def run(_options: argparse.Namespace) -> int:
    """Print the page."""
    print(tables_page(), end="")
    return 0


def tables_page() -> str:
    """The whole page in Markdown."""
    return "\n".join([HEAD, *(_section(table) for table in TABLES.values())])


def _section(table: Table) -> str:
    lines = [f"## {table.name}", "", f"{table.grain} Key: {', '.join(f'`{name}`' for name in table.key)}.", ""]
    lines += ["| column | type | null | meaning | source |", "|---|---|---|---|---|"]
    for column in table.columns:
        meaning = column.description + (f" Unit: {column.unit}." if column.unit else "")
        kind = str(column.type).replace("|", "\\|")
        lines.append(f"| `{column.name}` | {kind} | {'yes' if column.nullable else ''} | {meaning} | {column.source} |")
    return "\n".join([*lines, ""])
