"""Claims that the tables can judge: tests, reverts, threads, review, direction; and words that no table can carry.

Every check looks at the sentence without its quotations and gives the reason for which it is refused.
"""

import re
from collections.abc import Callable, Iterator

from pipelines.report.model import PullFacts
from pipelines.report.writer.evidence import Cited

_F = re.IGNORECASE
#: Praise and prophecy: no row shows them.
_OPINION = re.compile(
    r"\b(milestone|excellent|exemplary|impressive|elegant|breakthrough|significant(ly)?|dramatic(ally)?|massive(ly)?|huge|"
    r"major win|best|great|amazing|world-class|state-of-the-art|clearly|obviously|robust(ly)?|production[- ]ready|seamless(ly)?|"
    r"guarantee[sd]?|will (soon|likely|surely)|should (now|soon)|everyone|all users|crucial|vital|essential)\b"
    r"|里程碑|优秀|典范|卓越|完美|突破性|显著|大幅|极大|重大突破|至关重要|毫无疑问|业界领先|必将|有望|彻底",
    _F,
)
_INSTRUCTION = re.compile(
    r"\b(ignore|disregard|forget)\b.{0,30}\b(instruction|previous|above|prompt|rules?)|\b(system|developer) prompt\b|as an ai\b"
    r"|\byou (must|should|are now)\b|\bclick\b|\bvisit\b|\bplease\b|\bsubscribe\b|\bdownload\b.{0,20}\bfrom\b|\brespond with\b"
    r"|忽略.{0,12}(指令|说明|提示|规则)|系统提示|请(点击|访问|务必|立即|忽略)|你(必须|现在是)|作为(一个)?AI",
    _F,
)
_ORDER = re.compile(
    r"\b(must|shall|should|ought to|needs? to|has to|have to|let's|make sure|be sure)\b|必须|务必|应当|应该|需要尽快", _F
)
#: What is shown to be so by a measurement: only where a cited text speaks of one.
_FINDING = re.compile(
    r"\b(prov(e[sdn]?|ing)|confirm(s|ed)?|demonstrat\w+|verif(y|ies|ied)|shown? that|shows that|validat\w+|passe[sd]|passing)\b"
    r"|证明|证实|表明|验证|全部通过|均已通过",
    _F,
)
_GAIN = re.compile(
    r"\b(faster|slower|speed(s|ed)? ?up|speedup|quicker|outperform\w*"
    r"|improv\w+ (the )?(performance|throughput|latency|speed|memory)"
    r"|reduc\w+ (the )?(latency|memory|time)|(lower|higher|better) (latency|throughput|memory|performance))\b"
    r"|提速|加速|更快|更慢|(提升|提高|改善|优化)(了)?(性能|吞吐|速度)|降低(了)?(延迟|显存|内存)|性能(提升|改善)",
    _F,
)
_NO_TESTS = re.compile(
    r"\b(no|without|lacks?|lacking|missing|not|never|any|none)\b(?:\W+[\w-]+){0,4}?\W+tests?\b|\buntested\b"
    r"|\btests? (as they were|unchanged)\b"
    r"|(未|没有|无|缺少|缺乏|不含|不带)[^\uff0c。\uff1b]{0,8}测试|测试(保持原样|没有变化|缺失|未)",
    _F,
)
_TESTS_ONLY = re.compile(r"\bonly (deletes?|moves?|removes?) tests?\b|只(删除|移动)了?测试", _F)
_TESTS = re.compile(r"\btest(s|ed|ing)?\b|测试", _F)
_ABOUT_TESTS = re.compile(r"with_tests|without_tests|tests")
_NOT_REVERTED = re.compile(
    r"\b(not|never|without being) (been )?(reverted|taken back|rolled back)|(未|没有)被?(回退|撤回|回滚)|没有被(回退|撤回)", _F
)
_REVERTED = re.compile(r"\b(revert(s|ed)?|taken back|takes? back|rolled? back|roll-?back)\b|回退|撤回|回滚", _F)
_ALL_SETTLED = re.compile(
    r"\b(all|every)\b[^.;]{0,30}\b(threads?|comments?|discussions?)\b[^.;]{0,20}\b(resolved|settled|closed|addressed)"
    r"|\bno (open|unresolved)\b"
    r"|(讨论|意见|评论)(均|都|全部|已全部)(已)?(解决|了结)|没有未解决",
    _F,
)
_OPEN = re.compile(
    r"\b(open|unresolved|unsettled)\b[^.;]{0,15}\b(threads?|discussions?|comments?)\b|\bthreads?\b[^.;]{0,12}\bopen\b|未解决|未了结",
    _F,
)
_NOT_REVIEWED = re.compile(r"\b(no|without)( \w+)? review\b|\bunreviewed\b|\bnot reviewed\b|(没有|未经|未获|无)(人工)?评审", _F)
_NOT_APPROVED = re.compile(
    r"\b(no|without)( \w+){0,3} approval\b|\bunapproved\b|\bnot approved\b|未经(他人|人工)?批准|未获批准|没有批准", _F
)
_APPROVED = re.compile(r"\bapproved\b|批准", _F)
_SELF_MERGED = re.compile(r"\bmerged by (its|their) authors? alone|\bself-merged\b|自行合并", _F)
_UP = re.compile(
    r"\b(up from|rises?|rose|rising|grew|grown?|increased?|more than (the )?usual)\b|升温|增至|增加|上升|高于平时|多于平时", _F
)
_DOWN = re.compile(
    r"\b(down from|falls?|fell|falling|shrank|decreased?|fewer than (the )?usual|declin\w+)\b|降温|减至|下降|低于平时|少于平时", _F
)
_NOT = re.compile(
    r"\b(not|never|neither|nor|cannot|can't|doesn't|don't|didn't|isn't|wasn't|fails? to|no longer)\b"
    r"|并未|并非|未能|没能|不再|无法|从不|不会",
    _F,
)
#: Denials that the tables judge.
_JUDGED = (_NO_TESTS, _NOT_REVERTED, _NOT_REVIEWED, _NOT_APPROVED)


