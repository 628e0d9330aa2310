"""Themes of the pull requests: tags, scopes, labels, words, paths and rising terms, joined by a lexicon of synonyms.

A pull request may have several themes; the one with the strongest evidence is its first. Tags that the lexicon does not
know become themes by themselves when they come back, and terms that rise do (``emerging.py``). Keys never depend on the
week, so that the same theme has the same name from week to week. What nothing fits is ``other``, and is counted.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import chain

import pandas as pd

from pipelines.rules.emerging import rising_terms, uses
from pipelines.rules.inputs import FileColumns, WeekInputs
from pipelines.rules.lexicon import Lexicon, lexicon_file, lexicon_of
from pipelines.rules.rows import Frames, frame_of, tuples
from pipelines.rules.theme_paths import label_evidence, path_evidence
from pipelines.rules.theme_titles import RULE_WEIGHTS, Evidence, TitleReading, key_of, read_title
from pipelines.rules.words import phrases_of, words_of
from pipelines.settings import RuleSettings
from pipelines.weeks import parse_week

#: The theme of what no other fits.
OTHER = "other"
#: Times a tag of nobody's lexicon must have been used, this week and before, to be a theme.
LEAST_TAG_USES = 3
#: A second piece of evidence of another kind makes a theme a little likelier to be the first.
_AGREEMENT_WEIGHT = 0.3
_OWN_PREFIX = 3
_MOST_THEMES = 6
#: A term is news for so many weeks after it rose; then it weighs like the name of a model.
_NEWS_WEEKS, _OLD_TERM_WEIGHT = 4, 2.5


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:  # noqa: ARG001  # because: every step has this signature
    """One row per pull request and theme, ``other`` where none fits; exactly one of a pull request's is primary."""
    titles, titles_before = {pull.number: pull.title for pull in inputs.pulls}, _titles_before(inputs)
    lexicon = lexicon_of(inputs.settings.themes, _domains([*titles.values(), *titles_before]))
    readings = {number: read_title(lexicon, title) for number, title in titles.items()}
    paths = _paths(inputs.files)
    emerging = _emerging(inputs, lexicon, titles, titles_before, paths)
    tags = _recurrent_tags(inputs, readings, [read_title(lexicon, title) for title in titles_before])
    labels = dict(tuples(inputs.raw, "raw_pull_requests", "number", "labels"))
    rows: list[dict[str, object]] = []
    for number in sorted(titles):
        evidence = [*readings[number].evidence, *_of_own_tags(readings[number], tags, inputs.repo), *emerging.get(number, [])]
        evidence = [_of_own_package(one, inputs.repo) for one in evidence]
        evidence += [*label_evidence(lexicon, labels[number]), *path_evidence(lexicon, paths.get(number, []))]
        rows += _rows(number, evidence)
    return frame_of("derived_themes", rows)


def titles(key: str, language: str, settings: RuleSettings | None = None) -> str:
    """Give a theme's title for readers, ``en`` or ``zh``; a theme that the lexicon does not hold shows its own words."""
    own = settings.themes.get(key) if settings else None
    common = lexicon_file().themes.get(key)
    if language.startswith("zh"):
        chosen = (own.title_zh if own else "") or (common.title_zh if common else "") or (own.title_en if own else "")
    else:
        chosen = (own.title_en if own else "") or (common.title_en if common else "")
    return chosen or {"en": "Other", "zh": "其他"}[language[:2]] if key == OTHER or chosen else key.replace("-", " ")


def _titles_before(inputs: WeekInputs) -> list[str]:
    """Titles of the stored weeks before, one a pull request; of a number that occurs twice the later."""
    return list({pull.number: pull.title for pull in inputs.past_pulls}.values())


def _paths(files: FileColumns) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for number, path in sorted(zip(files.numbers, files.paths, strict=True)):
        found.setdefault(number, []).append(path)
    return found


def _domains(texts: list[str]) -> frozenset[str]:
    """Find the domains of a repository: enough of its titles, of the week and those before, say one of the domain's words."""
    said = Counter(chain.from_iterable(map(_domains_said, texts)))
    return frozenset(
        name for name, (_, least_share) in lexicon_file().domains.items() if texts and said[name] >= least_share * len(texts)
    )


@lru_cache(maxsize=65536)
def _domains_said(text: str) -> tuple[str, ...]:
    phrases = phrases_of(text)
    return tuple(name for name, (words, _) in lexicon_file().domains.items() if phrases & words)


