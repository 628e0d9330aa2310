"""Every feed of a published site held by a validating parser, and by the parser that feed readers use."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from pipelines.report.facts import report_from_rows
from pipelines.report.feed import feed_item, render_feed
from pipelines.warehouse import Warehouse
from tests.conftest import SAMPLE
from tests.unit.report.feed_rules import problems
from tests.unit.report.week_rows import typical_week

feedparser: Any = importlib.import_module("feedparser")  # it ships no types

SITE = "https://reports.example/"
LANGUAGES = ("en", "zh")
FEEDS = [f"{folder}feed.{language}.atom" for folder in ("", f"{SAMPLE}/") for language in LANGUAGES]


@pytest.fixture(scope="module")
def published(sample_site: Warehouse) -> frozenset[str]:
    """The address of every page of the sample's site."""
    reports = sample_site.root / "reports"
    return frozenset(SITE + path.relative_to(reports).as_posix() for path in reports.rglob("*.html"))


def test_the_feeds_held_here_are_all_that_the_site_has(sample_site: Warehouse) -> None:
    reports = sample_site.root / "reports"
    assert sorted(path.relative_to(reports).as_posix() for path in reports.rglob("*.atom")) == sorted(FEEDS)


@pytest.mark.parametrize("name", FEEDS)
def test_a_feed_of_the_sample_is_valid_and_every_link_leads_to_a_page(
    sample_site: Warehouse, published: frozenset[str], name: str
) -> None:
    content = (sample_site.root / "reports" / name).read_bytes()
    assert problems(content, SITE + name, published) == []


@pytest.mark.parametrize("name", FEEDS)
def test_a_reader_gets_six_weeks_with_whole_addresses_from_a_feed_of_the_sample(
    sample_site: Warehouse, published: frozenset[str], name: str
) -> None:
    language = Path(name).name.split(".")[1]
    content = (sample_site.root / "reports" / name).read_bytes()
    read = feedparser.parse(content, response_headers={"content-location": SITE + name, "content-type": "application/atom+xml"})
    assert (read.bozo, read.version, read.feed.language) == (False, "atom10", "zh-CN" if language == "zh" else "en")
    assert [entry.id.rsplit("/", 2)[1] for entry in read.entries] == [f"2026-W{week}" for week in range(17, 11, -1)]
    for entry in read.entries:
        assert entry.link in published
        assert entry.updated_parsed >= entry.published_parsed
        assert entry.content[0].type == "text/html"
        assert "<li>" in entry.content[0].value


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_feed_of_several_repositories_is_valid(language: str) -> None:
    items = [feed_item(report_from_rows(typical_week().build())) for _ in range(2)]
    items[1] |= {"repo": "acme/other", "host": "git.example"}
    assert problems(render_feed(items, language, repo=None, name="feed.atom"), f"{SITE}feed.atom") == []
    assert problems(render_feed([], language, repo=None, name="feed.atom"), f"{SITE}feed.atom") == []


#: What is done to a good feed, and what has to be said of it.
_BROKEN = {
    "no id": (r"<id>[^<]*</id>\s*<title>acme", "<title>acme", "grammar"),
    "no id of an entry": (r"(<entry>\s*)<id>[^<]*</id>", r"\1", "grammar"),
    "no title": (r"(<entry>.*?)<title>[^<]*</title>", r"\1", "grammar"),
    "no updated": (r"<updated>[^<]*</updated>", "", "grammar"),
    "two updated": (r"(<updated>[^<]*</updated>)", r"\1\1", "grammar"),
    "no author": (r"<author>.*?</author>", "", "no author"),
    "an author without a name": (r"<author>.*?</author>", "<author/>", "grammar"),
    "a date without a zone": (r"<updated>([^<]*)Z<", r"<updated>\1<", "grammar"),
    "a date that is none": (r"<updated>[^<]*<", "<updated>2026-02-30T06:00:00Z<", "grammar"),
    "a date in words": (r"<published>[^<]*<", "<published>Mon, 20 Apr 2026<", "grammar"),
    "an entry twice": (r"(<entry>.*</entry>)", r"\1\1", "stands 2 times"),
    "an id that is no address": (r"<id>[^<]*</id>", "<id>42</id>", "no absolute address"),
    "the feed newer than its entries": (r"<updated>[^<]*<", "<updated>2027-01-01T00:00:00Z<", "newest entry"),
    "changed before published": (r"<published>[^<]*<", "<published>2030-01-01T00:00:00Z<", "before it was published"),
    "no self": (r"<link rel=\"self\"[^>]*>", "", "self is []"),
    "another self": (r'href="feed.atom"', 'href="other.atom"', "self is"),
    "a link without an address": (r' href="index[^"]*"', "", "grammar"),
    "a link to nowhere": (r"2026-W17/report", "2026-W18/report", "nothing that is published"),
    "a link that runs": (r'href="index[^"]*"', 'href="javascript:x"', "leads to no page"),
    "two alternates": (r"(<link rel=\"alternate\"[^>]*>)", r"\1\1", "alternates of one kind"),
    "no language": (r' xml:lang="[^"]*"', "", "is no language"),
    "a language that is none": (r'xml:lang="[^"]*"', 'xml:lang="xx-nowhere"', "is no language"),
    "a language of another shape": (r'xml:lang="[^"]*"', 'xml:lang="zh_CN"', "grammar"),
    "a relative link without a base": (r"https://github.com/acme/lattice/pull", "pull", "and no base"),
    "a script": (r"&lt;ul&gt;", "&lt;script&gt;x&lt;/script&gt;&lt;ul&gt;", "<script> in content"),
    "a handler": (r"&lt;ul&gt;", '&lt;ul onclick="x"&gt;', "handler onclick"),
    "a tag left open": (r"&lt;ul&gt;", "&lt;b&gt;&lt;ul&gt;", "<b> is not closed"),
    "content of a kind that is none": (r'type="html"', 'type="markdown"', "grammar"),
    "an element of Atom out of place": (r"<entry>", "<entry><subtitle>x</subtitle>", "grammar"),
    "half a feed": (r"</entry>.*", "", "not XML"),
}  # fmt: skip


@pytest.mark.parametrize("flaw", _BROKEN)
def test_a_feed_with_a_flaw_is_refused_for_that_flaw(flaw: str) -> None:
    pattern, instead, expected = _BROKEN[flaw]
    location = f"{SITE}acme/lattice/feed.atom"
    published = frozenset(f"{SITE}acme/lattice/{name}.en.html" for name in ("index", "2026-W17/report"))
    good = render_feed([feed_item(report_from_rows(typical_week().build()))], "en", repo="acme/lattice", name="feed.atom").decode()
    assert problems(good.encode(), location, published) == []
    bad, changes = re.subn(pattern, instead, good, count=1, flags=re.DOTALL)
    assert changes == 1
    found = problems(bad.encode(), location, published)
    assert any(expected in each for each in found), found


def test_a_base_makes_relative_links_of_the_content_whole() -> None:
    item = feed_item(report_from_rows(typical_week().build()))
    item["contents"] = dict.fromkeys(LANGUAGES, '<p><a href="x.html">x</a></p>')
    feed = render_feed([item], "en", repo="acme/lattice", name="feed.atom").decode()
    assert problems(feed.encode(), f"{SITE}feed.atom") == ["relative href 'x.html' in content, and no base"]
    based = feed.replace('<content type="html">', f'<content type="html" xml:base="{SITE}">')
    assert problems(based.encode(), f"{SITE}feed.atom") == []
