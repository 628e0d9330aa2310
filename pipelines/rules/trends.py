"""Themes and modules of this week against the weeks before."""

import pandas as pd

from pipelines.rules.inputs import Frames, WeekInputs
from pipelines.tables import TABLES, empty_frame


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:  # noqa: ARG001  # because: every step has this signature
    """One row per theme or module of this week or the twelve before."""
    return empty_frame(TABLES["derived_theme_trends"])
