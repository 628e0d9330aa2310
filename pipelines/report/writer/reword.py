"""A report worded by a model: every sentence that holds stands in the place of the rule's; the rest stay as they are.

Figures come from stored answers alone, so that the same answers give the same bytes. Nothing here raises for what a model
or its server does: the report is then the default one, and says why.
"""

import copy
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from pipelines.report.model import Report, Sentence, Wording
from pipelines.report.writer.answers import Answer, Answers
from pipelines.report.writer.client import NoAnswerError
from pipelines.report.writer.evidence import Evidence
from pipelines.report.writer.request import PROMPT_VERSION, Item, items, question, schema, text_of
from pipelines.report.writer.verify import Draft, RefusedError, verified
from pipelines.settings import ModelSettings

_FIRST, _SECOND = 1, 2
_MOST_AUDITED = 500  # characters of a refused text: what it was, never a wall of it
#: Characters of a question for a token at least, in either language: the budget is held before a question is sent.
_CHARACTERS_PER_TOKEN = 2
_MILLION = 1_000_000
#: What many a model puts around JSON where its server does not hold it to the form.
_FENCES = re.compile(r"\A\s*```(?:json)?\s*\n|\n\s*```\s*\Z")


class Asks(Protocol):
    """What gives answers: :class:`pipelines.report.writer.client.Client`, or a test's own."""

    def ask(self, question: list[dict[str, Any]], schema: dict[str, Any]) -> Answer:
        """The answer; :class:`NoAnswerError` where there is none."""
        ...


@dataclass(frozen=True)
class Reworded:
    """The report with its figures under ``wording``, and the rows of ``derived_prose_audit``."""

    report: Report
    audit: list[dict[str, Any]]


def reword(report: Report, settings: ModelSettings, asks: Asks, answers: Answers) -> Reworded:
    """The report with the sentences of a model that hold; the given one is left as it is."""
    made = copy.deepcopy(report)
    writer = _Writer(made, settings, asks, answers)
    for language in sorted(set(settings.languages) & made["prose"].keys()):
        writer.language(language)
    made["wording"] = writer.wording()
    if writer.reason:
        made["prose"] = copy.deepcopy(report["prose"])  # whole or not at all: half a report in another voice helps nobody
        made["wording"] |= {"written": 0, "mended": 0, "refused": 0}
    return Reworded(made, [] if writer.reason else sorted(writer.audit, key=_audit_key))


def _audit_key(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("language", "section", "item", "sentence", "attempt"))


