"""What labels and changed paths say a pull request is about, as evidence for themes."""

import fnmatch
import re
from collections import Counter
from functools import lru_cache
from itertools import chain

from pipelines.rules.lexicon import Lexicon, path_themes, places_of
from pipelines.rules.theme_titles import RULE_WEIGHTS, STANDING_WEIGHTS, Evidence

#: Part of the changed files that must speak for a theme: fewer are a change's edge, not its subject.
LEAST_SHARE = 0.34
#: Labels that tell a bot or a workflow what to do with a pull request say nothing of what it is about: ``run-ci``,
#: ``skip-tests``, ``release-note-none``. They begin with what is to be done; a repository's own theme may still name one.
_STEERS = re.compile(
    r"(re-?)?(run|test|trigger|build)[-_ ](this|me|ci|all|full|nightly|tests?|checks?|gpu|amd|npu|please)\b.*"
    r"|(skip|retry|bypass|force|ignore|do[-_ ]not|don'?t|no|needs?|requires?|ready|auto|ok[-_ ]to|safe[-_ ]to)[-_: /].*"
    r"|release[-_ ]notes?\b.*"
)
# A label "tests" or "documentation" mostly says, by a labeller's paths, what a change touches too: less than any word of its title.
_TOUCHES = -1.8


def path_evidence(lexicon: Lexicon, paths: list[str]) -> list[Evidence]:
    """Find the themes of changed paths: where all lie under one theme's patterns, and what their names say."""
    if not paths:
        return []
    whole = places_of(lexicon, paths[0])
    for path in paths[1:]:
        if not whole:
            break
        whole &= places_of(lexicon, path)
    found = [Evidence(key, "path", paths[0], RULE_WEIGHTS["whole_path"]) for key in sorted(whole)]
    themes = [path_themes(lexicon, path) for path in paths]
    counts = Counter(chain.from_iterable(themes))
    for key, count in sorted(counts.items()):
        share = count / len(paths)
        if share >= LEAST_SHARE:
            first = next(path for path, said in zip(paths, themes, strict=True) if key in said)
            weight = RULE_WEIGHTS["path"] + share + STANDING_WEIGHTS[lexicon.themes[key].standing]
            found.append(Evidence(key, "path", first, round(weight, 3)))
    return found


def label_evidence(lexicon: Lexicon, labels: object) -> list[Evidence]:
    """Find the themes of a pull request's labels; none where the labels are not known, nor of those that steer a bot."""
    if not isinstance(labels, (list, tuple)):
        return []
    return [one for label in sorted(str(label) for label in labels) for one in _of_label(lexicon, label)]


@lru_cache(maxsize=4096)
def _of_label(lexicon: Lexicon, label: str) -> tuple[Evidence, ...]:
    """The themes of one label: a repository sets the same few dozen again and again."""
    plain, found = label.strip().lower(), list[Evidence]()
    steers = _STEERS.fullmatch(plain) is not None
    for key, theme in lexicon.themes.items():
        is_meant = theme.standing == "own" or not steers
        if theme.labels and is_meant and _label_pattern(theme.labels).fullmatch(plain):
            touches = _TOUCHES if theme.standing == "nature" else 0.0
            weight = RULE_WEIGHTS["label"] + STANDING_WEIGHTS[theme.standing] + touches
            found.append(Evidence(key, "label", label, round(weight, 3)))
    return tuple(found)


@lru_cache(maxsize=512)
def _label_pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(label.lower()) for label in labels))
