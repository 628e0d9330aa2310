"""One pull request's made-up parts: description, labels, reviews, threads, comments, checks, references.

A data set such as merged commits of a real repository knows titles, authors, files and line counts. Everything this
module adds is INVENTED: it comes from BLAKE2 of the pull request's number, so that the same number always gets the same
reviews, on any machine and in any order. Nothing here says anything about the real people or changes.
Opening times are invented too where the data give the merge time for both.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from tests.github_standin.phrases import BODIES, COMMENTS, REVIEW_BODIES, THREAD_COMMENTS

T = TypeVar("T")
Node = dict[str, Any]

#: Accounts that are not in the data: bots as GitHub names them (no ``[bot]`` in GraphQL), one bot that is a plain user.
REVIEW_BOT = {"__typename": "Bot", "login": "review-companion"}
LABEL_BOT = {"__typename": "Bot", "login": "github-actions"}
CI_USER = {"__typename": "User", "login": "ci-robot-account"}

_REVERTED = re.compile(r'^Revert "(.*?)"', re.DOTALL)
_NUMBER = re.compile(r"#(\d+)")


@dataclass(frozen=True)
class Known:
    """What the data know of one pull request."""

    number: int
    title: str
    author: str
    created: datetime
    merged: datetime
    oid: str
    additions: int
    deletions: int
    changed_files: int
    files: tuple[Node, ...]


@dataclass(frozen=True)
class World:
    """What is the same for every pull request of the repository."""

    name: str  # OWNER/NAME
    branch: str
    reviewers: tuple[str, ...]  # busiest authors first
    numbers: tuple[int, ...]
    by_title: dict[str, int]


class Dice:
    """Repeatable choices for one pull request: the same question always gets the same answer."""

    def __init__(self, number: int) -> None:
        self.number = number

    def below(self, question: str, limit: int) -> int:
        """A whole number from 0 to ``limit - 1``."""
        digest = hashlib.blake2b(f"{self.number}:{question}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % max(limit, 1)

    def chance(self, question: str, percent: float) -> bool:
        """Whether an event of so many percent happens."""
        return self.below(question, 10_000) < percent * 100

    def choice(self, question: str, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.below(question, len(options))]


def oid(*parts: object) -> str:
    """A commit id that is the same for the same parts."""
    return hashlib.blake2b(":".join(map(str, parts)).encode(), digest_size=20).hexdigest()


def node_id(prefix: str, number: int, index: int = 0) -> str:
    """A global id from which :func:`number_of` finds the pull request again, without reading any."""
    return f"{prefix}_kw{number:08x}{index:04x}"


def number_of(identifier: str) -> int | None:
    """The pull request that an id of :func:`node_id` belongs to."""
    match = re.fullmatch(r"[A-Z]+_kw([0-9a-f]{8})[0-9a-f]{4,}", identifier)
    return int(match[1], 16) if match else None


def iso(moment: datetime) -> str:
    """``2026-04-20T08:15:00Z``."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def opened(known: Known) -> datetime:
    """When it was opened: as the data say, or invented (20 minutes to 12 days before) where they give the merge time."""
    if known.created < known.merged:
        return known.created
    dice = Dice(known.number)
    span = (20, 180, 1_500, 6_000, 17_000)[min(dice.below("span", 7), 4)]
    return known.merged - timedelta(minutes=20 + dice.below("open", span), seconds=dice.below("sec", 60))


def updated(known: Known) -> datetime:
    """When anything last changed: at the merge or up to three days after."""
    dice = Dice(known.number)
    return known.merged + timedelta(seconds=dice.below("upd", 3 * 86_400) if dice.chance("late", 40) else dice.below("upd", 90))


