import csv
import io

import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from pipelines.report.tables_export import SCHEMA, csv_bytes, neutral, parquet_bytes
from tests.report_fixture import make_report

FORMULAS = ("=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", " =1", "\uff1d1", "\uff20SUM(A1)", "'=1", "plain", "")


def _rows(content: bytes) -> list[dict[str, str]]:
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_no_cell_of_text_begins_as_a_formula() -> None:
    for row in _rows(csv_bytes(make_report(30, texts=FORMULAS))):
        for name, value in row.items():
            if not SCHEMA.field(name).type.equals("int64") and not SCHEMA.field(name).type.equals("double"):
                assert not value.lstrip().startswith(("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")), (name, value)


@given(st.text())
def test_neutral_keeps_the_text_and_at_most_adds_an_apostrophe(text: str) -> None:
    made = neutral(text)
    assert made in (text, "'" + text)
    assert not made[:1] or made[0] not in "=+-@\t\r\n"


def test_rows_stand_by_importance_and_hold_the_values() -> None:
    report = make_report(30)
    rows = _rows(csv_bytes(report))
    assert [int(row["rank"]) for row in rows] == list(range(1, 31))
    assert (rows[0]["number"], rows[0]["title"]) == ("801", report["pull_requests"][0]["title"])
    assert rows[5 - 1]["first_review_hours"] == ""  # not known is empty, never 0


def test_both_files_hold_the_same_pull_requests_and_the_same_bytes_again() -> None:
    report = make_report(30)
    table = pq.read_table(io.BytesIO(parquet_bytes(report)))
    assert table.schema.equals(SCHEMA)
    assert table["number"].to_pylist() == [int(row["number"]) for row in _rows(csv_bytes(report))]
    assert table["themes"].to_pylist()[0] == report["pull_requests"][0]["themes"]
    assert (csv_bytes(report), parquet_bytes(report)) == (csv_bytes(make_report(30)), parquet_bytes(make_report(30)))


def test_an_empty_week_has_columns() -> None:
    assert _rows(csv_bytes(make_report(0))) == []
    assert pq.read_table(io.BytesIO(parquet_bytes(make_report(0)))).schema.equals(SCHEMA)
