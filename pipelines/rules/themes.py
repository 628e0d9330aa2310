"""Themes of the pull requests."""

import pandas as pd

from pipelines.rules.inputs import Frames, WeekInputs
from pipelines.tables import TABLES


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:  # noqa: ARG001  # because: every step has this signature
    """One row per pull request and theme."""
    numbers = inputs.raw["raw_pull_requests"][["number"]]
    made_rows = numbers.assign(theme="other", is_primary=True, is_emerging=False, rule="none", evidence="", weight=0.0)
    return made_rows[[column.name for column in TABLES["derived_themes"].columns]].reset_index(drop=True)
