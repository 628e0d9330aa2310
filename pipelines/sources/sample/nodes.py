"""Reviews, threads and comments of one change as GraphQL nodes, each with its instant.

First passes come first, answers next, verdicts last. A thread belongs to the review it was submitted with; like
GitHub, an answer counts as a review without words by the one who answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pipelines.sources.records import Actor, Connection
from pipelines.sources.sample.choice import between, draw, node_id, oid
from pipelines.sources.sample.content import people
from pipelines.sources.sample.plan import Planned
from pipelines.sources.sample.talk import Review, Talk, Thread

_VERDICTS = ("APPROVED",)
_RESOLVED_BY_CHANGE_SHARE = 0.5


def instant(at: datetime) -> str:
    """An instant as GitHub writes it."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def actor(login: str) -> Actor | None:
    """The account as GraphQL gives it; ``None`` where it was deleted."""
    if login == "ghost":
        return None
    person = people().get(login)
    return {"__typename": person.kind if person else "User", "login": login}


def connection(nodes: Sequence[dict[str, Any]]) -> Connection:
    """A connection that is whole."""
    return {"totalCount": len(nodes), "nodes": list(nodes)}


@dataclass(frozen=True)
class Clock:
    """Instants between the opening and the merge of one change."""

    plan: Planned

    def at(self, share: float) -> datetime:
        """The instant after that share of the time it was open."""
        seconds = (self.plan.merged - self.plan.created).total_seconds()
        return self.plan.created + timedelta(seconds=int(seconds * share))

    def soon(self, *key: object) -> datetime:
        """A few minutes after the opening, when bots answer; never after the merge."""
        early = self.plan.created + timedelta(seconds=between(150, 560, "soon", self.plan.number, *key))
        return min(early, self.at(0.5))

    def share(self, low: float, high: float, index: int, of: int) -> float:
        """The place of item ``index`` of ``of`` between two shares, in order, with a little play."""
        step = (high - low) / max(of, 1)
        return low + step * (index + 0.8 * draw("share", self.plan.number, low, index))


def discussion(plan: Planned, talk: Talk) -> dict[str, Connection]:
    """``reviews``, ``reviewThreads`` and ``comments`` of one change."""
    clock = Clock(plan)
    reviews = _reviews(plan, talk, clock)
    threads = [_thread(plan, thread, index, reviews) for index, thread in enumerate(talk.threads)]
    counts = [comment["pullRequestReview"]["id"] for thread in threads for comment in thread["comments"]["nodes"]]
    for review in reviews:
        review["comments"] = {"totalCount": counts.count(review["id"])}
    reviews.sort(key=lambda review: (review["submittedAt"], review["id"]))
    return {
        "reviews": connection(reviews),
        "reviewThreads": connection(threads),
        "comments": connection(_comments(plan, talk, clock)),
    }


def _reviews(plan: Planned, talk: Talk, clock: Clock) -> list[dict[str, Any]]:
    written = list(talk.reviews)
    first = {review.login for review in written if review.state not in _VERDICTS}
    askers = dict.fromkeys(thread.said[0][0] for thread in talk.threads)
    passes = [Review(login, "COMMENTED", "") for login in askers if login not in first]
    answers = dict.fromkeys(login for thread in talk.threads for login, _ in thread.said[1:])
    early = passes + [review for review in written if review.state not in _VERDICTS]
    late = [review for review in written if review.state in _VERDICTS]
    rows = [(review, clock.share(0.1, 0.5, i, len(early))) for i, review in enumerate(early)]
    rows += [(Review(login, "COMMENTED", ""), clock.share(0.52, 0.66, i, len(answers))) for i, login in enumerate(answers)]
    rows += [(review, clock.share(0.7, 0.98, i, len(late))) for i, review in enumerate(late)]
    return [_review(plan, review, index, share, clock) for index, (review, share) in enumerate(rows)]


def _review(plan: Planned, review: Review, index: int, share: float, clock: Clock) -> dict[str, Any]:
    who = actor(review.login)
    is_bot = who is not None and who["__typename"] == "Bot"
    person = people().get(review.login)
    return {
        "id": node_id("PRR", plan.number, index),
        "state": review.state,
        "body": review.body,
        "submittedAt": instant(clock.soon("review", index) if is_bot else clock.at(share)),
        "authorAssociation": person.role if person else "NONE",
        "isMinimized": False,
        "author": who,
        "commit": {"oid": oid("head", plan.number, "last" if review.state in _VERDICTS else "first")},
    }


def _thread(plan: Planned, thread: Thread, index: int, reviews: list[dict[str, Any]]) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = []
    for place, (login, text) in enumerate(thread.said):
        review = _review_for(reviews, login, is_first=place == 0)
        nodes.append(
            {
                "id": node_id("PRRC", plan.number, index, place),
                "body": text,
                "createdAt": review["submittedAt"],
                "author": actor(login),
                "isMinimized": False,
                "replyTo": {"id": nodes[0]["id"]} if nodes else None,
                "pullRequestReview": {"id": review["id"]},
            }
        )
    is_resolved = thread.state == "resolved"
    # A resolved thread is often outdated as well: the answer was a change of that very line.
    is_outdated = thread.state == "outdated" or (is_resolved and draw("outdated", plan.number, index) < _RESOLVED_BY_CHANGE_SHARE)
    resolver = actor(plan.author) if is_resolved else None
    return {
        "id": node_id("PRRT", plan.number, index),
        "isResolved": is_resolved,
        "isOutdated": is_outdated,
        "path": thread.path,
        "line": None if is_outdated else thread.line,
        "originalLine": thread.line,
        "subjectType": "LINE",
        "resolvedBy": {"login": resolver["login"]} if resolver else None,
        "comments": connection(nodes),
    }


def _review_for(reviews: list[dict[str, Any]], login: str, *, is_first: bool) -> dict[str, Any]:
    """The review a comment was submitted with: a first pass for what starts a thread, the last such one for an answer."""
    own = [r for r in reviews if (r["author"] or {"login": "ghost"})["login"] == login and r["state"] not in _VERDICTS]
    return own[0] if is_first else own[-1]


def _comments(plan: Planned, talk: Talk, clock: Clock) -> list[dict[str, Any]]:
    nodes = []
    for index, comment in enumerate(talk.comments):
        who = actor(comment.login)
        at = clock.at(clock.share(0.15, 0.9, index, len(talk.comments)))
        if comment.kind == "after":
            at = plan.merged + timedelta(minutes=between(9, 170, "after", plan.number, index))
        elif who is not None and who["__typename"] == "Bot":
            at = clock.soon("comment", index)
        nodes.append(
            {
                "id": node_id("IC", plan.number, index),
                "body": comment.body,
                "createdAt": instant(at),
                "author": who,
                "isMinimized": comment.kind == "minimized",
            }
        )
    return sorted(nodes, key=lambda node: (node["createdAt"], node["id"]))
