"""The lexicon of themes: reads ``lexicon.toml``, joins it with a repository's own themes, and finds its words in texts.

Longer phrases come before shorter ones: ``cuda graph`` is not also ``cuda``. Everything is looked up in tables, so the
cost of a title does not grow with the lexicon.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from pipelines.rules.globs import compiled
from pipelines.rules.words import words_of
from pipelines.settings import ThemeSettings

_FILE = Path(__file__).with_name("lexicon.toml")
_LONGEST_PHRASE = 4
_SHORTEST_PREFIX = 2
#: Paths remembered at once: more than a year of a busy repository, less than 50 MB.
_PATHS_REMEMBERED = 100_000


@dataclass(frozen=True)
class Theme:
    """One row of the lexicon; see the head of ``lexicon.toml``."""

    key: str
    title_en: str
    title_zh: str
    standing: str = "area"
    domain: str = ""
    tags: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hit:
    """A theme's word in a text: where it begins, counted in words, and how many words it spans."""

    theme: str
    start: int
    length: int
    text: str


@dataclass(frozen=True)
class LexiconFile:
    """What ``lexicon.toml`` holds: themes by key, spellings to join, and the words that betray a domain."""

    themes: Mapping[str, Theme]
    aliases: Mapping[str, str]
    domains: Mapping[str, tuple[frozenset[str], float]]


@dataclass(eq=False)
class Lexicon:
    """Themes with their words in tables; make it by :func:`lexicon_of`. As a key of a cache it is the very object."""

    themes: Mapping[str, Theme]
    phrases: dict[tuple[str, ...], str] = field(default_factory=dict)
    prefixes: dict[str, str] = field(default_factory=dict)
    tags: dict[tuple[str, ...], str] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)
    longest: dict[str, int] = field(default_factory=dict)
    patterns: dict[str, re.Pattern[str]] = field(default_factory=dict)

    def hits(self, words: tuple[str, ...]) -> list[Hit]:
        """Find every theme's words in a text, the longest phrase first; no word counts twice."""
        found: list[Hit] = []
        start = 0
        while start < len(words):
            hit = self._hit(words, start) if _may_begin(self, words[start]) else None
            if hit is not None:
                found.append(hit)
            start += hit.length if hit is not None else 1
        return found

    def _hit(self, words: tuple[str, ...], start: int) -> Hit | None:
        for length in range(min(self.longest.get(words[start], 0), len(words) - start), 0, -1):
            theme = self.phrases.get(words[start : start + length])
            if theme is not None:
                return Hit(theme, start, length, " ".join(words[start : start + length]))
        theme = _by_prefix(self, words[start])
        return None if theme is None else Hit(theme, start, 1, words[start])

    def is_word(self, term: str) -> bool:
        """Whether a term is one of the lexicon's own phrases or tags as a whole; a prefix's versions are not."""
        words = tuple(term.split())
        return words in self.phrases or words in self.tags

    def is_part(self, word: str) -> bool:
        """Whether a word is part of one of the lexicon's phrases: ``gpt`` of ``gpt oss`` is no news by itself."""
        return word in self.parts


@lru_cache(maxsize=32768)
def _may_begin(lexicon: Lexicon, word: str) -> bool:
    """Whether a phrase of the lexicon begins with a word; few words do."""
    return word in lexicon.longest or _by_prefix(lexicon, word) is not None


@lru_cache(maxsize=32768)
def _by_prefix(lexicon: Lexicon, word: str) -> str | None:
    """Find the theme of the longest prefix that a word begins with."""
    ends = range(len(word), _SHORTEST_PREFIX - 1, -1)
    return next((lexicon.prefixes[word[:end]] for end in ends if word[:end] in lexicon.prefixes), None)


