"""The warehouse: where a week lies, whole or not at all, and how a torn one is known."""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow.parquet as pq
import pytest

from pipelines.errors import WarehouseError
from pipelines.tables import DERIVED_TABLES, RAW_TABLES, TABLES, Table, empty_frame
from pipelines.warehouse import Warehouse, replace_file
from pipelines.weeks import parse_week
from tests.unit.test_tables import files_frame

REPO, WEEK = "acme/lattice", parse_week("2026-W12")
FILES, FETCHES = TABLES["raw_files"], TABLES["raw_fetches"]


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(tmp_path / "warehouse")


def store_whole_week(warehouse: Warehouse, state: str = "complete") -> None:
    """Raw tables with one file, signed by a fetch."""
    frames = {table.name: empty_frame(table) for table in RAW_TABLES} | {"raw_files": files_frame([1])}
    written = [warehouse.write(table, REPO, WEEK, frames[table.name]) for table in RAW_TABLES if table is not FETCHES]
    window = WEEK.window("UTC")
    texts = (
        "missing_numbers",
        "cut_parts",
        "enumeration_differences",
        "added_numbers",
        "changed_numbers",
        "removed_numbers",
        "notes",
    )
    row = {
        **{column.name: 0 for column in FETCHES.columns},
        **dict.fromkeys(("source", "web_url", "repository_id", "repository_name", "timezone", "enumerated_by"), "x"),
        **{name: [] for name in texts},
        **dict.fromkeys(("window_start_utc", "window_end_utc", "started_at_utc", "finished_at_utc"), window.start_utc),
        "fetch_number": 1,
        "default_branch": "main",
        "state": state,
        "files": [{"table": file.table, "rows_count": file.rows_count, "sha256": file.sha256} for file in written],
    }
    warehouse.write(FETCHES, REPO, WEEK, pd.DataFrame([row]))


def test_layout_is_hive_partitions_with_the_slash_quoted(warehouse: Warehouse) -> None:
    path = warehouse.path(FILES, REPO, WEEK).relative_to(warehouse.root)
    assert path.as_posix() == "tables/raw_files/repo=acme%2Flattice/week=2026-W12/part-0.parquet"


def test_other_readers_need_nothing_of_ours(warehouse: Warehouse) -> None:
    warehouse.write(FILES, REPO, WEEK, files_frame([1, 2]))
    glob = warehouse.root / "tables" / "raw_files" / "*" / "*" / "*.parquet"
    rows = duckdb.read_parquet(str(glob), hive_partitioning=True).order("number").project("repo, week, number").fetchall()
    assert rows == [(REPO, "2026-W12", 1), (REPO, "2026-W12", 2)]
    assert sorted(pd.read_parquet(warehouse.root / "tables" / "raw_files")["number"]) == [1, 2]


def test_the_same_frame_twice_is_the_same_bytes(warehouse: Warehouse) -> None:
    first = warehouse.write(FILES, REPO, WEEK, files_frame([1, 2]))
    second = warehouse.write(FILES, REPO, WEEK, files_frame([2, 1]))
    assert first == second
    assert warehouse.file_hash(FILES, REPO, WEEK) == first.sha256


def test_what_a_file_stands_on_can_be_read_and_leaves_its_content_hash(warehouse: Warehouse) -> None:
    warehouse.write(FILES, REPO, WEEK, files_frame([1]), {"rules": "a"})
    before = warehouse.stands_on(FILES, REPO, WEEK)
    warehouse.write(FILES, REPO, WEEK, files_frame([1]), {"rules": "b"})
    after = warehouse.stands_on(FILES, REPO, WEEK)
    assert (before["rules"], after["rules"]) == ("a", "b")
    assert before["content"] == after["content"]
    warehouse.write(FILES, REPO, WEEK, files_frame([2]), {"rules": "b"})
    assert warehouse.stands_on(FILES, REPO, WEEK)["content"] != after["content"]


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_rows_read_back_are_whole(sample_tables: Warehouse, table: Table) -> None:
    if table.name in {made.name for made in (*RAW_TABLES, *DERIVED_TABLES)}:
        assert sample_tables.is_whole(table, REPO, parse_week("2026-W17"))


def test_reading_many_weeks_with_a_column_all_null_in_one(warehouse: Warehouse) -> None:
    warehouse.write(FILES, REPO, WEEK, files_frame([1]))
    warehouse.write(FILES, REPO, WEEK.shift(2), files_frame([2]).assign(patch="@@ -1 +1 @@"))
    frame = warehouse.read_weeks(FILES, REPO, [WEEK, WEEK.shift(1), WEEK.shift(2)])
    assert frame["week"].tolist() == ["2026-W12", "2026-W14"]
    assert frame["patch"].isna().tolist() == [True, False]
    assert warehouse.read_weeks(FILES, REPO, []).columns[0] == "week"


