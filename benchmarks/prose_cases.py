"""True and false sentences on a report: the rules' own and true rewordings; and seeded mutations that make true ones false.

A mutation works on the parts of a sentence, so that it is known what it falsified; one that happens to change nothing is dropped.
"""

import random
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipelines.report.model import Part, Report, Sentence
from pipelines.report.prose.realise import plain
from pipelines.report.writer.request import Item, items, text_of
from pipelines.report.writer.verify import Draft

_SAID: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Case:
    """A sentence, what it claims to stand on, and how it came to be."""

    language: str
    kind: str
    draft: Draft


def draft_of(item: Item, sentence: Sentence, text: str | None = None) -> Draft:
    """A sentence of an item as a model would give it, with the citations of the rule's."""
    said = text_of(sentence)
    return Draft(
        said if text is None else text,
        frozenset(sentence["pull_requests"]),
        frozenset(sentence["facts"]),
        item.numbers,
        item.facts,
        said,
        item.section == "pulls",
    )


def true_cases(report: Report, language: str) -> Iterator[Case]:
    """The rules' sentences, and rewordings that say the same."""
    for item in items(report, language):
        for sentence in item.sentences:
            made = draft_of(item, sentence)
            yield Case(language, "rule", made)
            for before, after in _SAID["reworded"][language]:
                if before in made.text:
                    yield Case(language, "reworded", replace(made, text=made.text.replace(before, after)))


def false_cases(report: Report, language: str, seed: int) -> Iterator[Case]:
    """Sentences that the report does not bear out, by every mutation that fits each true one; the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311  # because: a seeded choice of test cases is no secret
    for item in items(report, language):
        for sentence in item.sentences:
            for name, mutate in _MUTATIONS.items():
                text = mutate(_Subject(report, language, item, sentence), chance)
                if text is not None and text != text_of(sentence):
                    yield Case(language, name, draft_of(item, sentence, text))
            for name, texts in _SAID["added"][language].items():
                text = text_of(sentence).rstrip(".。") + chance.choice(texts)
                yield Case(language, name, draft_of(item, sentence, text))
            yield from _instructed(item, sentence, language, chance)


def _instructed(item: Item, sentence: Sentence, language: str, chance: random.Random) -> Iterator[Case]:
    """An instruction of a description carried out, and the title sold as a finding."""
    text = chance.choice(_SAID["injected"][language])
    yield Case(language, "injected", draft_of(item, sentence, text))
    if item.section == "pulls":
        finding = {"en": "Measurements confirm that #{n} works as its title says.", "zh": "实测证实 #{n} 达到标题所述效果。"}[
            language
        ]
        yield Case(language, "finding", draft_of(item, sentence, finding.format(n=item.key)))


@dataclass(frozen=True)
class _Subject:
    """A true sentence and where it comes from."""

    report: Report
    language: str
    item: Item
    sentence: Sentence

    def parts(self, key: str) -> list[int]:
        """Positions of the parts of a kind."""
        return [index for index, part in enumerate(self.sentence["parts"]) if key in part]

    def with_part(self, index: int, shown: str) -> str:
        """The text with one part shown otherwise."""
        return "".join(shown if at == index else plain(part) for at, part in enumerate(self.sentence["parts"]))

    def cited(self) -> list[int]:
        """The week's pull requests that it cites."""
        return self.sentence["pull_requests"]


def _numbers(subject: _Subject) -> list[tuple[int, Part]]:
    found = [(index, subject.sentence["parts"][index]) for index in subject.parts("fact")]
    return [(index, part) for index, part in found if re.fullmatch(r"[\d,.]+( h| 小时|%)?", part["shown"])]


def _shown_numbers(subject: _Subject) -> set[str]:
    return set(re.findall(r"\d[\d,.]*", text_of(subject.sentence)))


def _number_changed(subject: _Subject, chance: random.Random) -> str | None:
    found = _numbers(subject)
    if not found:
        return None
    index, part = chance.choice(found)
    value = re.match(r"[\d,.]+", part["shown"])
    if value is None:
        return None
    other = f"{int(float(value[0].replace(',', ''))) + chance.choice((1, 2, 7, 13)):,}"
    return None if other in _shown_numbers(subject) else subject.with_part(index, other + part["shown"][value.end() :])


