"""Whether a report may be published: its shape, its numbers, its links and its quotations hold against its own facts.

A sentence may hold a number only as a fact whose path leads to that value, a link only to a pull request of the week
or one that its data names, and another's words only as they stand in that pull request's own text.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from pydantic import TypeAdapter, ValidationError

from pipelines.errors import ReportError
from pipelines.report.model import SCHEMA_VERSION, Headed, Part, Prose, PullFacts, Report, Sentence
from pipelines.report.prose.paths import value_at
from pipelines.report.prose.texts import short_path
from pipelines.report.words import Words

_DIGIT = re.compile(r"\d")
_SHOWN_PROBLEMS = 3
_MOST_SUMMARY = 5
_MOST_GROUPS = 7


def check_report(report: Report) -> None:
    """Nothing where the report holds together; :class:`ReportError` names the first problems and how many there are."""
    found = list(problems(report))
    if found:
        shown = "; ".join(found[:_SHOWN_PROBLEMS])
        name = f"{report.get('repo', '?')} {report.get('week', '?')}"
        raise ReportError(f"report {name}: {len(found)} problems: {shown}. Nothing was published; mend the facts or the prose.")


def problems(report: Report) -> Iterator[str]:
    """Everything that does not hold, one line each; of a report of the wrong shape only that."""
    shape = list(_shape(report))
    yield from shape
    if not shape:
        yield from _facts(report)
        for language, prose in sorted(report["prose"].items()):
            yield from _Checker(report, language).prose(prose)


@cache
def schema() -> TypeAdapter[Report]:
    """The schema of ``report.json``."""
    return TypeAdapter(Report)


def _shape(report: Report) -> Iterator[str]:
    try:
        schema().validate_python(report, strict=True)
    except ValidationError as error:
        for each in error.errors(include_url=False):
            yield f"{'.'.join(str(step) for step in each['loc'])}: {each['msg']}"
        return
    if report["schema_version"] != SCHEMA_VERSION:
        yield f"schema_version is {report['schema_version']}, this program writes {SCHEMA_VERSION}"


def _facts(report: Report) -> Iterator[str]:
    """Counts that stand in two places must agree."""
    numbers = [pull["number"] for pull in report["pull_requests"]]
    if report["counts"]["merged"] != len(numbers):
        yield f"counts.merged is {report['counts']['merged']}, and {len(numbers)} pull requests are listed"
    if numbers != sorted(set(numbers)):
        yield "pull_requests are not sorted by number, or one stands twice"
    for risk in report["risks"]:
        if risk["count"] != len(risk["pull_requests"]) or not set(risk["pull_requests"]) <= set(numbers):
            yield f"risks: {risk['rule']} counts {risk['count']} and does not list as many of the week's"
    if set(report["highlights"]) != {pull["number"] for pull in report["pull_requests"] if pull["is_highlight"]}:
        yield "highlights are not the pull requests marked so"
    if len(report["groups"]) > _MOST_GROUPS:
        yield f"{len(report['groups'])} groups of key changes, {_MOST_GROUPS} at most"


def linkable(report: Report) -> frozenset[int]:
    """Every pull request that a sentence may link: the week's, and those that its data names."""
    found = {pull["number"] for pull in report["pull_requests"]}
    for pull in report["pull_requests"]:
        found |= {link["number"] for link in pull["links"] if link["repo"] == report["repo"]}
        found.add(pull["reverted_by"] or 0)
    for item in (*report["suggestions"], *report["earlier_suggestions"]):
        found.update(item["pull_requests"])
        found.add(item["closed_by"] or 0)
    return frozenset(found - {0})


def own_texts(pull: PullFacts) -> tuple[str, ...]:
    """What a pull request says of itself and of those it links: titles, summary, claims, described tests."""
    described = pull["detail"]["described_tests"] if "detail" in pull else None
    linked = (link["title"] for link in pull["links"])
    return tuple(text for text in (pull["title"], pull["summary"], described, *pull["claims"], *linked) if text)


def nameable(report: Report) -> frozenset[str]:
    """Every path, module, setting and rule that a sentence may name: those that the facts hold, paths also by name."""
    found = {module for group in report["groups"] for module in group["modules"]} | {risk["rule"] for risk in report["risks"]}
    paths = {str(core["path"]) for core in report["core_paths"]}
    for pull in report["pull_requests"]:
        found.update(pull["modules"])
        found |= {f"{link['repo']}#{link['number']}" for link in pull["links"]}
        found |= {str(text) for flag in pull["risks"] for text in flag["measures"].get("settings") or ()}
        paths |= {row.removeprefix("file:") for flag in pull["risks"] for row in flag["evidence"] if row.startswith("file:")}
        if "detail" in pull:
            paths |= {row["path"] for row in pull["detail"]["file_rows"]} | set(pull["detail"]["measures"].get("core_paths") or ())
    for item in (*report["suggestions"], *report["earlier_suggestions"]):
        found.add(item["subject"])
        paths.update(str(text) for text in item["measures"].get("settings") or ())
        paths.update(str(text) for text in item["done_when_facts"].get("paths") or ())
    return frozenset(found | paths | {short_path(path) for path in paths})