@dataclass
class _Writer:
    """One run over one report: what was asked, what held, what it took."""

    report: Report
    settings: ModelSettings
    asks: Asks
    answers: Answers
    audit: list[dict[str, Any]] = field(default_factory=list)
    used: list[Answer] = field(default_factory=list)
    reason: str = ""
    is_spent: bool = False
    written: int = 0
    mended: int = 0
    refused: int = 0

    def language(self, language: str) -> None:
        """Word everything in one language, until the budget or the server's patience ends."""
        evidence = Evidence(self.report, language)
        for item in list(items(self.report, language)):
            if self.reason:
                return
            try:
                self._item(item, evidence)
            except NoAnswerError as error:
                self.reason = str(error)

    def wording(self) -> Wording:
        """The figures of the method section."""
        tokens = sum(answer.input_tokens for answer in self.used), sum(answer.output_tokens for answer in self.used)
        return {
            "model": self.settings.model,
            "prompt_version": PROMPT_VERSION,
            "state": "stopped" if self.is_spent else "unavailable" if self.reason else "used",
            "reason": self.reason,
            "answers": len(self.used),
            "written": self.written,
            "mended": self.mended,
            "refused": self.refused,
            "input_tokens": tokens[0],
            "output_tokens": tokens[1],
            "seconds": round(sum(answer.seconds for answer in self.used), 1),
            "cost": self._cost(*tokens),
        }

    def _cost(self, input_tokens: int, output_tokens: int) -> float | None:
        prices = self.settings.price_per_million_input_tokens, self.settings.price_per_million_output_tokens
        if prices[0] is None or prices[1] is None:
            return None
        return round((input_tokens * prices[0] + output_tokens * prices[1]) / _MILLION, 4)

    def _item(self, item: Item, evidence: Evidence) -> None:
        """Ask for an item's sentences, once more for those that did not hold, and put in what holds."""
        first = self._round(item, evidence, {}, _FIRST)
        reasons = {name: reason for name, reason in first.items() if isinstance(reason, str)}
        second = self._round(item, evidence, reasons, _SECOND) if reasons else {}
        held = {name: found for name, found in (first | second).items() if not isinstance(found, str)}
        self.written += len(held.keys() - second.keys())
        self.mended += len(held.keys() & second.keys())
        self.refused += len(item.ids.keys() - held.keys())
        for row in self.audit:
            if (row["language"], row["section"], row["item"]) == (item.language, item.section, item.key):
                row["outcome"] = "mended" if row["sentence"] in held else "replaced"
        _put(self.report, item, held)

    def _round(self, item: Item, evidence: Evidence, reasons: dict[str, str], attempt: int) -> dict[str, Sentence | str]:
        """Each sentence asked for by its id: as parts, or why it was refused."""
        wanted = list(reasons or item.ids)
        answer = self._answer(question(self.report, item, reasons))
        drafts, problem = _drafts(answer.text)
        found: dict[str, Sentence | str] = {}
        for name in wanted:
            given = drafts.get(name)
            found[name] = problem or "is missing from the answer" if given is None else _held(given, name, item, evidence)
            if isinstance(found[name], str):
                text = str(given.get("text", "")) if given is not None else answer.text if problem else ""
                self._refuse(item, name, attempt, text, str(found[name]))
        return found

    def _refuse(self, item: Item, name: str, attempt: int, text: str, reason: str) -> None:
        self.audit.append(
            {
                "language": item.language,
                "section": item.section,
                "item": item.key,
                "sentence": name,
                "attempt": attempt,
                "text": _storable(text)[:_MOST_AUDITED],
                "reason": _storable(reason)[:_MOST_AUDITED],
                "outcome": "replaced",
                "model": self.settings.model,
                "prompt_version": PROMPT_VERSION,
            }
        )

    def _answer(self, messages: list[dict[str, Any]]) -> Answer:
        """The stored answer, else a new one, within the budget."""
        key = self.answers.key(PROMPT_VERSION, self.settings.model, messages)
        answer = self.answers.read(key)
        if answer is None:
            spent = sum(each.input_tokens + each.output_tokens for each in self.used)
            wanted = sum(len(message["content"]) for message in messages) // _CHARACTERS_PER_TOKEN
            if spent + wanted > self.settings.max_tokens_per_report:
                self.is_spent = True
                raise NoAnswerError(f"the budget of {self.settings.max_tokens_per_report} tokens a report is spent")
            answer = self.asks.ask(messages, schema())
            self.answers.write(key, answer)
        self.used.append(answer)
        return answer


def _drafts(text: str) -> tuple[dict[str, dict[str, Any]], str]:
    """The sentences of an answer by id, or why it cannot be read."""
    try:
        read = json.loads(_FENCES.sub("", text))
        given = read["sentences"]
        drafts = {each["id"]: each for each in given if isinstance(each, dict) and isinstance(each.get("id"), str)}
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}, "the answer is not the JSON that was asked for"
    return drafts, ""


def _held(given: dict[str, Any], name: str, item: Item, evidence: Evidence) -> Sentence | str:
    text, pulls, facts = given.get("text"), given.get("pull_requests"), given.get("facts")
    if not isinstance(text, str) or not _all(pulls, int) or not _all(facts, str):
        return "is not of the shape that was asked for"
    rules = item.ids[name]
    draft = Draft(
        text, frozenset(pulls or ()), frozenset(facts or ()), item.numbers, item.facts, text_of(rules), item.section == "pulls"
    )
    try:
        return verified(draft, evidence)
    except RefusedError as refusal:
        return str(refusal)


def _all(values: object, kind: type) -> bool:
    return isinstance(values, list) and all(isinstance(value, kind) and not isinstance(value, bool) for value in values)


def _storable(text: str) -> str:
    """Text without what a table cannot hold: lone surrogates and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")


def _put(report: Report, item: Item, held: dict[str, Sentence]) -> None:
    sentences: Iterable[Sentence] = [held.get(name, sentence) for name, sentence in item.ids.items()]
    prose = report["prose"][item.language]
    if item.section == "summary":
        prose["summary"] = list(sentences)
        return
    for headed in prose[item.section]:
        if headed["key"] == item.key:
            headed["sentences"] = list(sentences)