def test_a_file_is_replaced_only_by_other_bytes(warehouse: Warehouse) -> None:
    path = warehouse.path(FILES, REPO, WEEK)
    first = warehouse.write(FILES, REPO, WEEK, files_frame([1]))
    made = path.stat()
    assert warehouse.write(FILES, REPO, WEEK, files_frame([1])) == first
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (made.st_ino, made.st_mtime_ns)
    warehouse.write(FILES, REPO, WEEK, files_frame([1, 2]))
    assert warehouse.read(FILES, REPO, WEEK)["number"].tolist() == [1, 2]
    path.unlink()
    path.symlink_to(path)  # nobody can read it
    assert warehouse.write(FILES, REPO, WEEK, files_frame([1])) == first
    assert warehouse.read(FILES, REPO, WEEK)["number"].tolist() == [1]


def test_a_week_is_absent_then_whole_then_torn(warehouse: Warehouse) -> None:
    assert warehouse.week_state(REPO, WEEK) == "absent"
    warehouse.write(FILES, REPO, WEEK, files_frame([1]))
    assert warehouse.week_state(REPO, WEEK) == "torn"  # rows without the signature of their fetch
    store_whole_week(warehouse)
    assert warehouse.week_state(REPO, WEEK) == "complete"
    warehouse.write(FILES, REPO, WEEK, files_frame([1, 2]))
    assert warehouse.week_state(REPO, WEEK) == "torn"


@pytest.mark.parametrize("harm", ["cut", "gone", "foreign"])
def test_a_harmed_file_makes_the_week_torn(warehouse: Warehouse, harm: str) -> None:
    store_whole_week(warehouse)
    path = warehouse.path(FILES, REPO, WEEK)
    if harm == "cut":
        path.write_bytes(path.read_bytes()[:-9])
    elif harm == "gone":
        path.unlink()
    else:
        path.write_bytes(b"not parquet at all")
    assert warehouse.week_state(REPO, WEEK) == "torn"


def test_a_harmed_signature_makes_the_week_torn(warehouse: Warehouse) -> None:
    store_whole_week(warehouse)
    warehouse.path(FETCHES, REPO, WEEK).write_bytes(b"PAR1")
    assert warehouse.week_state(REPO, WEEK) == "torn"


def test_a_partial_fetch_is_said_to_be_one(warehouse: Warehouse) -> None:
    store_whole_week(warehouse, "partial")
    assert warehouse.week_state(REPO, WEEK) == "partial"


def test_a_foreign_parquet_file_is_refused_with_what_to_do(warehouse: Warehouse) -> None:
    path = warehouse.path(FILES, REPO, WEEK)
    path.parent.mkdir(parents=True)
    pd.DataFrame({"number": [1]}).to_parquet(path)
    with pytest.raises(WarehouseError, match=r"columns are not those of raw_files version 1 \(file: version none\).*--refresh"):
        warehouse.read(FILES, REPO, WEEK)


def test_an_absent_table_says_what_to_do(warehouse: Warehouse) -> None:
    with pytest.raises(WarehouseError, match=r"not there\. Fetch the week first"):
        warehouse.read(FILES, REPO, WEEK)


def test_a_folder_of_somebody_else_is_no_week(warehouse: Warehouse) -> None:
    store_whole_week(warehouse)
    strange = warehouse.path(FETCHES, REPO, WEEK).parent.with_name("week=notes")
    strange.mkdir()
    (strange / "part-0.parquet").write_bytes(b"")
    assert warehouse.weeks(REPO) == [WEEK]
    assert warehouse.repositories() == [REPO]


def refused_as_nobody(path: Path) -> str:
    """What a user without rights is told by ``replace_file``; root may write anywhere, so a child steps down."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setuid(65534)
            replace_file(path, b"new")
            os.write(writing, b"written")
        except WarehouseError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as told:
        return told.read()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")  # the child only writes a file
def test_a_read_only_folder_leaves_the_old_file() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        replace_file(path, b"old")
        Path(folder).chmod(0o555)
        told = refused_as_nobody(path)
        Path(folder).chmod(0o755)
        assert "cannot be written: Permission denied. Make room or mend permissions" in told
        assert path.read_bytes() == b"old"
        assert [path.name for path in Path(folder).iterdir()] == ["file"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    replace_file(path, b"old")
    command = (
        "import pathlib, resource, signal; from pipelines.warehouse import replace_file;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        f"replace_file(pathlib.Path({str(path)!r}), b'n' * 100_000)"
    )
    ended = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=False)
    assert "cannot be written: File too large" in ended.stderr
    assert path.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_two_writers_of_a_week_wait_for_each_other(warehouse: Warehouse) -> None:
    order: list[str] = []

    def second() -> None:
        with warehouse.lock(REPO, WEEK):
            order.append("second")

    with warehouse.lock(REPO, WEEK):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.2)
        order.append("first")
    thread.join(5)
    assert order == ["first", "second"]


def test_files_are_compressed_and_sorted(warehouse: Warehouse) -> None:
    warehouse.write(FILES, REPO, WEEK, files_frame([2, 1]))
    with pq.ParquetFile(warehouse.path(FILES, REPO, WEEK)) as opened:
        assert opened.metadata.row_group(0).column(0).compression == "ZSTD"
        assert opened.read()["number"].to_pylist() == [1, 2]
