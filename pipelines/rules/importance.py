"""Importance of each pull request, 1.0 to 10.0: a sum of named components on a scale that is the same every week.

The scale is absolute. Nothing is ranked against the other pull requests of the week, so a quiet week has low scores and
few tens are ever given. Size counts by its logarithm: a change twice as long is not twice as important.
"""

import math
import re
from collections import Counter

import pandas as pd

from pipelines.rules.change_kind import RETIRES
from pipelines.rules.inputs import WeekInputs
from pipelines.rules.rows import Frames, Row, dicts, frame_of, tuples

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
    "mechanical_points": "taken off from bots, version bumps, renamings, sweeps and backports",
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
# A sweep has the breadth, the core files, the tests and the kind of change of all it passes through, so most is taken off.
_MECHANICAL_POINTS = (("bot", -1.5), ("version_bump", -0.5), ("renaming", -1.5), ("backport", -1.0), ("sweep", -4.0))
_RENAMING = re.compile(
    r"\b(typos?|renam(e[sd]?|ing)|spelling|lint|format(ting)?|whitespace|copyright|licen[cs]e headers?|isort|black|ruff)\b",
    re.IGNORECASE,
)
# Lines put in the place of as many, give or take a sixth, under such a title.
_REPLACED = 1.2
# A sweep makes one small edit again and again: four lines a file (an import and a blank, added and taken away), but for one
# file in ten. By hand nobody does so in forty files; a title that says so is believed from ten on.
_SWEEP_LINES, _SWEEP_SHARE, _SWEEP_FILES, _SWEEP_FILES_SAID = 4, 0.9, 40, 10
_SWEEPING = re.compile(
    rf"{_RENAMING.pattern}|\b(sort(ed|ing|s)?\s+(the\s+)?imports?|imports?\s+order|bump\w*|codemod\w*|reformat\w*|auto-?fix\w*)\b",
    re.IGNORECASE,
)

# Files that a program wrote, or others, say nothing of how a change was made.
_NOT_WRITTEN = frozenset({"generated", "vendored", "dependency"})

_PULL_COLUMNS = (
    *("number", "author_kind", "change_kind", "change_kind_rule", "is_backport", "reverted_by_number", "human_reviews_count"),
    *("source_files_count", "core_files_count", "source_added_lines_count", "source_removed_lines_count", "test_added_lines_count"),
)

