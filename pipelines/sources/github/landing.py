"""Pull requests that a bot lands: it pushes their commit and closes them, so that GitHub calls them closed, not merged.

Which bot, which label and how its commits name the pull request is a rule of the repository (pytorch #154088).
"""

import re
from typing import Any

from pipelines.errors import SettingsError
from pipelines.settings import LandingRule
from pipelines.sources.github.client import Client
from pipelines.sources.github.enumerate import Candidate, candidate_of, history, landed, moment, search
from pipelines.sources.records import Repository
from pipelines.weeks import Window


def landed_candidates(
    client: Client, repository: Repository, window: Window, rule: LandingRule, notes: list[str]
) -> list[Candidate]:
    """Pull requests that the rule's bot closed in the window, by number, each with its commit where the rule tells how."""
    query = f"repo:{repository.name} is:pr is:unmerged"
    nodes = search(client, query, "closed", (window.start_utc, window.end_utc), notes, "Landed")
    found = [(candidate_of(node), closed) for node in nodes if (closed := _closed_by_bot(node, rule)) and moment(closed) in window]
    commits = _commits(client, repository, window, rule) if found and rule.commit_pattern else {}
    return sorted((landed(one, closed, commits.get(one.number)) for one, closed in found), key=lambda one: one.number)


def _closed_by_bot(node: dict[str, Any], rule: LandingRule) -> str | None:
    """When the bot closed it; None where it was merged, somebody else closed it, or the label is not there."""
    if node["mergedAt"] is not None:
        return None
    labels = {label["name"] for label in (node.get("labels") or {}).get("nodes") or [] if label}
    if rule.label and rule.label not in labels:
        return None
    events = [event for event in (node.get("timelineItems") or {}).get("nodes") or [] if event]
    if not events or ((events[-1].get("actor") or {}).get("login") or "").removesuffix("[bot]") != rule.bot.removesuffix("[bot]"):
        return None
    closed: str = events[-1]["createdAt"]
    return closed


def _commits(client: Client, repository: Repository, window: Window, rule: LandingRule) -> dict[int, str]:
    """Commit of each landed pull request, by the number that the pattern's first group finds in its message."""
    try:
        pattern = re.compile(rule.commit_pattern)
    except re.error as error:
        raise SettingsError(
            f"landing.commit_pattern {rule.commit_pattern!r}: not a pattern: {error}. Mend it in pullweek.toml."
        ) from error
    if pattern.groups < 1:
        raise SettingsError(f"landing.commit_pattern {rule.commit_pattern!r}: has no group for the number, such as '/pull/(\\d+)'.")
    found: dict[int, str] = {}
    for commit in history(client, repository, window, "Messages"):
        match = pattern.search(commit["message"]) if commit else None
        if commit and match and str(match[1]).isdecimal():
            found.setdefault(int(match[1]), commit["oid"])
    return found
