"""Terms that rise: words and pairs of words whose use grows against the twelve weeks before.

Measure: the weighted log-odds ratio with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008, "Fightin'
Words", doi:10.1093/pan/mpn018), over pull requests that say a term in their title. The prior is the term's share in all
of them, weighing as much as one week, so that a week cannot outweigh itself. Several people must say it in plain words:
the name of a file or of a symbol in a title is a place, and a revert says its title a second time. Pull requests that
only change files of that name come under the term, but do not make it rise. A term that once rose keeps its name while
it is used. Needs four stored weeks: against fewer everything would seem new.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from string import ascii_lowercase

from pipelines.rules.file_kinds import LANGUAGES
from pipelines.rules.lexicon import Lexicon, lexicon_file
from pipelines.rules.words import phrases_of, words_of

#: Stored weeks a comparison needs: with fewer than a month a holiday or a release makes everything rise.
LEAST_HISTORY_WEEKS = 4
#: A rise must be this many standard deviations: one in 100 by chance; the other floors hold off the rest.
LEAST_Z = 2.3
#: Pull requests a term must be in, those that say it in plain words of their titles, and people who do: one author's habit
#: is no theme.
LEAST_PULLS, LEAST_TITLES, LEAST_PEOPLE = 4, 3, 2
#: Its share must be this many times the share before.
LEAST_RATIO = 3.0
#: A pair of plain words (``shared prefix``) must rise more than a name (``LTX2.3``, ``deepseek v4``); one plain word
#: alone (``load``) is never a theme, however it rises.
LEAST_Z_PLAIN = 3.5
#: Part of the titles that must write a term like a name: with a digit, or a capital that is not the first letter.
LEAST_NAMED = 0.5
#: Two terms on mostly the same pull requests are one; the longer phrase names it.
SAME_PULLS = 0.6
#: A term that rose before keeps its name while so many pull requests of the week use it.
LEAST_PULLS_KEPT = 2
#: New terms of one week: a reader remembers a handful.
MOST_NEW = 6
_PAIR_BONUS = 0.5
_SHORT_WORD = 2
_NAME = re.compile(r"\b[A-Za-z][\w.]*[A-Z0-9][\w.]*")
#: What names code in a title: words joined by underscores, or with a file's ending. Of endings those of one letter are
#: left out, and ``js``, in which technologies are named too.
_ENDINGS = frozenset({*LANGUAGES, "json", "toml", "yaml", "yml", "md", "txt", "cfg", "ini"}) - {"js"} - set(ascii_lowercase)
_CODE = re.compile(rf"[\w./-]*[A-Za-z0-9]_\w[\w./-]*|[\w./-]*\w\.(?:{'|'.join(sorted(_ENDINGS))})\b", re.IGNORECASE)
_REVERT = re.compile(r"^\W*(?:\[[^\]]*\]\s*)*revert", re.IGNORECASE)


@dataclass(frozen=True)
class Uses:
    """What the pull requests of a week say, by number: all their terms, those of their titles, those there in plain words."""

    terms: Mapping[int, frozenset[str]]
    titles: Mapping[int, frozenset[str]]
    plain: Mapping[int, frozenset[str]]
    names: Mapping[int, frozenset[str]]
    people: Mapping[int, str]


def uses(titles: Mapping[int, str], people: Mapping[int, str], paths: Mapping[int, list[str]]) -> Uses:
    """Collect the terms of pull requests by number: of titles, and pairs in the names of files they change."""
    said = {number: terms_of(title) for number, title in titles.items()}
    named = {number: frozenset(term for path in paths.get(number, ()) for term in _path_terms(path)) for number in titles}
    plain = {number: _plainly_said(title) for number, title in titles.items()}
    names = {number: _names(title) for number, title in titles.items()}
    return Uses({number: said[number] | named[number] for number in titles}, said, plain, names, people)


def log_odds(count: int, total: int, count_before: int, total_before: int) -> float:
    """The z-score of a term's log-odds, now against before, with the prior of both together."""
    if total == 0 or total_before == 0:
        return 0.0
    prior = total * (count + count_before) / (total + total_before)
    if prior == 0:
        return 0.0
    # A term in every pull request has no odds against it; half of one keeps the logarithm finite.
    now = math.log((count + prior) / max(2 * total - count - prior, 0.5))
    before = math.log((count_before + prior) / max(total_before + total - count_before - prior, 0.5))
    return (now - before) / math.sqrt(1 / (count + prior) + 1 / (count_before + prior))


