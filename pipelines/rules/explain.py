"""One pull request explained: its measures, files, themes, risks, importance and links, with the rule behind each."""

import json
from typing import Any

import pandas as pd

from pipelines.rules.importance import COMPONENTS
from pipelines.rules.risks import RULES
from pipelines.rules.rows import Frames

# Measures that are said elsewhere in the explanation, with their rule.
_SAID_ELSEWHERE = frozenset({"number", "change_kind", "change_kind_rule", "unknown_parts"})


def explain(frames: Frames, number: int) -> dict[str, Any] | None:
    """What the tables of its week say of one pull request, and why; None where the week has no such pull request.

    ``frames`` holds the raw and derived tables of one repository-week. Null stands as None: not known.
    """
    pulls = _rows(frames, "derived_pull_requests", number)
    if not pulls:
        return None
    pull = pulls[0]
    raw = _rows(frames, "raw_pull_requests", number)
    return {
        "number": number,
        "title": raw[0]["title"] if raw else None,
        "author": raw[0]["author_login"] if raw else None,
        "change_kind": {"is": pull["change_kind"], "rule": pull["change_kind_rule"]},
        "measures": {name: value for name, value in pull.items() if name not in _SAID_ELSEWHERE},
        "files": _files(frames, number),
        "core_paths": _core_paths(frames, pull["core_paths"]),
        "themes": [_without(row, "number") for row in _by(_rows(frames, "derived_themes", number), "weight", "theme")],
        "risks": _risks(frames, number),
        "silent_rules": _silent_rules(pull["unknown_parts"]),
        "importance": _importance(frames, number),
        "links": _links(frames, number),
        "unknown_parts": pull["unknown_parts"],
    }


def _rows(frames: Frames, table: str, number: int, column: str = "number") -> list[dict[str, Any]]:
    """The rows of a pull request by column, with None for every null and plain lists."""
    frame = frames[table]
    return [_plain(row) for row in frame[frame[column] == number].to_dict("records")]


def _plain(row: dict[Any, Any]) -> dict[str, Any]:
    return {str(name): value if isinstance(value, list) else None if pd.isna(value) else value for name, value in row.items()}


def _without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _by(rows: list[dict[str, Any]], highest: str, name: str) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (-row[highest], row[name]))


def _files(frames: Frames, number: int) -> list[dict[str, Any]]:
    """Its files, most changed lines first, each with its kind and the rule that decided it."""
    rows = _rows(frames, "derived_files", number)
    lines = {row["path"]: (row["added_lines_count"] or 0) + (row["removed_lines_count"] or 0) for row in rows}
    return [_without(row, "number") for row in sorted(rows, key=lambda row: (-lines[row["path"]], row["path"]))]


def _core_paths(frames: Frames, paths: list[str]) -> list[dict[str, Any]]:
    """The core files it changes, with the evidence that makes them core."""
    core = frames["derived_core_paths"]
    return [_plain(row) for row in core[core["path"].isin(paths)].sort_values("rank").to_dict("records")]


def _risks(frames: Frames, number: int) -> list[dict[str, Any]]:
    """Risk rules that fired, gravest first, with their measures and evidence."""
    graver = {"high": 0, "medium": 1, "low": 2}
    titles = {rule.id: rule.title for rule in RULES}
    rows = sorted(_rows(frames, "derived_risks", number), key=lambda row: (graver[row["severity"]], row["rule"]))
    return [
        {
            **_without(row, "number", "measures_json"),
            "title": titles.get(row["rule"], row["rule"]),
            "measures": json.loads(row["measures_json"]),
        }
        for row in rows
    ]


def _silent_rules(unknown_parts: list[str]) -> list[dict[str, Any]]:
    """Rules that say nothing of it, since a part they need was not read."""
    silent = (rule for rule in RULES if not rule.knows(unknown_parts))
    return [{"rule": rule.id, "title": rule.title, "needs": sorted(set(rule.needs) & set(unknown_parts))} for rule in silent]


def _importance(frames: Frames, number: int) -> dict[str, Any] | None:
    """Importance with its components, each with what it stands for, those that count most first."""
    rows = _rows(frames, "derived_importance", number)
    if not rows:
        return None
    row = rows[0]
    parts = [{"component": name, "points": row[name], "means": means} for name, means in COMPONENTS.items()]
    return {
        "importance": row["importance"],
        "rank": row["rank"],
        "is_highlight": row["is_highlight"],
        "score": row["score"],
        "components": sorted(parts, key=lambda part: (-abs(part["points"]), part["component"])),
    }


def _links(frames: Frames, number: int) -> list[dict[str, Any]]:
    """Links from it and to it; ``direction`` says which."""
    out = [{"direction": "from", **_without(row, "number")} for row in _rows(frames, "derived_links", number)]
    into = [
        row
        for row in _rows(frames, "derived_links", number, "target_number")
        if row["kind"] != "closes" and row["number"] != number
    ]
    back = [{"direction": "to", **_without(row, "target_number", "target_title", "target_week")} for row in into]
    return sorted(out, key=lambda row: (row["kind"], row["target_number"])) + sorted(
        back, key=lambda row: (row["kind"], row["number"])
    )
