"""Words that make a mention of a pull request a link: ``reverts #12``, ``follow-up to #12``, ``introduced in #12``.

A bare ``#12`` says only that somebody mentioned it; a link needs one of these phrases right before the number.
The phrases are a table: id, kind, where they count, and the words. All text here is untrusted: it is scanned,
bounded in length, and never followed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Place = Literal["title", "body"]

#: Characters of a description that are read; GitHub's own bound is 65,536, and links stand near the top.
BODY_CHARACTERS_READ = 20_000
_EVIDENCE_CHARACTERS = 80
_BEFORE_CHARACTERS = 24

_REFERENCE = (
    r"(?:(?:the\s+|this\s+)?(?:PRs?|pull\s+requests?|MR)\s*:?\s*)?"
    r"(?:(?P<repo>[A-Za-z0-9][\w.-]*/[\w.-]+)?#(?P<number>\d{1,7})\b"
    r"|https?://[^\s/]+/(?P<web_repo>[\w.-]+/[\w.-]+)/(?:pull|issues)/(?P<web_number>\d{1,7})\b)"
)
_MORE = re.compile(r"\s*(?:(?:,|&|\+|and|,\s*and)\s*|(?<=\s))" + _REFERENCE, re.IGNORECASE)
_NEGATED = re.compile(r"(?:\b(?:not|never|no|without|instead of|rather than|cannot)|n't)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)


@dataclass(frozen=True)
class Phrase:
    """One way of saying a link: ``words`` stand right before the reference, or around it where it holds ``{ref}``.

    Without any of its ``stems``, parted by blanks, no text holds it: most phrases need not be looked for at all.
    """

    rule: str
    kind: str
    stems: str
    words: str
    places: tuple[Place, ...] = ("title", "body")


#: The first phrase that matches a place wins, so the more telling ones stand first.
PHRASES = (
    Phrase(
        "words_reland",
        "relands",
        "land appl submi redo",
        r"\b(?:re-?land(?:s|ing|ed)?|re-?appl(?:y|ies|ying)|re-?submit(?:s|ting)?|resubmission|redo)(?:\s+of)?\s*:?\s*",
    ),
    Phrase(
        "words_backport",
        "backports",
        "port pick",
        r"\b(?:back-?port(?:s|ed|ing)?|cherry[- ]?pick(?:s|ed|ing)?)(?:\s+(?:of|from|for))?\s*:?\s*",
    ),
    Phrase("words_backport_from", "backports", "pick", r"\bcherry[- ]?pick\b[^#\n]{1,80}?\bfrom\s+", ("title",)),
    Phrase(
        "words_revert",
        "reverts",
        "revert back undo",
        r"\b(?:revert(?:s|ing)?|roll(?:s|ing)?[- ]?back|back(?:s|ing)?\s+out|undo(?:es|ing)?)"
        r"(?:\s+(?:of|the|parts?\s+of|(?:the\s+)?changes?\s+(?:of|in|from|made\s+(?:by|in)|introduced\s+(?:by|in))|\w+\s+from))?\s*:?\s*",
    ),
    Phrase(
        "words_revert_listed", "reverts", "revert", r"(?:^\W*revert(?!\s+[\"\u201c'])|\breverting)\b[^#\n\"]{1,80}\(", ("title",)
    ),
    Phrase(
        "words_broken_by",
        "fixes",
        "introduced caused bro regress dropped missed lost forgotten overlooked left applied breakage bug",
        r"\b(?:introduced|caused|broken|regressed|dropped|missed|lost|forgotten|overlooked|left\s+over|not\s+applied|regressions?|breakages?|bugs?)"
        r"\s+(?:in|by|from|since|due\s+to|after|with)\s+(?:the\s+)?(?:\w+\s+(?:in|of|from)\s+)?",
    ),
    Phrase(
        "words_it_broke",
        "fixes",
        "broke introduced regressed caused dropped missed forgot",
        r"{ref}\s+(?:has\s+|had\s+)?(?:broke|introduced|regressed|caused|dropped|missed|forgot)\b",
    ),
    Phrase("words_fix_due_to", "fixes", "fix", r"\bfix(?:es|ed)?\b[^#\n]{1,100}?\b(?:due\s+to|after|because\s+of)\s+", ("title",)),
    Phrase("words_part_of", "series", "part", r"\bpart\s+\d{1,2}\s+of\s+", ("title", "body")),
    Phrase(
        "words_follow_up",
        "follows",
        "follow",
        r"\bfollow(?:ing|s)?[- ]?(?:ups?)?(?:\s+(?:fix(?:es)?|change|work|pr))?(?:\s+(?:to|of|for|on|from|after))\s*:?\s*",
    ),
    Phrase("words_its_follow_up", "follows", "follow", r"{ref}\s+follow[- ]?up\b"),
    Phrase("words_following", "follows", "follow", r"\b(?:following|follows)\s+"),
    Phrase(
        "words_built_on",
        "follows",
        "build top stacked based depend",
        r"\b(?:builds?\s+(?:up)?on(?:\s+top\s+of)?|on\s+top\s+of|stacked\s+on(?:\s+top\s+of)?|based\s+on|depends?\s+on)\s*:?\s*",
    ),
    Phrase(
        "words_continues",
        "follows",
        "contin success supersede replaces",
        r"\b(?:continu(?:ation|es|ing)\s+(?:of|from|on)?|successor\s+(?:to|of)|supersedes?|replaces|continues)\s*:?\s*",
    ),
    Phrase(
        "words_after",
        "follows",
        "polish clean finish complete extend",
        r"\b(?:polish|clean\s*up|cleanup|finish|complete|extend)\b[^#\n]{1,80}?\b(?:after|from|of)\s+",
        ("title",),
    ),
    Phrase("words_added_in", "follows", "added", r"\badded\s+(?:in|by)\s+", ("title",)),
    Phrase("words_close", "closes", "clos fix resolv", r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s*:?\s*(?:issues?\s*:?\s*)?"),
)


@dataclass(frozen=True)
class Mention:
    """One link that a text states: ``repo`` is empty where the text names none."""

    kind: str
    rule: str
    repo: str
    number: int
    evidence: str


def _compiled(phrase: Phrase) -> re.Pattern[str]:
    pattern = phrase.words.replace("{ref}", _REFERENCE) if "{ref}" in phrase.words else phrase.words + r"[(\[]?\s*" + _REFERENCE
    return re.compile(pattern, re.IGNORECASE)


_Looked = tuple[Phrase, tuple[str, ...], re.Pattern[str]]


def _looked_for(place: Place) -> tuple[_Looked, ...]:
    return tuple((phrase, tuple(phrase.stems.split()), _compiled(phrase)) for phrase in PHRASES if place in phrase.places)


_COMPILED: dict[Place, tuple[_Looked, ...]] = {"title": _looked_for("title"), "body": _looked_for("body")}
# Letters outside of ASCII that a pattern without regard to case takes for these.
_LIKE_ASCII = str.maketrans({"\u017f": "s", "\u0131": "i"})
_ANY_REFERENCE = re.compile(r"#\d|/(?:pull|issues)/\d", re.IGNORECASE)


def mentions(text: str, place: Place) -> Iterator[Mention]:
    """Every link a text states by words, in the order of the table; a place in the text counts once."""
    if not _ANY_REFERENCE.search(text):
        return
    taken: set[int] = set()
    low = text.lower().translate(_LIKE_ASCII)
    for phrase, stems, pattern in _COMPILED[place]:
        for match in pattern.finditer(text) if any(stem in low for stem in stems) else ():
            before = text[max(0, match.start() - _BEFORE_CHARACTERS) : match.start()]
            if _NEGATED.search(before):
                continue
            for found in _references(text, match):
                spot = found.start("number") if found["number"] else found.start("web_number")
                if spot not in taken:
                    taken.add(spot)
                    yield _mention(phrase, found, text[match.start() : found.end()])


def _references(text: str, match: re.Match[str]) -> Iterator[re.Match[str]]:
    """Yield the reference of a phrase, and those listed after it: ``#1, #2 and #3``."""
    found: re.Match[str] | None = match
    while found is not None:
        yield found
        found = _MORE.match(text, found.end())


