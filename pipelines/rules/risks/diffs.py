"""What a diff says, where it was asked for: definitions and settings that a pull request takes away or changes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_READ_LENGTH = 200_000  # characters of one diff; a longer one is generated or data

# Definitions that others can call, by the words that languages begin them with; private ones by their custom are left out.
_DEFINITION = re.compile(
    r"^(?:async def|def|class) (?P<python>[A-Za-z]\w*)"
    r"|^export (?:default )?(?:async )?(?:function|class|const|interface|type|enum) (?P<script>\w+)"
    r"|^pub (?:async |unsafe )?(?:fn|struct|enum|trait|type|const) (?P<rust>\w+)|^func (?:\([^)]*\) )?(?P<go>[A-Z]\w*)"
    r"|^\s*public (?:static |final |abstract )*(?:class|interface|enum|[\w<>\[\]]+) (?P<java>\w+)\s*[({]"
)
_FLAG = re.compile(r"""["'](--[a-z][\w-]+)["']""")
_CAPITALS = r"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"
_VARIABLE = re.compile(
    rf"""(?:environ|getenv|env::var|process\.env|[Ee]nv\w*\()\W{{0,4}}["']?{_CAPITALS}|^\s*{_CAPITALS}\s*=\s*Env"""
)


@dataclass(frozen=True)
class Taken:
    """What the diffs of one pull request take away: sorted names."""

    removed_definitions: tuple[str, ...]
    changed_definitions: tuple[str, ...]
    removed_settings: tuple[str, ...]


def taken(patches: Iterable[str]) -> Taken:
    """What a pull request takes away; what stands elsewhere in it again has only moved."""
    removed: dict[str, str] = {}
    added: dict[str, str] = {}
    gone: set[str] = set()
    come: set[str] = set()
    for sign, line in _lines(patches):
        definitions, settings = (removed, gone) if sign == "-" else (added, come)
        definition = _DEFINITION.match(line)
        if definition:
            definitions[str(definition[str(definition.lastgroup)])] = " ".join(line.split())
        settings.update(_FLAG.findall(line), (first or second for first, second in _VARIABLE.findall(line)))
    changed = sorted(name for name, text in removed.items() if name in added and added[name] != text)
    return Taken(tuple(sorted(removed.keys() - added.keys())), tuple(changed), tuple(sorted(gone - come)))


def _lines(patches: Iterable[str]) -> Iterable[tuple[str, str]]:
    for patch in patches:
        for line in patch[:_READ_LENGTH].split("\n"):
            if line[:1] in ("+", "-") and not line.startswith(("+++", "---")):
                yield line[0], line[1:]
