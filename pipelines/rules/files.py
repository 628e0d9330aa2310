"""What kind of file a changed file is, by its path, and in which module it lies."""

from functools import lru_cache

import pandas as pd

from pipelines.rules import globs
from pipelines.rules.file_kinds import KIND_RULES, LANGUAGES, TEST_CLASS
from pipelines.rules.inputs import WeekInputs
from pipelines.rules.modules import module_of
from pipelines.rules.rows import Frames, dicts, frame_of, tuples

_RAW_COLUMNS = ("number", "path", "previous_path", "change_type", "added_lines_count", "removed_lines_count")


@lru_cache(maxsize=65_536)
def kind_of(path: str, test_paths: tuple[str, ...] = (), generated_paths: tuple[str, ...] = ()) -> tuple[str, str]:
    """The kind of a path and the id of the rule that decided; a repository's own patterns come first."""
    if globs.holds(generated_paths, path):
        return "generated", "configured_generated"
    if globs.holds(test_paths, path):
        return "test", "configured_test"
    low = f"/{path.lower()}"
    for rule in KIND_RULES:
        if rule.pattern.search(low):
            return rule.kind, rule.id
    if TEST_CLASS.search(path):
        return "test", "test_class_name"
    return ("source", "source_ending") if language_of(path) else ("data", "unknown_ending")


@lru_cache(maxsize=65_536)
def language_of(path: str) -> str | None:
    """The programming language of a file by its ending, or None."""
    name = path.rpartition("/")[2]
    _, dot, ending = name.rpartition(".")
    return LANGUAGES.get(ending.lower()) if dot else None


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per changed file of a pull request, with its module, kind and whether it is core."""
    settings, configured = inputs.settings, tuple(inputs.settings.modules.items())
    core = {path for (path,) in tuples(made, "derived_core_paths", "path")}
    rows = dicts(inputs.raw, "raw_files", _RAW_COLUMNS)
    for row in rows:
        path, old = row["path"], row.pop("previous_path")
        kind, rule = kind_of(path, settings.test_paths, settings.generated_paths)
        # Lines that are not known may be some: such a file is not merely renamed.
        is_unchanged = row["added_lines_count"] == 0 and row["removed_lines_count"] == 0
        row |= {
            "module": module_of(path, inputs.repo, configured),
            "kind": kind,
            "kind_rule": rule,
            "language": language_of(path),
            "is_rename_only": row["change_type"] == "renamed" and is_unchanged,
            "is_core": path in core or old in core,
        }
    return frame_of("derived_files", rows)
