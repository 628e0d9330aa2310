"""What kind of change a pull request is: by its files where they leave no doubt, else by its title.

A title is a claim. Where every changed file is documentation, a test, CI or a dependency, the files decide.
"""

import re
from dataclasses import dataclass

#: Kinds that conventional commits and bracketed tags name, by the word they use.
TYPE_WORDS = {
    **dict.fromkeys(("feat", "feature", "features", "new feature", "new model", "model", "rfc"), "feature"),
    **dict.fromkeys(("fix", "bugfix", "bug fix", "bug", "hotfix", "hot fix", "quick fix", "security"), "fix"),
    **dict.fromkeys(("perf", "performance", "opt", "optimize", "optimization", "speedup"), "performance"),
    **dict.fromkeys(
        ("refactor", "refactoring", "refact", "cleanup", "clean up", "style", "deprecate", "deprecation", "misc refactor"),
        "refactor",
    ),
    **dict.fromkeys(("doc", "docs", "documentation", "readme", "cookbook"), "docs"),
    **dict.fromkeys(("test", "tests", "testing", "unittest", "unit test", "ut"), "test"),
    **dict.fromkeys(("ci", "build", "infra", "release", "docker", "ci/cd", "workflow"), "ci"),
    **dict.fromkeys(("deps", "dep", "dependency", "dependencies", "bump"), "dependency"),
    **dict.fromkeys(("chore", "misc", "minor", "tiny", "typo", "nit"), "chore"),
    **dict.fromkeys(("revert",), "revert"),
}

# The words a title says what it does with, stems where a dash ends them: "fix-" stands for fix, fixes, fixed, fixing. The
# word that comes first in a title decides, since titles lead with what they do; ties go to the kind named first.
_WORDS = {
    "fix": (
        "fix- bugfix- bug bugs hotfix- repair- correct- resolve- prevent- avoid- handle- workaround patch- restore- ensure- guard-",
        "crash- deadlock- leak- hang hangs regression- broken wrong missing incorrect oom nan",
    ),
    "performance": (
        "optimi[sz]e- optimi[sz]ation- speed-?up- speeding-up faster accelerate- acceleration perf performance fuse- fusion tune-",
        "overlap- low-latency pre-?compute- fast-?path",
    ),
    "refactor": (
        "refactor- clean-?up- clean- rename- move- simplify- remove- removal delete- deprecate- deprecation drop-",
        "split- splitting extract- reorgani[sz]e- unify- consolidate- migrate- migration decouple- modulari[sz]e- isolate- inline-",
        "relocate- lint format typing type-hints? tidy- replace- merge- rework- rewrite- retire- deduplicate-",
    ),
    "ci": ("ci workflow- nightly runner- github-actions? docker dockerfile wheel- release- flaky build-",),
    "docs": ("docs? documentation readme typo- cookbook tutorial- guide- changelog comment- docstring-",),
    "test": ("test- unit-?tests? coverage benchmark-",),
    "dependency": ("bump- upgrade- unpin- dependency-",),
    "feature": (
        "add- support- introduce- implement- implementation enable- new allow- integrate- integration feat feature-",
        "expose- provide- extend- adapt- use- make- port- register- create- initial onboard-",
    ),
}
_SUFFIXES = "(?:s|es|d|ed|r|ing|ting|ning|ping)?"


def _word(word: str) -> str:
    """The expression of one word of the table: a dash at its end takes suffixes, one within it is a dash or a blank."""
    stem = re.sub(r"-(\??)(?=.)", r"[ -]\1", word.removesuffix("-"))
    if not word.endswith("-"):
        return stem
    if stem.endswith("e"):
        return f"{stem[:-1]}(?:e|es|ed|er|ing)"
    return f"{stem[:-1]}(?:y|ies|ied|ying)" if stem.endswith("y") else stem + _SUFFIXES


def _words(kind: str) -> str:
    return "|".join(_word(word) for line in _WORDS[kind] for word in line.split())


