"""What a follow-up is before it becomes a row, and what later weeks are looked at for it."""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Severity = Literal["low", "medium", "high"]
SEVERITY_ORDER: Mapping[str, int] = {"high": 0, "medium": 1, "low": 2}
#: Weeks a suggestion is kept: later the code has moved on, and a list that only grows is read by nobody.
WEEKS_KEPT = 4


@dataclass(frozen=True)
class Suggestion:
    """One suggestion: what it is about, on which measures and rows it stands, and the rule that a later week checks."""

    kind: str
    subject: str
    severity: str
    pull_requests: tuple[int, ...]
    done_when: str
    looks_for: Mapping[str, object]
    measures: Mapping[str, object] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    importance: float = 0.0

    def id_in(self, week: str) -> str:
        """Make its id: kind, week and subject, the same whenever it is made again."""
        return f"{self.kind}:{week}:{slug(self.subject)}"


@dataclass(frozen=True)
class Closing:
    """How a suggestion ended: done or moot, by which pull request (none: by time or by a state), in which week."""

    state: Literal["done", "moot"]
    number: int | None
    week: str


def slug(text: str) -> str:
    """Bring a subject into the form that stands in ids: letters, digits, and ``/._#-`` for the rest."""
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    return re.sub(r"[^\w./#]+", "-", plain).strip("-") or "all"


def as_json(tree: Mapping[str, object]) -> str:
    """Write an object with sorted keys, so that equal objects are equal texts."""
    return json.dumps(tree, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
