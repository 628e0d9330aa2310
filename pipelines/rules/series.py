"""Series of pull requests, ``[2/3]``, ``(4/N)``, ``part 2``: each linked to the part before it that is known.

A position alone joins nothing, for every week holds several ``[1/2]``. Two parts belong together where their totals
agree and the titles share what the series is about; by one author less has to be shared than by two.
Known gap: parts whose titles share no word are not joined unless one author gave them one total.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pipelines.rules.inputs import PullRow
from pipelines.rules.words import EMPTY_WORDS, words_of

_BRACKETED = re.compile(
    r"[\[(\uff08]([^\])\uff09]{0,60}?)(?<![\w./])(\d{1,2})\s*/\s*(\d{1,2}|[nx])(?![\w/])([^\])\uff09]{0,60})[\])\uff09]",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^\W*(\d{1,2})\s*/\s*(\d{1,2}|[nx])\b(?!/)", re.IGNORECASE)
_HEADING = re.compile(r"\W*([^:\[\]]{2,40}):")
_JOINT = re.compile(r"(?<=[a-z])[-_](?=[a-z])", re.IGNORECASE)  # a hyphenated name is one word of a title
_PART = re.compile(r"\bpart[ -]?(\d{1,2})\b(?!\s+of\b)", re.IGNORECASE)
_TAG = re.compile(r"\[([^\]]{1,40})\]")
#: Shared part of the smaller title's words: by one author, and by two.
_SHARED_ONE_AUTHOR, _SHARED_TWO_AUTHORS = 0.34, 0.6
_WORDS_TWO_AUTHORS = 2
#: How many parts may lie between two of one heading, and between two of one tag by different authors.
_GAP_SAME_HEADING, _GAP_SAME_TAG = 10, 3


@dataclass(frozen=True)
class Place:
    """Where a pull request stands in a series: ``total`` is 0 where it is open (``N``); ``words`` is what it is about."""

    position: int
    total: int
    words: frozenset[str]
    tags: frozenset[str]
    heading: str
    evidence: str


@lru_cache(maxsize=32768)
def place_of(title: str) -> Place | None:
    """Read the place a title claims in a series; None where it claims none, or one that cannot be."""
    bracketed, leading, part = _BRACKETED.search(title), _LEADING.search(title), _PART.search(title)
    if bracketed:
        position, total, rest, span = bracketed[2], bracketed[3], f"{bracketed[1]} {bracketed[4]}", bracketed
    elif leading:
        position, total, rest, span = leading[1], leading[2], "", leading
    elif part:
        position, total, rest, span = part[1], "n", "", part
    else:
        return None
    count = int(total) if total.isdigit() else 0
    if count and not (int(position) <= count and count > 1):
        return None
    about = title[: span.start()] + f" {rest} " + title[span.end() :]
    tags = frozenset(tag for tag in (_words(text) for text in _TAG.findall(about)) if tag)
    heading = " ".join(words_of(rest)) or _heading(title[span.end() :])
    return Place(int(position), count, _words(about), frozenset(" ".join(sorted(tag)) for tag in tags), heading, span[0].strip())


def _heading(after: str) -> str:
    """Take the words between a position and the next colon, ``[2/N] Big refactor: part``; empty where there are none."""
    match = _HEADING.match(after)
    words = words_of(match[1]) if match else ()
    return " ".join(words) if any(word not in EMPTY_WORDS for word in words) else ""


def _words(text: str) -> frozenset[str]:
    return frozenset(
        word for word in words_of(_JOINT.sub("", text)) if len(word) > 1 and word not in EMPTY_WORDS and not word.isdigit()
    )


def part_before(pull: PullRow, place: Place, others: Iterable[tuple[PullRow, Place]]) -> PullRow | None:
    """Find the part of the same series that this one continues: the nearest position below, else the last merged above."""
    fitting = [(other, at) for other, at in others if other.merged_at < pull.merged_at and _same_series(pull, place, other, at)]
    below = [(other, at) for other, at in fitting if at.position < place.position]
    if below:
        return max(below, key=lambda pair: (pair[1].position, pair[0].merged_at, pair[0].number))[0]
    # Parts of a counted series may be merged out of order; where it is open, a higher part before is another series.
    above = [
        (other, at)
        for other, at in fitting
        if place.total and at.total == place.total and _shared(place, at) >= _SHARED_TWO_AUTHORS
    ]
    return max(above, key=lambda pair: (pair[0].merged_at, pair[0].number))[0] if above else None


def _shared(place: Place, at: Place) -> float:
    """Give the part of the shorter title's words that the other holds."""
    least = min(len(place.words), len(at.words))
    return len(place.words & at.words) / least if least else 0.0


def _same_series(pull: PullRow, place: Place, other: PullRow, at: Place) -> bool:
    if at.position == place.position or (place.total and at.total and place.total != at.total):
        return False
    gap = place.position - at.position
    if place.heading and place.heading == at.heading and abs(gap) <= _GAP_SAME_HEADING:
        return True
    shared, part = len(place.words & at.words), _shared(place, at)
    if part >= _SHARED_TWO_AUTHORS and shared >= _WORDS_TWO_AUTHORS:
        return True
    if place.total != at.total:  # one open, one closed: only titles that are nearly the same make them one series
        return False
    has_tag = bool(place.tags & at.tags)
    if pull.author == other.author:
        return part >= _SHARED_ONE_AUTHOR or has_tag or (shared > 0 and abs(gap) == 1 and place.heading == at.heading)
    return has_tag and not place.total and 0 < gap <= _GAP_SAME_TAG
