"""Path patterns of the settings, as ``.gitignore`` reads them: ``*`` stays inside a folder, ``**`` crosses folders."""

import re
from functools import lru_cache

_PIECES = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_MEANING = {"**/": r"(?:.*/)?", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}


@lru_cache(maxsize=256)
def compiled(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    """One expression for ``fullmatch`` over whole paths, or None for no pattern.

    A pattern without a slash holds at any depth (``*.lock``); one that names a folder holds for all below it.
    """
    return re.compile("|".join(_expression(pattern) for pattern in patterns)) if patterns else None


def holds(patterns: tuple[str, ...], path: str) -> bool:
    """Whether any of the patterns holds for a path; an empty tuple holds for none."""
    expression = compiled(patterns)
    return expression is not None and expression.fullmatch(path) is not None


def _expression(pattern: str) -> str:
    bare = pattern.strip("/")
    body = "".join(_MEANING.get(piece, re.escape(piece)) for piece in _PIECES.findall(bare))
    anywhere = "" if "/" in pattern.rstrip("/") else r"(?:.*/)?"
    return f"(?:{anywhere}{body}(?:/.*)?)"
