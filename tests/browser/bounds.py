"""The bounds of the pages with what a run measured, as a table below the tests: ``pytest tests/browser`` prints it."""

from collections.abc import Callable
from typing import Any

import pytest

Bound = Callable[[str, str, object], None]
_PROPERTY = "bound"


@pytest.fixture
def bound(record_property: Callable[[str, object], None]) -> Bound:
    """``bound(what, most, measured)`` puts a row into the table; the test itself holds the measured value to the bound."""

    def record(what: str, most: str, measured: object) -> None:
        record_property(_PROPERTY, f"{what}\t{most}\t{measured}")

    return record


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The rows that passing tests recorded, each once, in the order in which the tests stand."""
    properties = [pair for report in terminalreporter.getreports("passed") for pair in report.user_properties]
    rows = sorted({str(value) for name, value in properties if name == _PROPERTY})
    if rows:
        terminalreporter.section("bounds of the pages")
        cells = [("what", "bound", "measured"), *(tuple(row.split("\t")) for row in rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(3)]
        for row in cells:
            terminalreporter.write_line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
