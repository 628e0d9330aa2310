"""What a pull request does, as a phrase whose subject is its author or itself: by its title's verbs, else by its kind."""

import re

from pipelines.report.model import PullFacts
from pipelines.report.prose.say import Clauses, Listed, Quote, Say, Slot
from pipelines.report.prose.texts import link_target
from pipelines.report.prose.titles import Deed, bare, deeds

#: Words that begin a clause or a phrase rather than name a thing: "choose which flavors to push", "partition by minimum cut".
_NO_OBJECT = re.compile(
    r"(?:which|what|how|whether|when|where|why|if|that|by|from|in|into|on|onto|with|without|not|only)\s", re.IGNORECASE
)
_BRINGING = frozenset({"add", "create", "implement", "introduce"})
_MOST_DEEDS = 3
_MOST_TARGETS = 3


def does(pull: PullFacts) -> Slot:
    """That it takes something back or brings it back, where its links show that; else what its title says."""
    for kind in ("reverts", "relands"):
        targets = [link for link in pull["links"] if link["direction"] == "from" and link["kind"] == kind]
        if targets:
            listed = Listed(tuple(link_target(pull, link) for link in targets[:_MOST_TARGETS]))
            return Say(f"prose.does.{kind}", {"targets": listed})
    return titled(pull)


def titled(pull: PullFacts) -> Slot:
    """What its title says it does, its words verbatim: untrusted text, cut where it has too many clauses."""
    said = deeds(pull["title"])[:_MOST_DEEDS]
    if said:
        return Clauses(tuple(Say(f"prose.verb.{deed.verb}", {"what": _object(deed)}) for deed in said), "prose.between_deeds")
    slots: dict[str, Slot] = {"what": Quote(bare(pull["title"]))}
    key = f"prose.does.{pull['change_kind']}"
    return Say(key, slots, otherwise=Say("prose.does.chore", slots))


def _object(deed: Deed) -> Slot:
    """What is done to; a clause or a phrase that is no object stands as a quotation where the verb is of another language."""
    if _NO_OBJECT.match(deed.what):
        return Say("prose.object.phrase", {"what": Quote(deed.what)})
    return Quote(deed.what, is_object=True, is_new=deed.verb in _BRINGING)


def is_told_by_links(pull: PullFacts) -> bool:
    """Whether :func:`does` says what it takes or brings back rather than its title."""
    return any(link["direction"] == "from" and link["kind"] in ("reverts", "relands") for link in pull["links"])
