"""The words of one language: its catalogue, numbers, dates, lists and spaces.

A language is one file, ``locales/<language>.po``, read as it lies; Babel supplies its numbers, dates and plurals.
Message ids are dotted keys. A message with plural forms is chosen by its parameter ``n``. Placeholders are ``{name}``.
Nothing here escapes: what comes out is plain text, and every output escapes it in its own way.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, lru_cache
from gettext import c2py
from pathlib import Path
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_datetime, format_skeleton
from babel.lists import format_list
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent

from pipelines.errors import ReportError

LOCALES = Path(__file__).parent / "locales"
_PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_]*)\}")
# Where one of each side meets, readers of Chinese expect a thin space; a plain space is what keyboards give.
_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z0-9\u00c0-\u024f#@%+\-~`$()\[\]./_]")

_RUNS = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+|[^\u3400-\u4dbf\u4e00-\u9fff]+")

#: A template in pieces: text, or the name of a placeholder with ``True``.
Pieces = tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class _Catalogue:
    """Messages by id, as pieces by plural form, and the form a number takes; ``fixed`` are those with nothing to fill in."""

    messages: dict[str, tuple[Pieces, ...]]
    form_of: Callable[[int], int]
    fixed: dict[str, str]


def languages() -> tuple[str, ...]:
    """Every language with a catalogue, sorted."""
    return _languages(LOCALES)


@cache
def _languages(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob("*.po")))


def pieces_of(template: str) -> Pieces:
    """The template cut at its placeholders, in order; empty text left out."""
    parts = _PLACEHOLDER.split(template)
    return tuple((part, bool(index % 2)) for index, part in enumerate(parts) if part)


def needs_space(left: str, right: str) -> bool:
    """Whether a space belongs between two neighbouring texts: Chinese meets Latin letters, digits or signs."""
    return bool(left and right) and _apart(left[-1], right[0])


# A report asks this of the same few hundred pairs a hundred thousand times.
@lru_cache(maxsize=16384)
def _apart(last: str, first: str) -> bool:
    return any(_CJK.match(one) and _LATIN.match(other) for one, other in ((last, first), (first, last)))


@cache
def _catalogue(language: str) -> _Catalogue:
    path = LOCALES / f"{language}.po"
    try:
        with path.open("rb") as handle:
            read = read_po(handle, locale=language)
    except FileNotFoundError:
        raise ReportError(f"language {language!r}: no catalogue {path.name}. Choose one of {', '.join(languages())}.") from None
    messages = {}
    for message in read:
        if message.id:
            key = message.id if isinstance(message.id, str) else message.id[0]
            forms = message.string if isinstance(message.string, tuple | list) else (message.string,)
            messages[key] = tuple(pieces_of(str(form)) for form in forms)
    alone = {key: forms[0] for key, forms in messages.items() if len(forms) == 1}
    fixed = {key: "".join(text for text, _ in pieces) for key, pieces in alone.items() if not any(hole for _, hole in pieces)}
    return _Catalogue(messages, c2py(read.plural_expr), fixed)


@cache
def _locale(language: str) -> Locale:
    try:
        return Locale.parse("zh_Hans_CN" if language == "zh" else language)
    except (UnknownLocaleError, ValueError):
        raise ReportError(f"language {language!r}: unknown to Babel. Name the file by a code such as en or zh.") from None


class Words:
    """The words of one language: ``Words("zh").t("page.summary")``."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._catalogue = _catalogue(language)
        self.locale = _locale(language)

    @property
    def html_language(self) -> str:
        """The value of HTML's ``lang``: ``zh`` alone would let a browser pick Japanese glyphs."""
        return "zh-CN" if self.language == "zh" else self.language

    def keys(self) -> tuple[str, ...]:
        """Every message id of the catalogue, sorted."""
        return tuple(sorted(self._catalogue.messages))

    def has(self, key: str) -> bool:
        """Whether the catalogue holds a message."""
        return key in self._catalogue.messages

    def pieces(self, key: str, n: float | None = None) -> Pieces:
        """The message's template in pieces; of several plural forms the one for ``n``. :class:`ReportError` where absent."""
        forms = self._catalogue.messages.get(key)
        if forms is None:
            raise ReportError(f"catalogue {self.language}.po: no message {key!r}. Add it to every file of {LOCALES.name}/.")
        if len(forms) == 1:
            return forms[0]
        if n is None:
            raise ReportError(f"catalogue {self.language}.po: message {key!r} has plural forms and was given no n. Pass n=.")
        # A fraction takes the form of "many" in every language here: 1.5 pull requests.
        return forms[self._catalogue.form_of(int(n) if n == int(n) else 2)]

    def t(self, key: str, **params: object) -> str:
        """The message with its placeholders filled; numbers are formatted, ``n`` chooses the plural form."""
        if key in self._catalogue.fixed:
            return self._catalogue.fixed[key]
        n = params.get("n")
        pieces = self.pieces(key, n if isinstance(n, int | float) else None)
        try:
            return self.join([self.shown(params[text]) if is_placeholder else text for text, is_placeholder in pieces])
        except KeyError:
            missing = sorted({text for text, is_placeholder in pieces if is_placeholder} - params.keys())
            raise ReportError(
                f"catalogue {self.language}.po: message {key!r} wants {missing}, given {sorted(params)}. Pass them."
            ) from None

    def shown(self, value: object) -> str:
        """A parameter as text: numbers by the language, everything else as it is."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self.number(value)
        return str(value)

    def join(self, texts: Iterable[str]) -> str:
        """Texts one after the other, with the space that Chinese wants beside Latin."""
        made = ""
        for text in texts:
            made += f" {text}" if needs_space(made, text) else text
        return made

    def spaced(self, text: str) -> str:
        """A text of ours with the space that Chinese wants beside Latin and digits."""
        return self.join(_RUNS.findall(text)) if self.language == "zh" else text

    def number(self, value: float | None, digits: int = 1) -> str:
        """A number with the language's separators and at most so many decimals; a dash where it is not known."""
        if value is None:
            return self.t("term.unknown_value")
        return _decimal(value, digits, self.language)

    def signed(self, value: float | None, digits: int = 1) -> str:
        """A change with its sign: with a true minus, and ±0."""
        if value is None:
            return self.t("term.unknown_value")
        rounded = round(value, digits)
        sign = "+" if rounded > 0 else "\u2212" if rounded < 0 else "\u00b1"
        return sign + self.number(abs(rounded), digits)

    def hours(self, value: float | None) -> str:
        """Hours with one decimal and their unit: 27.1 h."""
        return self.number(value) if value is None else self.t("term.hours", hours=self.number(value))

    def percent(self, share: float | None) -> str:
        """A share of 0 to 1 in whole per cent; less than one is said so."""
        if share is None:
            return self.number(None)
        return "<" + _percent(0.01, self.language) if 0 < share < _HALF_PERCENT else _percent(share, self.language)

    def lines(self, added: int, removed: int) -> str:
        """Lines added and removed, each with its sign."""
        return f"+{self.number(added)} \u2212{self.number(removed)}"

    def date(self, day: "date | str", style: str = "long") -> str:
        """A calendar day, given as a date or ISO text; styles are Babel's: short, medium, long, full, or a pattern."""
        return self.spaced(format_date(date.fromisoformat(day) if isinstance(day, str) else day, format=style, locale=self.locale))

    def day(self, day: str) -> str:
        """A calendar day of ISO text without its year: Apr 20."""
        return self.spaced(format_skeleton("MMMd", date.fromisoformat(day), locale=self.locale))

    def instant(self, when: str, timezone: str = "UTC", style: str = "yyyy-MM-dd HH:mm") -> str:
        """An ISO instant by the clock of a time zone, with the zone's name."""
        moment = datetime.fromisoformat(when).astimezone(ZoneInfo(timezone))
        return f"{format_datetime(moment, format=style, locale=self.locale)} ({timezone})"

    def listed(self, items: Sequence[str]) -> str:
        """Items joined as the language joins them: a, b, and c."""
        between = [*self.separators(len(items)), ""]
        return self.join(text for pair in zip(items, between, strict=True) for text in pair) if items else ""

    def separators(self, count: int) -> list[str]:
        """What stands between the items of a list of so many: for items that are not plain text."""
        marks = [f"\ue000{index}\ue001" for index in range(count)]
        return re.split("\ue000\\d+\ue001", format_list(marks, locale=self.locale))[1:-1] if count else []

    def forms(self, value: object) -> frozenset[str]:
        """Every way this language shows a value of ``report.json``: what a sentence may print for that fact."""
        if value is None:
            return frozenset({self.number(None)})
        if isinstance(value, bool) or not isinstance(value, int | float):
            return frozenset({str(value), *self._dates(value)})
        numbers = {self.number(value, digits) for digits in range(_MOST_DIGITS)}
        return frozenset({*numbers, self.number(abs(value)), self.signed(value), self.hours(value), self.percent(value)})

    def _dates(self, value: object) -> set[str]:
        text = str(value)
        return {self.date(text), self.date(text, "medium"), self.day(text)} if _DAY.fullmatch(text) else set()


# A report shows the same few numbers ten thousand times, and Babel reads its pattern anew for each.
@lru_cache(maxsize=16384, typed=True)
def _decimal(value: float, digits: int, language: str) -> str:
    return format_decimal(round(value, digits) + 0, format="#,##0." + "#" * digits if digits else "#,##0", locale=_locale(language))


@lru_cache(maxsize=16384, typed=True)
def _percent(share: float, language: str) -> str:
    return format_percent(share, format="#,##0%", locale=_locale(language))


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_HALF_PERCENT = 0.005
_MOST_DIGITS = 4