def refusals(said: str, cited: Cited, rules: str) -> Iterator[str]:
    """Reasons to refuse a sentence, given without its quotations, for what it claims; ``rules`` is the rule's sentence."""
    if found := _OPINION.search(said):
        yield f"judges: {found[0]!r}"
    for check in _CHECKS:
        reason = check(said, cited)
        if reason:
            yield reason
    order = _ORDER.search(said)
    if order and not _ORDER.search(rules):
        yield f"tells somebody what to do ({order[0]!r})"
    finding = _FINDING.search(said)
    if finding and not _FINDING.search(rules):
        yield f"tells as a finding ({finding[0]!r}) what is at most a claim"
    found = _NOT.search(said)
    if found and not any(_NOT.search(text) for text in (*cited.texts, rules)) and not any(p.search(said) for p in _JUDGED):
        yield f"denies something ({found[0]!r}) that no cited text denies"


def instructs(text: str) -> str | None:
    """Words of the whole text that speak to a reader or a machine."""
    found = _INSTRUCTION.search(text)
    return found[0] if found else None


def _gain(said: str, cited: Cited) -> str | None:
    found = _GAIN.search(said)
    if found is None:
        return None
    backed = any(pull["claims"] or pull["change_kind"] == "performance" or _GAIN.search(pull["title"]) for pull in cited.pulls)
    return None if backed else f"claims a gain ({found[0]!r}) that no cited pull request reports"


def _tests(said: str, cited: Cited) -> str | None:
    if (
        not cited.pulls
        or "missing_tests" in cited.rules
        or any(_ABOUT_TESTS.search(path.rpartition(".")[2]) for path in cited.facts if "groups[" in path)
    ):
        return _group_tests(said, cited)
    states = {pull["tests_state"] for pull in cited.pulls}
    if _TESTS_ONLY.search(said):
        return None if states & {"removed_only", "moved_only"} else "says that tests were only deleted or moved"
    if _NO_TESTS.search(said):
        return None if states - {"changed"} else "says that tests are missing, and test files changed"
    if _TESTS.search(said) and "changed" not in states and not any(_is_about_tests(pull) for pull in cited.pulls):
        return "says that there are tests, and no test file changed"
    return None


