"""Titles of themes: those of the lexicon as it words them, others in the casing in which the week's titles write them."""

import re
from collections import Counter
from functools import lru_cache

from pipelines.report.facts_rows import WeekRows
from pipelines.report.words import languages

#: A tag (``[solver]``) is written small everywhere; a name is written as such in most titles that hold it.
_BETWEEN = r"[-_ ]?"


def titles_of(rows: WeekRows, theme: str) -> dict[str, str]:
    """A theme's title in every language."""
    known = {language: rows.about.theme_title(theme, language) for language in languages()}
    words = theme.replace("-", " ")
    if any(title != words for title in known.values()):
        return known
    return dict.fromkeys(known, written(words, tuple(row["title"] for row in rows["raw_pull_requests"])))


@lru_cache(maxsize=1024)
def written(words: str, titles: tuple[str, ...]) -> str:
    """Words as titles write them most often with capitals; as they are where none does."""
    pattern = re.compile(rf"(?<![\w-]){_BETWEEN.join(map(re.escape, words.split()))}(?![\w-])", re.IGNORECASE)
    found = Counter(match.replace("_", " ") for title in titles for match in pattern.findall(title) if not match.islower())
    return min(found, key=lambda text: (-found[text], text), default=words)
