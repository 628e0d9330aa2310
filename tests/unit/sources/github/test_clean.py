from hypothesis import given
from hypothesis import strategies as st

from pipelines.sources.github.clean import REPLACEMENT, Cleaner

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


def test_what_breaks_files_terminals_or_eyes_is_replaced_and_counted() -> None:
    clean = Cleaner()
    assert clean.text("a\x00b\x1b[31m\ud800c\u202ed\u2066e\x9bf\uffff") == "a\ufffdb\ufffd[31m\ufffdc\ufffdd\ufffde\ufffdf\ufffd"
    assert clean.replaced_count == 7


def test_honest_text_stays_as_it_is() -> None:
    clean = Cleaner()
    honest = "שלום\u200f \u200e中文 👩‍💻\tx\nline e\u0301"
    assert clean.text(honest) == honest
    assert clean.replaced_count == 0


def test_line_ends_are_one_kind_and_not_counted() -> None:
    clean = Cleaner()
    assert clean.text("a\r\nb\rc") == "a\nb\nc"
    assert clean.replaced_count == 0


def test_a_line_holds_no_line_end() -> None:
    clean = Cleaner()
    assert clean.line("a\nb\tc\u2028d") == f"a{REPLACEMENT}b{REPLACEMENT}c{REPLACEMENT}d"
    assert clean.replaced_count == 3


def test_null_stays_null() -> None:
    assert Cleaner().maybe_line(None) is None
    assert Cleaner().maybe_text(None) is None


def test_a_million_characters_survive() -> None:
    body = "x" * 999_999 + "\x00"
    assert Cleaner().text(body) == "x" * 999_999 + REPLACEMENT


@given(ANY_TEXT)
def test_clean_text_is_utf8_stays_clean_and_is_counted(text: str) -> None:
    clean = Cleaner()
    once = clean.text(text)
    once.encode("utf-8")
    again = Cleaner()
    assert again.text(once) == once
    assert again.replaced_count == 0
    assert once.count(REPLACEMENT) - text.count(REPLACEMENT) == clean.replaced_count


@given(ANY_TEXT)
def test_a_clean_line_is_one_line(text: str) -> None:
    assert len(Cleaner().line(text).split("\n")) == 1