class _Checker:
    """Holds the sentences of one language against the facts."""

    def __init__(self, report: Report, language: str) -> None:
        self.report = report
        self.language = language
        self.words = Words(language)
        self.pulls = {pull["number"]: pull for pull in report["pull_requests"]}
        self.linkable = linkable(report)
        self.nameable = nameable(report)
        self.themes = report["theme_titles"].keys()

    def prose(self, prose: Prose) -> Iterator[str]:
        """Problems of all sections."""
        yield from self._section("headline", [prose["headline"]])
        yield from self._section("summary", prose["summary"])
        if len(prose["summary"]) > _MOST_SUMMARY:
            yield f"{self.language} summary: {len(prose['summary'])} sentences, {_MOST_SUMMARY} at most"
        for index, sentence in enumerate(prose["summary"]):
            if not sentence["facts"] and not sentence["pull_requests"]:
                yield f"{self.language} summary[{index}]: stands on no fact and no pull request"
        sections: dict[str, list[Headed]] = {
            "groups": prose["groups"],
            "trends": prose["trends"],
            "risks": prose["risks"],
            "pulls": prose["pulls"],
            "suggestions": prose["suggestions"],
            "earlier_suggestions": prose["earlier_suggestions"],
        }
        for name, headed in sections.items():
            for each in headed:
                yield from self._parts(f"{name}[{each['key']}].heading", each["heading"], self._pulls_of(each["heading"]))
                yield from self._section(f"{name}[{each['key']}]", each["sentences"])

    def _section(self, name: str, sentences: Iterable[Sentence]) -> Iterator[str]:
        for index, sentence in enumerate(sentences):
            where = f"{name}[{index}]"
            yield from self._parts(where, sentence["parts"], sentence["pull_requests"])
            if set(sentence["facts"]) != {part["fact"] for part in sentence["parts"] if "fact" in part}:
                yield f"{self.language} {where}: its facts are not those of its parts"
            if not set(self._pulls_of(sentence["parts"])) <= set(sentence["pull_requests"]) <= self.linkable:
                yield f"{self.language} {where}: its pull requests are not those of its parts"

    @staticmethod
    def _pulls_of(parts: Iterable[Part]) -> list[int]:
        return [part[key] for part in parts for key in ("pull", "title") if key in part]

    def _parts(self, where: str, parts: Iterable[Part], numbers: Iterable[int]) -> Iterator[str]:
        for part in parts:
            problem = self._part(part, numbers)
            if problem:
                yield f"{self.language} {where}: {problem}"

    def _part(self, part: Part, numbers: Iterable[int]) -> str | None:
        """What is wrong with a part; None where nothing is."""
        kinds = sorted(part.keys() - {"shown"})
        if len(kinds) != 1 or (kinds != ["text"]) != ("shown" in part):
            return f"a part has the keys {sorted(part)}"
        return getattr(self, f"_{kinds[0]}")(part, numbers)  # type: ignore[no-any-return]  # because: each of the methods below returns this

    def _texts_of(self, numbers: Iterable[int]) -> list[str]:
        return [text for number in numbers if number in self.pulls for text in own_texts(self.pulls[number])]

    def _text(self, part: Part, _: Iterable[int]) -> str | None:
        return f"a number stands in the words {part['text']!r}, not as a fact" if _DIGIT.search(part["text"]) else None

    def _fact(self, part: Part, _: Iterable[int]) -> str | None:
        try:
            value = value_at(self.report, part["fact"])
        except ReportError:
            return f"no value at {part['fact']}"
        return (
            None if part["shown"] in self.words.forms(value) else f"shows {part['shown']!r} for {part['fact']}, which is {value!r}"
        )

    def _pull(self, part: Part, _: Iterable[int]) -> str | None:
        good = part["pull"] in self.linkable and part["shown"] == f"#{part['pull']}"
        return (
            None if good else f"links pull request {part['pull']} as {part['shown']!r}, which neither the week nor its data names"
        )

    def _title(self, part: Part, _: Iterable[int]) -> str | None:
        pull = self.pulls.get(part["title"])
        return None if pull and part["shown"] == pull["title"] else f"titles pull request {part['title']} as {part['shown']!r}"

    def _name(self, part: Part, _: Iterable[int]) -> str | None:
        return None if part["name"] == part["shown"] else f"shows the name {part['name']!r} as {part['shown']!r}"

    def _code(self, part: Part, numbers: Iterable[int]) -> str | None:
        if part["code"] != part["shown"]:
            return f"shows {part['code']!r} as {part['shown']!r}"
        is_known = part["code"] in self.nameable or any(part["code"] in text for text in self._texts_of(numbers))
        return None if is_known else f"names {part['code']!r}, which none of its facts holds"

    def _theme(self, part: Part, _: Iterable[int]) -> str | None:
        return None if part["theme"] in self.themes else f"names the theme {part['theme']!r}, which the week does not have"

    def _quote(self, part: Part, numbers: Iterable[int]) -> str | None:
        words = part["quote"].removesuffix("…")
        return (
            None
            if any(words in text for text in self._texts_of(numbers))
            else f"quotes {part['quote']!r}, which no pull request it names says"
        )
