"""The frame around every page: title, style, content security policy, landmark, foot, and the links between weeks.

The links to the week before and after stand between two marks in the published page, outside what the notebook
shows: which weeks are published is known to the folder, not to a week's report, and the index fills them in.
"""

import base64
import hashlib
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from pipelines.errors import ReportError
from pipelines.report.contents import WEEKS, WEEKS_BEGIN, WEEKS_END
from pipelines.report.page import stylesheet
from pipelines.report.render import Context, macro
from pipelines.report.words import Words


# Every page has the same style; the list's script is the only other content.
@lru_cache(maxsize=16)
def digest(content: str) -> str:
    """The source expression of inline content in a content security policy."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() + "'"


def policy(css: str, script: str = "") -> str:
    """Nothing but this style (and this script, on the one page that has one) may load, run or be sent."""
    scripts = f" script-src {digest(script)};" if script else ""
    return f"default-src 'none'; style-src {digest(css)};{scripts} img-src data:; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class Frame:
    """What stands before and after a page's content; ``main`` opens the landmark that ``bottom`` closes."""

    top: str
    main: str
    bottom: str

    def around(self, content: str) -> str:
        """A whole document."""
        return tidy(self.top + self.main + content + self.bottom)


def frame(words: Words, title: str, *, kind: str = "", script: str = "", description: str = "", skip: str = "main") -> Frame:
    """The frame of a page. ``kind`` is its class: report, pull, all, index."""
    css = stylesheet()
    top = macro("frame.html.j2", "top", words, title, Markup(css), policy(css, script), description, skip)  # noqa: S704  # because: a file of ours
    return Frame(str(top).strip() + "\n", str(macro("frame.html.j2", "main", kind)), str(macro("frame.html.j2", "bottom", words)))


def report_title(context: Context) -> str:
    """The title of a week's page."""
    return context.t("page.document_title", repo=context.repo, week=context.week)


def report_frame(context: Context) -> Frame:
    """The frame of a week's page, with an empty place for the links between weeks."""
    made = frame(
        context.words,
        report_title(context),
        kind="report",
        description=context.t("page.description", repo=context.repo),
        skip="summary",
    )
    return Frame(made.top + WEEKS_BEGIN + WEEKS_END + "\n", made.main, made.bottom)


@lru_cache(maxsize=512)
def week_links(language: str, earlier: str | None, later: str | None) -> str:
    """The links to the published weeks before and after, as they stand between the marks."""
    return str(macro("frame.html.j2", "weeks", Words(language), earlier, later, language)).strip()


def with_neighbours(html: str, language: str, earlier: str | None, later: str | None) -> str:
    """The page with links to the published weeks before and after; :class:`ReportError` where it has no place for them."""
    links = week_links(language, earlier, later)
    made, places = WEEKS.subn(lambda _: WEEKS_BEGIN + links + WEEKS_END, html, count=1)
    if places != 1:
        raise ReportError("page: no place for the links between weeks. Make the report again: pullweek report OWNER/NAME WEEK.")
    return made


def tidy(html: str) -> str:
    """The document without empty lines and indents, which weigh and say nothing."""
    return "\n".join(line for line in (line.strip() for line in html.splitlines()) if line) + "\n"