def _emerging(
    inputs: WeekInputs, lexicon: Lexicon, titles: Mapping[int, str], before: list[str], paths: Mapping[int, list[str]]
) -> dict[int, list[Evidence]]:
    now = uses(titles, {pull.number: pull.author_login for pull in inputs.pulls}, paths)
    rose = _risen(inputs)
    name = "".join(words_of(inputs.repo.replace("/", " ")))
    kept = frozenset(key.replace("-", " ") for key in rose)
    terms = rising_terms(now, before, kept, len(inputs.history_weeks), lexicon)
    news_from = str(parse_week(inputs.week).shift(-_NEWS_WEEKS))
    found: dict[int, list[Evidence]] = {}
    for term, numbers in terms.items():
        if key_of(term).replace("-", "") in name:  # everything of a repository says the repository's name
            continue
        said = _OLD_TERM_WEIGHT if rose.get(key_of(term), news_from) < news_from else RULE_WEIGHTS["emerging"]
        for number in numbers:
            weight = said if term in now.titles[number] else RULE_WEIGHTS["path"]
            found.setdefault(number, []).append(Evidence(key_of(term), "emerging", term, weight))
    return found


def _risen(inputs: WeekInputs) -> dict[str, str]:
    """Find the terms that rose in the stored weeks before, each with the first week in which it did."""
    rose: dict[str, str] = {}
    rows = inputs.past("derived_themes", "is_emerging", "theme", "week")
    for key, week in {row[1:] for row in rows if row[0]}:
        rose[key] = min(week, rose.get(key, week))
    return rose


def _recurrent_tags(inputs: WeekInputs, readings: Mapping[int, TitleReading], before: list[TitleReading]) -> frozenset[str]:
    counts = Counter(key for reading in (*readings.values(), *before) for key, _ in set(reading.unknown_tags))
    known = {key for key, rule in inputs.past("derived_themes", "theme", "rule") if rule == "tag"}
    return frozenset(key for key, count in counts.items() if count >= LEAST_TAG_USES or key in known)


def _of_own_tags(reading: TitleReading, recurrent: frozenset[str], repo: str) -> list[Evidence]:
    name = "".join(words_of(repo.replace("/", " ")))
    tags = [(key, tag) for key, tag in reading.unknown_tags if key in recurrent and key.replace("-", "") not in name]
    return [Evidence(key, "tag", tag, RULE_WEIGHTS["tag"]) for key, tag in tags]


def _of_own_package(one: Evidence, repo: str) -> Evidence:
    """Take a new version of what bears the repository's own name for a release: ``bump sgl-kernel`` in sglang."""
    if one.theme != "dependencies" or one.rule != "word":
        return one
    name = "".join(words_of(repo.partition("/")[2]))[:_OWN_PREFIX]
    is_own = len(name) == _OWN_PREFIX and any(word.startswith(name) for word in words_of(one.text.partition(" in ")[0]))
    return replace(one, theme="release") if is_own else one


def _rows(number: int, evidence: list[Evidence]) -> list[dict[str, object]]:
    by_theme: dict[str, list[Evidence]] = {}
    for one in evidence:
        by_theme.setdefault(one.theme, []).append(one)
    scored = []
    for theme, found in by_theme.items():
        best = max(found, key=lambda one: (one.weight, one.rule, one.text))
        agreement = _AGREEMENT_WEIGHT * (len({one.rule for one in found}) - 1)
        scored.append((round(best.weight + agreement, 3), theme, best, any(one.rule == "emerging" for one in found)))
    scored.sort(key=lambda row: (-row[0], row[1]))
    if not scored:
        return [_row(number, Evidence(OTHER, "none", "", 0.0), 0.0, is_primary=True, is_emerging=False)]
    return [
        _row(number, best, weight, is_primary=rank == 0, is_emerging=rises)
        for rank, (weight, _, best, rises) in enumerate(scored[:_MOST_THEMES])
    ]


def _row(number: int, best: Evidence, weight: float, *, is_primary: bool, is_emerging: bool) -> dict[str, object]:
    return {
        "number": number,
        "theme": best.theme,
        "is_primary": is_primary,
        "is_emerging": is_emerging,
        "rule": best.rule,
        "evidence": best.text,
        "weight": weight,
    }
