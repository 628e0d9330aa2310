"""What kind of file a changed file is, by its path, and in which module it lies."""

from functools import lru_cache

import pandas as pd

from pipelines.rules import globs
from pipelines.rules.file_kinds import KIND_RULES, LANGUAGES, TEST_CLASS
from pipelines.rules.inputs import Frames, WeekInputs
from pipelines.rules.modules import module_of
from pipelines.settings import RuleSettings
from pipelines.tables import TABLES


@lru_cache(maxsize=65_536)
def kind_of(path: str, test_paths: tuple[str, ...] = (), generated_paths: tuple[str, ...] = ()) -> tuple[str, str]:
    """The kind of a path and the id of the rule that decided; a repository's own patterns come first."""
    if globs.holds(generated_paths, path):
        return "generated", "configured_generated"
    if globs.holds(test_paths, path):
        return "test", "configured_test"
    low = path.lower()
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


def kinds_of(paths: pd.Series, settings: RuleSettings) -> pd.DataFrame:
    """Columns ``kind`` and ``kind_rule`` for a column of paths."""
    listed = paths.to_numpy(dtype=object).tolist()  # pandas walks its own strings one by one, a hundred times as slowly
    decided = {path: kind_of(path, settings.test_paths, settings.generated_paths) for path in set(listed)}
    pairs = [decided[path] for path in listed]
    return pd.DataFrame(
        {"kind": [kind for kind, _ in pairs], "kind_rule": [rule for _, rule in pairs]}, index=paths.index, dtype="str"
    )


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per changed file of a pull request, with its module, kind and whether it is core."""
    raw = inputs.raw["raw_files"].sort_values(["number", "path"], ignore_index=True)
    configured = tuple(inputs.settings.modules.items())
    core = set(made["derived_core_paths"]["path"])
    lines = raw["added_lines_count"].fillna(1) + raw["removed_lines_count"].fillna(1)
    columns = [column.name for column in TABLES["derived_files"].columns]
    return raw.assign(
        module=pd.Series([module_of(path, inputs.repo, configured) for path in raw["path"].to_numpy(dtype=object)], dtype="str"),
        language=pd.Series([language_of(path) for path in raw["path"].to_numpy(dtype=object)], dtype="str"),
        is_rename_only=((raw["change_type"] == "renamed") & (lines == 0)).astype("bool"),
        is_core=(raw["path"].isin(core) | raw["previous_path"].isin(core)).astype("bool"),
        **kinds_of(raw["path"], inputs.settings),
    )[columns]
