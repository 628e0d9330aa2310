"""What one report lets a sentence say: the words, names, people and values that stand behind the pull requests it cites."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pipelines.errors import ReportError
from pipelines.report.check import linkable, own_texts
from pipelines.report.model import Group, PullFacts, Report
from pipelines.report.prose.paths import value_at
from pipelines.report.prose.texts import short_path
from pipelines.report.prose.titles import bare, deeds
from pipelines.report.words import Words

_WORD = re.compile(r"[A-Za-z0-9]+(?:['\u2019][a-z]+)?")
_PULL_FACT = re.compile(r"pull_requests\[(\d+)\]")
_GROUP_FACT = re.compile(r"groups\[(\d+)\]")
_THEME_FACT = re.compile(r"themes\[(\d+)\]")
_RISK_FACT = re.compile(r"risks\[(\d+)\]")
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_NEW = re.compile(r"^(?:(?:the|an?)\s+)?new\s+", re.IGNORECASE)
_LEAST_PHRASE = 8  # characters: shorter words of a title are anybody's


@dataclass(frozen=True)
class Cited:
    """What one sentence stands on: pull requests of the week and of its links, and values by their paths."""

    evidence: "Evidence"
    numbers: frozenset[int]
    facts: dict[str, Any]

    @cached_property
    def pulls(self) -> list[PullFacts]:
        """The cited ones of the week."""
        return [self.evidence.pulls[number] for number in sorted(self.numbers) if number in self.evidence.pulls]

    @cached_property
    def groups(self) -> list[Group]:
        """The groups whose values are cited."""
        found = {int(match[1]) for path in self.facts for match in [_GROUP_FACT.match(path)] if match}
        return [self.evidence.report["groups"][index] for index in sorted(found)]

    @cached_property
    def rules(self) -> frozenset[str]:
        """The risk rules whose values are cited."""
        found = {int(match[1]) for path in self.facts for match in [_RISK_FACT.match(path)] if match}
        return frozenset(self.evidence.report["risks"][index]["rule"] for index in found)

    @cached_property
    def texts(self) -> list[str]:
        """What the cited pull requests say of themselves."""
        return [text for pull in self.pulls for text in own_texts(pull)]

    @cached_property
    def titles(self) -> list[str]:
        """Titles of the cited pull requests and their links, with and without tags, longest first."""
        found = {text for pull in self.pulls for text in (pull["title"], *(link["title"] or "" for link in pull["links"]))}
        return _phrases(found | {bare(text) for text in found})

    @cached_property
    def objects(self) -> list[str]:
        """What those titles say is added, fixed, removed: words that may follow a verb of ours without quotation marks."""
        found = {deed.what for text in self.titles for deed in deeds(text)}
        return _phrases(found | {bare.sub("", text) for text in found for bare in (_ARTICLE, _NEW)})

    @cached_property
    def names(self) -> frozenset[str]:
        """Paths, files, modules, settings that the cited changes hold, as they are written."""
        found: set[str] = set()
        for pull in self.pulls:
            paths = _paths(pull)
            found |= (
                paths | {short_path(path) for path in paths} | {path.rpartition("/")[2] for path in paths} | set(pull["modules"])
            )
            found |= {str(text) for flag in pull["risks"] for text in flag["measures"].get("settings") or ()}
            found |= {f"{link['repo']}#{link['number']}" for link in pull["links"]}
        return frozenset(found | {module for group in self.groups for module in group["modules"]})

    @cached_property
    def themes(self) -> frozenset[str]:
        """Themes of the cited pull requests, groups and values."""
        found = {theme for pull in self.pulls for theme in pull["themes"]} | {group["theme"] or "" for group in self.groups}
        cited = {int(match[1]) for path in self.facts for match in [_THEME_FACT.match(path)] if match}
        return frozenset(found | {self.evidence.report["themes"][index]["key"] for index in cited})

    @cached_property
    def people(self) -> dict[str, str]:
        """Login -> author or reviewer, of the cited pull requests and groups."""
        found = {login: "reviewer" for pull in self.pulls for login in (*(pull["reviewers"] or ()), *(pull["approvers"] or ()))}
        found |= {login: "reviewer" for group in self.groups for login in group["reviewers"]} if self.groups else {}
        found |= {login: "author" for group in self.groups for login in group["authors"]}
        return found | {pull["author"]: "author" for pull in self.pulls}

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that stands in the cited texts, names, themes and labels, in small letters."""
        texts = [*self.texts, *self.names, *self.people, self.evidence.report["repo"]]
        texts += [label for pull in self.pulls for label in pull["labels"] or ()]
        for theme in self.themes:
            texts += [theme, *self.evidence.report["theme_titles"].get(theme, {}).values()]
        return frozenset(word.lower() for text in texts for word in _WORD.findall(text)) | {
            piece.lower() for text in texts for piece in re.split(r"[\s/]+", text)
        }


class Evidence:
    """The facts of one report in one language, ready to be looked up."""

    def __init__(self, report: Report, language: str) -> None:
        self.report = report
        self.language = language
        self.formats = Words(language)
        self.pulls = {pull["number"]: pull for pull in report["pull_requests"]}
        self.linkable = linkable(report)
        self.people = _people(report)
        titles = {titles.get(language) or titles.get("en") or key: key for key, titles in report["theme_titles"].items()}
        self.theme_titles = dict(sorted(titles.items(), key=lambda pair: (-len(pair[0]), pair[0])))

    def cited(self, numbers: Iterable[int], paths: Iterable[str]) -> Cited:
        """What stands behind these; :class:`ReportError` where a path leads nowhere."""
        return Cited(self, frozenset(numbers), {path: value_at(self.report, path) for path in sorted(set(paths))})

    def holds(self, path: str) -> bool:
        """Whether a path leads to a value."""
        try:
            value_at(self.report, path)
        except ReportError:
            return False
        return True

    def pull_of(self, path: str) -> int | None:
        """The pull request whose value a path leads to."""
        match = _PULL_FACT.match(path)
        return self.report["pull_requests"][int(match[1])]["number"] if match else None


def _phrases(found: Iterable[str]) -> list[str]:
    return sorted((text for text in found if len(text) >= _LEAST_PHRASE), key=lambda text: (-len(text), text))


def _paths(pull: PullFacts) -> set[str]:
    found = {row.removeprefix("file:") for flag in pull["risks"] for row in flag["evidence"] if row.startswith("file:")}
    if "detail" in pull:
        found |= {row["path"] for row in pull["detail"]["file_rows"]} | set(pull["detail"]["measures"].get("core_paths") or ())
    return found


def _people(report: Report) -> frozenset[str]:
    pulls = report["pull_requests"]
    others = {login for pull in pulls for login in (*(pull["reviewers"] or ()), *(pull["approvers"] or ()))}
    return frozenset({pull["author"] for pull in pulls} | others | set(report["reviewers"] or ()))
