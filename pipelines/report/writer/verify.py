"""A sentence of a model, held against the facts: parts as the report wants them, or the reason why it may not stand.

What it may hold: verbatim words of the cited pull requests; numbers, names, people and themes that belong to them; claims
that the tables bear out; and words of every day between them. Everything else is refused: the rule's sentence stands.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from pipelines.report.model import Part, Sentence
from pipelines.report.prose.realise import plain, sentence_of, tidy
from pipelines.report.writer import claims, numbers
from pipelines.report.writer.everyday import is_everyday
from pipelines.report.writer.evidence import Cited, Evidence

_MOST_CHARACTERS = 600
_CJK = re.compile(r"[\u3400-\u9fff]")
_LINKS = re.compile(
    r"https?:|www\.|\]\(|!\[|<[a-z/!]|javascript:|data:|@\w|`{3}|\|\s*-{3}|&[a-z#]\w*;|[{}]|\b[\w-]+\.(?:com|org|net|io|cn|xyz|example|dev)\b",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_QUOTED = re.compile('\u201c([^\u201d]*)\u201d|"([^"]*)"|\u300c([^\u300d]*)\u300d')
_PULL = re.compile(r"#(\d+)")
#: Words that look like names of code: paths, flags, symbols, names with digits or capitals inside.
_CODE = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w.-]*\w|(?<![\w-])[A-Za-z]\w*(?:-[A-Z]\w*)+|\.?[\w.-]+(?:/[\w.-]+)+|\.?\w[\w-]*(?:\.[A-Za-z][\w-]*)+|\w*_\w+|\.?[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+|[A-Za-z][\w-]*\d[\w.-]*|\d+(?:\.\d+)*[A-WYZa-gi-wyz]\w+"
    r"|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|(?<![\w-])[A-Z]{2,}[\w-]*",
)
_PROPER = re.compile(r"(?<=[a-z,;:\u25a1] )[A-Z][a-z]+|(?<=[a-z,;:] [(\u201c])[A-Z][a-z]+")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z-]+")
_COMMON_NAMES = frozenset({"PR", "PRs", "CI", "I"})
_COMMON_WORDS = frozenset(name.lower() for name in _COMMON_NAMES)
#: So many words of a sentence may stand in no cited text and be no word of every day.
_MOST_STRANGE = 1
_PERSON = re.compile(r"\b(?:by|from)\s+([A-Za-z][\w-]*)(?=$|[\s,.;:)])|(?:由|出自)\s*([A-Za-z][\w-]*)")


class RefusedError(Exception):
    """Why a sentence may not stand, in words for the model and the audit."""


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


Piece = str | Part


def verified(draft: Draft, evidence: Evidence) -> Sentence:
    """The sentence in parts; :class:`RefusedError` with the reason where it may not stand."""
    text = _clean(draft.text)
    cited = _cited(draft, text, evidence)
    if not any("`" in phrase and phrase in text for phrase in (*cited.titles, *cited.objects)):
        text = text.replace("`", "")
    pieces = _pieces(text, cited)
    said = "".join(piece if isinstance(piece, str) else _stand_in(piece) for piece in pieces)
    _language(said, evidence.language)
    for reason in claims.refusals(said, cited, draft.replaces):
        raise RefusedError(reason)
    if claims.says_undone(draft.replaces) and not claims.says_undone(said):
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
    masked = _QUOTED.sub("", text)
    for phrase in (*cited.titles, *cited.objects):
        masked = masked.replace(phrase, "")
    for found in _PULL.findall(masked):
        if int(found) not in near & evidence.linkable:
            raise RefusedError(f"names #{found}, which it does not cite")
    return cited


def _pieces(text: str, cited: Cited) -> list[Piece]:
    """The text cut at what is not ours, each piece told for what it is."""
    pieces: list[Piece] = [text]
    pieces = _cut(pieces, _QUOTED, lambda match: _quotation(match, cited))
    # A title stands unquoted only where its number follows, as in a list; words of a description never do.
    listed = [rf"{re.escape(title)}(?=\s?[(\uff08]#\d)" for title in cited.titles if title in text]
    for pattern in (*listed, *(_bounded(words) for words in cited.objects if words in text)):
        pieces = _cut(pieces, re.compile(pattern), lambda match: {"quote": match[0], "shown": match[0]})
    pieces = _cut(pieces, _PULL, lambda match: {"pull": int(match[1]), "shown": match[0]})
    for value in sorted({str(value) for value in cited.facts.values() if isinstance(value, str)}):
        pieces = _days(pieces, value, cited)
    logins = sorted(cited.evidence.people, key=lambda login: (-len(login), login))
    known = "|".join(re.escape(login) for login in logins if login in text)
    if known:
        pieces = _cut(pieces, re.compile(rf"(?<![\w-])(?:{known})(?![\w-])"), lambda match: _person(match, cited))
    pieces = _themes(pieces, cited)
    pieces = _names(pieces, cited)
    return _numbers(pieces, cited)


def _bounded(phrase: str) -> str:
    return (
        rf"(?<![A-Za-z0-9]){re.escape(phrase)}(?![A-Za-z0-9])"
        if phrase[0].isascii() and phrase[-1].isascii()
        else re.escape(phrase)
    )


def _cut(pieces: list[Piece], pattern: "re.Pattern[str]", told: "Callable[[re.Match[str]], Part | None]") -> list[Piece]:
    """The pieces with every match of a pattern told; one told as None stays among the words."""
    made: list[Piece] = []
    for piece in pieces:
        made += _cut_text(piece, pattern, told) if isinstance(piece, str) else [piece]
    return made


def _cut_text(text: str, pattern: "re.Pattern[str]", told: "Callable[[re.Match[str]], Part | None]") -> Iterator[Piece]:
    start = 0
    for match in pattern.finditer(text):
        part = told(match)
        if part is None:
            continue
        inner = plain(part)
        offset = match[0].find(inner)
        yield text[start : match.start() + offset]
        yield part
        start = match.start() + offset + len(inner)
    yield text[start:]


def _quotation(match: "re.Match[str]", cited: Cited) -> Part | None:
    words = next(group for group in match.groups() if group is not None)
    inner = words.rstrip("…").rstrip(".,;\u3002\uff0c ")
    if inner and any(inner in text for text in cited.texts):
        return (
            {"quote": words, "shown": words}
            if words and any(words.rstrip("…") in text for text in cited.texts)
            else {"quote": inner, "shown": inner}
        )
    if words in cited.names:
        return {"code": words, "shown": words}
    raise RefusedError(f"quotes {words[:60]!r}, which no cited pull request says")


def _days(pieces: list[Piece], value: str, cited: Cited) -> list[Piece]:
    forms = sorted(cited.evidence.formats.forms(value), key=len, reverse=True)
    path = next(path for path, other in cited.facts.items() if other == value)
    return _cut(pieces, re.compile("|".join(re.escape(form) for form in forms)), lambda match: {"fact": path, "shown": match[0]})


def _person(match: "re.Match[str]", cited: Cited) -> Part:
    login = match[0]
    role = cited.people.get(login)
    if role is None:
        raise RefusedError(f"names {login!r}, who has no part in the cited pull requests")
    before = re.split(r"[.;\uff1b\u3002]", match.string[: match.start()])[-1]
    after = re.split(r"[.;\uff1b\u3002\uff0c\uff08]", match.string[match.end() :])[0]
    if role == "reviewer" and not re.search(r"review|approv|评审|批准", before + after, re.IGNORECASE):
        raise RefusedError(f"names {login!r} as an author, who reviewed")
    return {"name": login, "shown": login}


def _themes(pieces: list[Piece], cited: Cited) -> list[Piece]:
    """Titles of themes: those of the cited ones as such, others refused where they stand as titles."""
    for title, key in cited.evidence.theme_titles.items():
        is_plain = len(title) <= 2 or title.islower()  # noqa: PLR2004  # because: two signs are a common Chinese word, as test or documents
        if key in cited.themes:
            pieces = _cut(pieces, re.compile(_bounded(title)), partial(_theme, key))
        elif not is_plain and any(re.search(_bounded(title), piece) for piece in pieces if isinstance(piece, str)):
            starts = isinstance(pieces[0], str) and pieces[0].startswith(title) and " " not in title and title.isascii()
            if not (starts or title.lower() in cited.words):
                raise RefusedError(f"names the theme {title!r}, which is not one of the cited")
        elif is_plain and any(
            re.search(
                rf"{re.escape(title)}\s?[(\uff08]\d+ ?(?:个 PR|pull)|{re.escape(title)}(升温|降温)"
                rf"|(集中在|重点在){re.escape(title)}",
                piece,
            )
            for piece in pieces
            if isinstance(piece, str)
        ):
            raise RefusedError(f"names the theme {title!r}, which is not one of the cited")
    return pieces


def _theme(key: str, match: "re.Match[str]") -> Part:
    return {"theme": key, "shown": match[0]}


def _names(pieces: list[Piece], cited: Cited) -> list[Piece]:
    known = sorted((name for name in cited.names if name), key=lambda name: (-len(name), name))
    for name in known:
        pieces = _cut(
            pieces, re.compile(rf"(?<![\w/.-]){re.escape(name)}(?![\w/-])"), lambda match: {"code": match[0], "shown": match[0]}
        )
    return _cut(pieces, _CODE, lambda match: _name(match, cited))


def _name(match: "re.Match[str]", cited: Cited) -> Part | None:
    word = match[0].rstrip(".-")
    if word in _COMMON_NAMES or re.fullmatch(r"[\d.]+", word):
        return None
    if word in cited.names:
        return {"code": word, "shown": word}
    if any(re.search(_bounded(word), text) for text in cited.texts):
        return {"quote": word, "shown": word}
    is_exact = re.search(r"[/_]|^-|\.[A-Za-z]{1,5}$", word) is not None
    pieces = [piece for piece in re.split(r"[\s._/-]+", word.lower()) if piece]
    if not is_exact and all(piece in cited.words or is_everyday(piece) for piece in pieces) and not re.search(r"\d", word):
        return None
    if numbers.NUMBER.fullmatch(word):
        return None
    raise RefusedError(f"names {word!r}, which stands in none of the cited pull requests")


def _numbers(pieces: list[Piece], cited: Cited) -> list[Piece]:
    whole = "".join(piece if isinstance(piece, str) else plain(piece) for piece in pieces)

    told_facts = {piece["fact"] for piece in pieces if not isinstance(piece, str) and "fact" in piece}

    def told(match: "re.Match[str]") -> Part:
        found, reason = numbers.place(match, whole, cited, told_facts)
        if found is None:
            raise RefusedError(reason)
        if found.fact is not None:
            told_facts.add(found.fact)
        shown = match.string[found.start : found.end].strip()
        return {"fact": found.fact, "shown": shown} if found.fact is not None else {"quote": shown, "shown": shown}

    made = _cut(pieces, numbers.NUMBER, told)
    if left := sorted(path for path in cited.facts.keys() - told_facts if not isinstance(cited.facts[path], str)):
        raise RefusedError(f"cites {left[0]} and does not tell it")
    return made


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
