"""Who is a person and who is a bot; who contributes for the first time."""

import re
from collections.abc import Set as AbstractSet

import pandas as pd

from pipelines.rules.inputs import HISTORY_WEEKS, WeekInputs

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

# GitHub's relations that only somebody who has contributed before can have.
_KNOWN_ASSOCIATIONS = ("OWNER", "MEMBER", "COLLABORATOR")
_FIRST_ASSOCIATIONS = ("FIRST_TIME_CONTRIBUTOR", "FIRST_TIMER")


def account_kind(login: str, account_type: str, bots: AbstractSet[str]) -> str:
    """``person``, ``bot``, ``suspected_bot`` or ``ghost``; ``bots`` are logins a repository declares, in lower case."""
    low = login.lower()
    if account_type == "ghost" or low == "ghost":
        return "ghost"
    if account_type == "Bot" or low in bots or low in KNOWN_BOTS or low.endswith("[bot]"):
        return "bot"
    return "suspected_bot" if _SUSPECT.search(login) or _CAMEL_BOT.search(login) else "person"


def account_kinds(logins: pd.Series, types: pd.Series, bots: AbstractSet[str]) -> pd.Series:
    """The account kind of each row."""
    pairs = list(zip(logins.to_numpy(dtype=object), types.to_numpy(dtype=object), strict=True))
    kinds = {pair: account_kind(str(pair[0]), str(pair[1]), bots) for pair in set(pairs)}
    return pd.Series([kinds[pair] for pair in pairs], index=logins.index, dtype="str")


def is_human(kinds: pd.Series) -> pd.Series:
    """Whether an account kind counts as human: people and deleted accounts."""
    return kinds.isin(("person", "ghost"))


def first_contributions(inputs: WeekInputs, kinds: pd.Series) -> pd.Series:
    """Whether each pull request of the week is its author's first, as far as is known; null for bots and ghosts.

    ``kinds`` are the authors' by number; so is the result. An author whom the stored weeks show is not new; nor is a
    member of the organisation. Whoever the full twelve weeks do not show counts as new: GitHub itself forgets that
    somebody was new as soon as the first pull request is merged. With fewer weeks, only GitHub's own mark tells.
    """
    ordered = inputs.raw["raw_pull_requests"].sort_values(["merged_at_utc", "number"]).set_index("number")
    stored = set(inputs.history["raw_pull_requests"]["author_login"])
    known = ordered.duplicated("author_login") | ordered["author_login"].isin(stored)
    known |= ordered["author_association"].isin(_KNOWN_ASSOCIATIONS)
    marked = ordered["author_association"].isin(_FIRST_ASSOCIATIONS)
    whole_history = len(inputs.history_weeks) >= HISTORY_WEEKS
    first = (~known).astype("boolean").mask(~known & ~marked & (not whole_history))
    return first.reindex(kinds.index).mask(kinds != "person")
