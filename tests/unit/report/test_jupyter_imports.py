import subprocess
import sys
from types import ModuleType

import pytest

from pipelines.report.jupyter_imports import without_iri_grammar

_GRAMMAR = "rfc3987_syntax"


def test_jupyters_libraries_are_loaded_without_the_grammar_of_addresses() -> None:
    code = (
        "import importlib.util, sys, pipelines.report.export_kernel, pipelines.report.export as export\n"
        "export._exporter(), export._nbformat()\n"
        "assert 'jsonschema' in sys.modules\n"
        "assert 'lark' not in sys.modules, 'the grammar was built'\n"
        "assert importlib.util.find_spec('rfc3987_syntax'), 'it is here, and whoever wants it may have it'\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def test_the_absence_ends_with_the_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, _GRAMMAR, raising=False)
    with pytest.raises(ImportError), without_iri_grammar():
        __import__(_GRAMMAR)
    assert _GRAMMAR not in sys.modules


def test_a_grammar_that_is_there_already_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    there = ModuleType(_GRAMMAR)
    monkeypatch.setitem(sys.modules, _GRAMMAR, there)
    with without_iri_grammar():
        assert sys.modules[_GRAMMAR] is there
    assert sys.modules[_GRAMMAR] is there
