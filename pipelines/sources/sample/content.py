"""One :class:`Change` per hand-written pull request: what the TOML files in ``data`` hold, checked and typed.

Only reading is done here. Numbers, instants and everything else that is derived belong to ``plan`` and ``build``.
"""

import re
import tomllib
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cache
from importlib.resources import files as package_files
from typing import Any

from pipelines.errors import SourceError

_DOCUMENTS = (
    "kernel",
    "solver",
    "scheduler",
    "planner",
    "gpu",
    "storage",
    "server",
    "config",
    "streaming",
    "graph",
    "docs",
    "ci",
    "boundaries",
    "hostile",
    "special",
    "bots",
)
_TALKS = ("talk_engine.toml", "talk_service.toml")
_LINE = re.compile(r"(?P<path>\S+)(?: > (?P<new>\S+))?(?: \+(?P<added>\d+))?(?: -(?P<removed>\d+))?(?: (?P<mark>A|D|B|AB))?")
_MARKS = {"A": "ADDED", "D": "DELETED", "B": "MODIFIED", "AB": "ADDED", None: "MODIFIED"}


@dataclass(frozen=True)
class Person:
    """One account: ``areas`` are what the person writes and reviews; ``kind`` is GraphQL's ``__typename``."""

    login: str
    role: str
    areas: tuple[str, ...]
    kind: str = "User"
    maintainer: bool = False


@dataclass(frozen=True)
class FileChange:
    """One changed file, in the words of GitHub's ``PullRequestChangedFile``."""

    path: str
    added: int
    removed: int
    change_type: str
    previous_path: str | None = None


@dataclass(frozen=True)
class Change:
    """One pull request as it was written by hand; what is left empty here is derived later."""

    week: int
    title: str
    files: tuple[FileChange, ...]
    origin: str
    key: str = ""
    cases: tuple[str, ...] = ()
    by: str = ""
    merger: str = ""
    merged: datetime | None = None
    open_hours: float | None = None
    base: str = "main"
    branch: str = ""
    labels: tuple[str, ...] = ()
    milestone: str = ""
    closes: tuple[str, ...] = ()
    commits: int = 0
    fork: bool = False
    form: str = ""
    why: str = ""
    what: str = ""
    tested: str = ""
    bench: str = ""
    body: str | None = None
    body_extra: str = ""
    body_null: bool = False
    long_body: bool = False
    talk: str = ""
    unsafe_review: bool = False
    wide: int = 0
    bump: tuple[str, ...] = field(default=())

    @property
    def lines(self) -> int:
        """Lines added and removed in all files."""
        return sum(f.added + f.removed for f in self.files)

    @property
    def texts(self) -> str:
        """All text in which another pull request may be named."""
        return "\n".join((self.body or "", self.why, self.what, self.tested, self.body_extra, self.branch))


def read_data(name: str) -> str:
    """The text of a file in ``data``."""
    return package_files(__package__).joinpath("data", name).read_text(encoding="utf-8")


@cache
def people() -> dict[str, Person]:
    """Every account of ``people.toml`` by login, in the order of the file."""
    rows = tomllib.loads(read_data("people.toml"))["person"]
    return {row["login"]: Person(**{**row, "areas": tuple(row["areas"].split())}) for row in rows}


@cache
def tree() -> tuple[str, ...]:
    """Every path of the repository at the start of the first week, sorted."""
    rows = (line.split(": ", 1) for line in read_data("tree.txt").splitlines() if line and not line.startswith("#"))
    return tuple(sorted(name if folder == "." else f"{folder}/{name}" for folder, names in rows for name in names.split()))


@cache
def _talks() -> dict[str, str]:
    """What was said, by title, where it is not written beside the change."""
    return {title: text for name in _TALKS for title, text in tomllib.loads(read_data(name)).items()}


@cache
def changes() -> tuple[Change, ...]:
    """Every change of the data files, in the order in which they are written down."""
    found: list[Change] = []
    for origin in _DOCUMENTS:
        document = tomllib.loads(read_data(f"{origin}.toml"))
        found += [_change(row, origin) for row in document["change"]]
        found += [_bump(line, origin) for line in document.get("bumps", "").splitlines() if line]
    left = set(_talks()) - {change.title for change in found}
    if left:
        raise SourceError(f"sample data {_TALKS}: no change has the title {min(left)!r}. Correct the title.")
    return tuple(found)


def _change(row: dict[str, Any], origin: str) -> Change:
    where = f"sample data {origin}.toml, {row.get('title', row)!r}"
    unknown = set(row) - {f.name for f in fields(Change)}
    if unknown:
        raise SourceError(f"{where}: unknown keys {sorted(unknown)}. Use the fields of Change in content.py.")
    wide = [FileChange(path, 1 + len(path) % 3, len(path) % 2, "MODIFIED") for path in _wide_paths(row.get("wide", 0))]
    parsed = [parse_file(line, where) for line in row["files"].strip().splitlines()]
    return Change(
        **{
            **row,
            "origin": origin,
            "files": (*parsed, *wide),
            "cases": tuple(filter(None, (name.strip() for name in row.get("cases", "").split(",")))),
            "labels": tuple(row.get("labels", "").split()),
            "closes": tuple(row.get("closes", ())),
            "talk": row.get("talk") or _talks().get(row["title"], ""),
            "merged": datetime.fromisoformat(row["merged"]) if "merged" in row else None,
        }
    )


def parse_file(line: str, where: str) -> FileChange:
    """``path +added -removed mark``, or ``old > new`` for a file that moved; B marks a binary file."""
    match = _LINE.fullmatch(line.strip())
    if match is None:
        raise SourceError(f"{where}: file line {line!r} is malformed. Write 'path +1 -2 A' or 'old > new'.")
    added, removed = int(match["added"] or 0), int(match["removed"] or 0)
    if match["new"]:
        return FileChange(match["new"], added, removed, "RENAMED", match["path"])
    return FileChange(match["path"], added, removed, _MARKS[match["mark"]])


def _wide_paths(count: int) -> list[str]:
    """Enough Python files to make ``count`` with the one that is written down, generated ones left out."""
    python = [path for path in tree() if path.endswith(".py") and "_proto" not in path and "migrations" not in path]
    return python[: count - 1] if count else []


def _bump(line: str, origin: str) -> Change:
    """``week | ecosystem | package | from | to | manifests`` as the pull request a dependency bot opens."""
    week, ecosystem, package, old, new, manifests = (part.strip() for part in line.split("|"))
    lines = {"uv.lock": (12 + len(package), 12 + len(package)), "kernel/Cargo.lock": (2, 2)}
    changed = tuple(FileChange(path, *lines.get(path, (1, 1)), "MODIFIED") for path in manifests.split())
    language = {"uv": "python", "cargo": "rust"}.get(ecosystem, ecosystem)
    return Change(
        week=int(week),
        title=f"Bump {package} from {old} to {new}",
        files=changed,
        origin=origin,
        cases=("bot_author", "dependency_bump"),
        by="dependabot",
        branch=f"dependabot/{ecosystem}/{package}-{new}",
        labels=("dependencies", language.replace("-", "_")),
        bump=(package, old, new, ecosystem),
    )
