"""Whether a rendered page may be published: its policy, and that nothing runs or is fetched from elsewhere."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from pipelines.errors import ReportError
from pipelines.report.page_frame import digest

# Attributes by which a page would fetch something when it is opened; a link that a reader follows is none.
_FETCHING = frozenset({"src", "srcset", "poster", "data", "background", "action", "formaction", "ping", "manifest", "xlink:href"})
_TAGS_NEVER = frozenset({"iframe", "frame", "object", "embed", "base", "form", "img", "video", "audio", "source", "portal"})
_SAFE_LINK = re.compile(r"(https?://|#|\.\./|[A-Za-z0-9._\-]+(/|\.|$))")


class _Reader(HTMLParser):
    """Collects what a page holds that it may not."""

    def __init__(self, scripts: int) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.policy = ""
        self.inline: list[tuple[str, str]] = []
        self.allowed = scripts
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._open = tag if tag in ("script", "style") else ""
        if self._open:
            self.inline.append((tag, ""))
        if tag in _TAGS_NEVER:
            self.found.append(f"<{tag}> stands in it")
        if tag == "meta" and values.get("http-equiv", "").lower() == "content-security-policy":
            self.policy = values.get("content", "")
        self.found += [
            f"<{tag}> carries {name}" for name in values if name.startswith("on") or name == "style" or name in _FETCHING
        ]
        if tag == "link" and values.get("href") != "data:,":
            self.found.append(f"<link> leads to {values.get('href')!r}")
        if tag == "a" and not _SAFE_LINK.match(values.get("href", "#")):
            self.found.append(f"a link leads to {values['href'][:60]!r}")

    def handle_data(self, data: str) -> None:
        if self._open:
            tag, text = self.inline[-1]
            self.inline[-1] = (tag, text + data)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._open:
            self._open = ""


def page_problems(html: str, *, scripts: int = 0) -> Iterator[str]:
    """Everything that does not hold, one line each."""
    reader = _Reader(scripts)
    reader.feed(html)
    reader.close()
    yield from reader.found
    if "default-src 'none'" not in reader.policy:
        yield "it has no content security policy that forbids what is not named"
    yield from (f"its policy does not admit its {tag}" for tag, text in reader.inline if digest(text) not in reader.policy)
    written = sum(tag == "script" for tag, _ in reader.inline)
    if written != scripts:
        yield f"{written} scripts stand in it, {scripts} are meant to"


def check_page(name: str, html: str, *, scripts: int = 0) -> None:
    """Nothing where the page holds; :class:`ReportError` names what does not."""
    found = sorted(set(page_problems(html, scripts=scripts)))
    if found:
        raise ReportError(f"{name}: {'; '.join(found[:3])}. Nothing was published; mend the template that makes it.")
