"""The part of a repository a file belongs to: a short name that depends on its path alone, so that it is the same every week."""

import re
from functools import lru_cache

from pipelines.rules import globs

#: Module of files that lie in no folder.
ROOT = "(root)"

# Folders that wrap a code base and tell nothing of its parts, by custom of Python, JavaScript, Rust, Go and Java.
_WRAPPERS = frozenset(
    {"src", "lib", "libs", "source", "sources", "pkg", "packages", "crates", "python", "java", "main", "org", "com", "io"}
)

# A part is named by two folders, since one is too coarse for a code base of thousands of files and three would
# leave most parts with a single change a week. Folders that are not code are one part each where they stand first,
# and tell nothing below one: the tests of a part belong to it.
_CODE_DEPTH = 2
_NOT_CODE = re.compile(
    r"\.?(docs?|documentation|tests?|specs?|e2e|benchmarks?|examples?|scripts?|github|ci|circleci|docker|vendor|3rdparty|third_party)([_-].*)?"
)


@lru_cache(maxsize=65_536)
def module_of(path: str, repo: str, configured: tuple[tuple[str, str], ...] = ()) -> str:
    """The module of a path: a configured one first, else its first telling folders.

    ``repo`` is OWNER/NAME: a folder of the repository's or owner's own name wraps the code, as ``sglang/`` or ``org/apache/``.
    """
    for pattern, module in configured:
        if globs.holds((pattern,), path):
            return module
    folders = path.split("/")[:-1]
    if not folders:
        return ROOT
    if _NOT_CODE.fullmatch(folders[0].lower()):
        return folders[0]
    wrappers = _WRAPPERS | {_plain(part) for part in repo.split("/")}
    telling = [folder for folder in folders if _plain(folder) not in wrappers and not _NOT_CODE.fullmatch(folder.lower())]
    return "/".join(telling[:_CODE_DEPTH]) if telling else folders[-1]


def _plain(folder: str) -> str:
    return folder.lower().replace("_", "-")
