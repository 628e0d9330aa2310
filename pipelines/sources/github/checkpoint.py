"""What was paid for, kept until the week is stored: an interrupted fetch goes on where it was.

Below ``.checkpoints/<owner>%2F<name>/<week>/`` each answer is one file of JSON lines, named by the hash of its content
and put in place by a rename: a torn file has another hash than its name and is not read. Pages are known by what was
asked, pull requests by id and ``updatedAt``. Nothing here is ever published; a day later it is too old to be used.
"""

import contextlib
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pipelines.errors import WarehouseError
from pipelines.weeks import Window

FOLDER = ".checkpoints"
USABLE_FOR = timedelta(hours=24)
_BEGUN = "begun.json"


def page_key(operation: str, variables: Mapping[str, Any]) -> str:
    """What was asked, as a hash: an answer is used again only for the very same question."""
    asked = json.dumps([operation, variables], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


class Checkpoint:
    """The answers kept of one week; without a root nothing is kept."""

    def __init__(self, root: Path | None, repo: str, window: Window, now: datetime, *, is_refresh: bool = False) -> None:
        name = f"{window.week}.refresh" if is_refresh else str(window.week)
        self.folder = None if root is None else root / FOLDER / quote(repo, safe="") / name
        self.begun_at = now
        self.resumed_count = 0
        self._pages: dict[str, dict[str, Any]] = {}
        self._pulls: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        if self.folder is not None:
            self._open(self.folder, window, now, is_refresh=is_refresh)

    @property
    def is_resumed(self) -> bool:
        """Whether an earlier, interrupted fetch left anything to go on with."""
        return bool(self._pages or self._pulls)

    def _open(self, folder: Path, window: Window, now: datetime, *, is_refresh: bool) -> None:
        zone = [window.timezone, window.start_utc.isoformat(), window.end_utc.isoformat()]
        begun = self._read_begun(folder)
        if begun is None or begun["window"] != zone or abs(now - datetime.fromisoformat(begun["at"])) > USABLE_FOR:
            self.discard()
            try:
                folder.mkdir(parents=True, exist_ok=True)
                _replace(folder / _BEGUN, json.dumps({"at": now.isoformat(), "window": zone}))
            except OSError as error:
                raise WarehouseError(
                    f"{folder}: cannot be written ({error.strerror}). Make room there, or mend its permissions."
                ) from error
            return
        self.begun_at = datetime.fromisoformat(begun["at"])
        for path in sorted(folder.glob("*.jsonl")):
            self._read(path, is_closed=self.begun_at >= window.end_utc and not is_refresh)

    @staticmethod
    def _read_begun(folder: Path) -> dict[str, Any] | None:
        try:
            begun: dict[str, Any] = json.loads((folder / _BEGUN).read_text(encoding="ascii"))
            datetime.fromisoformat(begun["at"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return begun

    def _read(self, path: Path, *, is_closed: bool) -> None:
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != path.stem:
            return  # torn: it was being written when the machine stopped
        self.resumed_count += 1
        for line in content.decode("ascii").splitlines():
            entry = json.loads(line)
            if "pull" in entry:
                self._pulls[entry["pull"]["id"]] = entry["pull"]
            elif is_closed or entry["lasting"]:  # pages that enumerate go stale in a running week, and are what a refresh is for
                self._pages[entry["page"]] = entry["data"]

    def page(self, key: str) -> dict[str, Any] | None:
        """The answer to a question asked before; None where there is none."""
        return self._pages.get(key)

    def pull(self, node_id: str, updated_at: str | None) -> dict[str, Any] | None:
        """The details of a pull request as read before, if it has not been updated since."""
        found = self._pulls.get(node_id)
        return found if found is not None and updated_at in {None, found["updatedAt"]} else None

    def keep_page(self, key: str, data: dict[str, Any], *, is_lasting: bool) -> None:
        """Keep the answer to a question; ``is_lasting`` where it stays right while the week is still running."""
        self._keep([{"page": key, "data": data, "lasting": is_lasting}])

    def keep_pulls(self, pulls: Iterable[dict[str, Any]]) -> None:
        """Keep the details of pull requests, as they came."""
        self._keep([{"pull": pull} for pull in pulls])

    def _keep(self, entries: list[dict[str, Any]]) -> None:
        if self.folder is None or not entries:
            return
        content = "".join(json.dumps(entry, sort_keys=True) + "\n" for entry in entries)
        path = self.folder / f"{hashlib.sha256(content.encode('ascii')).hexdigest()}.jsonl"
        with self._lock:
            try:
                _replace(path, content)
            except OSError as error:
                raise WarehouseError(
                    f"{path}: cannot be written ({error.strerror}). Make room there, or mend its permissions."
                ) from error

    def discard(self) -> None:
        """Delete what was kept: the week is stored, or it is too old."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            for parent in (self.folder.parent, self.folder.parent.parent):
                with contextlib.suppress(OSError):  # another week's checkpoints are still there
                    parent.rmdir()


def _replace(path: Path, content: str) -> None:
    """Put a file in place whole: written beside it, on disk, then renamed."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    with beside.open("w", encoding="ascii") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
