"""The report's page as the notebook shows it: one method a section, each the HTML of one macro.

``open_page`` loads the ``report.json`` of a published (or staged) week; nothing here computes.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import cast

from markupsafe import Markup

from pipelines.errors import ReportError
from pipelines.report.charts import Charts
from pipelines.report.model import SCHEMA_VERSION, Report
from pipelines.report.render import TEMPLATES, Context, environment, macro, macros
from pipelines.report.words import Words, languages
from pipelines.settings import repository_name
from pipelines.warehouse import Warehouse
from pipelines.weeks import parse_week


class Section:
    """One section as HTML; Jupyter shows it, and its plain form is its name."""

    def __init__(self, name: str, html: Markup) -> None:
        self.name = name
        self.html = html

    def _repr_html_(self) -> str:
        return str(self.html)

    def __repr__(self) -> str:
        return f"<section {self.name}>"


@cache
def stylesheet() -> str:
    """The style of every page, as it is published."""
    loader = environment().loader
    if loader is None:
        raise ReportError("templates: the environment has no loader. Install pullweek again.")
    source, _, _ = loader.get_source(environment(), "page.css")
    return minified(source)


def minified(css: str) -> str:
    """A style without its comments, line ends and needless spaces: the same rules in fewer bytes."""
    bare = " ".join(re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL).split())
    return re.sub(r"(?<=[:;{},]) | (?=[{}])", "", bare).replace(";}", "}")


class Page:
    """One report in one language, section by section."""

    def __init__(self, report: Report, language: str) -> None:
        self.context = Context(report, language)
        self.charts = Charts(self.context)

    def _section(self, name: str, *more: object) -> Section:
        return Section(name, macro(f"sections/{name}.html.j2", name, self.context, *more))

    def style(self) -> Section:
        """The style, for Jupyter; the published page has it in its head."""
        return Section("style", Markup("<style>{}</style>").format(Markup(stylesheet())))  # noqa: S704  # because: a file of ours

    def head(self) -> Section:
        """Repository, week, coverage, state, and where else to go."""
        return self._section("head")

    def contents(self) -> Section:
        """The sections of this page."""
        return self._section("contents")

    def summary(self) -> Section:
        """Tiles and at most five sentences."""
        return self._section("summary", self.charts)

    def changes(self) -> Section:
        """The stories of the week."""
        return self._section("changes")

    def trends(self) -> Section:
        """Charts with their tables, and what moved each theme."""
        return self._section("trends", self.charts)

    def risks(self) -> Section:
        """What the rules saw, with evidence."""
        return self._section("risks")

    def pulls(self) -> Section:
        """The key table."""
        return self._section("pulls")

    def follow_ups(self) -> Section:
        """What to do next, and what became of what was suggested."""
        return self._section("follow_ups")

    def method(self) -> Section:
        """Credits, definitions, limits and versions."""
        return self._section("method")


def read_report(path: Path) -> Report:
    """A ``report.json``; :class:`ReportError` where it is absent, damaged or of another version."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ReportError(f"{path}: not there. Make the report first: pullweek report OWNER/NAME WEEK.") from None
    except (OSError, ValueError) as error:
        raise ReportError(f"{path}: cannot be read: {error}. Make the report again: pullweek report OWNER/NAME WEEK.") from error
    version = read.get("schema_version") if isinstance(read, dict) else None
    if version != SCHEMA_VERSION:
        raise ReportError(f"{path}: schema version {version!r}, this program reads {SCHEMA_VERSION}. Make the report again.")
    return cast("Report", read)


def load_all() -> None:
    """Read every catalogue and compile every section's template: what is done once, whatever the report."""
    for language in languages():
        Words(language)
    for path in sorted((TEMPLATES / "sections").iterdir()):
        macros(f"sections/{path.name}")


def open_page(repo: str, week: str, language: str, warehouse_root: str) -> Page:
    """The page of a week in a warehouse; a relative root counts from the notebook's own folder."""
    folder = Warehouse(Path(warehouse_root)).report_folder(repository_name(repo), parse_week(week))
    return Page(read_report(folder / "report.json"), language)
