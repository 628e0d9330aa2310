"""Parts of sentences in the formats of feeds, mail and chat: HTML without styles, plain text, Markdown, Slack's own.

Each escapes everything that is not ours, and links only to pull requests, by address and number.
"""

from collections.abc import Iterable
from html import escape as escape_html
from typing import Protocol

from pipelines.report.markdown_text import code as markdown_code
from pipelines.report.markdown_text import escape as escape_markdown
from pipelines.report.model import Headed, Part, Sentence


class Rich(Protocol):
    """One format: how text of others, links and strong words are written in it."""

    def ours(self, text: str) -> str:
        """Words of this program."""
        ...

    def theirs(self, text: str) -> str:
        """Text of others, escaped."""
        ...

    def code(self, text: str) -> str:
        """A path or setting of others, escaped."""
        ...

    def link(self, text: str, url: str) -> str:
        """Something written in this format already, as a link to an address of ours."""
        ...

    def strong(self, text: str) -> str:
        """Something written in this format already, made strong."""
        ...


class Html:
    """HTML elements without attributes but ``href``; ``link_style`` is an inline style for mail."""

    def __init__(self, link_style: str = "") -> None:
        self._style = f' style="{link_style}"' if link_style else ""

    def ours(self, text: str) -> str:
        """Words of this program."""
        return escape_html(text)

    def theirs(self, text: str) -> str:
        """Text of others, isolated from the direction of the text around it."""
        return f"<bdi>{escape_html(text)}</bdi>"

    def code(self, text: str) -> str:
        """A path or setting of others."""
        return f"<code>{escape_html(text)}</code>"

    def link(self, text: str, url: str) -> str:
        """A link."""
        return f'<a href="{escape_html(url)}"{self._style}>{text}</a>'

    def strong(self, text: str) -> str:
        """Strong words."""
        return f"<strong>{text}</strong>"


class Plain:
    """Text for readers without HTML: addresses are left to the full report."""

    def ours(self, text: str) -> str:
        """Words of this program."""
        return text

    def theirs(self, text: str) -> str:
        """Text of others, in one line."""
        return " ".join(text.split())

    def code(self, text: str) -> str:
        """A path or setting of others."""
        return self.theirs(text)

    def link(self, text: str, url: str) -> str:  # noqa: ARG002  # because: every format has this signature
        """Only the text: a number is enough to find a pull request by."""
        return text

    def strong(self, text: str) -> str:
        """No different."""
        return text


class Markdown:
    """Markdown as GitHub, Mattermost, Discord and Zulip read it."""

    def ours(self, text: str) -> str:
        """Words of this program: nothing in them means anything in Markdown."""
        return text

    def theirs(self, text: str) -> str:
        """Text of others."""
        return escape_markdown(text)

    def code(self, text: str) -> str:
        """A code span."""
        return markdown_code(text)

    def link(self, text: str, url: str) -> str:
        """A link."""
        return f"[{text}]({url})"

    def strong(self, text: str) -> str:
        """Bold."""
        return f"**{text}**"


class Slack:
    """Slack's mrkdwn: ``&``, ``<`` and ``>`` escaped, links in angle brackets, control words and mentions thereby broken."""

    _ESCAPES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"))
    #: What Slack reads as bold, italic, struck or code: set apart by a zero-width space, since it has no escape for them.
    _MARKS = ("*", "_", "~", "`", "@")

    def ours(self, text: str) -> str:
        """Words of this program."""
        return text

    def theirs(self, text: str) -> str:
        """Text of others, in one line."""
        made = " ".join(text.split())
        for raw, escaped in self._ESCAPES:
            made = made.replace(raw, escaped)
        for mark in self._MARKS:
            made = made.replace(mark, mark + "\u200b")
        return made

    def code(self, text: str) -> str:
        """A code span."""
        return f"`{self.theirs(text.replace('`', ''))}`"

    def link(self, text: str, url: str) -> str:
        """A link; a bar would end the address."""
        return f"<{url}|{text.replace('|', chr(0xA6))}>"

    def strong(self, text: str) -> str:
        """Bold."""
        return f"*{text}*"


class Writer:
    """Sentences of one report in one format."""

    def __init__(self, rich: Rich, repo_url: str, space: str) -> None:
        self.rich = rich
        self._repo_url = repo_url
        self._space = space

    def parts(self, parts: Iterable[Part]) -> str:
        """Parts, one after the other."""
        return "".join(self._part(part) for part in parts)

    def run(self, sentences: Iterable[Sentence]) -> str:
        """Sentences in one paragraph."""
        return self._space.join(self.parts(sentence["parts"]) for sentence in sentences)

    def heading(self, headed: Headed) -> str:
        """A strong heading."""
        return self.rich.strong(self.parts(headed["heading"]))

    def _part(self, part: Part) -> str:
        if "text" in part:
            return self.rich.ours(part["text"])
        shown = part["shown"]
        if "pull" in part:
            return self.rich.link(self.rich.ours(shown), f"{self._repo_url}/pull/{part['pull']}")
        if "title" in part:
            return self.rich.link(self.rich.theirs(shown), f"{self._repo_url}/pull/{part['title']}")
        if "code" in part:
            return self.rich.code(shown)
        return self.rich.ours(shown) if "fact" in part else self.rich.theirs(shown)
