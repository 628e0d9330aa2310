"""All derived tables of one repository-week, in the order in which they stand on each other."""

from collections.abc import Callable

import pandas as pd

from pipelines.rules import core_paths, files, follow_ups, importance, links, measures, risks, themes, trends, week
from pipelines.rules.inputs import Frames, WeekInputs

#: Table and the step that makes it; a step may read the tables above its own.
STEPS: tuple[tuple[str, Callable[[WeekInputs, Frames], pd.DataFrame]], ...] = (
    ("derived_core_paths", core_paths.derive),
    ("derived_files", files.derive),
    ("derived_links", links.derive),
    ("derived_pull_requests", measures.derive),
    ("derived_themes", themes.derive),
    ("derived_risks", risks.derive),
    ("derived_importance", importance.derive),
    ("derived_theme_trends", trends.derive),
    ("derived_week", week.derive),
    ("derived_follow_ups", follow_ups.derive),
)


def derive_week(inputs: WeekInputs) -> dict[str, pd.DataFrame]:
    """Every derived table of the week, by name; pure: the same inputs give the same rows."""
    made: dict[str, pd.DataFrame] = {}
    for name, step in STEPS:
        made[name] = step(inputs, made)
    return made
