"""Suggestions of this week, and what became of the earlier ones."""

import pandas as pd

from pipelines.rules.inputs import Frames, WeekInputs
from pipelines.tables import TABLES, empty_frame


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:  # noqa: ARG001  # because: every step has this signature
    """One row per suggestion: this week's, and those of the four weeks before."""
    return empty_frame(TABLES["derived_follow_ups"])
