"""Dagster's event log in SQLite, with one engine a file and one transaction a batch.

A range of weeks stores some thousand events. For each, Dagster's own class makes new SQLAlchemy engines, compiles its
statements anew and commits up to five times. Files, tables and guarantees are Dagster's, so that a home may be opened
by either class at any time.
"""

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

import dagster as dg
import sqlalchemy as db
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._serdes import ConfigurableClassData
from sqlalchemy.pool import NullPool

# From how many of its planned events on Dagster hands over what it has, as one batch. It asks the environment.
_BATCH_VARIABLE, _BATCH_SIZE = "DAGSTER_EVENT_BATCH_SIZE", "500"


class BatchingEventLog(SqliteEventLogStorage):
    """Events in ``history/runs`` below Dagster's home, where Dagster itself keeps them."""

    def __init__(self, home: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines: dict[str, db.Engine] = {}
        self._mine = threading.local()  # the connections of a batch that this thread has begun
        os.environ.setdefault(_BATCH_VARIABLE, _BATCH_SIZE)
        super().__init__(str(Path(home) / "history" / "runs"), inst_data)
        # Within a batch its thread may begin another, and read the events of other runs.
        self._db_lock = threading.RLock()  # type: ignore[assignment]  # because: Dagster's own is declared by its plain value

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        """What ``dagster.yaml`` tells: Dagster's home."""
        return {"home": dg.StringSource}

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> Self:
        """Open the log of the home that ``dagster.yaml`` tells."""
        return cls(config_value["home"], inst_data)

    def store_event_batch(self, events: Sequence[dg.EventLogEntry]) -> None:
        """Store all of these, or none where one cannot be stored."""
        with self.together({event.run_id for event in events}):
            super().store_event_batch(events)

    @contextmanager
    def together(self, run_ids: set[str]) -> Iterator[None]:
        """Keep all that this thread stores of these runs, or nothing where the block fails; one within another is part of it."""
        with self._db_lock, ExitStack() as opened:
            before = self._connections()
            shards = [shard for shard in (*sorted(run_ids), INDEX_SHARD_NAME) if shard not in before]
            self._mine.connections = before | {shard: opened.enter_context(self._engine(shard).begin()) for shard in shards}
            try:
                yield
            finally:
                self._mine.connections = before

    def _connections(self) -> dict[str, db.Connection]:
        found: dict[str, db.Connection] = getattr(self._mine, "connections", {})
        return found

    @contextmanager
    def _connect(self, shard: str) -> Iterator[db.Connection]:
        if shard in self._connections():
            yield self._connections()[shard]
        else:
            with self._db_lock, self._engine(shard).begin() as connection:
                yield connection

    def _engine(self, shard: str) -> db.Engine:
        """Open a file's engine once, its tables made where they are missing; each use still opens and closes the file."""
        if shard not in self._engines:
            waits = {"timeout": SQLITE_BUSY_TIMEOUT_SECONDS}
            engine = db.create_engine(self.conn_string_for_shard(shard), poolclass=NullPool, connect_args=waits)
            self._initdb(engine)
            self._engines[shard] = engine
        return self._engines[shard]


def together(instance: dg.DagsterInstance, run_id: str) -> contextlib.AbstractContextManager[None]:
    """Keep what is logged of a run within the block as one batch, where the home's event log can do so."""
    log = instance.event_log_storage
    return log.together({run_id}) if isinstance(log, BatchingEventLog) else contextlib.nullcontext()
