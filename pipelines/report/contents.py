"""What a published folder holds, told by hashes: light, so that a command that has nothing to do can ask.

The links to the weeks before and after stand between two marks in the week's page, and change when a neighbour is
published; they are no part of what the week itself says, and do not count.
"""

import hashlib
import re
from pathlib import Path

WEEKS_BEGIN, WEEKS_END = "<!--weeks-->", "<!--/weeks-->"
WEEKS = re.compile(re.escape(WEEKS_BEGIN) + ".*?" + re.escape(WEEKS_END), re.DOTALL)
_WEEKS_BYTES = re.compile(WEEKS.pattern.encode(), re.DOTALL)


def links_in(html: str) -> str | None:
    """What stands between the marks of a page; None where it has none."""
    found = WEEKS.search(html)
    return found[0].removeprefix(WEEKS_BEGIN).removesuffix(WEEKS_END) if found else None


def hashes_of(folder: Path) -> dict[str, str]:
    """The hash of every file below a week's folder by its name there, but for those whose names begin with a dot."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(folder).as_posix(): _hash(path) for path in files}


def _hash(path: Path) -> str:
    content = path.read_bytes()
    return hashlib.sha256(_WEEKS_BYTES.sub(b"", content) if path.suffix == ".html" else content).hexdigest()
