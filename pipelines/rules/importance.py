"""Importance of each pull request, 1.0 to 10.0: a sum of named components on a scale that is the same every week.

The scale is absolute. Nothing is ranked against the other pull requests of the week, so a quiet week has low scores and
few tens are ever given. Size counts by its logarithm: a change twice as long is not twice as important.
"""

import re

import numpy as np
import pandas as pd

from pipelines.rules.change_kind import RETIRES
from pipelines.rules.inputs import Frames, WeekInputs
from pipelines.tables import TABLES, empty_frame

# Where every pull request starts, before anything is known of it.
_BASE_POINTS = 4.0
_LOWEST, _HIGHEST = 1.0, 10.0

# Points a doubling of the changed lines: 10 lines give 1.0, 100 give 2.0, 1,000 give the most there is.
_POINTS_PER_DOUBLING = 0.3
_SIZE_MOST = 3.0
# Without a source file nothing changes for who uses the code, however many lines there are: the most is that of 30 lines.
_SIZE_MOST_WITHOUT_SOURCE = 1.5
# What a line is worth: source is what runs; scripts and builds run for few; tests have points of their own; what a
# program wrote, or others, is no work of this pull request.
_LINE_WEIGHTS = {"source": 1.0, "tool": 0.3, "build": 0.2, "ci": 0.2, "test": 0.1, "docs": 0.1, "config": 0.05, "dependency": 0.05}

# A change through more folders concerns more people: 0.3 points a doubling of their number, from eleven on the most.
_BREADTH_POINTS_PER_DOUBLING, _BREADTH_MOST = 0.3, 1.0
_CORE_POINTS_PER_FILE, _CORE_MOST = 0.2, 0.6
# Tests that came along, by the logarithm of their lines: 30 lines give 0.5, 250 the most.
_TESTS_POINTS_PER_DOUBLING, _TESTS_MOST = 0.1, 0.8
_REVIEW_POINTS_PER_DOUBLING, _REVIEW_MOST = 0.15, 0.6
_LINK_POINTS, _LINKS_MOST = 0.15, 0.45

# A new ability changes what users can do, a faster path what they pay; a fix restores what was promised. A refactoring
# is for its authors, and what is read, run or built around the code changes nothing for who uses it.
_KIND_POINTS = {
    "feature": 1.0,
    "performance": 0.9,
    "fix": 0.4,
    "refactor": 0.0,
    "chore": -0.4,
    "test": -0.6,
    "ci": -0.6,
    "revert": -0.8,
    "dependency": -0.8,
    "docs": -1.0,
}
# Retiring something for good is decisive, however short; but only where source goes away with it.
_RETIRES_POINTS, _RETIRES_LINES = 0.8, 100
# What others build on concerns more people than its lines tell.
_INTERFACE_POINTS = 0.4

#: The components of a score by column, and what each stands for.
COMPONENTS = {
    "base_points": "where every pull request starts",
    "size_points": "lines changed, by their kind and damped",
    "breadth_points": "folders of source changed",
    "core_points": "core files changed",
    "kind_points": "kind of change; retired code and changed interfaces count more",
    "tests_points": "tests that came with it",
    "review_points": "reviews by people, 0 where not known",
    "links_points": "issues closed, series and stories",
    "labels_points": "labels that maintainers set",
    "revert_points": "taken off where reverted, given to what relands",
    "mechanical_points": "taken off from bots, version bumps, renamings and backports",
}

# Labels that maintainers set, by the words they use everywhere; several count once, the strongest.
_LABEL_POINTS = (
    (0.6, re.compile(r"breaking|backward.?incompatib", re.IGNORECASE)),
    (0.5, re.compile(r"\b(p0|critical|blocker|urgent|security)\b|high.?priority|priority.{0,3}high|highlight", re.IGNORECASE)),
    (-0.4, re.compile(r"\b(trivial|minor|typo)\b|low.?priority|priority.{0,3}low|skip.?changelog|no.?changelog", re.IGNORECASE)),
)

