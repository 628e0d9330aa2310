"""HTML from report.json: one Jinja2 environment, and the context that every template is given.

Untrusted text (titles, names, paths, labels, bodies) is escaped by the environment, never marked safe. Links are
made here and only here: of integers, of a validated ``owner/name`` and of the source's own root.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipelines.errors import PullweekError, ReportError
from pipelines.report.model import Headed, Prose, PullFacts, Report, RiskFacts, Sentence, ThemeFacts
from pipelines.report.prose.wording import wording_lines
from pipelines.report.words import Words, languages
from pipelines.settings import repository_name
from pipelines.weeks import parse_week

TEMPLATES = Path(__file__).parent / "templates"

#: Rows of the key table: a tenth of the week, within what a reader scans before going to the full list.
FEWEST_KEY_ROWS, MOST_KEY_ROWS, _PULLS_A_KEY_ROW = 10, 20, 10

# A root such as https://github.com or http://127.0.0.1:8080; anything else never becomes a link.
_ROOT = re.compile(r"https?://[A-Za-z0-9.\-]+(:[0-9]{1,5})?(/[A-Za-z0-9._\-]+)*")
_BIG = {"high": 3, "medium": 2, "low": 1}


@cache
def environment() -> Environment:
    """The one environment: everything escaped, an unknown name an error."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["csp"] = Markup  # hashes and directives of our own, whose quotes must stand
    return made


def render(template: str, **values: object) -> Markup:
    """A template filled in. The result is HTML."""
    return Markup(environment().get_template(template).render(**values))  # noqa: S704  # because: autoescape made it


def macro(template: str, name: str, *arguments: object) -> Markup:
    """A template's macro called with arguments: one section of a page."""
    called = getattr(macros(template), name)
    return Markup(called(*arguments))  # noqa: S704  # because: autoescape made it


@cache
def macros(template: str) -> Any:
    """A template's macros; kept, since Jinja would look at its file's date for every page."""
    return environment().get_template(template).module


def other_languages(language: str) -> tuple[str, ...]:
    """Every other language a page is published in, sorted."""
    return tuple(each for each in languages() if each != language)


