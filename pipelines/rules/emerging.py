"""Terms that rise: words and pairs of words whose use grows against the twelve weeks before.

Measure: the weighted log-odds ratio with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008, "Fightin'
Words", doi:10.1093/pan/mpn018), over pull requests that use a term in their title or in the names of their files. The
prior is the term's share in all of them, weighing as much as one week, so that a week cannot outweigh itself. A term
that once rose keeps its name while it is used. Needs four stored weeks: against fewer everything would seem new.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pipelines.rules.lexicon import Lexicon, lexicon_file
from pipelines.rules.words import phrases_of, words_of

#: Stored weeks a comparison needs: with fewer than a month a holiday or a release makes everything rise.
LEAST_HISTORY_WEEKS = 4
#: A rise must be this many standard deviations: one in 100 by chance; the other floors hold off the rest.
LEAST_Z = 2.3
#: Pull requests a term must be in, those that say it in the title, and people: one author's habit is no theme.
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


@dataclass(frozen=True)
class Uses:
    """What the pull requests of one side say: all their terms, those of their titles, and words there written like names."""

    terms: Mapping[int, frozenset[str]]
    titles: Mapping[int, frozenset[str]]
    names: Mapping[int, frozenset[str]]
    people: Mapping[int, str]


def uses(titles: Mapping[int, str], people: Mapping[int, str], paths: Mapping[int, list[str]]) -> Uses:
    """Collect the terms of pull requests by number: titles, and pairs in the names of files they change."""
    said = {number: _spelled(title) for number, title in titles.items()}
    named = {number: frozenset(term for path in paths.get(number, ()) for term in _path_terms(path)) for number in titles}
    names = {number: _names(title) for number, title in titles.items()}
    return Uses({number: said[number] | named[number] for number in titles}, said, names, people)


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


def rising_terms(now: Uses, before: Uses, kept: frozenset[str], history_weeks: int, lexicon: Lexicon) -> dict[str, frozenset[int]]:
    """Find the terms that are themes this week, with the pull requests that use them: kept ones, then new ones by z."""
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


def _candidates(now: Uses, before: Uses, lexicon: Lexicon) -> list[tuple[float, str]]:
    counts = Counter(term for terms in now.terms.values() for term in terms)
    in_titles = Counter(term for terms in now.titles.values() for term in terms)
    wanted = {
        term for term, n in counts.items() if n >= LEAST_PULLS and in_titles[term] >= LEAST_TITLES and not lexicon.is_word(term)
    }
    earlier = Counter(term for terms in before.terms.values() for term in terms & wanted)
    total, total_before = len(now.terms), len(before.terms)
    found = []
    for term in sorted(wanted):
        z = log_odds(counts[term], total, earlier[term], total_before)
        is_more = counts[term] * total_before >= LEAST_RATIO * earlier[term] * total
        if is_more and z >= _least_z(term, now) and _people(now, term) >= LEAST_PEOPLE and not _is_of_known_words(term, lexicon):
            found.append((z + (_PAIR_BONUS if " " in term else 0.0), term))
    return sorted(found, key=lambda pair: (-pair[0], pair[1]))


def _people(now: Uses, term: str) -> int:
    return len({now.people[number] for number in _users(now, term)})


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


def terms_of(title: str) -> frozenset[str]:
    """Collect all terms that a title says, rising or not, in the spelling that makes their keys."""
    return _spelled(title)


@lru_cache(maxsize=65536)
def _spelled(text: str) -> frozenset[str]:
    """Terms of a text, each in the one spelling that the lexicon's aliases give it."""
    aliases = lexicon_file().aliases
    return frozenset(aliases.get(term, term) for term in phrases_of(text))


@lru_cache(maxsize=65536)
def _path_terms(path: str) -> frozenset[str]:
    """Read the pairs in a file's name; single words there (``utils``) are everybody's."""
    name = path.rpartition("/")[2].partition(".")[0]
    return frozenset(term for term in _spelled(name) if " " in term)


@lru_cache(maxsize=32768)
def _names(title: str) -> frozenset[str]:
    """Find the words of a title that are written like names, in lower case."""
    return frozenset(word for written in _NAME.findall(title) for word in words_of(written))
