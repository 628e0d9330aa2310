"""What a title says, without its tags: the verbs it is built of and their objects, as they stand in it.

A title is its author's word. Its verbs are looked up in the catalogue (``prose.verb.*``), its other words stay verbatim.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from pipelines.report.words import Words

_TAGS = re.compile(r"^(?:\s*(?:\[[^\]]*\]|\u3010[^\u3011]*\u3011|<[^>]*>))+\s*:?\s*")
#: ``feat(scope)!:``, ``docs:``: one word, since ``Native gRPC server:`` names what the change is about.
_PREFIX = re.compile(r"^[\w./+-]+(?:\([^)]*\))?!?\s*[:\uff1a]\s+")
_TAIL = re.compile(r"\s*(?:\(#\d+\)|\[\d+/[\dNn]+\]|\(\d+/[\dNn]+\))?[\s.]*$")
_FIRST = re.compile(r"^([A-Za-z]+)\s+(?=\S)")
#: Names of documents that begin like an order.
_COMPOUND = re.compile(
    r"^(?:change|fix|support|update|upgrade)\s+(?:guides?|lists?|log|matrix|notes?|policy|tables?)\b", re.IGNORECASE
)
_NOT = re.compile(r"^(?:do not|don't|never)\s+(?=\S)", re.IGNORECASE)
_AND = re.compile(r"(?:[,;]\s+(?:and\s+)?|\s+(?:and|&)\s+)([A-Za-z]+)\s+(?=\S)")
#: Forms of a verb that titles use beside its plain one.
_FORMS = {
    "added": "add", "adds": "add", "adding": "add", "fixed": "fix", "fixes": "fix", "fixing": "fix", "removed": "remove",
    "removes": "remove", "updated": "update", "updates": "update", "upd": "update", "supports": "support", "enabled": "enable",
    "optimise": "optimize", "optimized": "optimize", "improved": "improve", "refactored": "refactor", "implemented": "implement",
    "initial": "init", "reintroduce": "reland", "cleanup": "clean", "dedup": "deduplicate", "dedupe": "deduplicate",
    "parallelise": "parallelize", "vectorise": "vectorize",
}  # fmt: skip
_VERB_KEY = "prose.verb."
_LEAST_REST = 2
_NAME = re.compile(r"(?<![\w.-])[A-Za-z][\w.-]*[\w]")
_CAPITALS = 2
#: Capitals that name nothing a reader would look for.
_NO_NAMES = frozenset({"API", "CI", "FIX", "ID", "IDs", "OK", "PR", "PRs", "README", "TODO", "UI", "URL", "URLs"})


@dataclass(frozen=True)
class Deed:
    """One thing a title says is done: a verb of the catalogue and its object, verbatim."""

    verb: str
    what: str


@lru_cache(maxsize=4096)
def bare(title: str) -> str:
    """The title without tags, scope and number; all of it where nothing else would be left."""
    text, before = title.strip(), ""
    while text != before:
        before = text
        text = _PREFIX.sub("", _TAGS.sub("", text, count=1), count=1)
    text = _TAIL.sub("", text).strip()
    return text if len(text) > _LEAST_REST else title.strip()


@cache
def verbs() -> frozenset[str]:
    """Every verb that the catalogues have words for."""
    return frozenset(key.removeprefix(_VERB_KEY) for key in Words("en").keys() if key.startswith(_VERB_KEY))  # noqa: SIM118  # because: not a dict


@lru_cache(maxsize=4096)
def deeds(title: str) -> tuple[Deed, ...]:
    """What a title says is done, verb by verb; none where it begins with no verb that is known."""
    text = bare(title)
    if found := _NOT.match(text):
        return (Deed("do_not", text[found.end() :]),)
    first = _FIRST.match(text)
    verb = _verb(first[1]) if first and not _COMPOUND.match(text) else None
    if first is None or verb is None:
        return ()
    made, start = [], first.end()
    for found in _AND.finditer(text, start):
        following = _verb(found[1])
        if following is not None and found[1].islower():
            made.append(Deed(verb, text[start : found.start()].strip()))
            verb, start = following, found.end()
    return (*made, Deed(verb, text[start:].strip()))


def _verb(word: str) -> str | None:
    plain = _FORMS.get(word.lower(), word.lower())
    return plain if plain in verbs() else None


def shared_names(titles: Iterable[str], but: str, least: int, most: int) -> tuple[str, ...]:
    """Names (with a digit, or capitals inside) that several of the titles hold, most frequent first; none that ``but`` holds."""
    known = re.sub(r"[\W_]", "", but.lower())
    counts: Counter[str] = Counter()
    for title in titles:
        counts.update({name for name in _NAME.findall(bare(title)) if _is_name(name)})
    found = [name for name in counts if counts[name] >= least and re.sub(r"[\W_]", "", name.lower()) not in known]
    return tuple(sorted(found, key=lambda name: (-counts[name], name))[:most])


def _is_name(word: str) -> bool:
    if word in _NO_NAMES:
        return False
    has_digit = any(sign.isdigit() for sign in word) and any(sign.isupper() for sign in word)
    return has_digit or sum(sign.isupper() for sign in word) >= _CAPITALS
