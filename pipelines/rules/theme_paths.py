"""What labels and changed paths say a pull request is about, as evidence for themes."""

import fnmatch
import re
from collections import Counter
from functools import lru_cache

from pipelines.rules.lexicon import Lexicon
from pipelines.rules.theme_titles import RULE_WEIGHTS, STANDING_WEIGHTS, Evidence

#: Part of the changed files that must speak for a theme: fewer are a change's edge, not its subject.
LEAST_SHARE = 0.34


def path_evidence(lexicon: Lexicon, paths: list[str]) -> list[Evidence]:
    """Find the themes of changed paths: where all lie under one theme's patterns, and what their names say."""
    if not paths:
        return []
    found = [
        Evidence(key, "path", paths[0], RULE_WEIGHTS["whole_path"])
        for key, theme in lexicon.themes.items()
        if theme.paths and all(lexicon.path_patterns_hold(key, path) for path in paths)
    ]
    counts = Counter(theme for path in paths for theme in lexicon.path_themes(path))
    for key, count in sorted(counts.items()):
        share = count / len(paths)
        if share >= LEAST_SHARE:
            first = next(path for path in paths if key in lexicon.path_themes(path))
            weight = RULE_WEIGHTS["path"] + share + STANDING_WEIGHTS[lexicon.themes[key].standing]
            found.append(Evidence(key, "path", first, round(weight, 3)))
    return found


def label_evidence(lexicon: Lexicon, labels: object) -> list[Evidence]:
    """Find the themes of a pull request's labels; none where the labels are not known."""
    if not isinstance(labels, (list, tuple)):
        return []
    found = []
    for label in sorted(str(label) for label in labels):
        for key, theme in lexicon.themes.items():
            if theme.labels and _label_pattern(theme.labels).fullmatch(label.strip().lower()):
                weight = RULE_WEIGHTS["label"] + STANDING_WEIGHTS[theme.standing]
                found.append(Evidence(key, "label", label, round(weight, 3)))
    return found


@lru_cache(maxsize=512)
def _label_pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(label.lower()) for label in labels))