# A change that did not hold is no news of the week but of its revert; what brings it back is.
_REVERTED_POINTS, _RELANDS_POINTS = -2.0, 0.3
# What a program opened, or a person did as a program would: no judgement was needed for most of its lines.
_MECHANICAL_POINTS = (("bot", -1.5), ("version_bump", -0.5), ("renaming", -1.5), ("backport", -1.0))
_RENAMING = re.compile(
    r"\b(typos?|renam(e[sd]?|ing)|spelling|lint|format(ting)?|whitespace|copyright|licen[cs]e headers?|isort|black|ruff)\b",
    re.IGNORECASE,
)
# Lines put in the place of as many, give or take a sixth, under such a title.
_REPLACED = 1.2

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
    raw = inputs.raw["raw_pull_requests"][["number", "title", "labels"]]
    whole = pulls.merge(raw, on="number", validate="one_to_one").sort_values("number", ignore_index=True)
    files, links = made["derived_files"], made["derived_links"]
    points = pd.DataFrame(
        {
            "base_points": _BASE_POINTS,
            "size_points": _size(whole, files),
            "breadth_points": _breadth(whole, files),
            "core_points": (whole["core_files_count"] * _CORE_POINTS_PER_FILE).clip(upper=_CORE_MOST),
            "kind_points": _kind(whole, made["derived_risks"]),
            "tests_points": _tests(whole),
            "review_points": _review(whole),
            "links_points": _links(whole, links),
            "labels_points": pd.Series([_label_points(labels) for labels in whole["labels"]], index=whole.index),
            "revert_points": _revert(whole, links),
            "mechanical_points": _mechanical(whole),
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


def _doublings(values: pd.Series, points: float) -> pd.Series:
    """Points a doubling, from none at 1."""
    return pd.Series(np.log2(values.to_numpy(dtype="float64")) * points, index=values.index)


def _size(whole: pd.DataFrame, files: pd.DataFrame) -> pd.Series:
    lines = files["added_lines_count"].fillna(0).astype("int64") + files["removed_lines_count"].fillna(0).astype("int64")
    weighted = (lines * files["kind"].map(_LINE_WEIGHTS).fillna(0.0)).groupby(files["number"]).sum()
    most = np.where(whole["source_files_count"] > 0, _SIZE_MOST, _SIZE_MOST_WITHOUT_SOURCE)
    return _doublings(1 + whole["number"].map(weighted).fillna(0.0), _POINTS_PER_DOUBLING).clip(
        upper=pd.Series(most, index=whole.index)
    )


def _breadth(whole: pd.DataFrame, files: pd.DataFrame) -> pd.Series:
    source = files[(files["kind"] == "source") & ~files["is_rename_only"]]
    folders = (
        pd.Series([path.rpartition("/")[0] for path in source["path"].to_numpy(dtype=object)], index=source.index, dtype="str")
        .groupby(source["number"])
        .nunique()
    )
    count = whole["number"].map(folders).fillna(0).clip(lower=1)
    return _doublings(count, _BREADTH_POINTS_PER_DOUBLING).clip(upper=_BREADTH_MOST)


def _kind(whole: pd.DataFrame, risks: pd.DataFrame) -> pd.Series:
    retires = pd.Series([bool(RETIRES.search(title)) for title in whole["title"]], index=whole.index)
    retires &= (whole["source_removed_lines_count"] >= _RETIRES_LINES) & (
        whole["source_removed_lines_count"] > whole["source_added_lines_count"]
    )
    breaks = risks[risks["rule"].isin(("interface_change", "setting_removed")) & (risks["severity"] != "low")]
    interface = whole["number"].isin(breaks["number"]) & (whole["source_files_count"] > 0)
    return whole["change_kind"].map(_KIND_POINTS).fillna(0.0) + retires * _RETIRES_POINTS + interface * _INTERFACE_POINTS


def _tests(whole: pd.DataFrame) -> pd.Series:
    """Tests that came with a change of source: its authors hold it to be worth keeping."""
    lines = whole["test_added_lines_count"].where(whole["source_files_count"] > 0, 0)
    return _doublings(1 + lines, _TESTS_POINTS_PER_DOUBLING).clip(upper=_TESTS_MOST)


def _review(whole: pd.DataFrame) -> pd.Series:
    """Reviews by people; none where not known."""
    reviews = whole["human_reviews_count"].astype("Float64").fillna(0.0).astype("float64")
    return _doublings(1 + reviews, _REVIEW_POINTS_PER_DOUBLING).clip(upper=_REVIEW_MOST)


def _links(whole: pd.DataFrame, links: pd.DataFrame) -> pd.Series:
    """Issues closed, and the series and stories it continues."""
    count = links[links["kind"].isin(("closes", "series", "follows"))].groupby("number").size()
    return (whole["number"].map(count).fillna(0) * _LINK_POINTS).clip(upper=_LINKS_MOST)


def _label_points(labels: object) -> float:
    if not isinstance(labels, list):
        return 0.0
    found = [points for points, pattern in _LABEL_POINTS if any(pattern.search(label) for label in labels)]
    return max(found, key=abs, default=0.0)


def _revert(whole: pd.DataFrame, links: pd.DataFrame) -> pd.Series:
    relands = whole["number"].isin(links.loc[links["kind"] == "relands", "number"]).astype("float64")
    return relands * _RELANDS_POINTS + whole["reverted_by_number"].notna().astype("float64") * _REVERTED_POINTS


def _mechanical(whole: pd.DataFrame) -> pd.Series:
    """What applies most; a bot's version bump is not taken off twice."""
    added, removed = whole["source_added_lines_count"], whole["source_removed_lines_count"]
    named = pd.Series([bool(_RENAMING.search(title)) for title in whole["title"]], index=whole.index)
    applies = {
        "bot": whole["author_kind"].isin(("bot", "suspected_bot")),
        "version_bump": whole["change_kind_rule"] == "version_bump",
        "renaming": named & (added <= removed * _REPLACED) & (removed <= added * _REPLACED),
        "backport": whole["is_backport"],
    }
    return pd.DataFrame({name: applies[name] * points for name, points in _MECHANICAL_POINTS}).min(axis=1) + 0.0
