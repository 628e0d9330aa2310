"""What joins the published weeks: index pages, the links between neighbours, the feeds, and ``latest/``.

Everything here is made of what is published, so that it is the same whatever the order the weeks were made in:
``refresh`` looks at the folder and rewrites only what differs.
"""

import contextlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pipelines.report.charts_spark import spark
from pipelines.report.contents import links_in
from pipelines.report.feed import MOST_ENTRIES, render_feed
from pipelines.report.folders import exchange, identity, write_if_changed
from pipelines.report.index_cards import Card, published_repositories, published_weeks, read_card
from pipelines.report.page_frame import frame, week_links, with_neighbours
from pipelines.report.render import macro, other_languages
from pipelines.report.words import Words, languages
from pipelines.warehouse import replace_file
from pipelines.weeks import Week, week_range

LATEST = "latest"


@dataclass(frozen=True)
class Entry:
    """A row of a repository's index: a published week, or a gap."""

    week: str
    year: int
    card: Card | None


class IndexContext:
    """What the index templates are given."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.words = Words(language)
        self.t = self.words.t
        self.others = [Words(other) for other in other_languages(language)]
        self.spark = spark


def entries_of(folder: Path) -> list[Entry]:
    """Every week from the first published to the last, newest first, gaps named."""
    weeks = published_weeks(folder)
    published = set(weeks)
    every = week_range(weeks[0], weeks[-1]) if weeks else iter(())
    made = [Entry(str(week), week.year, read_card(folder / str(week)) if week in published else None) for week in every]
    return made[::-1]


def repository_index(repo: str, entries: Sequence[Entry], language: str) -> str:
    """The index of a repository: by year, newest week first."""
    context = IndexContext(language)
    years = sorted({entry.year for entry in entries}, reverse=True)
    by_year = [(year, [entry for entry in entries if entry.year == year]) for year in years]
    content = macro("pages/index.html.j2", "repository", context, repo, by_year, sum(entry.card is not None for entry in entries))
    return frame(context.words, context.t("page.index.repo_title", repo=repo), kind="index").around(str(content))


def front_index(latest: Sequence[tuple[str, int, Card]], language: str) -> str:
    """The front page: each repository with its newest week."""
    context = IndexContext(language)
    content = macro("pages/index.html.j2", "front", context, latest)
    return frame(context.words, context.t("page.index.front_title"), kind="index").around(str(content))


def neighbours(weeks: Sequence[Week], week: Week) -> tuple[str | None, str | None]:
    """The nearest published weeks before and after."""
    before, after = [each for each in weeks if each < week], [each for each in weeks if each > week]
    return (str(before[-1]) if before else None, str(after[0]) if after else None)


def link_neighbours(folder: Path, weeks: Sequence[Week], week: Week) -> None:
    """Give a week's pages the links to its published neighbours."""
    earlier, later = neighbours(weeks, week)
    for language in languages():
        page = folder / f"report.{language}.html"
        if page.exists() and _links_in(page, identity(page)) != week_links(language, earlier, later):
            html = page.read_text(encoding="utf-8")
            replace_file(page, with_neighbours(html, language, earlier, later).encode())


# Every week that is published asks this of all weeks published before, and nearly always finds what it found last time.
@lru_cache(maxsize=2048)
def _links_in(page: Path, _identity: tuple[int, int, int]) -> str | None:
    return links_in(page.read_text(encoding="utf-8"))


def refresh(reports: Path, repo: str) -> list[Path]:
    """Bring everything around a repository's published weeks up to date; the files that stand there afterwards."""
    folder = reports / repo
    weeks = published_weeks(folder)
    for week in weeks:
        link_neighbours(folder / str(week), weeks, week)
    made = []
    entries = entries_of(folder)
    newest = [(repo, week) for week in weeks[::-1][:MOST_ENTRIES]]
    for language in languages():
        made += [folder / f"index.{language}.html", folder / feed_name(language)]
        write_if_changed(made[-2], repository_index(repo, entries, language).encode())
        _feed(made[-1], reports, newest, language, repo)
    if weeks:
        made.append(_latest(folder, weeks[-1]))
    return [*made, *refresh_front(reports)]


def refresh_front(reports: Path) -> list[Path]:
    """The front page of all repositories and their common feed, a file a language."""
    weeks = {repo: published_weeks(reports / repo) for repo in published_repositories(reports)}
    latest = [(repo, len(found), read_card(reports / repo / str(found[-1]))) for repo, found in weeks.items() if found]
    newest = sorted(((week, repo) for repo, found in weeks.items() for week in found), reverse=True)[:MOST_ENTRIES]
    made = []
    for language in languages():
        made += [reports / f"index.{language}.html", reports / feed_name(language)]
        write_if_changed(made[-2], front_index(latest, language).encode())
        _feed(made[-1], reports, [(repo, week) for week, repo in newest], language, None)
    return made


def feed_name(language: str) -> str:
    """The file of a feed."""
    return f"feed.{language}.atom"


def _feed(path: Path, reports: Path, weeks: Sequence[tuple[str, Week]], language: str, repo: str | None) -> None:
    """Write the feed of these weeks; what it says of when they changed stands on the feed that lies there."""
    items = [read_card(reports / name / str(week))["feed"] for name, week in weeks]
    previous = path.read_bytes() if path.exists() else None
    write_if_changed(path, render_feed(items, language, repo=repo, name=path.name, previous=previous))


def _latest(folder: Path, week: Week) -> Path:
    """``latest/``: the newest week's files under a name that stays. Hard links, so that it costs no room."""
    final, staged = folder / LATEST, folder / f".{LATEST}.{os.getpid()}"
    shutil.rmtree(staged, ignore_errors=True)
    shutil.copytree(folder / str(week), staged, copy_function=_link)
    exchange(staged, final)
    shutil.rmtree(staged, ignore_errors=True)
    return final


def _link(source: str, target: str) -> str:
    with contextlib.suppress(OSError):  # a file system without hard links gets a copy
        os.link(source, target)
        return target
    return str(shutil.copy2(source, target))