# Two words that only together say that something got cheaper.
_CHEAPER = r"(?:reduc|eliminat)(?:e[sd]?|ing) .*(?:overhead|latency|memory|time|cop(?:y|ies)|sync)"
_WORD = re.compile(
    "|".join(
        rf"(?P<{kind}>(?<![\w-])(?:{_words(kind)}{'|' + _CHEAPER if kind == 'performance' else ''})(?![\w-]))" for kind in _WORDS
    )
)
_CONVENTIONAL = re.compile(r"^\W*(?P<type>[a-z][a-z /]{1,20}?)\s*(\([^)]*\))?!?:\s")
_TAG = re.compile(r"\[([^\]]{1,30})\]")
_REVERT = re.compile(r"^\W*(\[[^\]]*\]\s*)*revert(s|ed|ing)?\b(?!\W*(\[[^\]]*\]\s*)*(reapply|reland|revert))", re.IGNORECASE)
_RELAND = re.compile(r"\b(re-?land(s|ed|ing)?|re-?appl(y|ies|ied)|revert\W+(of\W+)?revert)\b", re.IGNORECASE)
_VERSION_BUMP = re.compile(r"\b(bump|upgrade|update|prepare|release|pin)s?\b.*?\b(v?\d+(\.\d+)+|version|v\d+)", re.IGNORECASE)
#: Retiring something for good, in a title's own words.
RETIRES = re.compile(
    r"(?<![\w-])(?:remov(?:e[sd]?|ing|al)|delet(?:e[sd]?|ing)|deprecat(?:e[sd]?|ing|ion)|drop(?:s|ped)?|retire[sd]?)(?![\w-])",
    re.IGNORECASE,
)

# Files of one of these kinds alone decide; what a documentation or test change may carry along without being more than that.
_BY_FILES = (
    ("docs", "only_docs", frozenset({"docs", "asset"})),
    ("test", "only_tests", frozenset({"test", "docs", "data", "asset"})),
    ("dependency", "only_dependencies", frozenset({"dependency"})),
    ("ci", "only_ci", frozenset({"ci", "build", "docs", "dependency", "test"})),
)


@dataclass(frozen=True)
class Decided:
    """A kind of change and the id of the rule that decided it."""

    kind: str
    rule: str


def kind_of_change(title: str, kinds: frozenset[str], source_added_lines: int, source_removed_lines: int) -> Decided:
    """The kind of change of one pull request; ``kinds`` are those of its files."""
    if _REVERT.search(title) and not _RELAND.search(title):
        return Decided("revert", "revert_title")
    bump = _VERSION_BUMP.search(title)
    if kinds:
        for kind, rule, allowed in _BY_FILES:
            if kinds <= allowed and (kind != "test" or "test" in kinds) and (kind != "ci" or kinds & {"ci", "build"}):
                return Decided(kind, rule)
    if bump and kinds & {"dependency", "build", "config"} and source_added_lines + source_removed_lines <= _BUMP_LINES:
        return Decided("dependency", "version_bump")
    told = _by_title(title)
    if told is None:
        return _by_lines(kinds, source_added_lines, source_removed_lines)
    if told.kind in _NEEDS_SOURCE and kinds and "source" not in kinds:
        return _without_source(kinds)
    return told


# A version bump touches a version constant or two; more source than this is a change of its own.
_BUMP_LINES = 20
# Without source there is neither a feature nor a faster path, whatever the title says: the first of these that it has decides.
_NEEDS_SOURCE = frozenset({"feature", "performance"})
_WITHOUT_SOURCE = (
    ("ci", frozenset({"ci", "build"})),
    ("test", frozenset({"test"})),
    ("docs", frozenset({"docs"})),
    ("dependency", frozenset({"dependency"})),
)


def _by_title(title: str) -> Decided | None:
    low = title.lower()
    conventional = _CONVENTIONAL.match(low)
    if conventional and conventional["type"].strip() in TYPE_WORDS:
        return Decided(TYPE_WORDS[conventional["type"].strip()], "title_type")
    for tag in _TAG.findall(low):
        if tag.strip() in TYPE_WORDS:
            return Decided(TYPE_WORDS[tag.strip()], "title_tag")
    word = _WORD.search(_TAG.sub(" ", low))
    return Decided(str(word.lastgroup), "title_word") if word else None


def _without_source(kinds: frozenset[str]) -> Decided:
    return next((Decided(kind, "no_source") for kind, some in _WITHOUT_SOURCE if kinds & some), Decided("chore", "no_source"))


def _by_lines(kinds: frozenset[str], added: int, removed: int) -> Decided:
    if "source" not in kinds:
        return _without_source(kinds)
    return Decided("feature", "mostly_added") if added > 2 * removed else Decided("refactor", "mostly_rewritten")
