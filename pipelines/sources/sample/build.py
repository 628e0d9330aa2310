"""One record per pull request of acme/lattice, in the shape of GitHub's GraphQL answers."""

import re
from collections import Counter
from functools import cache
from typing import Any

from pipelines.errors import SourceError
from pipelines.sources.records import Actor, Connection, PullRequestRecord
from pipelines.sources.sample.areas import area_of, label_of
from pipelines.sources.sample.choice import between, draw, node_id, oid, pick, weighted
from pipelines.sources.sample.content import FileChange, people
from pipelines.sources.sample.events import REPOSITORY, events_of
from pipelines.sources.sample.nodes import actor, connection, discussion, instant
from pipelines.sources.sample.plan import Planned, timeline
from pipelines.sources.sample.talk import Pools, Talk, talk_of
from pipelines.sources.sample.texts import body_of
from pipelines.sources.sample.unsafe import EMPTY_REVIEW, UNSAFE_REVIEW

_NAME = REPOSITORY["nameWithOwner"]
_PLACE = re.compile(r"#\{(?P<key>[a-z0-9-]+)\}|#\{issue:(?P<issue>[^}]+)\}|\{oid:(?P<oid>[a-z0-9-]+)\}")
_MILESTONES = {"1.5": 9}
#: Labels that every change of a data file gets besides that of its own area.
_LABELS_OF_DOCUMENTS = {"backend", "streaming", "planner", "kernel", "solver", "storage", "server", "ci"}
_MERGES_OWN_SHARE = 0.75
_MEMBERS = ("MEMBER", "COLLABORATOR")
_CHECKS: tuple[tuple[str | None, float], ...] = (("SUCCESS", 0.93), ("FAILURE", 0.04), ("PENDING", 0.01), (None, 0.02))


@cache
def build_records() -> tuple[PullRequestRecord, ...]:
    """All records in the order of their numbers. They are shared: treat them as read-only."""
    pools = Pools()
    seen: Counter[str] = Counter()
    by_merge = {}
    for plan in sorted(timeline().pulls, key=lambda p: (p.merged, p.number)):
        seen[plan.author] += 1
        by_merge[plan.number] = _record(plan, _talk(plan, pools), is_first=seen[plan.author] == 1)
    return tuple(by_merge[plan.number] for plan in sorted(timeline().pulls, key=lambda p: p.number))


def _talk(plan: Planned, pools: Pools) -> Talk:
    talk = talk_of(plan.change, plan.author, pools)
    if plan.change.unsafe_review:
        return Talk(talk.threads, (UNSAFE_REVIEW, EMPTY_REVIEW), talk.comments)
    return talk


def _record(plan: Planned, talk: Talk, *, is_first: bool) -> PullRequestRecord:
    change, said = plan.change, discussion(plan, talk)
    reviews = said["reviews"]["nodes"]
    events = events_of(plan, reviews)
    is_fork = change.fork or _role(plan, is_first=is_first) not in (*_MEMBERS, "NONE")
    return {
        "id": node_id("PR", plan.number),
        "number": plan.number,
        "title": change.title,
        "body": _body(plan),
        "state": "MERGED",
        "isDraft": False,
        "createdAt": instant(plan.created),
        "updatedAt": max([instant(plan.merged), *(n["createdAt"] for n in (*said["comments"]["nodes"], *events))]),
        "closedAt": instant(plan.merged),
        "mergedAt": instant(plan.merged),
        "baseRefName": change.base,
        "headRefName": _branch(plan),
        "headRefOid": oid("head", plan.number, "last"),
        "headRepository": _head_repository(plan, is_fork=is_fork),
        "isCrossRepository": is_fork,
        "additions": sum(f.added for f in change.files),
        "deletions": sum(f.removed for f in change.files),
        "changedFiles": len(change.files),
        "authorAssociation": _role(plan, is_first=is_first),
        "author": actor(plan.author),
        "mergedBy": _merged_by(plan, reviews),
        "mergeCommit": {"oid": plan.merge_oid},
        "reviewDecision": _decision(reviews),
        "milestone": {"number": _MILESTONES[change.milestone], "title": change.milestone} if change.milestone else None,
        "labels": _labels(plan),
        "closingIssuesReferences": _closing(plan),
        "files": connection([_file(f) for f in sorted(change.files, key=lambda f: f.path)]),
        "reviews": said["reviews"],
        "reviewThreads": said["reviewThreads"],
        "comments": said["comments"],
        "commits": _commits(plan),
        "timelineItems": connection(events),
    }


