"""Numbers of a sentence: each is a cited value, shown with its unit and beside the right noun, or stands in a cited text."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from pipelines.report.writer.evidence import Cited

_F = re.IGNORECASE
#: Units of measured things, by a name that both languages share.
_UNITS = {
    "%": r"%|\uff05|per ?cent\b|percent\b",
    "times": r"[x\u00d7](?![A-Za-z0-9])|-?fold\b|times\b|倍",
    "hours": r"h\b|hrs?\b|hours?\b|个?小时",
    "minutes": r"min(?:ute)?s?\b|分钟",
    "days": r"days?\b|天",
    "weeks": r"weeks?\b|周",
    "months": r"months?\b|个?月",
    "years": r"years?\b|年",
    "seconds": r"s\b|sec(?:ond)?s?\b|秒",
    "ms": r"ms\b|milliseconds?\b|毫秒",
    "us": r"[\u00b5\u03bc]s\b|us\b|微秒",
    "KB": r"[Kk]i?B\b",
    "MB": r"Mi?B\b",
    "GB": r"Gi?B\b|G\b",
    "TB": r"Ti?B\b",
    "rate": r"tok(?:en)?s?/s\b|qps\b|req/s\b",
    "dB": r"dB\b",
}
_UNIT = "|".join(f"(?P<u{index}>{pattern})" for index, pattern in enumerate(_UNITS.values()))
#: Sign (also the minus of print), number, a range's second number, unit.
NUMBER = re.compile(
    rf"(?P<sign>[+\-\u2212\u00b1~\u2248<]\s?)?(?P<value>\d+(?:,\d{{3}})*(?:\.\d+)*)"
    rf"(?P<range>\s?[-\u2013~]\s?\d[\d,]*(?:\.\d+)?)?(?:[ -]?(?:{_UNIT}))?",
)
#: Nouns that a count may stand before or after, by a class; a count of one class beside a noun of another is false.
_NOUNS = {
    "files": r"(?:test |core |source |changed )?files?\b|个?(?:测试|核心)?文件",
    "lines": r"lines?\b|行",
    "people": r"(?:first-time |new )?(?:authors?|contributors?|people|persons?|developers?|reviewers?|maintainers?)\b"
    r"|[位名]?(?:首次)?(?:作者|贡献者|评审者|开发者)|[位名]",
    "highlights": r"highlights?\b|个重点",
    "threads": r"(?:open |unresolved |review )*(?:threads?|discussions?)\b|处?(?:评审)?讨论",
    "pulls": r"(?:merged |open |documentation )?(?:pull requests?|PRs?)\b|个? ?(?:PR|合并请求)",
    "rules": r"rules?\b|条规则",
}
_NOUN = {name: re.compile(rf"\s*(?:{pattern})", _F) for name, pattern in _NOUNS.items()}
_CLASS_OF = {
    **dict.fromkeys(("files", "test_files_count", "core_files_count"), "files"),
    **dict.fromkeys(("added", "removed", "added_lines", "lines"), "lines"),
    **dict.fromkeys(("authors", "people", "first_time_authors", "reviewers"), "people"),
    **dict.fromkeys(("open_threads", "threads"), "threads"),
    **dict.fromkeys(("merged", "count", "mentions", "median_4", "usual", "enumerated", "read"), "pulls"),
    "highlights": "highlights",
    "rules_looked": "rules",
}
_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "half": 0.5,
}  # fmt: skip
_CHINESE = dict(zip("二两三四五六七八九十百千万", (2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100, 1000, 10000), strict=True))
_NUMBER_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b", _F)
_CHINESE_NUMBER = re.compile("([一二两三四五六七八九十百千万数几]+)(?=[个倍次位项处条种成行名天])|翻倍|翻番|减半")
#: Amounts that no count can be.
_VAGUE = re.compile(r"\b(dozens?|hundreds|thousands?|millions?|twice|thrice|doubl\w+|tripl\w+|halv\w+|quadrupl\w+)\b", _F)
#: That something is told as its author's word.
ATTRIBUTED = re.compile(
    r"\b(descri\w+|claims?|claimed|reports?|reported|says?|said|writes?|according"
    r"|measured|account|its author|words|states?|quotes?)\b"
    r"|描述|自述|称|作者|报告|实测|写道",
    _F,
)
_METRICS = {
    "throughput": r"throughput|吞吐|tok/s|qps", "latency": r"latency|延迟|ttft|tpot|itl", "memory": r"memory|内存|显存|vram",
    "accuracy": r"accuracy|精度|准确率|mmlu|gsm8k", "startup": r"start-?up|启动", "build": r"\bbuild|构建",
}  # fmt: skip
_BETTER = re.compile(
    r"\b(faster|speed\w*|reduc\w+|less|fewer|lower\w*|sav\w+|gain\w*|improv\w+)\b|更快|提速|加速|减少|降低|节省|提升", _F
)
_WORSE = re.compile(
    r"\b(slower|slowdown|increas\w+ (the )?(latency|memory)|more memory|regress\w+|worse)\b"
    r"|更慢|变慢|变差|增加(了)?(内存|显存|延迟)|退化",
    _F,
)


@dataclass(frozen=True)
class Found:
    """A number of a sentence and what it stands for: the path of a value, or words of a cited text."""

    start: int
    end: int
    fact: str | None


def unit_of(match: "re.Match[str]") -> str | None:
    """The unit of a number, by its name."""
    return next((name for index, name in enumerate(_UNITS) if match[f"u{index}"]), None)


def place(match: "re.Match[str]", said: str, cited: Cited, shown: set[str]) -> tuple[Found | None, str]:
    """What a number stands for, or why it may not stand: cited values not yet in ``shown`` first, then again, then the texts."""
    fact, reason = _as_fact(match, cited, cited.facts.keys() - shown)
    if fact is None:
        fact, again = _as_fact(match, cited, cited.facts.keys() & shown)  # one value told twice, as of a theme and of its rise
        reason = reason or again
    if fact is not None:
        return fact, ""
    if not _stands_in_text(match, cited):
        return None, reason or f"{match[0].strip()!r} is no cited value and stands in no cited text"
    if unit_of(match) is not None or not any(_same(match, other) for title in cited.titles for other in NUMBER.finditer(title)):
        reason = _measured(said, cited, match)
        if reason:
            return None, reason
    return Found(match.start() + len(match[0]) - len(match[0].lstrip()), match.end(), None), ""


def _as_fact(match: "re.Match[str]", cited: Cited, among: Collection[str]) -> tuple[Found | None, str]:
    value, unit, reason = match["value"], unit_of(match), ""
    if match["range"]:
        return None, ""
    for path, fact in cited.facts.items():
        if path not in among or isinstance(fact, bool) or not isinstance(fact, int | float):
            continue
        is_share, is_hours = path.endswith(".share"), _is_hours(path)
        numbers = {
            cited.evidence.formats.number(abs(fact) * (100 if is_share else 1), digits)
            for digits in ((0, 1) if is_share else (1, 2))
        }
        if value not in numbers:
            continue
        expected = "%" if is_share else "hours" if is_hours else None
        if unit != expected:
            reason = f"{match[0].strip()!r} has another unit than the value of {path}"
            continue
        reason = _wrong_noun(match, path) or _wrong_sign(match, path)
        if not reason:
            end = match.end() if is_share or is_hours else match.end("value")
            return Found(match.start("value"), end, path), ""
    return None, reason


def _is_hours(path: str) -> bool:
    return "hours" in path


def _wrong_noun(match: "re.Match[str]", path: str) -> str:
    expected = _CLASS_OF.get(path.rpartition(".")[2])
    after = match.string[match.end("value") :]
    beside = next((name for name, pattern in _NOUN.items() if pattern.match(after)), None)
    return f"{match['value']!r} counts {expected}, not {beside}" if expected and beside and beside != expected else ""


def _wrong_sign(match: "re.Match[str]", path: str) -> str:
    sign, step = (match["sign"] or "").strip(), path.rpartition(".")[2]
    wrong = (sign == "+" and step == "removed") or (sign in ("-", "\u2212") and step == "added")
    return f"{match[0].strip()!r} has another sign than {path}" if wrong else ""


def _stands_in_text(match: "re.Match[str]", cited: Cited) -> bool:
    """Whether a cited text holds the same number with the same unit, range and sign."""
    return any(_same(match, other) for text in cited.texts for other in NUMBER.finditer(text))


def _same(one: "re.Match[str]", other: "re.Match[str]") -> bool:
    def plain(match: "re.Match[str]") -> tuple[str, str, str | None]:
        return match["value"].replace(",", ""), re.sub(r"\s|[\u2013~]", "-", match["range"] or "").strip("-"), unit_of(match)

    return plain(one) == plain(other)


def _measured(said: str, cited: Cited, match: "re.Match[str]") -> str:
    """A measured number is told as its author's, of the thing it measures, and in its direction."""
    source = " ".join(text for text in cited.texts if any(_same(match, other) for other in NUMBER.finditer(text)))
    if not ATTRIBUTED.search(said):
        return f"tells {match[0].strip()!r} as a fact; it is what the description claims"
    for name, pattern in _METRICS.items():
        if re.search(pattern, said, _F) and not re.search(pattern, source, _F):
            return f"{match[0].strip()!r} is not said of {name}"
    if _WORSE.search(said) and not _WORSE.search(source):
        return f"turns {match[0].strip()!r} round"
    return (
        f"turns {match[0].strip()!r} round" if _BETTER.search(said) and _WORSE.search(source) and not _BETTER.search(source) else ""
    )


def wrong_words(said: str, cited: Cited, rules: str) -> str:
    """Why a number in words may not stand; empty where each is a cited value, in a cited text or in the rule's sentence."""
    values = {abs(value) for value in cited.facts.values() if isinstance(value, int | float)}
    texts = " ".join((*cited.texts, rules)).lower()
    for found in _NUMBER_WORD.finditer(said):
        word = found[1].lower()
        is_median = word == "half" and any("median" in path for path in cited.facts)
        if _WORDS[word] not in values and word not in texts and not is_median:
            return f"{found[0]!r} is no cited value"
    for found in _CHINESE_NUMBER.finditer(said):
        if found[0] not in ("一", *rules) and found[0] not in texts and _CHINESE.get(found[0]) not in values:
            return f"{found[0]!r} is no cited value"
    vague = next((found[0] for found in _VAGUE.finditer(said) if found[0].lower() not in texts), None)
    return f"{vague!r} is no cited value" if vague else ""
