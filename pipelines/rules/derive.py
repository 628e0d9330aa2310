"""All derived tables of one repository-week, in the order in which they stand on each other."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pandas as pd

from pipelines.rules import core_paths, files, follow_ups, importance, links, measures, risks, themes, trends, week
from pipelines.rules.inputs import WeekInputs
from pipelines.rules.rows import Frames, Plain

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
    with _collector_at_rest():
        return _derived(inputs.shared())


def _derived(inputs: WeekInputs) -> dict[str, pd.DataFrame]:
    made: dict[str, pd.DataFrame] = {}
    seen = Plain(made)
    for name, step in STEPS:
        made[name] = step(inputs, seen)
    return made


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Keep the collector of cycles from running: the rules make a hundred thousand small objects and no cycles.

    It would walk through all of them, and all weeks in memory, many times: a fifth of what a week costs. What the rules
    no longer use is freed at once as ever.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
