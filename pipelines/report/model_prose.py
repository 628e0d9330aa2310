"""The shape of sentences in ``report.json``: what :mod:`pipelines.report.model` says holds here too."""

from typing import Literal

from typing_extensions import TypedDict  # pydantic checks report.json by these classes, and wants this one before Python 3.12


class Part(TypedDict, total=False):
    """A piece of a sentence: exactly one of the keys but ``shown``, which holds its plain text on every part but ``text``.

    Quotation marks stand in the texts around a ``quote``. ``fact`` is a path into report.json as jq writes it, without
    the leading dot: ``counts.merged``, ``risks[2].count``.
    """

    text: str  # ours, in the sentence's language
    pull: int  # "#123", linked
    title: int  # the title of that pull request: untrusted
    name: str  # a login: untrusted, never a mention
    code: str  # a path, setting or symbol: untrusted
    quote: str  # words of a pull request's own description: untrusted
    theme: str  # a theme's key; shown by its title
    fact: str  # a number of report.json, by its path
    shown: str


class Sentence(TypedDict):
    """One sentence with the pull requests and the facts it stands on, both sorted."""

    parts: list[Part]
    pull_requests: list[int]
    facts: list[str]
    source: Literal["rule", "model"]


class Headed(TypedDict):
    """A headed run of sentences: a group, a trend, a risk, a suggestion, a pull request."""

    key: str
    heading: list[Part]
    sentences: list[Sentence]


class Wording(TypedDict):
    """What a language model did to the sentences, by its stored answers; the same answers give the same figures."""

    model: str
    prompt_version: str
    state: Literal["used", "stopped", "unavailable"]  # stopped: the budget was spent; unavailable: it gave no answer
    reason: str  # why it stopped or was not available; empty where it was used
    answers: int
    written: int  # sentences that held at once
    mended: int  # that held once the reason was given
    refused: int  # that did not hold: the rule's sentence stands
    input_tokens: int
    output_tokens: int
    seconds: float
    cost: float | None  # in the currency of the prices; null where no price is set


class Prose(TypedDict):
    """The sentences of one language."""

    headline: Sentence
    summary: list[Sentence]  # five at most
    groups: list[Headed]
    trends: list[Headed]  # a theme each
    risks: list[Headed]  # a rule each
    pulls: list[Headed]  # a highlight each: one line of what it does
    suggestions: list[Headed]
    earlier_suggestions: list[Headed]
