"""Medians and quartiles with their n, null where nothing was measured."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Spread:
    """Number of values, and their quartiles by linear interpolation; NaN where there is no value."""

    n: int
    quartile_1: float
    median: float
    quartile_3: float


def spread(values: Iterable[float | None]) -> Spread:
    """The spread of the known values; None is left out."""
    known = [value for value in values if value is not None]
    if not known:
        return Spread(0, float("nan"), float("nan"), float("nan"))
    low, middle, high = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
    return Spread(len(known), low, middle, high)
