"""Importance of each pull request, 1.0 to 10.0: a sum of named components on a scale that is the same every week.

The scale is absolute. Nothing is ranked against the other pull requests of the week, so a quiet week has low scores and
few tens are ever given. Size counts by its logarithm: a change twice as long is not twice as important.
"""

import numpy as np
import pandas as pd

from pipelines.rules.change_kind import RETIRES
from pipelines.rules.inputs import Frames, WeekInputs
from pipelines.tables import TABLES, empty_frame

# Where every pull request starts, before anything is known of it.
_BASE_POINTS = 4.0
# Points a doubling of the changed source lines: 10 lines give 1.0, 100 give 2.0, 1,000 give 3.0.
_POINTS_PER_DOUBLING = 0.3
_SIZE_MOST = 3.3
# Lines that are not source weigh a tenth: they show work, not change of behaviour.
_OTHER_LINES_WEIGHT = 0.1
_LOWEST, _HIGHEST = 1.0, 10.0

# A new ability changes what users can do, a faster path what they pay; a fix restores what was promised. A refactoring
# is for its authors, and what is read, run or built around the code changes nothing for who uses it.
_KIND_POINTS = {
    "feature": 1.0,
    "performance": 0.9,
    "fix": 0.4,
    "refactor": 0.0,
    "revert": -0.3,
    "chore": -0.4,
    "test": -0.6,
    "ci": -0.6,
    "dependency": -0.8,
    "docs": -1.0,
}
# Retiring something for good is decisive, however short; but only where source goes away with it.
_RETIRES_POINTS = 0.8
_RETIRES_LINES = 100

# One highlight in ten pull requests, at least one where anything was merged, and never one below this score:
# a week of typo fixes has no highlight.
_HIGHLIGHT_SHARE = 0.1
_HIGHLIGHT_AT = 6.0


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per pull request: its importance and the components it is the sum of."""
    pulls = made["derived_pull_requests"]
    table = TABLES["derived_importance"]
    if pulls.empty:
        return empty_frame(table)
    whole = pulls.merge(inputs.raw["raw_pull_requests"][["number", "title", "labels"]], on="number", validate="one_to_one")
    whole = whole.sort_values("number", ignore_index=True)
    points = pd.DataFrame(
        {
            "base_points": _BASE_POINTS,
            "size_points": _size(whole),
            "breadth_points": _breadth(whole, made["derived_files"]),
            "core_points": _core(whole),
            "kind_points": _kind(whole),
            "tests_points": _tests(whole),
            "review_points": _review(whole),
            "links_points": _links(whole, made["derived_links"], inputs.repo),
            "labels_points": _labels(whole),
            "revert_points": _revert(whole, made["derived_links"]),
            "mechanical_points": _mechanical(whole, made["derived_files"]),
        }
    ).round(2)
    score = points.sum(axis=1).round(4)
    ranked = points.assign(
        number=whole["number"],
        score=score,
        importance=score.clip(_LOWEST, _HIGHEST).round(1),
    ).sort_values(["score", "number"], ascending=[False, True], ignore_index=True)
    ranked = ranked.assign(rank=np.arange(1, len(ranked) + 1))
    most = max(1, round(len(ranked) * _HIGHLIGHT_SHARE))
    ranked = ranked.assign(is_highlight=(ranked["rank"] <= most) & (ranked["score"] >= _HIGHLIGHT_AT))
    return ranked[[column.name for column in table.columns]].sort_values("number", ignore_index=True)


def _source_lines(whole: pd.DataFrame) -> pd.Series:
    return whole["source_added_lines_count"] + whole["source_removed_lines_count"]


def _size(whole: pd.DataFrame) -> pd.Series:
    others = whole["test_added_lines_count"] + whole["docs_lines_count"] + whole["other_lines_count"]
    lines = _source_lines(whole) + others * _OTHER_LINES_WEIGHT
    return (np.log2(1 + lines) * _POINTS_PER_DOUBLING).clip(upper=_SIZE_MOST)


def _breadth(whole: pd.DataFrame, files: pd.DataFrame) -> pd.Series:
    """0.2 a module of source beyond the first, 1.0 at most: a change across parts concerns more people."""
    source = files[(files["kind"] == "source") & ~files["is_rename_only"]]
    modules = source.groupby("number")["module"].nunique().reindex(whole["number"], fill_value=0).to_numpy()
    return pd.Series(((modules - 1) * 0.2).clip(0.0, 1.0), index=whole.index)


def _core(whole: pd.DataFrame) -> pd.Series:
    """0.2 a core file, 0.6 at most."""
    return (whole["core_files_count"] * 0.2).clip(upper=0.6)


def _kind(whole: pd.DataFrame) -> pd.Series:
    retires = pd.Series([bool(RETIRES.search(title)) for title in whole["title"]], index=whole.index) & (
        whole["source_removed_lines_count"] >= _RETIRES_LINES
    )
    return whole["change_kind"].map(_KIND_POINTS).fillna(0.0) + retires * _RETIRES_POINTS


def _tests(whole: pd.DataFrame) -> pd.Series:
    """Up to 0.8 for tests that came with a change of source: its authors hold it to be worth keeping."""
    lines = whole["test_added_lines_count"].where(whole["source_files_count"] > 0, 0)
    return (np.log2(1 + lines) * 0.1).clip(upper=0.8)


def _review(whole: pd.DataFrame) -> pd.Series:
    """Up to 0.6 for reviews by people; 0 where not known."""
    reviews = whole["human_reviews_count"].astype("Float64").fillna(0.0).astype("float64")
    return (np.log2(1 + reviews) * 0.15).clip(upper=0.6)


def _links(whole: pd.DataFrame, links: pd.DataFrame, repo: str) -> pd.Series:
    mine = links[links["kind"].isin(("closes", "series", "follows", "relands"))]
    count = mine.groupby("number").size().reindex(whole["number"], fill_value=0).to_numpy()
    return pd.Series((count * 0.1).clip(0.0, 0.3), index=whole.index)


def _labels(whole: pd.DataFrame) -> pd.Series:
    return pd.Series(0.0, index=whole.index)


def _revert(whole: pd.DataFrame, links: pd.DataFrame) -> pd.Series:
    relands = whole["number"].isin(links.loc[links["kind"] == "relands", "number"])
    return relands * 0.3 - whole["reverted_by_number"].notna() * 2.0


def _mechanical(whole: pd.DataFrame, files: pd.DataFrame) -> pd.Series:
    bot = whole["author_kind"].isin(("bot", "suspected_bot"))
    return bot * -1.5