def record(known: Known, world: World) -> Node:
    """The whole pull request in the shape of ``pipelines.sources.records.PullRequestRecord``."""
    dice = Dice(known.number)
    start = opened(known)
    reviews, threads = _discussion(known, world, start)
    approved = any(review["state"] == "APPROVED" for review in reviews)
    refused = any(review["state"] == "CHANGES_REQUESTED" for review in reviews)
    head = oid("head", known.number)
    checks = dice.choice("checks", ("SUCCESS",) * 17 + ("FAILURE", "FAILURE", None))
    return {
        "id": node_id("PR", known.number),
        "number": known.number,
        "title": known.title,
        "body": _body(known, world),
        "state": "MERGED",
        "isDraft": False,
        "createdAt": iso(start),
        "updatedAt": iso(updated(known)),
        "closedAt": iso(known.merged),
        "mergedAt": iso(known.merged),
        "baseRefName": world.branch,
        "headRefName": f"{known.author}/patch-{known.number}",
        "headRefOid": head,
        "headRepository": _head_repository(known, world),
        "isCrossRepository": dice.chance("fork", 70),
        "additions": known.additions,
        "deletions": known.deletions,
        "changedFiles": known.changed_files,
        "authorAssociation": dice.choice("assoc", ("MEMBER", "MEMBER", "CONTRIBUTOR", "COLLABORATOR", "FIRST_TIME_CONTRIBUTOR")),
        "author": None if dice.chance("ghost", 0.7) else _person(known.author),
        "mergedBy": _person(dice.choice("merger", world.reviewers[:12])) if dice.chance("other", 65) else _person(known.author),
        "mergeCommit": {"oid": known.oid},
        "reviewDecision": "APPROVED" if approved else "CHANGES_REQUESTED" if refused else "REVIEW_REQUIRED",
        "milestone": {"number": 1, "title": "next"} if dice.chance("stone", 4) else None,
        "labels": _joined(_labels(known)),
        "closingIssuesReferences": _joined(_closes(known, world)),
        "files": _joined([dict(file) for file in known.files]),
        "reviews": _joined(reviews),
        "reviewThreads": _joined(threads),
        "comments": _joined(_comments(known, world, start)),
        "commits": {
            "totalCount": 1 + dice.below("commits", 9),
            "nodes": [{"commit": {"oid": head, "statusCheckRollup": {"state": checks} if checks else None}}],
        },
        "timelineItems": _joined(_timeline(known, world)),
    }


def _joined(nodes: list[Node]) -> Node:
    return {"totalCount": len(nodes), "nodes": nodes}


def _person(login: str) -> Node:
    return {"__typename": "User", "login": login}


def _head_repository(known: Known, world: World) -> Node | None:
    dice = Dice(known.number)
    if not dice.chance("fork", 70):
        return {"nameWithOwner": world.name}
    return None if dice.chance("gone", 6) else {"nameWithOwner": f"{known.author}/{world.name.split('/')[1]}"}


def _body(known: Known, world: World) -> str:
    reverted = _REVERTED.match(known.title)
    if reverted:
        number = _NUMBER.search(known.title)
        original = int(number[1]) if number else world.by_title.get(reverted[1])
        return f"Reverts {world.name}#{original}" if original else "Reverts the change named in the title."
    dice = Dice(known.number)
    paths = [file["path"] for file in known.files]
    shown = "\n".join(f"- `{path}`" for path in paths[:5]) or "- nothing but history"
    issue = known.number - 40 - dice.below("issue", 900)
    text = dice.choice("body", BODIES).format(
        title=known.title,
        files=shown,
        more=max(len(paths) - 5, 0),
        added=known.additions,
        removed=known.deletions,
        before=100 + dice.below("before", 900),
        after=60 + dice.below("after", 300),
        issue=max(issue, 1),
    )
    return text.replace("Fixes #", "Related to #") if not _closes(known, world) else text


def _labels(known: Known) -> list[Node]:
    dice = Dice(known.number)
    paths = [str(file["path"]) for file in known.files]
    found = {
        "documentation": bool(paths) and all(path.startswith("docs") or path.endswith(".md") for path in paths),
        "ci": any(path.startswith(".github") for path in paths),
        "dependencies": any(path.endswith((".toml", ".lock", "requirements.txt", "Dockerfile")) for path in paths),
        "tests": any(path.startswith("test") for path in paths) and dice.chance("tests", 40),
        "bug": "fix" in known.title.lower() and dice.chance("bug", 60),
        "run-ci": dice.chance("run-ci", 75),
        "high priority": dice.chance("high", 5),
    }
    return [{"name": name} for name in sorted(found) if found[name]]


def _closes(known: Known, world: World) -> list[Node]:
    dice = Dice(known.number)
    if not dice.chance("closes", 12):
        return []
    number = max(known.number - 40 - dice.below("issue", 900), 1)
    return [{"number": number, "title": f"Report {number}", "state": "CLOSED", "repository": {"nameWithOwner": world.name}}]


def _reviewer(dice: Dice, question: str, known: Known, world: World) -> Node | None:
    if dice.chance(f"{question}:gone", 1):
        return None
    pool = world.reviewers[:15] if dice.chance(f"{question}:core", 70) else world.reviewers
    others = dice.choice(f"{question}:who", pool)
    return _person(others if others != known.author else pool[dice.below(f"{question}:else", len(pool)) - 1])


