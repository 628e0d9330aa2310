"""Texts without characters that break files, terminals or the reader's eye; each one replaced is counted.

Replaced by U+FFFD, one for one:

- NUL, the other C0 controls except tab and newline, DEL and the C1 controls: they break Parquet readers (augur #3460),
  and a terminal obeys them;
- lone surrogates, which UTF-8 cannot hold (questdb #7079), and U+FFFE and U+FFFF, which XML, and so a feed, may not hold;
- bidirectional embeddings, overrides and isolates (U+202A-E, U+2066-9): they show a reader another order than is stored.

U+200E, U+200F and U+061C stay: honest Hebrew and Arabic titles hold them, and they reach no further than their
neighbours. CR LF and a lone CR become LF without being counted: a line's end is not lost by it.
"""

import re

REPLACEMENT = "\ufffd"

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_UNSAFE = _CONTROLS + "\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069"
_IN_TEXT = re.compile(f"[{_UNSAFE}]")
_IN_LINE = re.compile(f"[{_UNSAFE}\t\n\u2028\u2029]")  # a title or a path with a line's end breaks tables and logs
_LINE_END = re.compile("\r\n?")


class Cleaner:
    """Cleans the texts of one pull request; ``replaced_count`` says how many characters it has replaced."""

    def __init__(self) -> None:
        self.replaced_count = 0

    def text(self, value: str) -> str:
        """A text of many lines, clean."""
        return self._clean(_IN_TEXT, value)

    def line(self, value: str) -> str:
        """A text of one line (title, path, login, branch), clean; tabs and newlines count as unsafe."""
        return self._clean(_IN_LINE, value)

    def maybe_text(self, value: str | None) -> str | None:
        """As :meth:`text`; null stays null."""
        return None if value is None else self.text(value)

    def maybe_line(self, value: str | None) -> str | None:
        """As :meth:`line`; null stays null."""
        return None if value is None else self.line(value)

    def _clean(self, unsafe: re.Pattern[str], value: str) -> str:
        clean, count = unsafe.subn(REPLACEMENT, _LINE_END.sub("\n", value))
        self.replaced_count += count
        return clean
