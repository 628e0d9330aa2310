"""Links that GitHub's own events state: closing references, cross references and referring commits.

A cross reference stands on the pull request that was mentioned; what mentioned it is the later side of the link. Its
title is all that is known of it, so only words of a title count.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from pipelines.rules.inputs import PullRow, WeekInputs
from pipelines.rules.known_pulls import KnownPulls
from pipelines.rules.link_finders import Link, title_links
from pipelines.rules.rows import tuples

_COMMIT_LINE = re.compile(r"^(?P<title>.+?)\s*\(#(?P<number>\d{1,7})\)\s*$")


_COLUMNS = (
    *("number", "kind", "target_repo", "target_type", "target_number"),
    *("target_title", "target_state", "target_merged_at_utc", "created_at_utc"),
)


class _Event(NamedTuple):
    number: int
    kind: str
    target_repo: str | None
    target_type: str | None
    target: int | None
    target_title: str | None
    target_state: str | None
    target_merged_at: datetime | None
    created_at: datetime | None


def event_links(inputs: WeekInputs, known: KnownPulls) -> Iterator[Link]:
    """Every link that the week's rows of ``raw_references`` state."""
    rows = [_Event(*row) for row in tuples(inputs.raw, "raw_references", *_COLUMNS)]
    yield from _closed(rows, inputs.repo)
    for event in rows:
        is_ours = event.target_repo is None or event.target_repo.lower() == inputs.repo.lower()
        if not is_ours or event.target_title is None:
            continue
        if event.kind == "cross_referenced" and event.target_state == "MERGED" and event.target is not None:
            merged = event.target_merged_at or event.created_at
            yield from _of_later(event.number, event.target, event.target_title, merged, known, "reference")
        line = _COMMIT_LINE.match(event.target_title) if event.kind == "referenced" else None
        if line:
            yield from _of_later(event.number, int(line["number"]), line["title"], event.created_at, known, "commit")


def _closed(events: list[_Event], repo: str) -> Iterator[Link]:
    for event in events:
        closes = event.kind == "closes" or (event.kind == "connected" and event.target_type == "issue")
        if closes and event.target is not None:
            elsewhere = event.target_repo or repo
            place = "closing" if event.kind == "closes" else "reference"
            yield Link(
                event.number,
                "closes",
                "" if elsewhere.lower() == repo.lower() else elsewhere,
                event.target,
                f"event_{event.kind}",
                place,
                f"{event.kind} #{event.target}",
                target_title=event.target_title,
            )


def _of_later(number: int, later: int, title: str, when: datetime | None, known: KnownPulls, place: str) -> Iterator[Link]:
    """Yield the links from a later pull request, known by its title only, to the one it mentioned."""
    if later == number or when is None:
        return
    for link in title_links(PullRow("", later, title, "", "", when, None), known):
        if link.target == number and not link.target_repo and link.kind != "closes":
            yield Link(later, link.kind, "", number, link.rule, place, title[:80], merged_at=when)
