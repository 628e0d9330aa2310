"""Words of titles and paths, brought to one spelling: what series, themes and rising terms compare."""

import re
from functools import lru_cache
from itertools import pairwise


def word_set(*lines: str) -> frozenset[str]:
    """Words of blank-separated lines, so that a long list of words stays readable as prose."""
    return frozenset(word for line in lines for word in line.split())


#: Words that say what is done to a thing, or nothing at all, but not what the thing is.
EMPTY_WORDS = word_set(
    "a about add added adding adds after again all allow also an and any are as at avoid back be because before being",
    "better between both bug bugfix bugifx bugs bump but by can cannot change changed changes chore clean cleanup code",
    "consolidate correct correctly create default delete deprecate did disable do doc docs documentation does doesn don",
    "down drop due during each ease else enable enabled enhance ensure etc every existing expose extend extra feat feature",
    "features few first fix fixed fixes fixing follow followup for from get gets give given go had handle handling has have",
    "help hide hotfix how if ignore implement implementation improve improved improvement improvements in include initial",
    "instead integrate into introduce is issue issues it its just keep last less let lets like make makes making many may",
    "merge migrate minor misc missing more most move moved moving multi multiple must need needed needs new nit no non not",
    "now of off old on one only onto optimise optimization optimize or other our out over part pass patch per perf",
    "performance please polish pr prevent proper properly provide prs put quick re reduce refactor refactoring refine",
    "refresh reland related relax relocate remain remove removed removes rename renamed reorganize replace resolve restore",
    "revert reverted reverts rework rewrite same separate set sets setting several should show simple simplification",
    "simplify since single skip small so some split standardize still stop support supported supporting supports switch",
    "temp temporarily temporary test testing tests than that the their them then there these they this those though through",
    "tiny to too top try tune tweak two typo under unified unify until up update updated updates updating upgrade use used",
    "useful user uses using various version very via was we when where whether which while wip with within without work",
    "works wrong you your",
)

_DOTTED_VERSION = re.compile(r"(?<=[a-z])[-_ ]?(?=\d+\.\d)")
_HYPHEN_NUMBER = re.compile(r"(?<=[a-z])-(?=\d+(?:\.\d+)*\b)")
_JOINED_VERSION = re.compile(r"(?<=[a-z]{3})(?=v\d+(?:\.\d+)?\b)")  # deepseekv4 is said like deepseek-v4
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[a-z0-9]+(?:\.\d+)*")
_VERSION = re.compile(r"v?\d+(?:\.\d+)*")
_NUMBER_REFERENCE = re.compile(r"#\d+|https?://\S+")


@lru_cache(maxsize=65536)
def words_of(text: str) -> tuple[str, ...]:
    """Lower-case words of a text in order, empty ones too: ``LTX-2.3`` and ``LTX 2.3`` are both ``ltx2.3``."""
    plain = (_NUMBER_REFERENCE.sub(" ", text) if "#" in text or "http" in text else text).lower()
    if _DIGIT.search(plain):  # all that follows is of versions, and most names and titles have no digit
        plain = _JOINED_VERSION.sub(" ", plain)
        plain = _HYPHEN_NUMBER.sub("", _DOTTED_VERSION.sub("", plain))
    return tuple(_WORD.findall(plain))


@lru_cache(maxsize=65536)
def phrases_of(text: str) -> frozenset[str]:
    """Telling words of a text and telling pairs of neighbours; numbers alone and single letters tell nothing."""
    words = words_of(text)
    single = {word for word in words if _tells(word)}
    pairs = {f"{a} {b}" for a, b in pairwise(words) if _tells(a) and (_tells(b) or _is_version(b))}
    return frozenset(single | pairs)


@lru_cache(maxsize=32768)
def _tells(word: str) -> bool:
    return len(word) > 1 and not word[0].isdigit() and word not in EMPTY_WORDS and not _is_version(word)


def _is_version(word: str) -> bool:
    return _VERSION.fullmatch(word) is not None
