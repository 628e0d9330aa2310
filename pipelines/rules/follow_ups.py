"""Suggestions of this week, and what became of those of the four weeks before.

Few and useful: one suggestion covers the pull requests of one module, at most ``MOST_NEW`` are new in a week, and what
is still open from an earlier week is not suggested again. Each names what would settle it (``done_when``), which every
later week checks by itself (``follow_up_checks.py``). After four weeks an open one is moot: the code has moved on.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from pipelines.rules.follow_up_checks import closing, too_old
from pipelines.rules.follow_up_kinds import KINDS, WeekFindings
from pipelines.rules.follow_up_model import SEVERITY_ORDER, WEEKS_KEPT, Closing, Suggestion, as_json
from pipelines.rules.inputs import WeekInputs
from pipelines.rules.later_changes import LaterChanges
from pipelines.rules.rows import Frames, dicts, frame_of
from pipelines.weeks import parse_week

#: New suggestions of a week at most: as many as a team can take up, one a day and two to spare.
MOST_NEW = 7
_KIND_ORDER = {kind: place for place, (kind, _, _) in enumerate(KINDS)}
_STATE_ORDER = {"open": 0, "done": 1, "moot": 2}

Row = dict[str, Any]


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per suggestion: this week's, and those of the four weeks before with what became of them."""
    weeks = {str(parse_week(inputs.week).shift(-back)) for back in range(WEEKS_KEPT + 1)}
    later = LaterChanges(inputs, made, weeks)
    earlier = [_checked(row, inputs.week, later) for row in _earlier(inputs, weeks)]
    new = _chosen(_fresh(inputs, made, later), earlier, inputs.week)
    rows = [*(_row(suggestion, inputs.week) for suggestion in new), *sorted(earlier, key=_earlier_order)]
    return frame_of("derived_follow_ups", [row | {"rank": rank} for rank, row in enumerate(rows, start=1)])


def _fresh(inputs: WeekInputs, made: Frames, later: LaterChanges) -> Iterator[tuple[Suggestion, int]]:
    """Yield what the week suggests and has not settled by itself yet, with how many of the kind may be new."""
    week = WeekFindings(inputs, made)
    for _, kind, most in KINDS:
        for suggestion in kind(week):
            numbers, paths = list(suggestion.pull_requests), _paths(suggestion.evidence)
            if closing(suggestion.done_when, suggestion.looks_for, numbers, paths, later) is None:
                yield suggestion, most


def _chosen(fresh: Iterable[tuple[Suggestion, int]], earlier: list[Row], week: str) -> list[Suggestion]:
    """Choose the gravest, no more of a kind than its share, none that is still open from before unless it grew graver.

    Of two whose subjects differ in capitals or blanks alone (modules ``Docs`` and ``docs``) the graver stands for both.
    """
    still_open: dict[tuple[str, str], int] = {}
    for row in earlier:
        if row["state"] == "open":
            key = (row["kind"], row["subject"])
            still_open[key] = min(SEVERITY_ORDER[row["severity"]], still_open.get(key, len(SEVERITY_ORDER)))
    chosen: dict[str, Suggestion] = {}
    for suggestion, most in sorted(fresh, key=lambda pair: _order(pair[0])):
        known = still_open.get((suggestion.kind, suggestion.subject))
        is_known = known is not None and known <= SEVERITY_ORDER[suggestion.severity]
        if not is_known and sum(1 for one in chosen.values() if one.kind == suggestion.kind) < most:
            chosen.setdefault(suggestion.id_in(week), suggestion)
    return [*chosen.values()][:MOST_NEW]


def _order(suggestion: Suggestion) -> tuple[int, int, float, str]:
    return (SEVERITY_ORDER[suggestion.severity], _KIND_ORDER[suggestion.kind], -suggestion.importance, suggestion.subject)


def _earlier(inputs: WeekInputs, weeks: set[str]) -> list[Row]:
    """List the suggestions made in the weeks kept before this one, each as the last stored week left it."""
    past = dicts(inputs.history, "derived_follow_ups") if "derived_follow_ups" in inputs.history else []
    kept = [row for row in past if row["created_week"] in weeks - {inputs.week}]
    last = {row["follow_up_id"]: row for row in sorted(kept, key=lambda row: (row["follow_up_id"], row["week"]))}
    return [{name: value for name, value in row.items() if name != "week"} for row in last.values()]


def _checked(row: Row, week: str, later: LaterChanges) -> Row:
    """Hold an open suggestion against what was merged since; what is closed stays as it was closed."""
    if row["state"] != "open":
        return row
    looks_for = json.loads(row["done_when_json"])
    ended = closing(row["done_when"], looks_for, row["pull_requests"], _paths(row["evidence"]), later)
    return row | _ending(ended or too_old(row["created_week"], week))


def _ending(ended: Closing | None) -> Row:
    if ended is None:
        return {"state": "open", "closed_by_number": None, "closed_week": None}
    return {"state": ended.state, "closed_by_number": ended.number, "closed_week": ended.week}


def _paths(evidence: Iterable[str]) -> list[str]:
    return sorted(row.removeprefix("file:") for row in evidence if row.startswith("file:"))


def _earlier_order(row: Row) -> tuple[int, int, str, int, str]:
    newest_first = "".join(chr(0x10FFFF - ord(letter)) for letter in row["created_week"])
    return (
        _STATE_ORDER[row["state"]],
        SEVERITY_ORDER[row["severity"]],
        newest_first,
        _KIND_ORDER.get(row["kind"], 99),
        row["follow_up_id"],
    )


def _row(suggestion: Suggestion, week: str) -> Row:
    return {
        "follow_up_id": suggestion.id_in(week),
        "kind": suggestion.kind,
        "created_week": week,
        "severity": suggestion.severity,
        "pull_requests": list(suggestion.pull_requests),
        "subject": suggestion.subject,
        "measures_json": as_json(suggestion.measures),
        "evidence": list(suggestion.evidence),
        "done_when": suggestion.done_when,
        "done_when_json": as_json(suggestion.looks_for),
        **_ending(None),
    }
