"""Where a table's week lies on disk; read it, hold it against its contract, write it whole.

Layout: ``tables/<table>/repo=<owner>%2F<name>/week=<2026-W17>/part-0.parquet`` below one root.
A file is replaced whole and atomically. ``raw_fetches`` is written last and names the content hash of every raw
file of its fetch; a week whose files do not match it is torn. Nothing here knows what a column means.
"""

import contextlib
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.errors import PullweekError, WarehouseError
from pipelines.tables import TABLES, Table, conform, to_frame
from pipelines.weeks import Week, parse_week

if TYPE_CHECKING:
    import pandas as pd

WeekState = Literal["absent", "torn", "partial", "complete"]

# Level 3 is where zstd's own default lies: text columns shrink to a third, and reading stays as fast as uncompressed.
_ZSTD_LEVEL = 3
# A run of weeks asks for the same twelve weeks before again and again: of thirteen weeks every table is kept, some
# megabytes each week; of paths, hashes and footers, which are small, those of years.
_TABLES_KEPT, _HASHES_KEPT = 256, 8192


@dataclass(frozen=True)
class WrittenFile:
    """A table's week as it was written: rows and the hash of the file's bytes."""

    table: str
    rows_count: int
    sha256: str


@dataclass(frozen=True)
class Warehouse:
    """The warehouse below one root folder."""

    root: Path

    def path(self, table: Table, repo: str, week: Week) -> Path:
        """The Parquet file of a table's week."""
        return _path(self.root, table.name, repo, week)

    def report_folder(self, repo: str, week: Week) -> Path:
        """Where the week's published report lies."""
        return self.root / "reports" / repo / str(week)

    def write(
        self, table: Table, repo: str, week: Week, frame: "pd.DataFrame", stands_on: Mapping[str, str] | None = None
    ) -> WrittenFile:
        """Hold a frame against its contract and put it in the place of the table's week.

        ``stands_on`` goes into the file's metadata (the hashes of inputs, rules and settings it was made of), beside
        ``content``, the hash of its rows, which stays the same where other inputs give the same rows. A file that holds
        these very bytes already stays as it is.
        Raises :class:`ContractError` before anything is written, :class:`WarehouseError` where the disk refuses.
        """
        made = conform(table, frame, f"{repo} {week}")
        extra = {f"pullweek.{key}": value for key, value in sorted({**(stands_on or {}), "content": content_hash(made)}.items())}
        made = made.replace_schema_metadata({**(made.schema.metadata or {}), **extra})
        sink = pa.BufferOutputStream()
        pq.write_table(made, sink, compression="zstd", compression_level=_ZSTD_LEVEL)
        content = sink.getvalue().to_pybytes()
        written = WrittenFile(table.name, made.num_rows, hashlib.sha256(content).hexdigest())
        with contextlib.suppress(WarehouseError):  # one that cannot be read is replaced
            if self.file_hash(table, repo, week) == written.sha256:
                return written
        replace_file(self.path(table, repo, week), content)
        return written

    def read(self, table: Table, repo: str, week: Week) -> "pd.DataFrame":
        """The table's week as a frame; :class:`WarehouseError` where it is absent or not of the contract."""
        return to_frame(self.read_arrow(table, repo, week))

    def read_weeks(self, table: Table, repo: str, weeks: Iterable[Week]) -> "pd.DataFrame":
        """The stored ones of these weeks in one frame, with a column ``week`` in front; empty where none is stored."""
        stored = [week for week in weeks if self.path(table, repo, week).exists()]
        parts = [self.read_arrow(table, repo, week) for week in stored]
        names = [pa.repeat(pa.scalar(str(week)), part.num_rows) for week, part in zip(stored, parts, strict=True)]
        whole = pa.concat_tables(
            [table.schema.empty_table(), *(part.replace_schema_metadata(table.schema.metadata) for part in parts)]
        )
        return to_frame(whole.add_column(0, pa.field("week", pa.string(), nullable=False), pa.chunked_array(names, pa.string())))

    def stands_on(self, table: Table, repo: str, week: Week) -> dict[str, str]:
        """What a stored file says it was made of; empty where it is absent or says nothing."""
        path = self.path(table, repo, week)
        seen = _seen(path)
        return {} if seen is None else dict(_written_metadata(path, seen))

    def last_fetch(self, repo: str, week: Week) -> dict[str, Any]:
        """The row of the week's newest fetch, its instants as text; :class:`WarehouseError` where there is none."""
        path = self.path(TABLES["raw_fetches"], repo, week)
        return dict(_last_fetch(path, _seen_there(path)))

    def read_arrow(self, table: Table, repo: str, week: Week) -> pa.Table:
        """The table's week as Arrow; :class:`WarehouseError` where it is absent or not of the contract."""
        path = self.path(table, repo, week)
        return _read(path, _seen_there(path), table.name)

    def file_hash(self, table: Table, repo: str, week: Week) -> str | None:
        """The hash of the stored file's bytes; None where it is absent."""
        path = self.path(table, repo, week)
        seen = _seen(path)
        return None if seen is None else _hash_of_bytes(path, seen)

    def is_whole(self, table: Table, repo: str, week: Week) -> bool:
        """Whether the stored rows are those that the file's own content hash was made of."""
        path = self.path(table, repo, week)
        seen = _seen(path)
        try:
            return seen is not None and _hash_of_rows(path, seen, table.name) == self.stands_on(table, repo, week).get("content")
        except WarehouseError:
            return False

    def week_state(self, repo: str, week: Week) -> WeekState:
        """Whether the raw week is there and whole, by the hashes its last fetch names."""
        if not self.path(TABLES["raw_fetches"], repo, week).exists():
            stored = any(self.path(table, repo, week).exists() for table in TABLES.values() if table.is_raw)
            return "torn" if stored else "absent"
        try:
            last = self.last_fetch(repo, week)
        except WarehouseError:
            return "torn"
        whole = all(self.file_hash(TABLES[file["table"]], repo, week) == file["sha256"] for file in last["files"])
        return ("complete" if last["state"] == "complete" else "partial") if whole else "torn"

    def repositories(self) -> list[str]:
        """Every repository with a stored fetch, sorted."""
        folders = (self.root / "tables" / "raw_fetches").glob("repo=*")
        return sorted(unquote(folder.name.removeprefix("repo=")) for folder in folders)

    def weeks(self, repo: str, table: str = "raw_fetches") -> list[Week]:
        """The weeks of a repository that a table holds, oldest first."""
        found = (self.root / "tables" / table / f"repo={quote(repo, safe='')}").glob("week=*/part-0.parquet")
        weeks = []
        for path in found:
            with contextlib.suppress(PullweekError):  # a folder of somebody else's, week=notes, is not a week
                weeks.append(parse_week(path.parent.name.removeprefix("week=")))
        return sorted(weeks)

    @contextlib.contextmanager
    def lock(self, repo: str, week: Week) -> Iterator[None]:
        """Held while a repository-week is written, so that two commands never write the same week at once."""
        path = self.root / ".locks" / f"{quote(repo, safe='')}@{week}.lock"
        with on_disk(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = path.open("w")
        with handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield


@lru_cache(maxsize=_HASHES_KEPT)
def _path(root: Path, table: str, repo: str, week: Week) -> Path:
    return root / "tables" / table / f"repo={quote(repo, safe='')}" / f"week={week}" / "part-0.parquet"


def _mending(path: Path) -> str:
    """What to do about a file that cannot be used: raw ones are fetched again, derived ones made again."""
    repo, week = unquote(path.parent.parent.name.removeprefix("repo=")), path.parent.name.removeprefix("week=")
    flag = "--refresh" if path.parent.parent.parent.name.startswith("raw_") else "--rerun"
    return f"Write it again: pullweek report {repo} {week} {flag}."


def _open(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path, memory_map=False)
    except (OSError, pa.ArrowException) as error:
        raise WarehouseError(f"{path}: not a readable Parquet file ({error}). {_mending(path)}") from error


#: What a file is known by without reading it: modification time, inode, bytes. One that is replaced has another inode.
_Seen = tuple[int, int, int]


def _seen(path: Path) -> _Seen | None:
    """What is to be seen of a file; None where it is absent."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WarehouseError(f"{path}: cannot be read: {error}.") from error
    return (status.st_mtime_ns, status.st_ino, status.st_size)


def _seen_there(path: Path) -> _Seen:
    """What is to be seen of a file that must be there."""
    seen = _seen(path)
    if seen is None:
        raise WarehouseError(f"{path}: not there. Fetch the week first: pullweek report OWNER/NAME WEEK.")
    return seen


@lru_cache(maxsize=_TABLES_KEPT)
def _read(path: Path, _unchanged: _Seen, name: str) -> pa.Table:
    """A file's rows, held against the schema of its table; Arrow's tables cannot be changed, so one serves many readers."""
    table = TABLES[name]
    with contextlib.closing(_open(path)) as opened:
        if not opened.schema_arrow.equals(table.schema):
            version = (opened.schema_arrow.metadata or {}).get(b"pullweek.schema_version", b"none").decode()
            raise WarehouseError(
                f"{path}: its columns are not those of {table.name} version {table.schema_version} (file: version {version}). "
                f"{_mending(path)}"
            )
        try:
            return opened.read()
        except (OSError, pa.ArrowException) as error:
            raise WarehouseError(f"{path}: damaged ({error}). {_mending(path)}") from error


@lru_cache(maxsize=_HASHES_KEPT)
def _last_fetch(path: Path, unchanged: _Seen) -> dict[str, Any]:
    """The last row of fetches, its instants as text: Arrow imports pandas to make a Python value of an instant."""
    stored = _read(path, unchanged, "raw_fetches")
    if not stored.num_rows:
        raise WarehouseError(f"{path}: it names no fetch. {_mending(path)}")
    bare = [field.with_type(pa.string()) if pa.types.is_timestamp(field.type) else field for field in stored.schema]
    return dict(stored.slice(stored.num_rows - 1).cast(pa.schema(bare)).to_pylist()[0])


@lru_cache(maxsize=_HASHES_KEPT)
def _written_metadata(path: Path, _unchanged: _Seen) -> tuple[tuple[str, str], ...]:
    """The ``pullweek.`` entries of a file's metadata."""
    with contextlib.closing(_open(path)) as opened:
        metadata = opened.schema_arrow.metadata or {}
    found = (
        (key.decode().removeprefix("pullweek."), value.decode()) for key, value in metadata.items() if key.startswith(b"pullweek.")
    )
    return tuple(found)


@lru_cache(maxsize=_HASHES_KEPT)
def _hash_of_bytes(path: Path, _unchanged: _Seen) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise WarehouseError(f"{path}: cannot be read: {error}.") from error


@lru_cache(maxsize=_HASHES_KEPT)
def _hash_of_rows(path: Path, unchanged: _Seen, name: str) -> str:
    return content_hash(_read(path, unchanged, name))


def content_hash(made: pa.Table) -> str:
    """The hash of a table's rows and columns, whatever file they lie in.

    Over Parquet's encoding, not Arrow's buffers: those differ for equal rows by padding and by bitmaps of no nulls.
    """
    sink = pa.BufferOutputStream()
    bare = made.replace_schema_metadata(None)
    pq.write_table(bare, sink, compression="none", write_statistics=False, store_schema=False)
    return hashlib.sha256(sink.getvalue()).hexdigest()


@contextlib.contextmanager
def on_disk(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into one clear line."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise WarehouseError(
            f"{path}: cannot be written: {reason}. Make room or mend permissions, or set PULLWEEK_WAREHOUSE."
        ) from error


def replace_file(path: Path, content: bytes) -> None:
    """Put the content in the place of the file, whole or not at all, and on the disk before returning."""
    with on_disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as handle:
                handle.write(content)
                handle.flush()
                os.fchmod(handle.fileno(), 0o644)
                os.fsync(handle.fileno())
            os.replace(temporary, path)  # noqa: PTH105  because: os.replace is named by the guarantee it gives
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108  because: it mirrors mkstemp
            raise
