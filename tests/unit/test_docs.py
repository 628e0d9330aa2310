"""What the docs name is there: commands, targets, files, tables."""

import argparse
import re
from pathlib import Path

import pytest

from pipelines.cli import _parser
from pipelines.commands.docs import tables_page

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))]


def command_names() -> set[str]:
    actions = [action for action in _parser()._actions if isinstance(action, argparse._SubParsersAction)]
    return set(actions[0].choices)


def test_the_page_of_tables_is_that_of_the_contracts() -> None:
    assert (ROOT / "docs" / "tables.md").read_text(encoding="utf-8") == tables_page(), "run make docs"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_targets_and_files_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`?make ([a-z]+)", text)) <= targets
    assert set(re.findall(r"(?:^|`)pullweek ([a-z]+)", text, re.MULTILINE)) <= command_names()
    for path in re.findall(r"`((?:pipelines|docs|notebooks|tests|benchmarks)/[\w./-]+?)`", text):
        assert (ROOT / path.rstrip("/")).exists(), path
    for path in re.findall(r"\]\(([\w./-]+)\)", text):
        assert (page.parent / path).exists(), path
