"""What a title says it is about: tags, scopes and words, each as evidence for a theme with a weight."""

import re
from dataclasses import dataclass
from functools import lru_cache

from pipelines.rules.lexicon import Lexicon, lexicon_file
from pipelines.rules.words import EMPTY_WORDS, word_set, words_of

#: How strongly each kind of evidence speaks. What an author sets apart in a title tells most; a label is set by hand
#: too; a rising term is the week's news; a path tells where, not why, unless all files lie in one place.
RULE_WEIGHTS = {"tag": 4.0, "scope": 4.0, "label": 3.6, "emerging": 5.2, "whole_path": 4.75, "word": 2.6, "path": 1.0}
#: A technique tells more than the model or hardware it serves; what merely makes something faster or tidier is first
#: only where nothing says what.
STANDING_WEIGHTS = {"own": 0.5, "area": 0.0, "hardware": -1.6, "model": -0.4, "nature": 0.0, "last": -2.0}
_FIRST_TAG, _SECOND_TAG, _EARLY_WORD, _LONGER_PHRASE, _WORD_OF_TAG = 0.3, 0.15, 0.4, 0.05, -0.3

#: Two letters (``pp``, ``dp``) mostly say where something else happens.
_SHORT_LETTERS, _SHORT_WORD = 2, -0.15

_TAG = re.compile(r"[\[【]([^\]】]{1,60})[\]】]")
_HEADING = re.compile(r"^\W*([A-Za-z][\w /.&+-]{0,30}?)\s*(?:[(]([^)]{1,40})[)])?\s*!?\s*[:\uff1a]")
_POSITION = re.compile(r"\d{1,2}\s*/\s*(?:\d{1,2}|[nx])\b", re.IGNORECASE)
_QUOTED = re.compile(r"^\W*(?:revert|reland|re-land)\w*\s*:?\s*[\"\u201c'](.*)$", re.IGNORECASE)
_SPLIT = re.compile(r"\s*(?:[,/&+|]|\band\b)\s*")
_BUMP = re.compile(
    r"^\W*(?:[A-Za-z]+(?:[(][^)]*[)])?!?:\s*)?(?:bump|upgrade|downgrade|update|pin|unpin)(?:ing|s|ed)?\b(?P<what>[^:]{0,60}?)\s+(?:(?:to|from|at)\s+)?"
    r"(?:versions?\b|v?\d+\.\d+)",
    re.IGNORECASE,
)
_VERSION = re.compile(r"\b(?:the|to|from|version|release|of)\b", re.IGNORECASE)
#: A new version outweighs a tag, since the tag then says whose dependency it is.
_BUMP_WEIGHT = 5.1
#: Types of conventional commits that name no theme, and tags that say how it was made or of what sort it is.
_SORTS = word_set(
    "feat feature fix bugfix bug hotfix chore misc minor tiny wip revert reland core main nit style improvement enhancement",
    "support model codex copilot cursor devin srt utils util lang common urgent draft update upd follow followup followups ",
    "resubmit script ready",
)


@dataclass(frozen=True)
class Evidence:
    """One reason to put a pull request under a theme."""

    theme: str
    rule: str
    text: str
    weight: float


@dataclass(frozen=True)
class TitleReading:
    """What a title gives: evidence for themes of the lexicon, and tags that the lexicon does not know, as keys."""

    evidence: tuple[Evidence, ...]
    unknown_tags: tuple[tuple[str, str], ...]


def key_of(term: str) -> str:
    """Make the key of a theme that a term makes of itself: its words joined by hyphens, whatever its spelling."""
    words = " ".join(words_of(term))
    return lexicon_file().aliases.get(words, words).replace(" ", "-")


@lru_cache(maxsize=16384)
def read_title(lexicon: Lexicon, title: str) -> TitleReading:
    """Read a title by a lexicon; a revert is about what it reverts."""
    quoted = _QUOTED.match(title)
    text = quoted[1] if quoted else title
    found = _of_bump(text)
    unknown: list[tuple[str, str]] = []
    for rank, (rule, tag) in enumerate(_tags(text)):
        bonus = (_FIRST_TAG, _SECOND_TAG)[rank] if rank < 2 else 0.0  # noqa: PLR2004  # because: two bonuses are named above
        evidence = _of_tag(lexicon, rule, tag, bonus)
        found += evidence
        if not evidence and rule == "tag" and _may_be_theme(tag):
            unknown.append((key_of(tag), tag.strip()))
    found += _of_words(lexicon, _HEADING.sub(" ", _TAG.sub(" ", text)))
    return TitleReading(tuple(found), tuple(unknown))


def _of_bump(text: str) -> list[Evidence]:
    """Take ``Bump x to 1.2`` for what it is: x is not what the change is about. Without a name it is a release of its own."""
    bump = _BUMP.match(_TAG.sub(" ", text))
    if not bump:
        return []
    named = words_of(_VERSION.sub(" ", bump["what"])) or "of" in words_of(text[bump.end() :])[:1]
    key = "dependencies" if named else "release"
    return [Evidence(key, "word", " ".join(bump[0].split())[:80], _BUMP_WEIGHT)]


def _tags(text: str) -> list[tuple[str, str]]:
    """Tags of a title in order, then the heading before a colon and its scope: ``[AMD] fix(moe): ...``."""
    found = [("tag", _POSITION.sub(" ", tag)) for tag in _TAG.findall(text)]
    heading = _HEADING.match(_TAG.sub(" ", text))
    if heading:
        found += [("scope", part) for part in (heading[2] or "", heading[1]) if part]
    return found


def _of_tag(lexicon: Lexicon, rule: str, tag: str, bonus: float) -> list[Evidence]:
    whole = words_of(tag)
    if not whole:
        return []
    if whole in lexicon.tags:
        return [_evidence(lexicon, lexicon.tags[whole], rule, tag.strip(), bonus)]
    parts = [words_of(part) for part in _SPLIT.split(tag)]
    keys = [lexicon.tags[part] for part in parts if part in lexicon.tags]
    if not keys:
        keys = [hit.theme for part in parts for hit in lexicon.hits(part) if hit.theme not in keys]
        bonus += _WORD_OF_TAG
    return [_evidence(lexicon, key, rule, tag.strip(), bonus - 0.01 * rank) for rank, key in enumerate(dict.fromkeys(keys))]


def _of_words(lexicon: Lexicon, text: str) -> list[Evidence]:
    words = words_of(text)
    found = []
    for hit in lexicon.hits(words):
        early = _EARLY_WORD * (1 - hit.start / len(words))
        short = _SHORT_WORD if len(hit.text) <= _SHORT_LETTERS else 0.0
        found.append(_evidence(lexicon, hit.theme, "word", hit.text, early + short + _LONGER_PHRASE * (hit.length - 1)))
    return found


def _evidence(lexicon: Lexicon, key: str, rule: str, text: str, bonus: float) -> Evidence:
    weight = RULE_WEIGHTS[rule] + STANDING_WEIGHTS[lexicon.themes[key].standing] + bonus
    return Evidence(key, rule, text, round(weight, 3))


def _may_be_theme(tag: str) -> bool:
    words = words_of(tag)
    telling = [word for word in words if word not in EMPTY_WORDS and word not in _SORTS and not word.isdigit() and len(word) > 1]
    return bool(telling) and len(words) <= 3 and len(telling) == len([word for word in words if not word.isdigit()])  # noqa: PLR2004  # because: a longer tag is a sentence
