"""Medians and quartiles with their n, null where nothing was measured."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Spread:
    """Number of values, and their quartiles by linear interpolation; NaN where there is no value."""

    n: int
    quartile_1: float
    median: float
    quartile_3: float


def spread(values: "pd.Series[float]") -> Spread:
    """The spread of the known values of a series; nulls are left out."""
    known = values.dropna().astype("float64")
    if known.empty:
        return Spread(0, float("nan"), float("nan"), float("nan"))
    low, middle, high = (float(value) for value in known.quantile([0.25, 0.5, 0.75]))
    return Spread(len(known), low, middle, high)
