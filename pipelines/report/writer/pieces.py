"""A sentence cut into pieces: our own words, and what is not ours, each told for what it is or refused."""

import re
from collections.abc import Callable, Iterator
from functools import partial

from pipelines.report.model import Part
from pipelines.report.prose.realise import plain
from pipelines.report.writer import numbers
from pipelines.report.writer.everyday import is_everyday
from pipelines.report.writer.evidence import Cited

PULL = re.compile(r"#(\d+)")
QUOTED = re.compile('\u201c([^\u201d]*)\u201d|"([^"]*)"|\u300c([^\u300d]*)\u300d')
#: Words that look like names of code: paths, flags, symbols, names with digits or capitals inside.
_CODE = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w.-]*\w|(?<![\w-])[A-Za-z]\w*(?:-[A-Z]\w*)+|\.?[\w.-]+(?:/[\w.-]+)+|\.?\w[\w-]*(?:\.[A-Za-z][\w-]*)+|\w*_\w+|\.?[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+|[A-Za-z][\w-]*\d[\w.-]*|\d+(?:\.\d+)*[A-WYZa-gi-wyz]\w+"
    r"|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|(?<![\w-])[A-Z]{2,}[\w-]*",
)
COMMON_NAMES = frozenset({"PR", "PRs", "CI", "I"})

Piece = str | Part


class RefusedError(Exception):
    """Why a sentence may not stand, in words for the model and the audit."""


def pieces_of(text: str, cited: Cited) -> list[Piece]:
    """The text cut at what is not ours, each piece told for what it is."""
    pieces: list[Piece] = [text]
    pieces = _cut(pieces, QUOTED, lambda match: _quotation(match, cited))
    # A title stands unquoted only where its number follows, as in a list; words of a description never do.
    listed = [rf"{re.escape(title)}(?=\s?[(\uff08]#\d)" for title in cited.titles if title in text]
    for pattern in (*listed, *(_bounded(words) for words in cited.objects if words in text)):
        pieces = _cut(pieces, re.compile(pattern), lambda match: {"quote": match[0], "shown": match[0]})
    pieces = _cut(pieces, PULL, lambda match: {"pull": int(match[1]), "shown": match[0]})
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
    if word in COMMON_NAMES or re.fullmatch(r"[\d.]+", word):
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
