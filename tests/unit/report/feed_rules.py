"""What is wrong with a feed: held against RFC 4287's grammar and the rules that a grammar cannot say."""

import importlib
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from babel import Locale, UnknownLocaleError

etree: Any = importlib.import_module("lxml.etree")  # it ships no types

ATOM = "http://www.w3.org/2005/Atom"
_A = f"{{{ATOM}}}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_LINKING = frozenset({"href", "src", "action", "formaction", "poster", "cite", "data", "background"})
#: What readers strip or must never run.
_UNSAFE = frozenset({"script", "style", "iframe", "object", "embed", "form", "link", "meta", "base"})


@cache
def _grammar() -> Any:
    return etree.RelaxNG(etree.parse(str(Path(__file__).with_name("feed_rules.rng"))))


def problems(content: bytes, location: str, published: frozenset[str] | None = None) -> list[str]:
    """What is wrong with a feed fetched from ``location``; with ``published``, every page that it may lead to, as addresses."""
    try:
        root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except etree.XMLSyntaxError as error:
        return [f"not XML: {error}"]
    grammar = _grammar()
    if not grammar.validate(root):
        return [f"grammar: line {entry.line}: {entry.message}" for entry in grammar.error_log]
    return [*_identity(root), *_times(root), *_people(root), *_language(root), *_links(root, location, published), *_contents(root)]


def _identity(root: Any) -> Iterator[str]:
    ids = [element.text or "" for element in root.iter(f"{_A}id")]
    yield from (f"id {each!r} stands {n} times" for each, n in sorted(Counter(ids).items()) if n > 1)
    yield from (f"id {each!r} is no absolute address" for each in ids if not urlsplit(each).scheme)


def _times(root: Any) -> Iterator[str]:
    entries = root.findall(f"{_A}entry")
    changed = [_instant(entry, "updated") for entry in entries]
    if changed and _instant(root, "updated") != max(changed):
        yield "the feed's updated is not that of its newest entry"
    for entry in entries:
        if entry.find(f"{_A}published") is not None and _instant(entry, "published") > _instant(entry, "updated"):
            yield f"{entry.findtext(f'{_A}id')} was changed before it was published"


def _instant(element: Any, name: str) -> datetime:
    return datetime.fromisoformat(element.findtext(f"{_A}{name}"))


def _people(root: Any) -> Iterator[str]:
    named = root.find(f"{_A}author/{_A}name") is not None
    entries = root.findall(f"{_A}entry")
    if not named and not (entries and all(entry.find(f"{_A}author") is not None for entry in entries)):
        yield "no author"


def _language(root: Any) -> Iterator[str]:
    language = root.get(f"{_XML}lang") or ""
    try:
        Locale.parse(language, sep="-")
    except (UnknownLocaleError, ValueError):
        yield f"xml:lang {language!r} is no language"


def _base(element: Any, location: str) -> str:
    """What relative addresses of an element stand on: ``xml:base`` of it and those above, then where the feed lies."""
    above = element.getparent()
    own: str = element.get(f"{_XML}base") or ""
    return urljoin(location if above is None else _base(above, location), own)


def _links(root: Any, location: str, published: frozenset[str] | None) -> Iterator[str]:
    own = [urljoin(_base(link, location), link.get("href")) for link in root.findall(f"{_A}link") if link.get("rel") == "self"]
    if own != [location]:
        yield f"self is {own}, and the feed lies at {location}"
    for element in (root, *root.findall(f"{_A}entry")):
        alternate = [link for link in element.findall(f"{_A}link") if link.get("rel", "alternate") == "alternate"]
        kinds = Counter((link.get("type"), link.get("hreflang")) for link in alternate)
        yield from (f"{n} alternates of one kind {kind}" for kind, n in kinds.items() if n > 1)
        if not alternate and element.find(f"{_A}content") is None:
            yield "neither content nor an alternate"
        for link in alternate:
            found = urljoin(_base(link, location), link.get("href"))
            if urlsplit(found).scheme not in ("http", "https"):
                yield f"link {found!r} leads to no page"
            elif published is not None and found not in published:
                yield f"link {found!r} leads to nothing that is published"


def _contents(root: Any) -> Iterator[str]:
    for content in root.iter(f"{_A}content", f"{_A}summary", f"{_A}title"):
        if content.get("type") == "html":
            reader = _Html(is_based=bool(urlsplit(_base(content, "")).scheme))
            reader.feed(content.text or "")
            reader.close()
            yield from reader.found
            yield from (f"<{tag}> is not closed" for tag in reader.open)


class _Html(HTMLParser):
    """What breaks or runs where HTML is shown on a reader's own page."""

    def __init__(self, *, is_based: bool) -> None:
        super().__init__()
        self.is_based = is_based
        self.found: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSAFE:
            self.found.append(f"<{tag}> in content")
        if tag not in ("br", "hr", "img"):
            self.open.append(tag)
        for name, value in attrs:
            scheme = urlsplit(value or "").scheme
            if name.startswith("on"):
                self.found.append(f"handler {name} in content")
            elif name in _LINKING and not scheme and not self.is_based:
                self.found.append(f"relative {name} {value!r} in content, and no base")
            elif name in _LINKING and scheme not in ("", "http", "https", "mailto"):
                self.found.append(f"{name} {value!r} in content")

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1:] == [tag]:
            self.open.pop()
        else:
            self.found.append(f"</{tag}> closes nothing")
