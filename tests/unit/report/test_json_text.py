import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipelines.report.json_text import indented

_TEXTS = st.text(st.characters(exclude_categories=()))  # lone surrogates too
_SINGLE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS
_VALUES = st.recursive(_SINGLE, lambda inner: st.lists(inner) | st.dictionaries(_TEXTS, inner) | st.tuples(inner, inner))


def by_the_library(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1, allow_nan=False)


@given(_VALUES)
@example({"b": [], "a": {"": {}}, "c": [[], [1, [2.0, -0.0, 1e300]], ()], "": '\u2028"\\\x7f\n'})
def test_the_text_is_the_librarys(value: Any) -> None:
    assert indented(value) == by_the_library(value)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": object()}, {1: 2}, {"a": b""}])
def test_what_json_has_not_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        indented(value)
