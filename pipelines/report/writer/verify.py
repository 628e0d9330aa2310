"""A sentence of a model, held against the facts: parts as the report wants them, or the reason why it may not stand.

What it may hold: verbatim words of the cited pull requests; numbers, names, people and themes that belong to them; claims
that the tables bear out; and words of every day between them. Everything else is refused: the rule's sentence stands.
"""

import re
import unicodedata
from dataclasses import dataclass

from pipelines.report.model import Part, Sentence
from pipelines.report.prose.realise import plain, sentence_of, tidy
from pipelines.report.writer import claims, numbers
from pipelines.report.writer.everyday import is_everyday
from pipelines.report.writer.pieces import COMMON_NAMES, PULL, QUOTED, Piece, RefusedError, pieces_of

__all__ = ["Draft", "RefusedError", "verified"]
from pipelines.report.writer.evidence import Cited, Evidence

_MOST_CHARACTERS = 600
_CJK = re.compile(r"[\u3400-\u9fff]")
_LINKS = re.compile(
    r"https?:|www\.|\]\(|!\[|<[a-z/!]|javascript:|data:|@\w|`{3}|\|\s*-{3}|&[a-z#]\w*;|[{}]|\b[\w-]+\.(?:com|org|net|io|cn|xyz|example|dev)\b",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_PROPER = re.compile(r"(?<=[a-z,;:\u25a1] )[A-Z][a-z]+|(?<=[a-z,;:] [(\u201c])[A-Z][a-z]+")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z-]+")
_COMMON_WORDS = frozenset(name.lower() for name in COMMON_NAMES)
#: So many words of a sentence may stand in no cited text and be no word of every day.
_MOST_STRANGE = 1
_PERSON = re.compile(r"\b(?:by|from)\s+([A-Za-z][\w-]*)(?=$|[\s,.;:)])|(?:由|出自)\s*([A-Za-z][\w-]*)")


@dataclass(frozen=True)
class Draft:
    """A sentence as a model gave it, and what it may stand on."""

    text: str
    pull_requests: frozenset[int]
    facts: frozenset[str]
    allowed_pulls: frozenset[int]
    allowed_facts: frozenset[str]
    replaces: str  # the rule's sentence, as plain text
    is_line: bool = False  # on a highlight, whose title stands above it


def verified(draft: Draft, evidence: Evidence) -> Sentence:
    """The sentence in parts; :class:`RefusedError` with the reason where it may not stand."""
    text = _clean(draft.text)
    cited = _cited(draft, text, evidence)
    if not any("`" in phrase and phrase in text for phrase in (*cited.titles, *cited.objects)):
        text = text.replace("`", "")
    pieces = pieces_of(text, cited)
    said = "".join(piece if isinstance(piece, str) else _stand_in(piece) for piece in pieces)
    _language(said, evidence.language)
    for reason in claims.refusals(said, cited, draft.replaces):
        raise RefusedError(reason)
    if claims.says_undone(QUOTED.sub("", draft.replaces)) and not claims.says_undone(said):
        raise RefusedError("leaves out that it was taken back")
    if reason := numbers.wrong_words(said, cited, draft.replaces):
        raise RefusedError(reason)
    _words(said, cited)
    _attributed(pieces, said, cited)
    if re.search(r"\d", draft.replaces):
        _says_something(pieces, draft.is_line, cited)
    parts = tidy([{"text": piece} if isinstance(piece, str) else piece for piece in pieces])
    return sentence_of(parts, "model", draft.pull_requests)


def _stand_in(part: Part) -> str:
    """What claims and words are looked for in: our words, numbers and pull requests, without what others wrote."""
    is_ours = "pull" in part or ("fact" in part and not any(sign.isalpha() for sign in part["shown"].split(" ")[0]))
    return plain(part) if is_ours else "\u25a1"


def _clean(given: str) -> str:
    text = unicodedata.normalize("NFC", given).strip()
    if not text or len(text) > _MOST_CHARACTERS:
        raise RefusedError(f"has {len(text)} characters; one sentence of at most {_MOST_CHARACTERS} was asked for")
    if found := _CONTROL.search(text):
        raise RefusedError(f"holds a control character ({found[0]!r})")
    if found := _LINKS.search(text):
        raise RefusedError(f"holds a link, mention or markup ({found[0]!r})")
    if words := claims.instructs(text):
        raise RefusedError(f"speaks to the reader or to a machine ({words!r})")
    return text.replace("**", "")