def _digits_swapped(subject: _Subject, chance: random.Random) -> str | None:
    found = [(index, part) for index, part in _numbers(subject) if re.search(r"(\d)(?!\1)\d", part["shown"])]
    if not found:
        return None
    index, part = chance.choice(found)
    other = re.sub(r"(\d)(?!\1)(\d)", r"\2\1", part["shown"], count=1)
    value = re.match(r"[\d,.]+", other)
    return (
        None if value is None or value[0] in _shown_numbers(subject) or other.startswith("0") else subject.with_part(index, other)
    )


def _pull_swapped(subject: _Subject, chance: random.Random) -> str | None:
    places = subject.parts("pull")
    linked = {
        link["number"] for pull in subject.report["pull_requests"] if pull["number"] in subject.cited() for link in pull["links"]
    }
    others = [pull["number"] for pull in subject.report["pull_requests"] if pull["number"] not in {*subject.cited(), *linked}]
    return subject.with_part(chance.choice(places), f"#{chance.choice(others)}") if places and others else None


def _file_swapped(subject: _Subject, chance: random.Random) -> str | None:
    places = [index for index in subject.parts("code") if re.search(r"\.\w+$", subject.sentence["parts"][index]["shown"])]
    return (
        subject.with_part(chance.choice(places), chance.choice(("speculative_router.py", "billing/ledger.rs", "shard_map.cuh")))
        if places
        else None
    )


def _author_swapped(subject: _Subject, chance: random.Random) -> str | None:
    places = subject.parts("name")
    pulls = [pull for pull in subject.report["pull_requests"] if pull["number"] in subject.cited()]
    involved = {login for pull in pulls for login in (pull["author"], *(pull["reviewers"] or ()), *(pull["approvers"] or ()))}
    shown = {part["shown"] for part in subject.sentence["parts"] if "name" in part}
    authors = {
        login
        for group in subject.report["groups"]
        if subject.item.key == group["key"]
        for login in (*group["authors"], *group["reviewers"])
    }
    others = sorted({pull["author"] for pull in subject.report["pull_requests"]} - involved - shown - authors)
    return subject.with_part(chance.choice(places), chance.choice(others)) if places and others else None


def _theme_swapped(subject: _Subject, chance: random.Random) -> str | None:
    places = subject.parts("theme")
    shown = {part["theme"] for part in subject.sentence["parts"] if "theme" in part}
    told = {theme for pull in subject.report["pull_requests"] if pull["number"] in subject.cited() for theme in pull["themes"]}
    titles = {key: titles[subject.language] for key, titles in subject.report["theme_titles"].items()}
    others = sorted(title for key, title in titles.items() if key not in shown | told and len(title) > 2 and not title.islower())
    return subject.with_part(chance.choice(places), chance.choice(others)) if places and others else None


def _unit_changed(subject: _Subject, chance: random.Random) -> str | None:
    units = {" h": " days", " 小时": " 天", "%": " h" if subject.language == "en" else " 小时"}
    found = [(index, part, unit) for index, part in _numbers(subject) for unit in units if part["shown"].endswith(unit)]
    if not found:
        return None
    index, part, unit = chance.choice(found)
    return subject.with_part(index, part["shown"].removesuffix(unit) + units[unit])


def _quote_bent(subject: _Subject, chance: random.Random) -> str | None:
    places = [index for index in subject.parts("quote") if len(subject.sentence["parts"][index]["shown"].split()) > 4]
    if not places:
        return None
    index = chance.choice(places)
    words = subject.sentence["parts"][index]["shown"].split(" ")
    words[chance.randrange(1, len(words))] = chance.choice(("Kubernetes", "quantum", "never", "thirty"))
    return subject.with_part(index, " ".join(words))


def _swapped(pairs: list[list[str]]) -> Callable[[_Subject, random.Random], str | None]:
    def mutate(subject: _Subject, chance: random.Random) -> str | None:
        text = text_of(subject.sentence)
        found = [(pattern, other) for pattern, other in pairs if re.search(pattern, text)]
        if not found:
            return None
        pattern, other = chance.choice(found)
        return re.sub(pattern, other, text, count=1)

    return mutate


_MUTATIONS: dict[str, Callable[[_Subject, random.Random], str | None]] = {
    "number changed": _number_changed,
    "digits swapped": _digits_swapped,
    "pull request swapped": _pull_swapped,
    "wrong file": _file_swapped,
    "wrong author": _author_swapped,
    "theme swapped": _theme_swapped,
    "unit changed": _unit_changed,
    "quotation bent": _quote_bent,
    **{name: _swapped(pairs) for name, pairs in _SAID["turned"].items()},
}
