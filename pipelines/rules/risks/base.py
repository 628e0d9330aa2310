"""What a risk rule is, what it may look at, and what it finds."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import pandas as pd

from pipelines.rules import threads
from pipelines.rules.inputs import Frames, WeekInputs

Grade = Literal["low", "medium", "high"]
GRADES: tuple[Grade, ...] = ("low", "medium", "high")


@dataclass(frozen=True)
class Finding:
    """A pull request on which a rule fired: how grave, how sure, why in words, on which measures and rows."""

    number: int
    severity: Grade
    confidence: Grade
    reason: str
    measures: Mapping[str, object] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()

    def row(self, rule: str, severity: Grade | None) -> dict[str, object]:
        """The finding as a row of ``derived_risks``; ``severity`` is the settings' own, where they set one."""
        return {
            "number": self.number,
            "rule": rule,
            "severity": severity or self.severity,
            "confidence": self.confidence,
            "reason": self.reason,
            "measures_json": json.dumps(self.measures, sort_keys=True, ensure_ascii=False),
            "evidence": sorted(set(self.evidence)),
        }


@dataclass(frozen=True)
class RiskWeek:
    """The week as the rules see it: raw and derived rows, joined once and shared by all rules."""

    inputs: WeekInputs
    made: Frames

    @cached_property
    def pulls(self) -> pd.DataFrame:
        """Measures of each pull request with its raw title, merge time and labels, indexed by number, in order."""
        raw = self.inputs.raw["raw_pull_requests"].set_index("number")
        columns = ["title", "body", "labels", "author_login", "merged_by_login", "merged_at_utc", "head_ref"]
        return self.made["derived_pull_requests"].set_index("number").join(raw[columns], validate="one_to_one").sort_index()

    @cached_property
    def files(self) -> pd.DataFrame:
        """Changed files with their diffs and ``lines_count``, those merely renamed apart, by number and path."""
        patches = self.inputs.raw["raw_files"][["number", "path", "patch"]]
        rows = self.made["derived_files"].merge(patches, on=["number", "path"], how="left", validate="one_to_one")
        lines = rows["added_lines_count"].fillna(0).astype("int64") + rows["removed_lines_count"].fillna(0).astype("int64")
        return rows.assign(lines_count=lines)[~rows["is_rename_only"]].sort_values(["number", "path"], ignore_index=True)

    @cached_property
    def thread_states(self) -> pd.DataFrame:
        """One row per review thread with its state."""
        return threads.states(self.inputs)

    @cached_property
    def links(self) -> pd.DataFrame:
        """Links inside the repository, sorted."""
        links = self.made["derived_links"]
        inside = links["target_repo"].str.lower() == self.inputs.repo.lower()
        return links[inside].sort_values(["number", "kind", "target_number"], ignore_index=True)

    def by_people(self) -> pd.DataFrame:
        """The pull requests of people; bots and suspects apart."""
        return self.pulls[self.pulls["author_kind"].isin(("person", "ghost"))]


@dataclass(frozen=True)
class RiskRule:
    """One rule: what it looks at, what it needs to know, and when it is wrong.

    ``needs`` are parts (names of ``unknown_parts``) without which the rule says nothing of a pull request: neither that
    it fires nor that it does not. A rule with ``fires_on_part`` fires on what was read, since more files could only add to it.
    """

    id: str
    title: str
    looks_at: str
    severity: Grade
    find: Callable[[RiskWeek], Iterable[Finding]]
    needs: tuple[str, ...] = ()
    fires_on_part: bool = False

    def findings(self, week: RiskWeek) -> Iterator[Finding]:
        """What the rule finds in pull requests of which it knows enough."""
        lacking = set() if self.fires_on_part else set(week.pulls.index[~knows(self, week.pulls["unknown_parts"])])
        return (finding for finding in self.find(week) if finding.number not in lacking)


def knows(rule: RiskRule, unknown_parts: pd.Series) -> pd.Series:
    """Whether a rule knows all it needs of each pull request."""
    return pd.Series([not set(rule.needs) & set(parts) for parts in unknown_parts], index=unknown_parts.index, dtype="bool")


def grade(value: float, medium: float, high: float) -> Grade:
    """The grade of a value by the two bars from which it is medium and high."""
    return "high" if value >= high else "medium" if value >= medium else "low"


def lowered(severity: Grade) -> Grade:
    """One grade less, low at least."""
    return GRADES[max(0, GRADES.index(severity) - 1)]


def counted(count: int, one: str, many: str = "") -> str:
    """``1 file``, ``2 files``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def named(names: Iterable[str], most: int = 3) -> str:
    """The first names, and how many more there are."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
