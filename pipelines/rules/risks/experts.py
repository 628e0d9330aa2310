"""Sole expert: one person alone makes the changes of an area, and made this one too.

It is about the area, not about the person: nobody else would know it if they were away. No names are given.
It fires once an area and week, on the largest of that person's changes there.

False positives: a new area in its first weeks; an area whose other experts review rather than write.
"""

from collections.abc import Iterator

import pandas as pd

from pipelines.rules.people import account_kinds, is_human
from pipelines.rules.risks.base import Finding, Grade, RiskRule, RiskWeek, counted

# Fewer than five changes in three months is a quiet area, in which one author says little.
_LEAST_CHANGES = 5
_SHARE = 0.8
# With fewer weeks than a month an area has one author by chance.
_LEAST_WEEKS = 4
# Fewer lines than a screen spread no knowledge that would be missed.
_LEAST_LINES, _MANY_LINES = 60, 400
_SHOWN = 5


def _find(week: RiskWeek) -> Iterator[Finding]:
    if len(week.inputs.history_weeks) < _LEAST_WEEKS:
        return
    before = _before(week)
    areas = before.groupby("primary_module").agg(changes=("number", "size"), people=("author_login", "nunique"))
    areas = areas[areas["changes"] >= _LEAST_CHANGES]
    mine = before.groupby(["primary_module", "author_login"])["number"].agg(list)
    pulls = week.by_people()
    lines = pulls["source_added_lines_count"] + pulls["source_removed_lines_count"]
    candidates = pulls.assign(lines=lines)[(lines >= _LEAST_LINES) & pulls["primary_module"].isin(areas.index)]
    for module, rows in candidates.groupby("primary_module"):
        changes = int(areas.at[module, "changes"])
        alone = [login for login in rows["author_login"].unique() if len(mine.get((module, login), [])) >= changes * _SHARE]
        if not alone:
            continue
        theirs = rows[rows["author_login"] == alone[0]].sort_values("lines", ascending=False, kind="stable")
        own, others = list(mine[(module, alone[0])]), int(areas.at[module, "people"]) - 1
        reason = (
            f"{len(own)} of {counted(changes, 'change')} to {module} in the weeks before are by its author, "
            f"{counted(len(theirs), 'more', 'more')} this week; {counted(others, 'other person', 'other people')} changed it."
        )
        severity: Grade = "medium" if int(theirs["lines"].sum()) >= _MANY_LINES else "low"
        measures = {"module": module, "changes": changes, "own_changes": len(own), "other_people": others, "this_week": len(theirs)}
        yield Finding(
            int(theirs.index[0]), severity, "medium", reason, measures, tuple(f"pull:{one}" for one in sorted(own)[-_SHOWN:])
        )


def _before(week: RiskWeek) -> pd.DataFrame:
    """Pull requests of people in the weeks before that changed source, with author and primary module."""
    raw, made = week.inputs.history["raw_pull_requests"], week.inputs.history["derived_pull_requests"]
    people = raw[is_human(account_kinds(raw["author_login"], raw["author_type"], week.inputs.bot_logins()))]
    changed = made.loc[made["source_files_count"] > 0, ["number", "primary_module"]].drop_duplicates("number", keep="last")
    return changed.merge(
        people[["number", "author_login"]].drop_duplicates("number", keep="last"), on="number", validate="one_to_one"
    )


RULES = (
    RiskRule(
        "sole_expert",
        "Sole expert",
        "Who made the changes of the same module in the weeks before.",
        "low",
        _find,
        ("files",),
        fires_on_part=True,
    ),
)