def _role(plan: Planned, *, is_first: bool) -> str:
    person = people().get(plan.author)
    if person is None:
        return "NONE"
    return "CONTRIBUTOR" if person.role == "FIRST_TIME_CONTRIBUTOR" and not is_first else person.role


def _body(plan: Planned) -> str | None:
    issues = [timeline().issues[title][0] for title in plan.change.closes]
    text = body_of(plan.change, issues)
    return None if text is None else _PLACE.sub(lambda match: _place(match, plan), text)


def _place(match: re.Match[str], plan: Planned) -> str:
    try:
        if match["issue"]:
            return f"#{timeline().issues[match['issue']][0]}"
        return timeline().keys[match["oid"]].merge_oid if match["oid"] else f"#{timeline().keys[match['key']].number}"
    except KeyError:
        raise SourceError(
            f"sample change {plan.change.title!r}: {match[0]} names nothing. Give a key or an issue of the data."
        ) from None


def _branch(plan: Planned) -> str:
    change = plan.change
    if change.branch:
        return re.sub(r"\{([a-z0-9-]+)\}", lambda m: str(timeline().keys[m[1]].number), change.branch)
    words = re.findall(r"[a-z0-9]+", re.sub(r"^\[[^\]]*\]|^\w+(\(\w+\))?:", "", change.title.lower()))
    slug = "-".join(words[:5]) or f"patch-{plan.number}"
    return slug if plan.author == "ghost" else f"{plan.author.split('-')[0]}/{slug}"


def _head_repository(plan: Planned, *, is_fork: bool) -> dict[str, Any] | None:
    if "fork_gone" in plan.change.cases or plan.author == "ghost":
        return None
    return {"nameWithOwner": f"{plan.author}/lattice" if is_fork else _NAME}


def _merged_by(plan: Planned, reviews: list[dict[str, Any]]) -> Actor | None:
    if plan.change.merger:
        return actor(plan.change.merger)
    person = people().get(plan.author)
    if person is not None and person.role in _MEMBERS and person.areas and draw("merges-own", plan.number) < _MERGES_OWN_SHARE:
        return actor(plan.author)
    maintainers = [p.login for p in people().values() if p.maintainer and p.login != plan.author]
    approvers = [r["author"]["login"] for r in reviews if r["state"] == "APPROVED" and r["author"]]
    return actor(pick([a for a in approvers if a in maintainers] or maintainers, "merger", plan.number))


def _decision(reviews: list[dict[str, Any]]) -> str:
    last = {
        (r["author"] or {"login": "ghost"})["login"]: r["state"] for r in reviews if r["state"] in ("APPROVED", "CHANGES_REQUESTED")
    }
    if "CHANGES_REQUESTED" in last.values():
        return "CHANGES_REQUESTED"
    return "APPROVED" if last else "REVIEW_REQUIRED"


def _labels(plan: Planned) -> Connection:
    change = plan.change
    names = {*change.labels}
    if change.origin != "bots" and not change.wide:
        names |= {label_of(change.origin if change.origin == "docs" else area_of(change))}
        names |= {label_of(change.origin)} & _LABELS_OF_DOCUMENTS
    return connection([{"name": name} for name in sorted(names)])


def _closing(plan: Planned) -> Connection:
    """Empty off the default branch, as on GitHub, whatever the description says."""
    if plan.change.base != "main":
        return connection([])
    titles = {timeline().issues[title][0]: title for title in plan.change.closes}
    return connection(
        [{"number": n, "title": title, "state": "CLOSED", "repository": dict(REPOSITORY)} for n, title in sorted(titles.items())]
    )


def _file(changed: FileChange) -> dict[str, Any]:
    node = {"path": changed.path, "additions": changed.added, "deletions": changed.removed, "changeType": changed.change_type}
    return node if changed.previous_path is None else node | {"previousPath": changed.previous_path}


def _commits(plan: Planned) -> Connection:
    """The count of all commits, and the last one only."""
    change = plan.change
    count = change.commits or (
        1 if change.origin == "bots" else between(1, min(12, 2 + change.lines // 60), "commits", plan.number)
    )
    state = weighted(_CHECKS, "checks", plan.number)
    last = {"oid": oid("head", plan.number, "last"), "statusCheckRollup": {"state": state} if state else None}
    return {"totalCount": count, "nodes": [{"commit": last}]}