@lru_cache(maxsize=_PATHS_REMEMBERED)
def path_themes(lexicon: Lexicon, path: str) -> frozenset[str]:
    """Themes whose words stand in the names of a path; natures of a change are not told by names."""
    parts = path.split("/")
    names = [*parts[:-1], parts[-1].partition(".")[0]]
    return frozenset().union(*(_name_themes(lexicon, name) for name in names))


@lru_cache(maxsize=32768)
def _name_themes(lexicon: Lexicon, name: str) -> frozenset[str]:
    """Themes of one name of a path; folders have the same names again and again."""
    found = {hit.theme for hit in lexicon.hits(words_of(name))}
    return frozenset(key for key in found if lexicon.themes[key].standing not in {"nature", "last"})


@lru_cache(maxsize=_PATHS_REMEMBERED)
def places_of(lexicon: Lexicon, path: str) -> frozenset[str]:
    """Themes under one of whose patterns a path lies."""
    return frozenset(key for key, pattern in lexicon.patterns.items() if pattern.fullmatch(path))


@lru_cache(maxsize=1)
def lexicon_file() -> LexiconFile:
    """Read ``lexicon.toml``, once."""
    tree = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    themes = {key: _theme(key, row) for key, row in tree["themes"].items()}
    domains = {name: (frozenset(row["words"]), float(row["least_share"])) for name, row in tree["domains"].items()}
    return LexiconFile(themes, tree["aliases"], domains)


def _theme(key: str, row: Mapping[str, object]) -> Theme:
    lists = {name: tuple(value) for name, value in row.items() if isinstance(value, list)}
    texts = {name: str(value) for name, value in row.items() if isinstance(value, str)}
    return Theme(key, texts["title_en"], texts["title_zh"], texts.get("standing", "area"), texts.get("domain", ""), **lists)


def lexicon_of(own: Mapping[str, ThemeSettings], domains: frozenset[str]) -> Lexicon:
    """Make the lexicon of a repository: the common themes of its domains, refined and added to by its own."""
    return _made(tuple(sorted((key, theme.model_dump_json()) for key, theme in own.items())), domains)


@lru_cache(maxsize=8)
def _made(own: tuple[tuple[str, str], ...], domains: frozenset[str]) -> Lexicon:
    themes = {key: theme for key, theme in lexicon_file().themes.items() if not theme.domain or theme.domain in domains}
    for key, text in own:
        themes[key] = _refined(themes.get(key) or lexicon_file().themes.get(key), key, ThemeSettings.model_validate_json(text))
    lexicon = Lexicon(themes)
    # A repository's own words come last and so stand where the lexicon holds the same.
    for theme in sorted(themes.values(), key=lambda theme: theme.standing == "own"):
        _enter(lexicon, theme)
    return lexicon


def _refined(common: Theme | None, key: str, own: ThemeSettings) -> Theme:
    base = common or Theme(key, key, key)
    return replace(
        base,
        title_en=own.title_en or base.title_en,
        title_zh=own.title_zh or (base.title_zh if common else own.title_en or base.title_zh),
        standing="own",
        tags=base.tags + own.tags,
        labels=base.labels + own.labels,
        words=base.words + own.words,
        paths=base.paths + own.paths,
    )


def _enter(lexicon: Lexicon, theme: Theme) -> None:
    pattern = compiled(theme.paths)
    if pattern is not None:
        lexicon.patterns[theme.key] = pattern
    for word in theme.words:
        if word.endswith("*"):
            lexicon.prefixes[_joined(words_of(word[:-1]))] = theme.key
        elif words_of(word):
            phrase = words_of(word)[:_LONGEST_PHRASE]
            lexicon.phrases[phrase] = theme.key
            lexicon.longest[phrase[0]] = max(len(phrase), lexicon.longest.get(phrase[0], 0))
            lexicon.parts.update(words_of(word))
    for tag in theme.tags:
        if words_of(tag):
            lexicon.tags[words_of(tag)] = theme.key


def _joined(words: Iterable[str]) -> str:
    return "".join(words)
