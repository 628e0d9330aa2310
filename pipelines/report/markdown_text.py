"""Text of others in Markdown for GitHub: escaped, without HTML, mentions or links by accident.

``@name``, ``#123``, bare addresses and the like are broken by a zero-width space, so that posting a report notifies
nobody and ties no issue to it.
"""

import re
from collections.abc import Iterable, Sequence

_BREAK = "\u200b"
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$!])")
#: What GitHub turns into a mention or a link by itself, and where to break it.
_BY_ITSELF = (
    (re.compile(r"@(?=\w)"), "@" + _BREAK),
    (re.compile(r"#(?=\d)"), "#" + _BREAK),
    (re.compile(r"(?i)\b(gh-)(?=\d)"), r"\1" + _BREAK),
    (re.compile(r"(?i)\b([a-z][a-z0-9+.\-]*):(?=//)"), r"\1:" + _BREAK),
    (re.compile(r"(?i)\b(www)\.(?=\w)"), r"\1" + _BREAK + "."),
)
#: GitHub links what looks like a commit: from seven hexadecimal digits on. Numbers without a letter are left whole.
_COMMIT = re.compile(r"\b(?=[0-9]*[a-f])[0-9a-f]{7,40}\b")
_UNDER_SEVEN = re.compile(r"(.{6})(?=.)")


def escape(text: str) -> str:
    """Text of others in one line, with nothing in it that Markdown or GitHub would act on."""
    made = " ".join(text.split())
    for pattern, broken in _BY_ITSELF:
        made = pattern.sub(broken, made)
    made = _COMMIT.sub(lambda found: _UNDER_SEVEN.sub(r"\1" + _BREAK, found[0]), made)
    return _SPECIAL.sub(r"\\\1", made)


def code(text: str, *, in_table: bool = False) -> str:
    """A code span that holds the text whatever backticks it has."""
    made = " ".join(text.split())
    longest = max((len(run) for run in re.findall(r"`+", made)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if made.startswith("`") or made.endswith("`") or not made else ""
    return f"{fence}{padding}{made.replace('|', chr(92) + '|') if in_table else made}{padding}{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a cell's pipes must be escaped already."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *lines]) if lines else ""
