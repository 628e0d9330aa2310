"""The made-up talk about a pull request: reviews, review threads, conversation. See ``invent.py``."""

from datetime import datetime, timedelta

from tests.github_standin.known import Dice, Known, Node, World, iso, joined, node_id, oid, person
from tests.github_standin.phrases import COMMENTS, REVIEW_BODIES, THREAD_COMMENTS

#: Accounts that are not in the data: bots as GitHub names them (no ``[bot]`` in GraphQL), one bot that is a plain user.
REVIEW_BOT = {"__typename": "Bot", "login": "review-companion"}
LABEL_BOT = {"__typename": "Bot", "login": "github-actions"}
CI_USER = {"__typename": "User", "login": "ci-robot-account"}


def _reviewer(dice: Dice, question: str, known: Known, world: World) -> Node | None:
    if dice.chance(f"{question}:gone", 1):
        return None
    pool = world.reviewers[:15] if dice.chance(f"{question}:core", 70) else world.reviewers
    others = [login for login in pool if login != known.author] or ["a-passer-by"]
    return person(dice.choice(f"{question}:who", others))


def discussion(known: Known, world: World, start: datetime) -> tuple[list[Node], list[Node]]:
    """The reviews and the review threads that came with them."""
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
                threads.append(_thread(known, review, len(threads)))
        reviews.append(review)
    return reviews, threads


_STATES = ("COMMENTED", "COMMENTED", "APPROVED", "CHANGES_REQUESTED", "DISMISSED")
_STATES_LAST = ("APPROVED", "APPROVED", "APPROVED", "COMMENTED")


def _thread(known: Known, review: Node, index: int) -> Node:
    dice = Dice(known.number)
    question = f"t{index}"
    size = 1 + min(dice.below(f"{question}:n", 4), dice.below(f"{question}:n2", 4))
    outdated, resolved = dice.chance(f"{question}:o", 30), dice.chance(f"{question}:r", 75)
    line = 1 + dice.below(f"{question}:l", 400)
    review["comments"]["totalCount"] += size
    comments = []
    for turn in range(size):
        author = review["author"] if turn % 2 == 0 else person(known.author)
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
        "resolvedBy": person(known.author) if resolved else None,
        "comments": joined(comments),
    }


def comments(known: Known, world: World, start: datetime) -> list[Node]:
    """The conversation."""
    dice = Dice(known.number)
    span = int((known.merged - start).total_seconds())
    count = min(dice.below("comments", 7), dice.below("comments2", 7))
    found = []
    for index in range(count):
        author = (
            dice.choice(f"c{index}:bots", (LABEL_BOT, CI_USER))
            if dice.chance(f"c{index}:bot", 25)
            else (_reviewer(dice, f"c{index}", known, world) if dice.chance(f"c{index}:o", 60) else person(known.author))
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
