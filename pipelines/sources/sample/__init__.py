"""The embedded sample: ``acme/lattice``, an invented repository of six weeks with every odd case on purpose.

The hand-written part lies in ``data`` (TOML); ``content`` reads it, ``plan`` puts it in time, ``build`` makes records
in the shape of GitHub's answers. Nothing is random and no clock is asked: the same bytes on every machine.
Importing this package is cheap: the data is read when it is first asked for.
"""

from copy import deepcopy
from functools import cache

from pipelines.sources.records import PullRequestRecord
from pipelines.sources.sample.build import build_records
from pipelines.sources.sample.nodes import instant
from pipelines.sources.sample.plan import WEEKS, timeline
from pipelines.sources.sample.source import REPOSITORY, SampleSource

__all__ = ["CASES", "REPOSITORY", "WEEKS", "SampleSource", "opened_pulls", "records"]

#: Where each odd case is: its name and the number, or numbers in order of merge, of its pull requests.
CASES: dict[str, int | tuple[int, ...]]


def records() -> list[PullRequestRecord]:
    """Every merged pull request, by number; copies, so that a caller may change them."""
    return deepcopy(list(build_records()))


def opened_pulls() -> list[tuple[int, str]]:
    """Number and ``createdAt`` of every pull request ever opened, merged or not, by number."""
    return [(number, instant(created)) for number, created in timeline().opened]


@cache
def _cases() -> dict[str, int | tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for plan in sorted(timeline().pulls, key=lambda p: (p.merged, p.number)):
        for case in plan.change.cases:
            found.setdefault(case, []).append(plan.number)
    return {case: numbers[0] if len(numbers) == 1 else tuple(numbers) for case, numbers in sorted(found.items())}


def __getattr__(name: str) -> dict[str, int | tuple[int, ...]]:
    """``CASES``, found when it is first asked for."""
    if name == "CASES":
        return _cases()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
