"""What a description says: its first telling sentence, what was tested, what was measured.

Everything here is the author's own word, verbatim or shortened: untrusted text, to be shown as such and never taken for a fact.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

_SUMMARY_LENGTH = 300  # characters: two lines of a page
_CLAIM_LENGTH = 120  # characters: a table's cell
_CLAIMS_COUNT = 3  # more than these are a table of results, which a line cannot hold
_NEAR = 50  # characters between an amount and its word of gain: half a line
_READ_LENGTH = 20_000  # characters read of a description; what matters stands at its top, and the rest may be logs

_COMMENT = re.compile(r"<!--.*?(-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^(```|~~~).*?(^\1|\Z)", re.DOTALL | re.MULTILINE)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)\s]*[^)]*\)|<img\b[^>]*>", re.IGNORECASE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]*[^)]*\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>")
_ADDRESS = re.compile(r"https?://\S+")
_MARKUP = re.compile(r"(\*\*|__|`)")
_HEADING = re.compile(r"^\s*(#{1,6}\s*(?P<hash>.+?)\s*#*|\*\*(?P<bold>[^*]{2,60})\*\*:?|(?P<colon>[A-Z][\w /]{2,40}):)\s*$")
_CHECKBOX = re.compile(r"^\s*[-*+]\s*\[[ xX]\]")
_BULLET = re.compile(r"^\s*([-*+•]|\d+[.)])\s+")
_TABLE = re.compile(r"^\s*\|")
_WIDE_STOPS = "\u3002\uff01\uff1f"  # full stop, exclamation and question mark of Chinese and Japanese, after which no blank stands
_SENTENCE = re.compile(rf"(?<=[.!?])\s+|(?<=[{_WIDE_STOPS}])\s*")
_TEST_HEADING = re.compile(r"\b(test(s|ed|ing)?|test plan|verification|validation|verified|accuracy)\b", re.IGNORECASE)
_TESTED = re.compile(
    r"\b(tested|verified|validated|(all|unit|existing|new|added|ran|run|running) (\w+ ){0,3}tests?( pass(es|ed)?)?"
    r"|tests? (pass(es|ed)?|added|were run)|pytest|reproduced)\b",
    re.IGNORECASE,
)
_EMPTY_ANSWER = re.compile(r"^\W*(n/?a|none|no|todo|tbd|not applicable|nothing|wip|see ci|ci)\W*$", re.IGNORECASE)
# The multiplication sign and the dashes that descriptions write beside x and -.
_AMOUNT = re.compile(
    r"(?<![\w.])[~\u2248+-]?\d+(?:\.\d+)?\s?(?:[-\u2013~]\s?\d+(?:\.\d+)?\s?)?(?:%|x\b|\u00d7|times\b)", re.IGNORECASE
)
_GAIN = re.compile(
    r"\b(faster|slower|speed ?-?ups?|improv\w*|reduc\w*|gains?|increas\w*|decreas\w*|lower|higher|throughput|latency|memory"
    r"|saves?|saving|better|less|fewer|tok/s|qps|ttft|tpot|itl)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Described:
    """What one description says; null where it says nothing of the kind, or is not known."""

    summary: str | None
    tests: str | None
    claims: tuple[str, ...]


@dataclass(frozen=True)
class _Line:
    heading: str
    text: str


@lru_cache(maxsize=4096)
def read(title: str, body: str | None) -> Described:
    """What a title and a description say."""
    lines = list(_lines(body or ""))
    return Described(_summary(lines), _tests(lines), _claims([title, *(line.text for line in lines)]))


def _plain(raw: str) -> str:
    """A description without fences, pictures, addresses and markup. A look for a sign is far quicker than its pattern."""
    text = _FENCE.sub("\n", raw) if "```" in raw or "~~~" in raw else raw
    text = _IMAGE.sub(" ", text) if "](" in text or "<" in text else text
    text = _LINK.sub(r"\1", text) if "](" in text else text
    text = _TAG.sub(" ", text) if "<" in text else text
    return _MARKUP.sub("", _ADDRESS.sub("", text) if "http" in text else text)


def _heading(line: str) -> re.Match[str] | None:
    bare = line.strip()
    return _HEADING.match(line) if bare[:1] == "#" or bare[:2] == "**" or bare[-1:] == ":" else None


def _lines(body: str) -> list[_Line]:
    found, heading = [], ""
    raw = body[:_READ_LENGTH].replace("\r\n", "\n")
    raw = _COMMENT.sub(" ", raw) if "<!--" in raw else raw
    headings = {match["hash"] or match["bold"] or match["colon"] for line in raw.split("\n") if (match := _heading(line))}
    for line in _plain(raw).split("\n"):
        bare = line.strip().strip("#").strip()
        if bare in headings or _heading(line):
            heading = bare.rstrip(":")
        elif bare and not _TABLE.match(line) and not _CHECKBOX.match(line):
            found.append(_Line(heading, " ".join(_BULLET.sub("", line.lstrip("> ")).split())))
    return found


def _summary(lines: list[_Line]) -> str | None:
    told = (line.text for line in lines if not _TEST_HEADING.search(line.heading) and _is_telling(line.text))
    first = next(told, None)
    return None if first is None else _cut(_SENTENCE.split(first)[0], _SUMMARY_LENGTH)


def _is_telling(text: str) -> bool:
    """Whether a line says something: four words at least, or as much in a script without spaces."""
    words = [word for word in text.split() if any(sign.isalpha() for sign in word)]
    return (len(words) >= 4 or sum(sign > "\u2e80" for sign in text) >= 8) and not _EMPTY_ANSWER.match(text)  # noqa: PLR2004  # because: said above


def _tests(lines: list[_Line]) -> str | None:
    under_heading = (line.text for line in lines if line.heading and _TEST_HEADING.search(line.heading))
    told = (sentence for text in under_heading for sentence in _SENTENCE.split(text))
    # What no line says no sentence of it does: most lines need not be taken apart.
    tested = (sentence for line in lines if _TESTED.search(line.text) for sentence in _SENTENCE.split(line.text))
    found = next((sentence for sentence in told if _is_telling(sentence)), None) or next(
        (sentence for sentence in tested if _TESTED.search(sentence) and _is_telling(sentence)), None
    )
    return None if found is None else _cut(found, _SUMMARY_LENGTH)


def _claims(texts: list[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for text in texts:
        for sentence in _SENTENCE.split(text) if _is_claim_like(text) else ():
            if _is_claim(sentence):
                found[_cut(sentence, _CLAIM_LENGTH)] = None
    return tuple(list(found)[:_CLAIMS_COUNT])


def _is_claim_like(text: str) -> bool:
    """Whether a sentence of the text may be a claim; most texts hold no amount at all."""
    return _AMOUNT.search(text) is not None and _GAIN.search(text) is not None


def _is_claim(sentence: str) -> bool:
    """Whether an amount stands near a word of gain; far apart they belong to different things."""
    gains = [match.start() for match in _GAIN.finditer(sentence)]
    return any(abs(match.start() - gain) <= _NEAR for match in _AMOUNT.finditer(sentence) for gain in gains)


def _cut(text: str, length: int) -> str:
    text = text.strip()
    return text if len(text) <= length else text[: length - 1].rsplit(" ", 1)[0].rstrip() + "…"
