"""Links that GitHub's own events state: closing references, cross references and referring commits.

A cross reference stands on the pull request that was mentioned; what mentioned it is the later side of the link. Its
title is all that is known of it, so only words of a title count.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pandas as pd

from pipelines.rules.inputs import WeekInputs
from pipelines.rules.known_pulls import KnownPull, KnownPulls
from pipelines.rules.link_finders import Link, title_links

_COMMIT_LINE = re.compile(r"^(?P<title>.+?)\s*\(#(?P<number>\d{1,7})\)\s*$")


def event_links(inputs: WeekInputs, known: KnownPulls) -> Iterator[Link]:
    """Every link that the week's rows of ``raw_references`` state."""
    rows = inputs.raw["raw_references"]
    yield from _closed(rows, inputs.repo)
    ours = rows[rows["target_repo"].isna() | (rows["target_repo"].str.lower() == inputs.repo.lower())].dropna(
        subset=["target_title"]
    )
    crossed = ours[(ours["kind"] == "cross_referenced") & (ours["target_state"] == "MERGED")].dropna(subset=["target_number"])
    merged = crossed["target_merged_at_utc"].fillna(crossed["created_at_utc"])
    for number, later, title, when in _together(crossed["number"], crossed["target_number"], crossed["target_title"], merged):
        yield from _of_later(int(number), int(later), title, when, known, "reference")
    commits = ours[ours["kind"] == "referenced"]
    for number, title, when in _together(commits["number"], commits["target_title"], commits["created_at_utc"]):
        line = _COMMIT_LINE.match(title)
        if line:
            yield from _of_later(int(number), int(line["number"]), line["title"], when, known, "commit")


def _closed(rows: pd.DataFrame, repo: str) -> Iterator[Link]:
    closing = rows[(rows["kind"] == "closes") | ((rows["kind"] == "connected") & (rows["target_type"] == "issue"))]
    closing = closing.dropna(subset=["target_number"])
    where = closing["target_repo"].fillna(repo).where(closing["target_repo"].fillna(repo).str.lower() != repo.lower(), "")
    titles = closing["target_title"].astype(object).where(closing["target_title"].notna(), None)
    for number, kind, target_repo, target, title in _together(
        closing["number"], closing["kind"], where, closing["target_number"], titles
    ):
        place = "closing" if kind == "closes" else "reference"
        yield Link(int(number), "closes", target_repo, int(target), f"event_{kind}", place, f"{kind} #{target}", target_title=title)


def _together(*columns: "pd.Series[Any]") -> Iterator[tuple[Any, ...]]:
    return zip(*(column.tolist() for column in columns), strict=True)


def _of_later(number: int, later: int, title: str, when: datetime, known: KnownPulls, place: str) -> Iterator[Link]:
    """Yield the links from a later pull request, known by its title only, to the one it mentioned."""
    if later == number or pd.isna(when):
        return
    for link in title_links(KnownPull(later, title, "", when, "", ""), known):
        if link.target == number and not link.target_repo and link.kind != "closes":
            yield Link(later, link.kind, "", number, link.rule, place, title[:80], merged_at=when)