class Context:
    """One report in one language, with the look-ups that templates need.

    ``up`` leads from the page to the folder of its week: empty for the report itself, ``../`` for a page below it.
    Raises :class:`ReportError` where the report's repository or its address is not of the one form links are made of.
    """

    def __init__(self, report: Report, language: str, up: str = "") -> None:
        self.report = report
        self.language = language
        self.words = Words(language)
        self.t = self.words.t
        self.up = up
        self.repo = repository_name(report["repo"])
        self.week = str(parse_week(report["week"]))
        self.root = self._checked_root()

    def _checked_root(self) -> str:
        root, slash, _ = self.report["repo_url"].removesuffix("/").rpartition("/" + self.repo)
        if not slash or not _ROOT.fullmatch(root) or self.report["repo_url"] != f"{root}/{self.repo}":
            raise ReportError(
                f"report {self.repo} {self.week}: repo_url {self.report['repo_url']!r} is not a web root and its name. "
                "Mend web_url in raw_fetches, or run with --refresh."
            )
        return root

    @cached_property
    def others(self) -> list[Words]:
        """The words of every other language the page is published in."""
        return [Words(language) for language in other_languages(self.language)]

    @cached_property
    def pulls(self) -> dict[int, PullFacts]:
        """The week's pull requests by number."""
        return {pull["number"]: pull for pull in self.report["pull_requests"]}

    @cached_property
    def ranked(self) -> list[PullFacts]:
        """The week's pull requests, the most important first."""
        return sorted(self.report["pull_requests"], key=lambda pull: pull["rank"])

    @property
    def top(self) -> list[PullFacts]:
        """The rows of the key table."""
        return self.ranked[: max(FEWEST_KEY_ROWS, min(MOST_KEY_ROWS, len(self.ranked) // _PULLS_A_KEY_ROW))]

    @property
    def prose(self) -> Prose:
        """The sentences of the page's language."""
        return self.report["prose"][self.language]

    def theme(self, key: str) -> str:
        """The title of a theme in the page's language; its key where it has none."""
        return self.report["theme_titles"].get(key, {}).get(self.language) or key

    def term(self, family: str, key: str) -> str:
        """The word for a stored key, as kind feature; the key itself where a repository's own rule named it."""
        message = f"{family}.{key}"
        return self.t(message) if self.words.has(message) else key

    def tile_label(self, key: str) -> str:
        """The name of a tile's number."""
        return self.term("page.tile", key)

    @staticmethod
    def known(measures: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Measures that say something, by name: empty lists and texts left out."""
        return [(key, value) for key, value in sorted(measures.items()) if value not in ([], "", {})]

    def shown(self, value: object) -> str:
        """A stored measure as text: numbers by the language, lists with commas."""
        if isinstance(value, bool):
            return self.t("page.yes" if value else "page.no")
        if isinstance(value, list | tuple):
            return self.t("page.comma").join(self.shown(each) for each in value)
        return self.t("page.unknown") if value is None else self.words.shown(value)

    def rule(self, key: str) -> str:
        """The title of a risk rule."""
        return self.term("rule", key)

    def theme_facts(self, dimension: str) -> Sequence[ThemeFacts]:
        """The trends of a dimension: themes or modules."""
        return self.report["modules"] if dimension == "module" else self.report["themes"]

    def risk_facts(self, rule: str) -> RiskFacts:
        """The week's facts of a risk rule."""
        return next(risk for risk in self.report["risks"] if risk["rule"] == rule)

    def github(self, number: int) -> str:
        """The address of a pull request (or issue, to which it redirects) of this repository."""
        return f"{self.root}/{self.repo}/pull/{int(number)}"

    def elsewhere(self, repo: str, number: int) -> str | None:
        """The address of a pull request in another repository; None where its name is not of the one form."""
        try:
            return f"{self.root}/{repository_name(repo)}/pull/{int(number)}"
        except PullweekError:
            return None

    def page(self, number: int) -> str | None:
        """The published page of a highlight; None for every other pull request."""
        pull = self.pulls.get(number)
        return f"{self.up}pulls/{int(number)}.{self.language}.html" if pull and "detail" in pull else None

    def href(self, number: int) -> str:
        """Where a sentence's ``#123`` leads: a highlight's page, its row in the list, or GitHub where it is not of the week."""
        row = f"{self.up}all.{self.language}.html#p{int(number)}" if number in self.pulls else self.github(number)
        return self.page(number) or row

    def title(self, number: int) -> str:
        """The title of one of the week's pull requests: untrusted text."""
        return self.pulls[number]["title"] if number in self.pulls else f"#{number}"

    def search_url(self) -> str | None:
        """The search that reproduces the week, where it lies below the source's own root."""
        url = self.report["search_url"]
        return url if url.startswith(f"{self.root}/") else None

    def severity_of(self, pull: PullFacts) -> str | None:
        """The gravest severity among a pull request's risks; None where none fired."""
        return max((risk["severity"] for risk in pull["risks"]), key=_BIG.__getitem__, default=None)

    @cached_property
    def suggested(self) -> Mapping[str, Headed]:
        """The sentences of the week's suggestions, by id."""
        return self.headed(self.prose["suggestions"])

    def headed(self, run: Iterable[Headed]) -> Mapping[str, Headed]:
        """A run of headed sentences by key."""
        return {each["key"]: each for each in run}

    @staticmethod
    def told(run: Headed) -> tuple[list[Sentence], list[Sentence], list[Sentence]]:
        """A group's sentences as its lead, those that tell one pull request each, and the rest."""
        told = run["sentences"]
        single = [
            index for index, sentence in enumerate(told) if any(fact.startswith("pull_requests[") for fact in sentence["facts"])
        ]
        first, last = (single[0], single[-1] + 1) if len(single) > 1 else (len(told), len(told))
        return told[:first], told[first:last], told[last:]

    def wording(self) -> list[str]:
        """What a language model did to the sentences, line by line."""
        return wording_lines(self.report["wording"], self.words) if "wording" in self.report else []

    def when(self, instant: str) -> str:
        """An instant by the clock of the repository's time zone."""
        return self.words.instant(instant, self.report["window"]["timezone"])

    def count(self, key: str) -> Any:
        """A count of the week by its name in report.json."""
        return self.report["counts"][key]