def _mention(phrase: Phrase, found: re.Match[str], words: str) -> Mention:
    number = int(found["number"] or found["web_number"])
    evidence = " ".join(words.split())[-_EVIDENCE_CHARACTERS:]
    return Mention(phrase.kind, phrase.rule, found["repo"] or found["web_repo"] or "", number, evidence)


_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_SKIPPED_LINE = re.compile(r"^[ \t]*(?:>|[-*+][ \t]*\[[ \t]\]).*$", re.MULTILINE)
_MARKDOWN_LINK = re.compile(r"\[(#\d{1,7})\]\([^)\s]*\)")
_EMPHASIS = re.compile(r"[*_]{1,3}(?=[#\w])|(?<=[\w:])[*_]{2,3}")


def plain_body(body: str) -> str:
    """Strip a description of comments, code, quotations and unticked boxes: what its author says."""
    text = body[:BODY_CHARACTERS_READ].replace("\r\n", "\n")
    # Most descriptions have few of these signs, and a look for one is far quicker than its pattern.
    text = _COMMENT.sub(" ", text) if "<!--" in text else text
    text = _FENCE.sub(" ", text) if "```" in text or "~~~" in text else text
    text = _INLINE_CODE.sub(" ", text) if "`" in text else text
    text = _SKIPPED_LINE.sub(" ", text)
    return _EMPHASIS.sub("", _MARKDOWN_LINK.sub(r"\1", text) if "](" in text else text)
