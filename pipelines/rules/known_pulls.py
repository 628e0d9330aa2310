"""The pull requests a week's links may point at: its own and those of the stored weeks before."""

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from pipelines.rules.inputs import PullRow, WeekInputs

_TRAILING_NUMBER = re.compile(r"\s*\(#\d+\)\s*$")
_SPACES = re.compile(r"\s+")


@dataclass
class KnownPulls:
    """Look-up of known pull requests by number, title and commit; where a number occurs twice, the later merge stands."""

    by_number: dict[int, PullRow] = field(default_factory=dict)
    by_title: dict[str, list[PullRow]] = field(default_factory=dict)

    def titled(self, quoted: str, before: datetime) -> PullRow | None:
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

    def of_commit(self, oid: str) -> PullRow | None:
        """Find the pull request whose merge commit begins with these digits, where it is one alone."""
        wanted = oid.lower()
        pulls = self.by_number.values() if wanted else ()
        found = [pull for pull in pulls if (pull.merge_commit_oid or "").lower().startswith(wanted)]
        return found[0] if len(found) == 1 else None


@lru_cache(maxsize=32768)
def title_key(title: str) -> str:
    """Cut a title's trailing ``(#123)`` and give it one kind of blank and case: equal for equal titles."""
    plain = _SPACES.sub(" ", unicodedata.normalize("NFKC", title.replace("…", "\0"))).replace("\0", "…").strip()
    return _TRAILING_NUMBER.sub("", plain).casefold().strip()


def known_pulls(inputs: WeekInputs) -> KnownPulls:
    """Every pull request of the week and the stored weeks before it, indexed."""
    known = KnownPulls()
    for pull in sorted([*inputs.past_pulls, *inputs.pulls], key=lambda pull: (pull.merged_at, pull.number)):
        known.by_number[pull.number] = pull
    for pull in known.by_number.values():
        known.by_title.setdefault(title_key(pull.title), []).append(pull)
    return known
