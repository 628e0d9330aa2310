"""One card a published week: what the index pages show of it, in ``card.json`` beside its report.

A card is a choice of values of ``report.json``, so that an index of hundreds of weeks need not read hundreds of reports.
"""

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypedDict, cast

from pipelines.errors import PullweekError
from pipelines.report.feed import FeedItem, feed_item
from pipelines.report.folders import identity
from pipelines.report.json_text import indented
from pipelines.report.model import Report
from pipelines.report.page import read_report
from pipelines.settings import repository_name
from pipelines.weeks import Week, parse_week

CARD = "card.json"
CARD_VERSION = 2


class Card(TypedDict):
    """What an index shows of a week."""

    card_version: int
    repo: str
    week: str
    first_day: str
    last_day: str
    timezone: str
    data_as_of: str
    state: str
    revised: bool
    merged: int
    change: float | int | None  # of the merged, against their usual
    series: list[float | int | None]
    highlights: int
    risks: dict[str, int]  # pull requests by the gravest of their risks
    headline: dict[str, str]  # language -> plain text
    feed: FeedItem


def card_of(report: Report) -> Card:
    """The card of a report."""
    tile = next((tile for tile in report["tiles"] if tile["key"] == "merged_count"), None)
    gravest = [_gravest([risk["severity"] for risk in pull["risks"]]) for pull in report["pull_requests"] if pull["risks"]]
    return {
        "card_version": CARD_VERSION,
        "repo": report["repo"],
        "week": report["week"],
        "first_day": report["days"]["first"],
        "last_day": report["days"]["last"],
        "timezone": report["window"]["timezone"],
        "data_as_of": report["data_as_of"],
        "state": report["coverage"]["state"],
        "revised": report["coverage"]["revised"],
        "merged": len(report["pull_requests"]),
        "change": tile["change"] if tile else None,
        "series": tile["series"] if tile else [],
        "highlights": len(report["highlights"]),
        "risks": {level: gravest.count(level) for level in ("high", "medium", "low")},
        "headline": {language: _plain(prose["headline"]["parts"]) for language, prose in sorted(report["prose"].items())},
        "feed": feed_item(report),
    }


def _gravest(levels: Iterable[str]) -> str:
    found = set(levels)
    return next(level for level in ("high", "medium", "low") if level in found)


def _plain(parts: Iterable[Any]) -> str:
    return "".join(part["text"] if "text" in part else part["shown"] for part in parts)


def card_bytes(card: Card) -> bytes:
    """The card as a file."""
    return (indented(card) + "\n").encode()


def read_card(folder: Path) -> Card:
    """The card of a published week, made anew from its report where it is damaged or of another version of this program.

    :class:`ReportError` where the report cannot be read either. Nobody may change it: it is read once for all who ask.
    """
    try:
        read = _stored_card(folder / CARD, identity(folder / CARD))
    except (OSError, ValueError):
        read = None
    if isinstance(read, dict) and read.get("card_version") == CARD_VERSION:
        return cast("Card", read)
    return card_of(read_report(folder / "report.json"))


# Two indexes and four feeds ask for each week's card, and the next week that is published asks again.
@lru_cache(maxsize=1024)
def _stored_card(path: Path, _identity: tuple[int, int, int]) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def published_weeks(folder: Path) -> list[Week]:
    """The published weeks of a repository's folder, oldest first; other folders are not weeks."""
    found = []
    for card in folder.glob(f"*-W*/{CARD}"):
        try:
            found.append(parse_week(card.parent.name))
        except PullweekError:
            continue
    return sorted(found)


def published_repositories(reports: Path) -> list[str]:
    """Every repository with a published week below the reports' folder, sorted."""
    found = set()
    for card in reports.glob(f"*/*/*-W*/{CARD}"):
        name = "/".join(card.parts[-4:-2])
        try:
            found.add(repository_name(name))
        except PullweekError:
            continue
    return sorted(found)
