"""The pull requests a week's links may point at: its own and those of the stored weeks before."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

import pandas as pd

from pipelines.rules.inputs import WeekInputs

_TRAILING_NUMBER = re.compile(r"\s*\(#\d+\)\s*$")
_SPACES = re.compile(r"\s+")
_COLUMNS = ["number", "title", "author_login", "merged_at_utc", "merge_commit_oid"]


@dataclass(frozen=True)
class KnownPull:
    """One pull request of the week or of the weeks before."""

    number: int
    title: str
    author: str
    merged_at: datetime
    oid: str
    week: str


@dataclass
class KnownPulls:
    """Look-up of known pull requests by number, title and commit; where a number occurs twice, the later merge stands."""

    by_number: dict[int, KnownPull] = field(default_factory=dict)
    by_title: dict[str, list[KnownPull]] = field(default_factory=dict)

    def titled(self, quoted: str, before: datetime) -> KnownPull | None:
        """Find the last pull request of that title merged before an instant; ``…`` at the end stands for any rest."""
        wanted = title_key(quoted)
        if not wanted:
            return None
        if wanted.endswith(("…", "...")):
            stem = wanted.rstrip("….").rstrip()
            found = [pull for key, pulls in self.by_title.items() if stem and key.startswith(stem) for pull in pulls]
        else:
            found = self.by_title.get(wanted, [])
        earlier = [pull for pull in found if pull.merged_at < before]
        return max(earlier, key=lambda pull: (pull.merged_at, pull.number)) if earlier else None

    def of_commit(self, oid: str) -> KnownPull | None:
        """Find the pull request whose merge commit begins with these digits, where it is one alone."""
        found = [pull for pull in self.by_number.values() if pull.oid.startswith(oid.lower())] if oid else []
        return found[0] if len(found) == 1 else None


@lru_cache(maxsize=32768)
def title_key(title: str) -> str:
    """Cut a title's trailing ``(#123)`` and give it one kind of blank and case: equal for equal titles."""
    plain = _SPACES.sub(" ", unicodedata.normalize("NFKC", title.replace("…", "\0"))).replace("\0", "…").strip()
    return _TRAILING_NUMBER.sub("", plain).casefold().strip()


def known_pulls(inputs: WeekInputs) -> KnownPulls:
    """Every pull request of the week and the stored weeks before it, indexed."""
    parts = [
        frame for frame in (inputs.history.get("raw_pull_requests"), _of_this_week(inputs)) if frame is not None and len(frame)
    ]
    known = KnownPulls()
    rows = [_known(row) for frame in parts for row in zip(*(frame[name].tolist() for name in (*_COLUMNS, "week")), strict=True)]
    for pull in sorted(rows, key=lambda pull: (pull.merged_at, pull.number)):
        known.by_number[pull.number] = pull
    for pull in known.by_number.values():
        known.by_title.setdefault(title_key(pull.title), []).append(pull)
    return known


def _of_this_week(inputs: WeekInputs) -> pd.DataFrame:
    return inputs.raw["raw_pull_requests"].assign(week=inputs.week)


def _known(row: Iterable[object]) -> KnownPull:
    number, title, author, merged_at, oid, week = row
    if not isinstance(merged_at, datetime):  # the contract holds it non-null; this tells the type checker
        raise TypeError(f"pull request {number}: merged_at_utc is {merged_at!r}, not an instant.")
    return KnownPull(
        int(str(number)), str(title), str(author).lower(), merged_at, oid.lower() if isinstance(oid, str) else "", str(week)
    )
