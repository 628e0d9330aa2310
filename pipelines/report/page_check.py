"""Whether a rendered page may be published: its policy, and that nothing runs or is fetched from elsewhere.

A page is read by the narrow grammar that our templates write, not by HTML's: elements and attributes of known names,
values in double quotes, the five escaped signs, no ``<`` or ``>`` outside a tag. What this grammar does not know is a
problem, so a page that passes is one that every browser cuts into the same tags.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from html import unescape

from pipelines.errors import ReportError
from pipelines.report.contents import WEEKS_BEGIN, WEEKS_END
from pipelines.report.page_frame import digest

#: Every element that a template writes: none loads anything, and none but title, style and script holds anything but markup.
_WRITTEN = """
    html head meta title link style script body main header footer nav section article
    h1 h2 h3 p a br span strong small bdi code time ul ol li dl dt dd div details summary figure figcaption label input output
    table caption thead tbody tr th td svg circle path rect text
"""
_ELEMENTS = frozenset(_WRITTEN.split())
# Attributes by which a page would fetch something when it is opened; a link that a reader follows is none.
_FETCHING = frozenset(
    {"src", "srcset", "srcdoc", "poster", "data", "background", "action", "formaction", "ping", "manifest", "xlink:href"}
)
#: Where ``href`` is followed by the reader, or is the icon that is none; in SVG it would fetch.
_LINKING = frozenset({"a", "link"})
_SAFE_LINK = re.compile(r"(https?://|#|\.\./|[A-Za-z0-9._\-]+(/|\.|$))[^\x00-\x20]*")
#: What browsers read as text until its end tag. No ``<`` but before a space or ``=`` may stand in it: any other could end
#: it, or begin markup where SVG makes it no text.
_INLINE = {name: re.compile(f"<{name}>((?:[^<]++|<(?=[ =]))*+)</{name}>") for name in ("style", "script")}
_TAG = re.compile(r"<[^<>]*>")
_VALUE = r'"(?:[^"&]|&(?:amp|lt|gt|quot|#34|#39|#x27);)*"'
_OPENING = re.compile(rf"<([a-z][a-z0-9]*)((?: [A-Za-z][A-Za-z0-9:-]*(?:={_VALUE})?)*)/?>")
_ATTRIBUTE = re.compile(r' ([A-Za-z][A-Za-z0-9:-]*)(?:="([^"]*)")?')
_CLOSING = re.compile(r"</([a-z][a-z0-9]*)>")
_NO_ELEMENT = frozenset({"<!DOCTYPE html>", WEEKS_BEGIN, WEEKS_END})
_POLICY = "content-security-policy"


def page_problems(html: str, *, scripts: int = 0) -> Iterator[str]:
    """Everything that does not hold, one line each."""
    inline: list[tuple[str, str]] = []
    for name, element in _INLINE.items():
        if f"<{name}>" in html:
            pieces = element.split(html)
            inline += [(name, text) for text in pieces[1::2]]
            html = f"<{name}></{name}>".join(pieces[::2])
    tags = Counter(_TAG.findall(html))
    for sign in "<>":
        if html.count(sign) != tags.total():
            yield f"a {sign!r} stands outside a tag"
    for tag in tags:
        yield from tag_problems(tag)
    head = html[: html.find("<body")]  # browsers heed no policy below it
    policies = [policy for tag in tags if tag.startswith("<meta ") for policy in _policies(tag) * tags[tag] if tag in head]
    policy = policies[0] if len(policies) == 1 else ""
    if "default-src 'none'" not in policy:
        yield "it has no content security policy that forbids what is not named"
    yield from (f"its policy does not admit its {tag}" for tag, text in inline if digest(text) not in policy)
    written = tags["<script>"]
    if written != scripts:
        yield f"{written} scripts stand in it, {scripts} are meant to"
    if len(inline) != written + tags["<style>"]:
        yield "a style or script holds markup, or does not end"


# Titles, links and values differ from tag to tag, and yet the pages of one week share most of theirs.
@lru_cache(maxsize=16384)
def tag_problems(tag: str) -> tuple[str, ...]:
    """What does not hold of one tag, as it is written."""
    if tag in _NO_ELEMENT:
        return ()
    read = _CLOSING.fullmatch(tag) or _OPENING.fullmatch(tag)
    if read is None:
        return (f"{tag[:60]!r} is not written as our templates write",)
    name = read[1]
    found = [] if name in _ELEMENTS else [f"<{name}> stands in it"]
    if read.re is _OPENING:
        if name in _INLINE and tag != f"<{name}>":
            found.append(f"<{name}> is written {tag[:60]!r}")
        found += _attribute_problems(name, _ATTRIBUTE.findall(read[2]))
    return tuple(found)


def _attribute_problems(name: str, attributes: list[tuple[str, str]]) -> Iterator[str]:
    values = {key.lower(): value for key, value in attributes}
    if len(values) != len(attributes):
        yield f"<{name}> carries an attribute twice"
    for key in values:
        if key.startswith("on") or key == "style" or key in _FETCHING or (key == "href" and name not in _LINKING):
            yield f"<{name}> carries {key}"
    if name == "meta" and values.get("http-equiv", _POLICY).lower() != _POLICY:
        yield f"<meta> orders {values['http-equiv'][:60]!r}"
    if name == "link" and values.get("href") != "data:,":
        yield f"<link> leads to {values.get('href')!r}"
    if name == "a" and not _SAFE_LINK.fullmatch(values.get("href", "#")):
        yield f"a link leads to {values['href'][:60]!r}"


def _policies(tag: str) -> list[str]:
    """The policy that a tag sets, if it sets one."""
    values = dict(_ATTRIBUTE.findall(tag))
    return [unescape(values.get("content", ""))] if values.get("http-equiv", "").lower() == _POLICY else []


def check_page(name: str, html: str, *, scripts: int = 0) -> None:
    """Nothing where the page holds; :class:`ReportError` names what does not."""
    found = sorted(set(page_problems(html, scripts=scripts)))
    if found:
        raise ReportError(f"{name}: {'; '.join(found[:3])}. Nothing was published; mend the template that makes it.")
