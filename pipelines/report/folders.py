"""Putting whole folders in place: at any moment a reader finds the old one or the new one, never half of either.

Two real folders are exchanged in one step (Linux's ``renameat2`` with ``RENAME_EXCHANGE``), not a link to a versioned
folder: a web server that follows no links, a copy, an archive and an upload all see plain files, and ``..`` from a
notebook's folder leads to the warehouse. Where the file system cannot exchange, two renames stand in; a kill
between them leaves the old folder beside its place, and ``recover`` puts it back.
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pipelines.errors import WarehouseError
from pipelines.warehouse import replace_file

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_CANNOT = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EXDEV})
_OLD = ".old-"
#: A file system writes its journal once for all who wait for it: a week's hundred files take a third of the time.
_KEEPING_THREADS = 4


def exchange(staged: Path, final: Path) -> None:
    """Put a staged folder in the place of the final one; what stood there, if anything, stands at ``staged`` afterwards.

    Both must lie on one file system. :class:`WarehouseError` where the disk refuses; the final folder is then as before.
    """
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        if not final.exists():
            staged.rename(final)
        elif not _swapped(staged, final):
            _swap_by_two(staged, final)
        _keep(final.parent)
    except OSError as error:
        raise WarehouseError(f"{final}: cannot be replaced: {error.strerror or error}. Make room or mend permissions.") from error


def _swapped(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where kernel or file system cannot."""
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "renameat2"):
        return False
    if library.renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(other))


def _swap_by_two(staged: Path, final: Path) -> None:
    """The same in two steps, the old folder kept in sight of ``recover`` between them."""
    aside = final.with_name(_OLD + final.name)
    shutil.rmtree(aside, ignore_errors=True)
    final.rename(aside)
    staged.rename(final)
    aside.rename(staged)


def recover(parent: Path) -> None:
    """Put back every folder that a kill between two renames left beside its place."""
    for aside in sorted(parent.glob(_OLD + "*")):
        final = aside.with_name(aside.name.removeprefix(_OLD))
        if final.exists():
            shutil.rmtree(aside, ignore_errors=True)
        else:
            aside.rename(final)


def write_if_changed(path: Path, content: bytes) -> bool:
    """Replace a file whole where its bytes differ; whether they did."""
    if path.exists() and path.read_bytes() == content:
        return False
    replace_file(path, content)
    return True


def identity(path: Path) -> tuple[int, int, int]:
    """What is another for every file that was ever put in a place: time, inode and size. ``OSError`` where none is there."""
    seen = path.stat()
    return seen.st_mtime_ns, seen.st_ino, seen.st_size


def keep_all(folder: Path) -> None:
    """Have every file and folder below on the disk before returning."""
    with ThreadPoolExecutor(_KEEPING_THREADS) as threads:
        for _ in threads.map(_keep, [folder, *folder.rglob("*")]):
            pass  # a disk that refuses raises here


def _keep(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Held while what stands around the published weeks is rewritten: several commands may publish at once."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = path.open("w")
    except OSError as error:
        raise WarehouseError(
            f"{path}: cannot be written: {error.strerror}. Mend permissions, or set PULLWEEK_WAREHOUSE."
        ) from error
    with handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