def rising_terms(
    now: Uses, before: Iterable[str], kept: frozenset[str], history_weeks: int, lexicon: Lexicon
) -> dict[str, frozenset[int]]:
    """Find the terms that are themes this week, with the pull requests that use them: kept ones, then new ones by z.

    ``before`` are the titles of the stored weeks before.
    """
    found: dict[str, frozenset[int]] = {}
    for term in sorted(kept):
        numbers = _users(now, term)
        if len(numbers) >= LEAST_PULLS_KEPT:
            found[term] = numbers
    if history_weeks < LEAST_HISTORY_WEEKS:
        return found
    new = 0
    for _, term in _candidates(now, before, lexicon):
        numbers = _users(now, term)
        if term in found or any(_overlap(numbers, other) >= SAME_PULLS for other in found.values()):
            continue
        found[term] = numbers
        new += 1
        if new == MOST_NEW:
            break
    return found


def _candidates(now: Uses, before: Iterable[str], lexicon: Lexicon) -> list[tuple[float, str]]:
    wanted = _wanted(now, lexicon)
    said_before = [terms_of(title) & wanted for title in before]
    counts = Counter(term for terms in now.titles.values() for term in terms & wanted)
    earlier = Counter(chain.from_iterable(said_before))
    total, total_before = len(now.terms), len(said_before)
    found = []
    for term in sorted(wanted):
        z = log_odds(counts[term], total, earlier[term], total_before)
        is_more = counts[term] * total_before >= LEAST_RATIO * earlier[term] * total
        if is_more and z >= _least_z(term, now) and not _is_of_known_words(term, lexicon):
            found.append((z + (_PAIR_BONUS if " " in term else 0.0), term))
    return sorted(found, key=lambda pair: (-pair[0], pair[1]))


def _wanted(now: Uses, lexicon: Lexicon) -> frozenset[str]:
    """Terms that enough pull requests use and enough people say in plain words, and that the lexicon does not hold.

    The ending of a file (``cpp``) is a kind of file and no theme.
    """
    counts = Counter(chain.from_iterable(now.terms.values()))
    said: dict[str, list[int]] = {}
    for number, terms in now.plain.items():
        for term in terms:
            said.setdefault(term, []).append(number)
    return frozenset(
        term
        for term, numbers in said.items()
        if counts[term] >= LEAST_PULLS
        and len(numbers) >= LEAST_TITLES
        and len({now.people[number] for number in numbers}) >= LEAST_PEOPLE
        and term not in _ENDINGS
        and not lexicon.is_word(term)
    )


def _least_z(term: str, now: Uses) -> float:
    """Give the rise a term needs: a name less than a pair of plain words; infinite for a plain word alone."""
    said = [number for number, terms in now.titles.items() if term in terms]
    words = term.split()
    written = sum(1 for number in said if any(word in now.names[number] for word in words))
    if any(letter.isdigit() for letter in term) or written >= LEAST_NAMED * len(said):
        return LEAST_Z
    return LEAST_Z_PLAIN if len(words) > 1 else math.inf


def _is_of_known_words(term: str, lexicon: Lexicon) -> bool:
    """Whether the lexicon tells a term already, or it is a splinter of a name; a version (``deepseek v4``) is news."""
    words = term.split()
    if len(words) == 1 and (len(term) <= _SHORT_WORD or lexicon.is_part(term)):
        return True
    if len(words) > 1 and words[1].isdigit() and not lexicon.hits((words[0],)):
        return True
    if any(any(letter.isdigit() for letter in word) and not lexicon.is_word(word) for word in words):
        return False
    return all(lexicon.hits((word,)) for word in words)


def _users(now: Uses, term: str) -> frozenset[int]:
    return frozenset(number for number, terms in now.terms.items() if term in terms)


def _overlap(first: frozenset[int], second: frozenset[int]) -> float:
    return len(first & second) / min(len(first), len(second)) if first and second else 0.0


@lru_cache(maxsize=65536)
def terms_of(text: str) -> frozenset[str]:
    """Collect all terms that a title says, rising or not, each in the one spelling that the lexicon's aliases give it."""
    aliases = lexicon_file().aliases
    return frozenset(aliases.get(term, term) for term in phrases_of(text))


@lru_cache(maxsize=4096)
def _plainly_said(title: str) -> frozenset[str]:
    """Collect the terms of a title but for names of code; a revert says nothing of its own."""
    if _REVERT.search(title):
        return frozenset()
    return terms_of(_CODE.sub(" # ", title) if "_" in title or "." in title else title)


@lru_cache(maxsize=65536)
def _path_terms(path: str) -> frozenset[str]:
    """Read the pairs in a file's name; single words there (``utils``) are everybody's."""
    name = path.rpartition("/")[2].partition(".")[0]
    return frozenset(term for term in terms_of(name) if " " in term)


@lru_cache(maxsize=32768)
def _names(title: str) -> frozenset[str]:
    """Find the words of a title that are written like names, in lower case."""
    return frozenset(word for written in _NAME.findall(title) for word in words_of(written))
