"""What a sentence says, without its words: a message of the catalogue and what fills its placeholders."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Style = Literal["number", "signed", "size", "hours", "percent", "day", "text"]


@dataclass(frozen=True)
class Fact:
    """A value of report.json by its path, and how to show it; ``size`` leaves the sign to the words around it."""

    path: str
    style: Style = "number"


@dataclass(frozen=True)
class Pull:
    """A pull request's number, to be linked."""

    number: int


@dataclass(frozen=True)
class Title:
    """The title of one of the week's pull requests: untrusted."""

    number: int


@dataclass(frozen=True)
class Name:
    """A login: untrusted, never a mention."""

    login: str


@dataclass(frozen=True)
class Code:
    """A path, module, setting or symbol: untrusted."""

    text: str


@dataclass(frozen=True)
class Quote:
    """Words of a pull request's own text, verbatim but for a cut at the end: untrusted.

    The object of a verb of ours loses its article in languages that have none, and "new" where the verb says so.
    """

    text: str
    is_object: bool = False
    is_new: bool = False


@dataclass(frozen=True)
class Theme:
    """A theme, shown by its title."""

    key: str


@dataclass(frozen=True)
class Listed:
    """Things joined as the language joins a list: a, b, and c."""

    items: "tuple[Slot, ...]"


@dataclass(frozen=True)
class Clauses:
    """Things joined by a message of the catalogue: the clauses of one long sentence, or counts."""

    items: "tuple[Slot, ...]"
    between: str = "prose.between_clauses"


@dataclass(frozen=True)
class Joined:
    """Things one after the other, with nothing between them."""

    items: "tuple[Slot, ...]"


@dataclass(frozen=True)
class Phrases:
    """Phrases of one subject, joined as the language joins them: a, b, and c; by commas alone in Chinese."""

    items: "tuple[Slot, ...]"


@dataclass(frozen=True)
class Say:
    """A message with its placeholders filled; ``n`` chooses its plural form.

    ``otherwise`` is said where the catalogue lacks the message: a rule of a repository's own has only its id.
    ``about`` names pull requests that it stands on beside those it links.
    """

    key: str
    slots: "Mapping[str, Slot]" = field(default_factory=dict)
    n: Fact | None = None
    otherwise: "Slot | None" = None
    about: tuple[int, ...] = ()


Slot = Fact | Pull | Title | Name | Code | Quote | Theme | Listed | Clauses | Joined | Phrases | Say


@dataclass(frozen=True)
class HeadedPlan:
    """A heading and the sentences below it; ``key`` says what they are about."""

    key: str
    heading: Slot
    sentences: tuple[Say, ...]
