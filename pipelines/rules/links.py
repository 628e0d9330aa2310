"""Links from a pull request to another: reverts, relands, fixes, follows, series, backports, closes.

Evidence comes from titles, branches, commits, GitHub's own events and, last, descriptions. A bare ``#12`` is no link.
What a description alone claims is believed least: a revert or reland claimed there needs a title that says so, or a
file that both changed. Where the same link is found twice the stronger place stands.

A later pull request may be known only by the event it left on one of this week; its link is recorded here too.
Known gaps: a target outside the stored weeks has no title; a revert pushed without a pull request has no number.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pandas as pd

from pipelines.rules.inputs import WeekInputs
from pipelines.rules.known_pulls import KnownPulls, known_pulls
from pipelines.rules.link_events import event_links
from pipelines.rules.link_finders import Finder, Link
from pipelines.rules.rows import Frames, frame_of
from pipelines.rules.series import part_before, place_of
from pipelines.rules.stories import Stories, stories_of

#: Where a link was found, most reliable first: what maintainers see and GitHub makes outranks free text.
_PLACES = ("title", "branch", "commit", "closing", "reference", "body")
#: What a link's two sides cannot be in reverse: the other side must have been merged before this one.
_LATER_THAN_TARGET = frozenset({"reverts", "relands", "fixes", "follows", "backports", "series"})


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:  # noqa: ARG001  # because: every step has this signature
    """One row per link from a pull request to another, by kind."""
    known = known_pulls(inputs)
    finder = Finder(inputs, known)
    found = [*finder.links(), *series_links(known, inputs.week), *event_links(inputs, known)]
    sound = [ours for link in found if _is_sound(ours := _within(inputs.repo, link), known)]
    links = sorted(_strongest(sound), key=_key)
    return _frame(links, inputs.repo, known, _stories(links, inputs))


def series_links(known: KnownPulls, week: str) -> Iterator[Link]:
    """Links of this week's parts of a series to the part before."""
    placed = [(pull, place) for pull in known.by_number.values() if (place := place_of(pull.title)) is not None]
    for pull, place in placed:
        if pull.week != week or pull.title.lower().lstrip("[ ").startswith(("revert", "rollback")):
            continue
        before = part_before(pull, place, placed)
        if before is not None:
            yield Link(pull.number, "series", "", before.number, "series_position", "title", place.evidence, place.position)


def _within(repo: str, link: Link) -> Link:
    """The link, its own repository unnamed: by address (owner/name/pull/1) and by number it is one link."""
    return replace(link, target_repo="") if link.target_repo.lower() == repo.lower() else link


def _is_sound(link: Link, known: KnownPulls) -> bool:
    if link.target_repo:
        return link.kind in {"follows", "fixes", "closes", "backports"}
    this, other = known.by_number.get(link.number), known.by_number.get(link.target)
    if link.target < 1 or link.target == link.number:
        return False
    if this is None or other is None or link.kind not in _LATER_THAN_TARGET:
        return True
    return other.merged_at <= this.merged_at


def _strongest(links: Iterable[Link]) -> list[Link]:
    best: dict[tuple[int, str, str, int], Link] = {}
    for link in links:
        key = (link.number, link.kind, link.target_repo.lower(), link.target)
        if key not in best or _strength(link) < _strength(best[key]):
            best[key] = link
    fixed = {
        (link.number, link.target_repo.lower(), link.target) for link in best.values() if link.kind not in {"follows", "closes"}
    }
    # "Follow-up to #1 that fixes what #1 broke" is one link, the more telling one.
    return [
        link
        for link in best.values()
        if link.kind != "follows" or (link.number, link.target_repo.lower(), link.target) not in fixed
    ]


def _strength(link: Link) -> tuple[int, str, str]:
    return (_PLACES.index(link.found_in), link.rule, link.evidence)


def _key(link: Link) -> tuple[int, str, str, int]:
    return (link.number, link.kind, link.target_repo.lower(), link.target)


def _stories(links: list[Link], inputs: WeekInputs) -> Stories:
    own = [(link.number, link.target) for link in links if _joins(link)]
    pairs = [*own]
    columns = ("number", "kind", "target_repo", "target_number", "story")
    for number, kind, target_repo, target, story in inputs.past("derived_links", *columns):
        if kind != "closes" and target_repo.lower() == inputs.repo.lower():
            pairs.append((number, target))
            # A chain keeps its key after its first links have left the twelve weeks.
            pairs += [(number, int(story))] if story is not None else []
    return stories_of(pairs)


def _joins(link: Link) -> bool:
    return link.kind != "closes" and not link.target_repo


def _frame(links: list[Link], repo: str, known: KnownPulls, stories: Stories) -> pd.DataFrame:
    return frame_of("derived_links", [_row(link, repo, known, stories) for link in links])


def _row(link: Link, repo: str, known: KnownPulls, stories: Stories) -> dict[str, object]:
    this, other = known.by_number.get(link.number), None if link.target_repo else known.by_number.get(link.target)
    merged_at = link.merged_at or (this.merged_at if this else None)
    hours = (merged_at - other.merged_at).total_seconds() / 3600 if merged_at and other else None
    return {
        "number": link.number,
        "kind": link.kind,
        "target_repo": link.target_repo or repo,
        "target_number": link.target,
        "rule": link.rule,
        "found_in": link.found_in,
        "evidence": link.evidence,
        "target_title": other.title if other else link.target_title,
        "target_week": other.week if other else None,
        "hours_between": hours,
        "position": link.position,
        "story": str(stories.key(link.number)) if _joins(link) else None,
    }
