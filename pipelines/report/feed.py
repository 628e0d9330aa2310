"""Atom feeds of published weeks: one a repository and one for all, a language each.

An entry's id is a ``tag:`` address made of host, first day, repository, week and language: it never changes.
``updated`` is the data's instant when the entry's content last changed: a fetch that changes nothing moves nothing,
and so the feed published before is taken into account. Without it, and so from scratch, it is the data's own instant.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import TypedDict
from urllib.parse import urlsplit

import defusedxml.ElementTree as Defused  # type: ignore[import-untyped]  # because: it ships no types

from pipelines.report.model import Report
from pipelines.report.prose.realise import plain
from pipelines.report.rich import Html, Writer
from pipelines.report.words import Words

ATOM = "http://www.w3.org/2005/Atom"
_XML = "http://www.w3.org/XML/1998/namespace"
#: A year of weeks: readers that poll seldom miss nothing, and the file stays small.
MOST_ENTRIES = 53
#: In the id of the feed of all repositories, which may lie on several hosts: a name that nobody can own.
_NO_HOST = "pullweek.invalid"
#: What XML 1.0 forbids. Texts are cleaned where they come in; a feed that does not parse would be lost whole.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class FeedItem(TypedDict):
    """What a feed shows of a week, by language: small, so that a feed of a year need not read a year of reports."""

    repo: str
    week: str
    host: str
    first_day: str
    published: str
    data_as_of: str
    titles: dict[str, str]
    contents: dict[str, str]  # HTML


def feed_item(report: Report) -> FeedItem:
    """The item of a report: title, and executive summary with the headings of key changes, in every language."""
    languages = sorted(report["prose"])
    return {
        "repo": report["repo"],
        "week": report["week"],
        "host": urlsplit(report["repo_url"]).hostname or _NO_HOST,
        "first_day": report["days"]["first"],
        "published": report["window"]["end"],
        "data_as_of": report["data_as_of"],
        "titles": {language: _title(report, Words(language)) for language in languages},
        "contents": {language: _content(report, Words(language)) for language in languages},
    }


def render_feed(items: Sequence[FeedItem], language: str, *, repo: str | None, name: str, previous: bytes | None = None) -> bytes:
    """The feed of these items, newest week first, as UTF-8 XML; ends with a line feed.

    With ``repo`` it is that repository's own feed, whose links lead from its folder to ``<week>/report.<lang>.html``;
    with None it is the feed of all, and links lead to ``<owner>/<name>/<week>/...``. ``name`` is the file's own,
    ``previous`` the feed published before.
    """
    ET.register_namespace("", ATOM)
    ordered = sorted(items, key=lambda item: (item["week"], item["repo"]), reverse=True)[:MOST_ENTRIES]
    before = _before(previous)
    entries = [_entry(item, language, before, one_repo=repo is not None) for item in ordered]
    feed = _head(ordered, repo, Words(language), name, max((_text(entry, "updated") for entry in entries), default=_EPOCH))
    feed.extend(entries)
    ET.indent(feed, space=" ")
    content: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return content.rstrip(b"\n") + b"\n"


def entry_id(item: FeedItem, language: str) -> str:
    """The address by which readers know an entry, whatever becomes of files and servers."""
    return f"tag:{item['host']},{item['first_day']}:pullweek/{item['repo']}/{item['week']}/{language}"


def _head(ordered: Sequence[FeedItem], repo: str | None, words: Words, name: str, updated: str) -> ET.Element:
    feed = ET.Element(f"{{{ATOM}}}feed", {f"{{{_XML}}}lang": words.html_language})
    host = _NO_HOST if repo is None or not ordered else ordered[0]["host"]
    title = words.t("feed.title_all") if repo is None else words.t("feed.title", repo=repo)
    # The day stands for the program's own: RFC 4151 wants a date on which the name was in use, and one that stays.
    _add(feed, "id", f"tag:{host},2026-01-01:pullweek/{repo or 'all'}/{words.language}")
    _add(feed, "title", title)
    _add(feed, "updated", updated)
    _link(feed, "self", "application/atom+xml", name)
    _link(feed, "alternate", "text/html", f"index.{words.language}.html")
    _add(ET.SubElement(feed, f"{{{ATOM}}}author"), "name", "pullweek")
    _add(feed, "generator", "pullweek")
    return feed


#: What a feed without an entry says: Atom wants an instant.
_EPOCH = "1970-01-01T00:00:00Z"


def _entry(item: FeedItem, language: str, before: dict[str, tuple[str, ...]], *, one_repo: bool) -> ET.Element:
    entry = ET.Element(f"{{{ATOM}}}entry")
    folder = item["week"] if one_repo else f"{item['repo']}/{item['week']}"
    identity, title, content = entry_id(item, language), item["titles"][language], item["contents"][language]
    kept = before.get(identity, ())
    unchanged = kept[1:] == (_clean(title), _clean(content))
    _add(entry, "id", identity)
    _add(entry, "title", title)
    _add(entry, "updated", kept[0] if unchanged else item["data_as_of"])
    _add(entry, "published", item["published"])
    _link(entry, "alternate", "text/html", f"{folder}/report.{language}.html")
    _add(entry, "content", content).set("type", "html")
    return entry


def _title(report: Report, words: Words) -> str:
    headline = "".join(plain(part) for part in report["prose"][words.language]["headline"]["parts"])
    return words.t("feed.entry", repo=report["repo"], week=report["week"], headline=headline)


def _content(report: Report, words: Words) -> str:
    """Executive summary and key changes' headings as HTML."""
    prose = report["prose"][words.language]
    writer = Writer(Html(), report["repo_url"], "")
    summary = "".join(f"<li>{writer.parts(sentence['parts'])}</li>" for sentence in prose["summary"])
    groups = "".join(f"<li>{writer.parts(group['heading'])}</li>" for group in prose["groups"])
    made = f"<ul>{summary}</ul>"
    return f"{made}<p>{writer.rich.ours(words.t('page.section.changes'))}</p><ul>{groups}</ul>" if groups else made


def _before(previous: bytes | None) -> dict[str, tuple[str, ...]]:
    """Of each entry of an earlier feed: updated, title, content. A feed that does not parse counts as none."""
    if not previous:
        return {}
    try:
        root = Defused.fromstring(previous)
    except (ET.ParseError, ValueError):
        return {}
    entries = root.findall(f"{{{ATOM}}}entry")
    return {_text(entry, "id"): tuple(_text(entry, name) for name in ("updated", "title", "content")) for entry in entries}


def _text(entry: ET.Element, name: str) -> str:
    return entry.findtext(f"{{{ATOM}}}{name}") or ""


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)


def _add(parent: ET.Element, name: str, text: str) -> ET.Element:
    element = ET.SubElement(parent, f"{{{ATOM}}}{name}")
    element.text = _clean(text)
    return element


def _link(parent: ET.Element, rel: str, kind: str, href: str) -> None:
    ET.SubElement(parent, f"{{{ATOM}}}link", {"rel": rel, "type": kind, "href": href})
