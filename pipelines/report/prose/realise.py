"""From what is said to sentences of parts: words from the catalogue, numbers from the facts, spaces by the language."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from pipelines.report.model import Headed, Part, Report, Sentence
from pipelines.report.prose.paths import value_at
from pipelines.report.prose.say import (
    Clauses,
    Code,
    Fact,
    HeadedPlan,
    Joined,
    Listed,
    Name,
    Phrases,
    Pull,
    Quote,
    Say,
    Slot,
    Style,
    Theme,
    Title,
)
from pipelines.report.words import Words, needs_space

_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)", re.IGNORECASE)
_NEW = re.compile(r"^new\s+(?=\S)", re.IGNORECASE)


def plain(part: Part) -> str:
    """A part as plain text."""
    return part["text"] if "text" in part else part["shown"]


class Realiser:
    """Words for one report in one language."""

    def __init__(self, report: Report, words: Words) -> None:
        self.report = report
        self.words = words
        self._titles = {pull["number"]: pull["title"] for pull in report["pull_requests"]}
        self._themes = report["theme_titles"]
        self._shown: dict[Style, Callable[[Any], str]] = {
            "number": words.number,
            "signed": words.signed,
            "size": lambda number: words.number(abs(number)),
            "hours": words.hours,
            "percent": words.percent,
            "day": words.day,
            "text": str,
        }

    def sentence(self, say: Say) -> Sentence:
        """One sentence; it begins with a capital where the language has them."""
        return sentence_of(capitalised(tidy(self._parts(say))), "rule", say.about)

    def headed(self, plan: HeadedPlan) -> Headed:
        """A heading with the sentences below it."""
        return {
            "key": plan.key,
            "heading": capitalised(tidy(self._parts(plan.heading))),
            "sentences": [self.sentence(say) for say in plan.sentences],
        }

    def theme_title(self, key: str) -> str:
        """A theme's title in this language, else in English, else its key."""
        titles = self._themes.get(key, {})
        return titles.get(self.words.language) or titles.get("en") or key

    def _parts(self, slot: Slot) -> Iterator[Part]:
        match slot:
            case Say():
                yield from self._said(slot)
            case Listed(items):
                between = [*self.words.separators(len(items)), ""]
                yield from self._joined(items, between)
            case Joined(items):
                yield from self._joined(items, [""] * len(items))
            case Phrases(items):
                yield from self._joined(items, [*self._between_phrases(len(items)), ""])
            case Clauses(items, message):
                between = [*[self.words.t(message)] * (len(items) - 1), ""]
                yield from self._joined(items, between)
            case _:
                yield self._part(slot)

    def _part(self, slot: Fact | Pull | Title | Name | Code | Quote | Theme) -> Part:
        made: Part
        match slot:
            case Fact(path, _):
                made = {"fact": path, "shown": self._value(slot)}
            case Pull(number):
                made = {"pull": number, "shown": f"#{number}"}
            case Title(number):
                made = {"title": number, "shown": self._titles[number]}
            case Name(login):
                made = {"name": login, "shown": login}
            case Code(text):
                made = {"code": text, "shown": text}
            case Quote(text, is_object, is_new):
                said = self._bare_object(text, is_new=is_new) if is_object else text
                made = {"quote": said, "shown": said}
            case Theme(key):
                made = {"theme": key, "shown": self.theme_title(key)}
        return made

    def _between_phrases(self, count: int) -> list[str]:
        two = count == 2  # noqa: PLR2004  # because: two phrases are joined by another word than more
        last = self.words.t("prose.between_two_phrases" if two else "prose.before_last_phrase")
        return [*[self.words.t("prose.between_phrases")] * (count - 2), last][: count - 1]

    def _bare_object(self, text: str, *, is_new: bool) -> str:
        """An object without its English article, where the language has no articles; nor "new" of what the verb says is new."""
        if self.words.t("prose.has_articles") != "no":
            return text
        bare = _ARTICLE.sub("", text)
        return _NEW.sub("", bare) if is_new else bare

    def _said(self, say: Say) -> Iterator[Part]:
        if say.otherwise is not None and not self.words.has(say.key):
            yield from self._parts(say.otherwise)
            return
        n = value_at(self.report, say.n.path) if say.n else None
        for text, is_placeholder in self.words.pieces(say.key, n):
            if not is_placeholder:
                yield {"text": text}
            elif text == "n" and say.n is not None:
                yield from self._parts(say.n)
            else:
                yield from self._parts(say.slots[text])

    def _joined(self, items: tuple[Slot, ...], between: list[str]) -> Iterator[Part]:
        for item, separator in zip(items, between, strict=True):
            yield from self._parts(item)
            yield {"text": separator}

    def _value(self, fact: Fact) -> str:
        return self._shown[fact.style](value_at(self.report, fact.path))


def tidy(parts: Iterable[Part]) -> list[Part]:
    """The parts with neighbouring texts joined, empty ones gone, a space where Chinese meets Latin, and one stop at an end."""
    made: list[Part] = []
    before = ""
    for part in parts:
        shown = plain(part)
        if "text" in part and shown.startswith(".") and before.endswith("…"):
            shown = shown[1:]  # words that a title cut short end in an ellipsis, and a sentence in one stop
        text = f" {shown}" if needs_space(before, shown) else shown
        if "text" not in part:
            if text is not shown:
                _append(made, " ")
            made.append(part)
            before = shown
        elif text:
            _append(made, text)
            before = text
    return made


def _append(made: list[Part], text: str) -> None:
    if made and "text" in made[-1]:
        made[-1] = {"text": made[-1]["text"] + text}
    else:
        made.append({"text": text})


def capitalised(parts: list[Part]) -> list[Part]:
    """The parts with a capital where a sentence begins with words of ours or a theme: in front, and after a full stop."""
    made: list[Part] = []
    for part in parts:
        is_first = not made or ("text" in made[-1] and made[-1]["text"].endswith(". "))
        if is_first and "theme" in part:
            made.append({"theme": part["theme"], "shown": _upper(part["shown"])})
        elif is_first and "text" in part:
            made.append({"text": _upper(part["text"])})
        else:
            made.append(part)
    return made


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def sentence_of(parts: list[Part], source: Literal["rule", "model"], about: Iterable[int] = ()) -> Sentence:
    """A sentence with what it stands on gathered from its parts."""
    numbers = {part["pull"] for part in parts if "pull" in part} | {part["title"] for part in parts if "title" in part}
    return {
        "parts": parts,
        "pull_requests": sorted({*numbers, *about}),
        "facts": sorted({part["fact"] for part in parts if "fact" in part}),
        "source": source,
    }