# One highlight in ten pull requests, at least one where anything was merged, and never one below this score:
# a week of typo fixes has no highlight.
_HIGHLIGHT_SHARE = 0.1
_HIGHLIGHT_AT = 6.0


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per pull request: its importance and the components it is the sum of."""
    raw = {number: rest for number, *rest in tuples(inputs.raw, "raw_pull_requests", "number", "title", "labels")}
    pulls, week = dicts(made, "derived_pull_requests", _PULL_COLUMNS), _Week(made)
    rows = []
    for pull in pulls:
        title, labels = raw[pull["number"]]
        points = {name: _rounded(value, 100) for name, value in _points(pull, title, labels, week).items()}
        score = round(sum(points.values()), 4)
        rows.append({"number": pull["number"], **points, "score": score, "importance": _on_scale(score)})
    rows.sort(key=lambda row: (-row["score"], row["number"]))
    most = max(1, round(len(rows) * _HIGHLIGHT_SHARE))
    ranked = (
        row | {"rank": rank, "is_highlight": rank <= most and row["score"] >= _HIGHLIGHT_AT}
        for rank, row in enumerate(rows, start=1)
    )
    return frame_of("derived_importance", ranked)


def _on_scale(score: float) -> float:
    return _rounded(min(max(score, _LOWEST), _HIGHEST), 10)


def _rounded(value: float, steps: int) -> float:
    """A value to the nearest step, so many in a whole; just between two the even one, by the value as it is written."""
    return round(value * steps) / steps


class _Week:
    """What the other tables of the week say of its pull requests, by number."""

    def __init__(self, made: Frames) -> None:
        self.lines, self.folders, self.edits = Counter[int](), dict[int, set[str]](), dict[int, list[int]]()
        columns = ("number", "path", "kind", "is_rename_only", "added_lines_count", "removed_lines_count")
        for number, path, kind, is_moved, added, removed in tuples(made, "derived_files", *columns):
            # In hundredths of a line, so that the order of files cannot show in the last digit of a sum.
            self.lines[number] += ((added or 0) + (removed or 0)) * round(_LINE_WEIGHTS.get(kind, 0.0) * 100)
            if kind == "source" and not is_moved:
                self.folders.setdefault(number, set()).add(path.rpartition("/")[0])
            if not is_moved and kind not in _NOT_WRITTEN and added is not None and removed is not None:
                self.edits.setdefault(number, []).append(added + removed)
        links = list(tuples(made, "derived_links", "number", "kind"))
        self.links = Counter(number for number, kind in links if kind in ("closes", "series", "follows"))
        self.relands = {number for number, kind in links if kind == "relands"}
        self.breaks = {
            number
            for number, rule, severity in tuples(made, "derived_risks", "number", "rule", "severity")
            if rule in ("interface_change", "setting_removed") and severity != "low"
        }


def _points(pull: Row, title: str, labels: list[str] | None, week: _Week) -> dict[str, float]:
    """Every component of one pull request."""
    number, has_source = pull["number"], pull["source_files_count"] > 0
    tests = pull["test_added_lines_count"] if has_source else 0
    size_most = _SIZE_MOST if has_source else _SIZE_MOST_WITHOUT_SOURCE
    folders = len(week.folders.get(number, ())) or 1
    return {
        "base_points": _BASE_POINTS,
        "size_points": min(_doublings(1 + week.lines[number] / 100, _POINTS_PER_DOUBLING), size_most),
        "breadth_points": min(_doublings(folders, _BREADTH_POINTS_PER_DOUBLING), _BREADTH_MOST),
        "core_points": min(pull["core_files_count"] * _CORE_POINTS_PER_FILE, _CORE_MOST),
        "kind_points": _kind(pull, title, changes_interface=number in week.breaks and has_source),
        # Tests that came with a change of source: its authors hold it to be worth keeping.
        "tests_points": min(_doublings(1 + tests, _TESTS_POINTS_PER_DOUBLING), _TESTS_MOST),
        # Reviews by people; none where not known.
        "review_points": min(_doublings(1 + (pull["human_reviews_count"] or 0), _REVIEW_POINTS_PER_DOUBLING), _REVIEW_MOST),
        # Issues closed, and the series and stories it continues.
        "links_points": min(week.links[number] * _LINK_POINTS, _LINKS_MOST),
        "labels_points": _label_points(labels),
        "revert_points": _RELANDS_POINTS * (number in week.relands) + _REVERTED_POINTS * (pull["reverted_by_number"] is not None),
        "mechanical_points": _mechanical(pull, title, week.edits.get(number, [])),
    }


def _doublings(value: float, points: float) -> float:
    """Points a doubling, from none at 1."""
    return math.log2(value) * points


def _kind(pull: Row, title: str, *, changes_interface: bool) -> float:
    added, removed = pull["source_added_lines_count"], pull["source_removed_lines_count"]
    retires = removed >= _RETIRES_LINES and removed > added and RETIRES.search(title) is not None
    return _KIND_POINTS.get(pull["change_kind"], 0.0) + retires * _RETIRES_POINTS + changes_interface * _INTERFACE_POINTS


def _label_points(labels: list[str] | None) -> float:
    if labels is None:
        return 0.0
    found = [points for points, pattern in _LABEL_POINTS if any(pattern.search(label) for label in labels)]
    return max(found, key=abs, default=0.0)


def _mechanical(pull: Row, title: str, edits: list[int]) -> float:
    """What applies most; a bot's version bump is not taken off twice."""
    added, removed = pull["source_added_lines_count"], pull["source_removed_lines_count"]
    is_replaced = added <= removed * _REPLACED and removed <= added * _REPLACED
    applies = {
        "bot": pull["author_kind"] in ("bot", "suspected_bot"),
        "version_bump": pull["change_kind_rule"] == "version_bump",
        "renaming": is_replaced and _RENAMING.search(title) is not None,
        "backport": pull["is_backport"],
        "sweep": _is_sweep(edits, title),
    }
    return min((points for name, points in _MECHANICAL_POINTS if applies[name]), default=0.0)


def _is_sweep(edits: list[int], title: str) -> bool:
    """Whether nearly every file, by its changed lines, got the same small edit, and there are many."""
    least = _SWEEP_FILES_SAID if _SWEEPING.search(title) else _SWEEP_FILES
    small = sum(lines <= _SWEEP_LINES for lines in edits)
    return len(edits) >= least and small >= _SWEEP_SHARE * len(edits)