def _language(said: str, language: str) -> None:
    if (len(_CJK.findall(said)) > 1) != (language == "zh"):
        raise RefusedError(f"is not in the language asked for ({language})")


def _cited(draft: Draft, text: str, evidence: Evidence) -> Cited:
    if strange := sorted(draft.facts - draft.allowed_facts):
        raise RefusedError(f"cites {strange[0]!r}, which is no key of its facts")
    if others := sorted(draft.pull_requests - draft.allowed_pulls):
        raise RefusedError(f"cites #{others[0]}, which is none of its pull requests")
    if not draft.facts and not draft.pull_requests:
        raise RefusedError("cites no fact and no pull request")
    for path in sorted(draft.facts):
        number = evidence.pull_of(path)
        if number is not None and number not in draft.pull_requests:
            raise RefusedError(f"cites a value of #{number} and not #{number} itself")
    cited = evidence.cited(draft.pull_requests, draft.facts)
    near = (
        draft.pull_requests
        | {link["number"] for pull in cited.pulls for link in pull["links"]}
        | {p["reverted_by"] for p in cited.pulls}
    )
    masked = QUOTED.sub("", text)
    for phrase in (*cited.titles, *cited.objects):
        masked = masked.replace(phrase, "")
    for found in PULL.findall(masked):
        if int(found) not in near & evidence.linkable:
            raise RefusedError(f"names #{found}, which it does not cite")
    return cited


def _words(said: str, cited: Cited) -> None:
    """Words of every day, or of what is cited; a few others at most, and no name among them."""
    strange = [word for word in _PROPER.findall(said) if word.lower() not in cited.words and not is_everyday(word.lower())]
    if strange:
        raise RefusedError(f"names {strange[0]!r}, which stands in none of the cited pull requests")
    for match in _PERSON.finditer(said):
        name = match[1] or match[2]
        if name not in cited.people and name.lower() not in cited.words and not is_everyday(name.lower()):
            raise RefusedError(f"names {name!r}, who has no part in the cited pull requests")
    unknown = [word for word in _LATIN_WORD.findall(said) if not _is_known(word.lower(), cited)]
    if len(set(unknown)) > (0 if cited.evidence.language == "zh" else _MOST_STRANGE):
        raise RefusedError(f"says {unknown[0]!r}, which stands in none of the cited pull requests")


def _is_known(word: str, cited: Cited) -> bool:
    if word in _COMMON_WORDS:
        return True
    stems = {word, *(word.removesuffix(end) for end in ("s", "es", "ed", "ing", "d", "ly"))}
    stems |= {stem + "e" for stem in stems} | {stem + "s" for stem in stems}
    return any(stem in cited.words or is_everyday(stem) for stem in stems) or all(
        part in cited.words or is_everyday(part) for part in word.split("-")
    )


def _attributed(pieces: list[Piece], said: str, cited: Cited) -> None:
    """Words of a description stand as its claim."""
    quoted = [plain(piece) for piece in pieces if not isinstance(piece, str) and "quote" in piece]
    own = [words for words in quoted if " " in words and not any(words in title for title in cited.titles)]
    if own and not numbers.ATTRIBUTED.search(said):
        raise RefusedError(f"tells {own[0][:60]!r} as a fact; it is what the description says")


def _says_something(pieces: list[Piece], is_line: bool, cited: Cited) -> None:  # noqa: FBT001  # because: only called above
    """More than words of ours: at least one value, name, person, number or quotation; of a line more than its title."""
    parts = [piece for piece in pieces if not isinstance(piece, str)]
    titles = [pull["title"] for pull in cited.pulls]
    if is_line:
        parts = [
            part for part in parts if "pull" not in part and not any(plain(part) in title for title in titles if "quote" in part)
        ]
    if not parts:
        raise RefusedError("says no more than a title" if is_line else "says nothing that a fact or a cited text holds")
