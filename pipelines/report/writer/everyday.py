"""Words of every day: those of the report's own catalogue, and the few hundred of ``everyday.txt``."""

import re
from functools import cache
from pathlib import Path

from pipelines.report.words import Words

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_OURS = ("prose.", "rule.", "term.")


@cache
def _common() -> frozenset[str]:
    words, keys = Words("en"), [key for key in Words("en").keys() if key.startswith(_OURS)]  # noqa: SIM118  # because: not a dict
    texts = [text for key in keys for text, is_slot in words.pieces(key, 2) if not is_slot]
    listed = Path(__file__).with_name("everyday.txt").read_text(encoding="utf-8")
    return frozenset(word for text in (*texts, listed) for word in _WORD.findall(text.lower()))


def is_everyday(word: str) -> bool:
    """Whether a word in small letters says nothing of its own."""
    return word in _common()
