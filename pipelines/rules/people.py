"""Who is a person and who is a bot; who contributes for the first time."""

import re
from collections.abc import Mapping
from functools import lru_cache

from pipelines.rules.inputs import WeekInputs
from pipelines.rules.rows import tuples
from pipelines.weeks import HISTORY_WEEKS

#: Accounts that are programs though GitHub may count them as users: services known by these exact logins.
KNOWN_BOTS = frozenset(
    (
        *("allcontributors", "codecov", "codecov-commenter", "coderabbitai", "copilot-pull-request-reviewer", "copilot-swe-agent"),
        *(
            "deepsource-autofix",
            "dependabot",
            "dependabot-preview",
            "gemini-code-assist",
            "github-actions",
            "googlebot",
            "greenkeeper",
        ),
        *("hound", "imgbot", "k8s-ci-robot", "kodiakhq", "mergify", "netlify", "pre-commit-ci", "pytorch-bot", "pytorchmergebot"),
        *("pyup-bot", "renovate", "renovate-bot", "restyled-io", "rust-bors", "rustbot", "sonarcloud", "sourcery-ai", "stale"),
        *("step-security-bot", "traviscibot", "vercel", "web-flow", "weblate"),
    )
)

# Names that programs give themselves. A person may bear one (Talbot), so what these find is called suspected.
_SUSPECT = re.compile(
    r"(^|[-_.])(bot|robot|ci|automation|autobot|actions?)\d*$|^(bot|ci)[-_]|(robot|mergebot|buildbot|cibot)\d*$|\[bot\]$",
    re.IGNORECASE,
)
_CAMEL_BOT = re.compile(r"[a-z]Bot\d*$")

#: Kinds of account that count as people; a deleted account was a person's far more often than a bot's.
HUMAN = ("person", "ghost")
# GitHub's relations that only somebody who has contributed before can have.
_KNOWN_ASSOCIATIONS = ("OWNER", "MEMBER", "COLLABORATOR")
_FIRST_ASSOCIATIONS = ("FIRST_TIME_CONTRIBUTOR", "FIRST_TIMER")


@lru_cache(maxsize=65_536)
def account_kind(login: str, account_type: str, bots: frozenset[str]) -> str:
    """``person``, ``bot``, ``suspected_bot`` or ``ghost``; ``bots`` are logins a repository declares, in lower case."""
    low = login.lower()
    if account_type == "ghost" or low == "ghost":
        return "ghost"
    if account_type == "Bot" or low in bots or low in KNOWN_BOTS or low.endswith("[bot]"):
        return "bot"
    return "suspected_bot" if _SUSPECT.search(login) or _CAMEL_BOT.search(login) else "person"


def is_person(login: str, account_type: str, bots: frozenset[str]) -> bool:
    """Whether an account counts as human: people and deleted accounts."""
    return account_kind(login, account_type, bots) in HUMAN


def first_contributions(inputs: WeekInputs, kinds: Mapping[int, str]) -> dict[int, bool | None]:
    """Whether each pull request of the week is its author's first, as far as is known; null for bots and ghosts.

    ``kinds`` are the authors' by number. An author whom the stored weeks show is not new; nor is a member of the
    organisation. Whoever the full twelve weeks do not show counts as new: GitHub itself forgets that somebody was new
    as soon as the first pull request is merged. With fewer weeks, only GitHub's own mark tells.
    """
    seen = {pull.author_login for pull in inputs.past_pulls}
    whole_history = len(inputs.history_weeks) >= HISTORY_WEEKS
    first: dict[int, bool | None] = {}
    rows = tuples(inputs.raw, "raw_pull_requests", "merged_at_utc", "number", "author_login", "author_association")
    for _, number, login, association in sorted(rows, key=lambda row: row[:2]):
        known = login in seen or association in _KNOWN_ASSOCIATIONS
        seen.add(login)
        is_told = known or whole_history or association in _FIRST_ASSOCIATIONS
        first[number] = not known if is_told and kinds[number] == "person" else None
    return first
