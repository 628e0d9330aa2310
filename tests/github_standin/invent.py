"""One pull request's made-up parts: description, labels, reviews, threads, comments, checks, references.

A data set such as merged commits of a real repository knows titles, authors, files and line counts. Everything this
module adds is INVENTED: it comes from BLAKE2 of the pull request's number, so that the same number always gets the same
reviews, on any machine and in any order. Nothing here says anything about the real people or changes.
Opening times are invented too where the data give the merge time for both.
"""

import re
from datetime import datetime, timedelta

from tests.github_standin.known import Dice, Known, Node, World, iso, joined, node_id, oid, person
from tests.github_standin.phrases import BODIES
from tests.github_standin.talk import comments, discussion

_REVERTED = re.compile(r'^Revert "(.*?)"', re.DOTALL)
_NUMBER = re.compile(r"#(\d+)")


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
    reviews, threads = discussion(known, world, start)
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
        "author": None if dice.chance("ghost", 0.7) else person(known.author),
        "mergedBy": person(dice.choice("merger", world.reviewers[:12])) if dice.chance("other", 65) else person(known.author),
        "mergeCommit": {"oid": known.oid},
        "reviewDecision": "APPROVED" if approved else "CHANGES_REQUESTED" if refused else "REVIEW_REQUIRED",
        "milestone": {"number": 1, "title": "next"} if dice.chance("stone", 4) else None,
        "labels": joined(_labels(known)),
        "closingIssuesReferences": joined(_closes(known, world)),
        "files": joined([dict(file) for file in known.files]),
        "reviews": joined(reviews),
        "reviewThreads": joined(threads),
        "comments": joined(comments(known, world, start)),
        "commits": {
            "totalCount": 1 + dice.below("commits", 9),
            "nodes": [{"commit": {"oid": head, "statusCheckRollup": {"state": checks} if checks else None}}],
        },
        "timelineItems": joined(_timeline(known, world)),
    }


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
                "actor": person(dice.choice("xref:a", world.reviewers)),
                "source": {"__typename": "PullRequest", "number": other, "repository": {"nameWithOwner": world.name}},
            },
        )
    if dice.chance("ref", 8):
        commit = {"oid": oid("ref", known.number), "messageHeadline": f"Merge work of #{known.number}"}
        items.append(
            {"__typename": "ReferencedEvent", "createdAt": iso(known.merged), "isCrossRepository": False, "commit": commit}
        )
    return items
