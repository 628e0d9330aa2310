"""Jupyter's libraries, imported without what they would load for nothing."""

import contextlib
import sys
from collections.abc import Iterator

_GRAMMAR = "rfc3987_syntax"


@contextlib.contextmanager
def without_iri_grammar() -> Iterator[None]:
    """While imports in it run, the module that checks internationalised addresses is as if not installed.

    nbformat imports jsonschema, which imports it where it is there, and it builds its grammar at once: a second and a
    half at every start, for a check that no notebook's schema asks for. jsonschema does without it by design; in a
    process that imported jsonschema this way, its format checker knows no ``iri``. Whoever imports the module later gets it.
    """
    if _GRAMMAR in sys.modules:
        yield
        return
    sys.modules[_GRAMMAR] = None  # type: ignore[assignment]  # because: None is how the import system is told of absence
    try:
        yield
    finally:
        del sys.modules[_GRAMMAR]
