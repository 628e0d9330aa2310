"""Links that this week's pull requests state themselves: in title, branch, commit references and description."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from pipelines.rules.inputs import PullRow, WeekInputs
from pipelines.rules.known_pulls import KnownPulls, title_key
from pipelines.rules.link_words import mentions, plain_body
from pipelines.rules.rows import tuples
from pipelines.rules.words import EMPTY_WORDS, words_of

#: Part of a reland's words that the reverted title must hold: by the same author, and by another.
_SHARED_ONE_AUTHOR, _SHARED_TWO_AUTHORS = 0.34, 0.5
#: Words a quoted and an edited title must share at least, and which part of all words of both.
_WORDS_RENAMED, _SHARED_RENAMED = 2, 0.6
_TAGS = re.compile(r"\[[^\]]*\]")
_BRANCH_TAG = re.compile(r"^\s*\[(?:backport|release|cherry[- ]?pick|bp|v?\d)[^\]]*\]\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Link:
    """One link found; ``target_repo`` is empty for the repository itself; ``merged_at`` where this side is not stored."""

    number: int
    kind: str
    target_repo: str
    target: int
    rule: str
    found_in: str
    evidence: str
    position: int | None = None
    target_title: str | None = None
    merged_at: datetime | None = None


_QUOTED = re.compile(
    r"^\W{0,3}(?:\[[^\]]{0,40}\]\s*)*(?:[a-z]+(?:\([^)]*\))?!?:\s*)?(?P<verb>revert|roll[- ]?back|re-?land|re-?apply)\w*\s*:?\s*"
    r"[\"\u201c\u201d'\u2018`](?P<quoted>.+)$",
    re.IGNORECASE,
)
_PLAIN_REVERT = re.compile(
    r"^\W{0,3}(?:\[[^\]]{0,40}\]\s*)*(?:[a-z]+(?:\([^)]*\))?!?:\s*)?revert\w*\s+#?(?P<number>\d{3,7})\b", re.IGNORECASE
)
_CLOSING_QUOTE = re.compile(r"[\"\u201d'\u2019`][^\"\u201d'\u2019`]*$")
_NUMBER_AT_END = re.compile(r"\(?#(\d{1,7})\)?\W*$")
_SAYS_REVERT = re.compile(r"\b(?:revert|roll(?:s|ed|ing)?[- ]?back|back(?:s|ed)?\s+out|undo)", re.IGNORECASE)
_SAYS_RELAND = re.compile(r"\b(?:re-?land|re-?appl|re-?submi|re-?do|re-?introduc|bring\s+back|restore)", re.IGNORECASE)
_RELAND_WORD = re.compile(r"\b(?:re-?land(?:s|ing|ed)?|re-?submit(?:ted)?|re-?apply)\b(?:\s+of\b)?", re.IGNORECASE)

_BRANCHES = (
    ("branch_revert", "reverts", re.compile(r"(?:^|/)revert-(\d{1,7})(?=-|$)")),
    ("branch_reland", "relands", re.compile(r"(?:^|/)re-?land[-_/](\d{1,7})(?=[-_]|$)")),
    ("branch_backport", "backports", re.compile(r"(?:^|/)(?:backport|cherry-?pick|bp)[-_/](?:[^\s]*?\bpr-)?(\d{2,7})(?=[-_/]|$)")),
    ("branch_backport", "backports", re.compile(r"^mergify/(?:bp|copy)/.+/pr-(\d{1,7})$")),
)
_COMMITS = (
    ("commit_reverted", "reverts", re.compile(r"\bThis reverts commit\s+([0-9a-f]{7,40})\b", re.IGNORECASE)),
    ("commit_picked", "backports", re.compile(r"\(cherry picked from commit\s+([0-9a-f]{7,40})\)", re.IGNORECASE)),
)
_FILLERS = frozenset(
    [
        "a",
        "an",
        "and",
        "ci",
        "by",
        "feat",
        "feature",
        "fix",
        "for",
        "in",
        "jit",
        "kernel",
        "of",
        "on",
        "part",
        "perf",
        "re",
        "support",
        "the",
        "to",
        "update",
        "with",
    ]
)


class Finder:
    """Finds what the pull requests of one week say of others."""

    def __init__(self, inputs: WeekInputs, known: KnownPulls) -> None:
        self._inputs = inputs
        self._known = known
        self._reverted = _linked_before(inputs, "reverts")
        self._relanded = set(_linked_before(inputs, "relands"))
        self._files: dict[int, set[str]] | None = None

    def links(self) -> Iterator[Link]:
        """Every link that titles, branches and descriptions of the week state."""
        columns = ("number", "body", "head_ref", "is_base_default")
        texts = {number: rest for number, *rest in tuples(self._inputs.raw, "raw_pull_requests", *columns)}
        week = sorted((self._known.by_number[number] for number in texts), key=lambda pull: (pull.merged_at, pull.number))
        for pull in week:
            body, branch, is_default = texts[pull.number]
            found = [
                *title_links(pull, self._known),
                *self._of_branch(pull, branch or ""),
                *self._same_title(pull, is_backport=is_default is False),
            ]
            found += [*self._of_reland(pull, found)]
            found += [*self._of_body(pull, body or "")]
            for link in found:
                if link.kind == "reverts" and not link.target_repo:
                    self._reverted.setdefault(link.target, pull.number)
                yield link

    def _of_branch(self, pull: PullRow, text: str) -> Iterator[Link]:
        for rule, kind, pattern in _BRANCHES:
            match = pattern.search(text)
            if match:
                yield Link(pull.number, kind, "", int(match[1]), rule, "branch", text[:80])

    def _same_title(self, pull: PullRow, *, is_backport: bool) -> Iterator[Link]:
        """Take a title seen before as a link: on another branch it is a backport, after a revert it is a reland."""
        twins = [
            twin
            for twin in self._known.by_title.get(title_key(_without_branch_tag(pull.title)), [])
            if twin.merged_at < pull.merged_at
        ]
        twins = [twin for twin in twins if twin.number != pull.number]
        if not twins:
            return
        twin = max(twins, key=lambda one: (one.merged_at, one.number))
        if is_backport:
            yield Link(pull.number, "backports", "", twin.number, "same_title_other_branch", "title", twin.title[:80])
        elif twin.number in self._reverted:
            yield Link(pull.number, "relands", "", twin.number, "same_title_after_revert", "title", twin.title[:80])

    def _of_reland(self, pull: PullRow, found: list[Link]) -> Iterator[Link]:
        """Link a title that says reland and names no number to the reverted pull request whose title it shares most with."""
        is_answered = any(link.kind == "relands" for link in found)
        if is_answered or not _RELAND_WORD.search(pull.title) or _QUOTED.match(pull.title):
            return
        wanted = _telling(_RELAND_WORD.sub(" ", pull.title))
        scored = []
        for number in self._reverted:
            other = self._known.by_number.get(number)
            if other is not None and other.merged_at < pull.merged_at and wanted:
                shared = len(wanted & _telling(other.title)) / len(wanted)
                scored.append((shared, number not in self._relanded, other.author == pull.author, other.merged_at, number))
        best = max(scored, default=None)
        if best is not None and best[0] >= (_SHARED_ONE_AUTHOR if best[2] else _SHARED_TWO_AUTHORS):
            self._relanded.add(best[4])
            yield Link(pull.number, "relands", "", best[4], "title_like_a_reverted_one", "title", pull.title[:80])

    def _of_body(self, pull: PullRow, body: str) -> Iterator[Link]:
        if not body:
            return
        text = plain_body(body)
        for rule, kind, pattern in _COMMITS:
            for match in pattern.finditer(text):
                target = self._known.of_commit(match[1])
                if target is not None and target.number != pull.number:
                    yield Link(pull.number, kind, "", target.number, rule, "commit", match[0])
        for mention in mentions(text, "body"):
            link = Link(
                pull.number, mention.kind, self._elsewhere(mention.repo), mention.number, mention.rule, "body", mention.evidence
            )
            link = _fix_of_a_pull(link, self._known)
            if self._is_borne_out(pull, link):
                yield link

    def _elsewhere(self, repo: str) -> str:
        return "" if repo.lower() == self._inputs.repo.lower() else repo

    def _is_borne_out(self, pull: PullRow, link: Link) -> bool:
        """Whether more than a sentence in the description speaks for a revert or a reland."""
        if link.kind not in {"reverts", "relands"}:
            return True
        says = _SAYS_REVERT if link.kind == "reverts" else _SAYS_RELAND
        return bool(says.search(pull.title)) or bool(self._files_of(pull.number) & self._files_of(link.target))

    def _files_of(self, number: int) -> set[str]:
        if self._files is None:
            self._files = defaultdict(set)
            for files in (self._inputs.files, self._inputs.past_files):
                for owner, path in zip(files.numbers, files.paths, strict=True):
                    self._files[owner].add(path)
        return self._files.get(number, set())


def title_links(pull: PullRow, known: KnownPulls) -> list[Link]:
    """Read what a title says of other pull requests, by quotation, by number or by words before a number."""
    quoted = _QUOTED.match(pull.title)
    if quoted:
        return _quoted_links(
            pull, known, quoted["verb"].lower(), _CLOSING_QUOTE.sub("", quoted["quoted"]).strip() or quoted["quoted"]
        )
    plain = _PLAIN_REVERT.match(pull.title)
    found = [
        _fix_of_a_pull(Link(pull.number, m.kind, m.repo, m.number, m.rule, "title", m.evidence), known)
        for m in mentions(pull.title, "title")
    ]
    if plain and int(plain["number"]) in known.by_number:
        found.append(Link(pull.number, "reverts", "", int(plain["number"]), "title_revert_number", "title", plain[0].strip()))
    return found


def _quoted_links(pull: PullRow, known: KnownPulls, verb: str, quoted: str) -> list[Link]:
    target, rule = _quoted_target(pull, known, quoted)
    if target is None:
        return []
    kind = "relands" if verb.startswith("re") and not verb.startswith("revert") else "reverts"
    found = [Link(pull.number, kind, "", target, rule, "title", pull.title[:80])]
    inner = _QUOTED.match(quoted)
    if kind == "reverts" and inner and inner["verb"].lower() == "revert":
        original, how = _quoted_target(pull, known, _CLOSING_QUOTE.sub("", inner["quoted"]).strip() or inner["quoted"])
        if original is not None and original != target:
            found.append(Link(pull.number, "relands", "", original, f"{how}_of_a_revert", "title", pull.title[:80]))
    return found


def _quoted_target(pull: PullRow, known: KnownPulls, quoted: str) -> tuple[int | None, str]:
    """Find the pull request a quotation is of: by its own number at the end, by its exact title, else by any number there."""
    number = _NUMBER_AT_END.search(quoted)
    by_number = known.by_number.get(int(number[1])) if number else None
    by_title = known.titled(quoted, pull.merged_at)
    if by_title is not None and (by_number is None or title_key(by_number.title) != title_key(quoted)):
        return by_title.number, "title_quotes_title"
    if number:
        return int(number[1]), "title_quotes_number"
    like = _renamed(pull, known, quoted)
    return (like, "title_like_the_quoted") if like is not None else (None, "")


def _renamed(pull: PullRow, known: KnownPulls, quoted: str) -> int | None:
    """Find the one pull request whose title is nearly the quoted one: titles are edited after the revert was opened."""
    wanted = _telling(quoted)
    scored = []
    for other in known.by_number.values():
        words = _telling(other.title)
        shared = len(wanted & words)
        if shared >= _WORDS_RENAMED and other.merged_at < pull.merged_at and not _SAYS_REVERT.search(other.title):
            scored.append((shared / len(wanted | words), other.merged_at, other.number))
    best = max(scored, default=None)
    return best[2] if best is not None and best[0] >= _SHARED_RENAMED else None


def _fix_of_a_pull(link: Link, known: KnownPulls) -> Link:
    """Take ``Fixes #12`` as what it is: it closes an issue, but where 12 is a merged pull request it fixes that one."""
    if link.kind == "closes" and not link.target_repo and link.target in known.by_number:
        return replace(link, kind="fixes")
    return link


def _linked_before(inputs: WeekInputs, kind: str) -> dict[int, int]:
    past = inputs.past("derived_links", "kind", "target_number", "number", "target_repo")
    own = inputs.repo.lower()
    return {target: number for linked, target, number, repo in past if linked == kind and repo.lower() == own}


@lru_cache(maxsize=4096)
def _telling(title: str) -> frozenset[str]:
    words = words_of(_TAGS.sub(" ", title)) or words_of(title)
    return frozenset(word for word in words if word not in EMPTY_WORDS) or frozenset(words)


def _without_branch_tag(title: str) -> str:
    return _BRANCH_TAG.sub("", title)