def _is_about_tests(pull: PullFacts) -> bool:
    return (
        pull["change_kind"] in ("test", "ci")
        or "tests" in pull["themes"]
        or _TESTS.search(" ".join((pull["title"], pull["summary"] or ""))) is not None
    )


def _group_tests(said: str, cited: Cited) -> str | None:
    """Claims on all of a group."""
    if "missing_tests" in cited.rules and _TESTS.search(said) and not _NO_TESTS.search(said):
        return "says that there are tests where none were changed"
    for group in cited.groups:
        if re.search(r"every change of source has tests|均附测试", said) and group["without_tests"]:
            return "says that all of the group has tests"
        if re.search(r"none has tests|均无测试|has no tests", said) and group["with_tests"]:
            return "says that none of the group has tests"
        if re.search(r"no source changed|未改动源码", said) and (group["with_tests"] or group["without_tests"]):
            return "says that no source changed"
    return None


def _reverts(said: str, cited: Cited) -> str | None:
    undone = any(pull["reverted_by"] for pull in cited.pulls)
    if _NOT_REVERTED.search(said):
        return "says that it was not reverted" if undone else None
    undoing = any(
        pull["change_kind"] == "revert" or any(link["kind"] in ("reverts", "relands") for link in pull["links"])
        for pull in cited.pulls
    )
    if _REVERTED.search(said) and cited.pulls and not (undone or undoing) and "reverted" not in cited.rules:
        return "says that something was reverted, and nothing was"
    return None


def _threads(said: str, cited: Cited) -> str | None:
    left = [pull["open_threads"] for pull in cited.pulls]
    if _ALL_SETTLED.search(said):
        return None if left and all(count == 0 for count in left) else "says that every thread was settled"
    if _OPEN.search(said) and left and not any(left) and "open_threads" not in cited.rules:
        return "says that threads were left open, and none was"
    return None


def _review(said: str, cited: Cited) -> str | None:
    if not cited.pulls:
        return None
    flags = {flag["rule"] for pull in cited.pulls for flag in pull["risks"]} | cited.rules
    if _NOT_REVIEWED.search(said) and not any(pull["reviewers"] == [] for pull in cited.pulls):
        return "says that nobody reviewed it"
    if _SELF_MERGED.search(said) and "self_merged" not in flags:
        return "says that its author merged it alone"
    if _NOT_APPROVED.search(said):
        unapproved = "unapproved" in flags or any(pull["approvers"] == [] for pull in cited.pulls)
        return None if unapproved else "says that nobody approved it"
    if _APPROVED.search(said) and not any(pull["approvers"] for pull in cited.pulls):
        return "says that it was approved"
    return None


def _direction(said: str, cited: Cited) -> str | None:
    """Up and down, of the themes and rules whose values are cited."""
    changes = [_change(cited, path) for path in cited.facts]
    known = [change for change in changes if change is not None]
    if not known:
        return None
    if _UP.search(said) and not any(change > 0 for change in known):
        return "says that something rose"
    return "says that something fell" if _DOWN.search(said) and not any(change < 0 for change in known) else None


def _change(cited: Cited, path: str) -> float | None:
    place, _, step = path.rpartition(".")
    report = cited.evidence.report
    if step == "median_4" and place.startswith("themes["):
        theme = report["themes"][int(place[7:-1])]
        return max(theme["count"], theme["mentions"] if theme["is_emerging"] else 0) - (theme["median_4"] or 0.0)
    if step == "usual" and place.startswith("risks["):
        risk = report["risks"][int(place[6:-1])]
        return risk["count"] - (risk["usual"] or 0.0)
    return None


def says_undone(said: str) -> bool:
    """Whether a sentence says that something was taken back."""
    return _REVERTED.search(said) is not None and _NOT_REVERTED.search(said) is None


_CHECKS: tuple[Callable[[str, Cited], str | None], ...] = (
    _gain, _tests, _reverts, _threads, _review, _direction,
)  # fmt: skip
