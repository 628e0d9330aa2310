"""Who imports a file, read from diffs: an import that stands in a diff's added or surrounding lines.

Only what the diffs of the stored weeks show is known: a file with importers has at least these; one without may have
some that nobody touched. So importers raise a file's weight, and their absence lowers none. A name that fits several
files says nothing, and is left out. Without diffs (they are fetched only where a repository asks for them) nothing is known.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

# Language by ending, and what its imports look like on a line that a diff adds or leaves; the first group is the name.
_IMPORTS = (
    (re.compile(r"\.pyi?$"), re.compile(r"^[+ ]\s*(?:from\s+([.\w]+)\s+import\b|import\s+([.\w]+))", re.MULTILINE)),
    (
        re.compile(r"\.[cm]?[jt]sx?$"),
        re.compile(r"^[+ ].*?(?:\b(?:from|import)\s+|\brequire\(\s*)['\"]([^'\"]+)['\"]", re.MULTILINE),
    ),
    (re.compile(r"\.rs$"), re.compile(r"^[+ ]\s*(?:pub(?:\([^)]*\))?\s+)?use\s+((?:\w+::)*\w+)", re.MULTILINE)),
    (
        re.compile(r"\.(c|cc|cpp|cxx|cu|cuh|h|hpp|hip)$"),
        re.compile(r"^[+ ]\s*#\s*include\s+[<\"]([^>\"]+)[>\"]", re.MULTILINE),
    ),
    (re.compile(r"\.(java|kt|scala)$"), re.compile(r"^[+ ]\s*import\s+(?:static\s+)?([\w.]+)", re.MULTILINE)),
)
_ENTRY = re.compile(r"/(__init__|index|mod|lib)$")
_ROOTS = {"crate", "super", "self"}


def importers(files: Iterable[tuple[str, str | None]], paths: Iterable[str]) -> dict[str, int] | None:
    """How many different files import those of ``paths`` that any does, by the diffs of ``files``; None without any diff."""
    known = {(path, patch) for path, patch in files if patch}
    if not known:
        return None
    by_tail = _by_tail(paths)
    found: dict[str, set[str]] = {}
    targets: dict[str, str | None] = {}  # most names are said by many files
    for path, patch in known:
        for name in imported_names(path, patch):
            if name not in targets:
                targets[name] = _target(name, by_tail)
            target = targets[name]
            if target is not None and target != path:
                found.setdefault(target, set()).add(path)
    return {path: len(importing) for path, importing in found.items()}


def _by_tail(paths: Iterable[str]) -> dict[str, dict[str, str]]:
    """Paths by their stem, grouped by the stem's last segment, under which imports are looked up."""
    grouped: dict[str, dict[str, str]] = {}
    for path in paths:
        tail, stem = _tail_and_stem(path)
        grouped.setdefault(tail, {})[stem] = path
    return grouped


@lru_cache(maxsize=65_536)
def _tail_and_stem(path: str) -> tuple[str, str]:
    stem = _stem(path)
    return stem.rsplit("/", 1)[-1], stem


def _stem(path: str) -> str:
    """A path without its ending, and without the file that stands for its folder."""
    return _ENTRY.sub("", posixpath.splitext(path)[0])


def imported_names(path: str, patch: str) -> Iterator[str]:
    """The modules that a diff of ``path`` shows it to import, as paths without ending: ``a/b/c``."""
    pattern = next((imports for ending, imports in _IMPORTS if ending.search(path)), None)
    for match in pattern.finditer(patch) if pattern else ():
        name = next(group for group in match.groups() if group)
        yield _as_path(name, path)


def _as_path(name: str, path: str) -> str:
    folder = posixpath.dirname(path)
    if name.startswith(("./", "../")):
        return _stem(posixpath.normpath(posixpath.join(folder, name)))
    if name.startswith("."):  # Python: a dot is this folder, each further one a folder up
        rest = name.lstrip(".")
        for _ in range(len(name) - len(rest) - 1):
            folder = posixpath.dirname(folder)
        return posixpath.join(folder, *rest.split(".")) if rest else folder
    if "::" in name:
        return "/".join(part for part in name.split("::") if part not in _ROOTS)
    return _stem(name) if "/" in name or name.endswith((".h", ".hpp", ".cuh")) else name.replace(".", "/")


def _target(name: str, by_tail: dict[str, dict[str, str]]) -> str | None:
    """The one path that a name fits: by its end, or without its last segment, which may be a symbol."""
    for tried in (name, name.rpartition("/")[0]):
        stems = by_tail.get(tried.rsplit("/", 1)[-1], {}) if tried else {}
        fitting = [path for stem, path in stems.items() if stem == tried or stem.endswith(f"/{tried}")]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            return None
    return None
