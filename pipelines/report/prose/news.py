"""What a week brings that readers wait for: new support, what is deprecated or taken away, what is measured to be better.

Each is recognised by the title's own verb together with the kind of the change and its themes, or by a rule's flag.
"""

import re
from collections.abc import Iterable

from pipelines.report.model import PullFacts
from pipelines.report.prose.titles import Deed, deeds

_BRINGING = frozenset({"add", "support", "enable", "init", "introduce", "implement", "port"})
_TAKING = frozenset({"deprecate", "remove", "drop", "delete"})
#: Themes of models, platforms and devices: what is supported there is news to users.
_SUPPORTED = re.compile(
    r"^(models?|model-.*|accelerators|amd|apple|arm|cpu|gpu|hardware|intel|musa|npu|nvidia|platforms?|rocm|tpu|xpu)$"
)
_SUPPORT_WORDS = re.compile(r"\b(support|backend|platform|model|models)\b", re.IGNORECASE)
#: Kinds of change that users meet.
_USED = frozenset({"feature", "performance", "refactor"})


def arrivals(pulls: Iterable[PullFacts]) -> list[tuple[PullFacts, Deed]]:
    """Pull requests that bring support of a model, platform, device or backend, by rank."""
    return _ranked((pull, deed) for pull in pulls for deed in deeds(pull["title"])[:1] if _is_arrival(pull, deed))


def departures(pulls: Iterable[PullFacts]) -> list[tuple[PullFacts, Deed]]:
    """Pull requests that deprecate or remove something that users or callers could meet, by rank."""
    return _ranked((pull, deed) for pull in pulls for deed in deeds(pull["title"])[:1] if _is_departure(pull, deed))


def gains(pulls: Iterable[PullFacts]) -> list[PullFacts]:
    """Pull requests that claim to have measured a gain, by rank; none that was reverted."""
    return sorted((pull for pull in pulls if pull["claims"] and pull["reverted_by"] is None), key=lambda pull: pull["rank"])


def _is_arrival(pull: PullFacts, deed: Deed) -> bool:
    """Brought, not a fix or an addition to documents, and about something that is run or run on."""
    if deed.verb not in _BRINGING or pull["change_kind"] != "feature" or pull["reverted_by"] is not None:
        return False
    is_of_support = any(_SUPPORTED.match(theme) for theme in pull["themes"])
    return is_of_support and (deed.verb != "add" or _SUPPORT_WORDS.search(deed.what) is not None)


def _is_departure(pull: PullFacts, deed: Deed) -> bool:
    is_flagged = any(flag["rule"] in ("setting_removed", "interface_change") for flag in pull["risks"])
    is_used = pull["change_kind"] in _USED and pull["is_highlight"]
    return deed.verb in _TAKING and pull["reverted_by"] is None and (is_flagged or is_used or deed.verb == "deprecate")


def _ranked(found: Iterable[tuple[PullFacts, Deed]]) -> list[tuple[PullFacts, Deed]]:
    return sorted(found, key=lambda pair: pair[0]["rank"])
