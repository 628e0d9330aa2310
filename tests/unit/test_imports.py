"""The map of the rooms is true: imports go one way, and starting the command is cheap."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pipelines

PACKAGE = Path(pipelines.__file__).parent
ALL = {
    "errors",
    "weeks",
    "settings",
    "contracts",
    "tables",
    "warehouse",
    "sources",
    "rules",
    "report",
    "defs",
    "commands",
    "cli",
    "definitions",
}
MAY_IMPORT = {
    "errors": set(),
    "weeks": {"errors"},
    "settings": {"errors", "weeks"},
    "contracts": set(),
    "tables": {"errors", "contracts"},
    "warehouse": {"tables", "errors", "weeks"},
    "sources": {"contracts", "tables", "settings", "errors", "weeks"},
    "rules": {"tables", "settings", "errors", "weeks"},
    "report": {"warehouse", "tables", "settings", "errors", "weeks"},
    "defs": ALL - {"commands", "cli", "definitions"},
    "definitions": {"defs", "settings"},
    "commands": ALL - {"cli", "definitions"},
    "cli": {"errors", "commands"},
}
# The report shows what the rules are called and what their themes' titles are: names, not measures.
NAMES_ONLY = {"report": {"pipelines.rules.risks", "pipelines.rules.themes", "pipelines.rules.inputs"}}


def imports_of(path: Path) -> set[str]:
    """Every module of ours that a file imports, wherever in it, and ``dagster`` where it imports that."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {f"pipelines.{alias.name}" for alias in node.names} if node.module == "pipelines" else {node.module}
    return {name for name in found if name.split(".")[0] in {"pipelines", "dagster"}}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_go_one_way(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        return
    for name in imports_of(path):
        if name.startswith("dagster"):
            assert room in {"defs", "definitions"}, f"{room} imports dagster"
            continue
        target = name.split(".")[1] if "." in name else ""
        if target != room and name not in NAMES_ONLY.get(room, set()):
            assert target in MAY_IMPORT[room], f"{path.name} imports {name}"


def test_every_room_is_on_the_map() -> None:
    rooms = {room_of(path) for path in PACKAGE.rglob("*.py")} - {"__init__"}
    assert rooms == set(MAY_IMPORT)
    for room in rooms:
        assert f"``{room}``" in (pipelines.__doc__ or ""), f"the map does not name {room}"


def test_starting_the_command_imports_nothing_heavy() -> None:
    code = "import sys, pipelines.cli as c; c._parser(); print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"dagster", "pandas", "pyarrow", "numpy", "papermill", "nbconvert", "github", "duckdb", "pydantic", "rich"} & set(
        loaded
    )