def _discussion(known: Known, world: World, start: datetime) -> tuple[list[Node], list[Node]]:
    dice = Dice(known.number)
    span = int((known.merged - start).total_seconds())
    count = min(dice.below("reviews", 6), dice.below("reviews2", 8))
    reviews: list[Node] = []
    threads: list[Node] = []
    for index in range(count):
        author = REVIEW_BOT if dice.chance(f"r{index}:bot", 18) else _reviewer(dice, f"r{index}", known, world)
        moment = iso(start + timedelta(seconds=span * (index * 7 + 1 + dice.below(f"r{index}:t", 7)) // (count * 7 + 8)))
        last = index == count - 1
        state = "COMMENTED" if author is REVIEW_BOT else dice.choice(f"r{index}:s", _STATES_LAST if last else _STATES)
        review = {
            "id": node_id("PRR", known.number, index),
            "state": state,
            "body": "" if state == "APPROVED" and dice.chance(f"r{index}:e", 70) else dice.choice(f"r{index}:b", REVIEW_BODIES),
            "submittedAt": moment,
            "authorAssociation": "NONE" if author is REVIEW_BOT else dice.choice(f"r{index}:a", ("MEMBER", "COLLABORATOR")),
            "isMinimized": dice.chance(f"r{index}:m", 1),
            "author": author,
            "commit": {"oid": oid("head", known.number)},
            "comments": {"totalCount": 0},
        }
        if known.files and state != "APPROVED":
            for _ in range(min(dice.below(f"r{index}:n", 5), dice.below(f"r{index}:n2", 5))):
                threads.append(_thread(known, world, review, len(threads)))
        reviews.append(review)
    return reviews, threads


_STATES = ("COMMENTED", "COMMENTED", "APPROVED", "CHANGES_REQUESTED", "DISMISSED")
_STATES_LAST = ("APPROVED", "APPROVED", "APPROVED", "COMMENTED")


def _thread(known: Known, world: World, review: Node, index: int) -> Node:
    dice = Dice(known.number)
    question = f"t{index}"
    size = 1 + min(dice.below(f"{question}:n", 4), dice.below(f"{question}:n2", 4))
    outdated, resolved = dice.chance(f"{question}:o", 30), dice.chance(f"{question}:r", 75)
    line = 1 + dice.below(f"{question}:l", 400)
    review["comments"]["totalCount"] += size
    comments = []
    for turn in range(size):
        author = review["author"] if turn % 2 == 0 else _person(known.author)
        comments.append(
            {
                "id": node_id("PRRC", known.number, index * 16 + turn),
                "body": dice.choice(f"{question}:{turn}", THREAD_COMMENTS),
                "createdAt": review["submittedAt"],
                "author": author,
                "isMinimized": False,
                "replyTo": {"id": node_id("PRRC", known.number, index * 16)} if turn else None,
                "pullRequestReview": {"id": review["id"]},
            },
        )
    return {
        "id": node_id("PRRT", known.number, index),
        "isResolved": resolved,
        "isOutdated": outdated,
        "path": dice.choice(f"{question}:p", known.files)["path"],
        "line": None if outdated else line,
        "originalLine": line,
        "subjectType": "LINE",
        "resolvedBy": _person(known.author) if resolved else None,
        "comments": _joined(comments),
    }


def _comments(known: Known, world: World, start: datetime) -> list[Node]:
    dice = Dice(known.number)
    span = int((known.merged - start).total_seconds())
    count = min(dice.below("comments", 7), dice.below("comments2", 7))
    found = []
    for index in range(count):
        author = (
            dice.choice(f"c{index}:bots", (LABEL_BOT, CI_USER))
            if dice.chance(f"c{index}:bot", 25)
            else (_reviewer(dice, f"c{index}", known, world) if dice.chance(f"c{index}:o", 60) else _person(known.author))
        )
        found.append(
            {
                "id": node_id("IC", known.number, index),
                "body": dice.choice(f"c{index}:b", COMMENTS),
                "createdAt": iso(start + timedelta(seconds=span * (index + 1) // (count + 1))),
                "author": author,
                "isMinimized": dice.chance(f"c{index}:m", 2),
            },
        )
    return found


def _timeline(known: Known, world: World) -> list[Node]:
    dice = Dice(known.number)
    items: list[Node] = []
    if dice.chance("xref", 15):
        other = dice.choice("xref:n", world.numbers)
        items.append(
            {
                "__typename": "CrossReferencedEvent",
                "createdAt": iso(known.merged),
                "willCloseTarget": False,
                "isCrossRepository": False,
                "actor": _person(dice.choice("xref:a", world.reviewers)),
                "source": {"__typename": "PullRequest", "number": other, "repository": {"nameWithOwner": world.name}},
            },
        )
    if dice.chance("ref", 8):
        commit = {"oid": oid("ref", known.number), "messageHeadline": f"Merge work of #{known.number}"}
        items.append(
            {"__typename": "ReferencedEvent", "createdAt": iso(known.merged), "isCrossRepository": False, "commit": commit}
        )
    return items
