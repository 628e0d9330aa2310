"""What a risk rule is, what it may look at, and what it finds."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from pipelines.rules import threads
from pipelines.rules.inputs import WeekInputs
from pipelines.rules.people import HUMAN
from pipelines.rules.rows import Frames, dicts, tuples

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


class ChangedFile(NamedTuple):
    """One changed file as the rules see it; ``lines`` are those added and removed, 0 where not known."""

    path: str
    kind: str
    module: str
    change_type: str
    is_core: bool
    lines: int
    removed_lines: int
    patch: str | None


#: Measures of one pull request by column, with its raw title, body and labels; null is None.
Pull = Mapping[str, Any]
_RAW_COLUMNS = ["title", "body", "labels", "author_login"]


@dataclass(frozen=True)
class RiskWeek:
    """The week as the rules see it: raw and derived rows, joined once and shared by all rules."""

    inputs: WeekInputs
    made: Frames

    @cached_property
    def pulls(self) -> dict[int, Pull]:
        """Each pull request of the week by number, in order."""
        raw = {row["number"]: row for row in dicts(self.inputs.raw, "raw_pull_requests", ("number", *_RAW_COLUMNS))}
        measured = sorted(dicts(self.made, "derived_pull_requests"), key=itemgetter("number"))
        return {row["number"]: row | raw[row["number"]] for row in measured}

    @cached_property
    def files(self) -> dict[int, list[ChangedFile]]:
        """Changed files of each pull request, those merely renamed apart, by path; a pull request without any is not in it."""
        patches = {
            (number, path): patch
            for number, path, patch in tuples(self.inputs.raw, "raw_files", "number", "path", "patch")
            if patch is not None
        }
        columns = ("number", "path", "kind", "module", "change_type", "is_core", "is_rename_only")
        rows = tuples(self.made, "derived_files", *columns, "added_lines_count", "removed_lines_count")
        found: dict[int, list[ChangedFile]] = {}
        for number, path, kind, module, change, is_core, is_moved, added, removed in sorted(rows, key=lambda row: row[:2]):
            if not is_moved:
                lines, gone = (added or 0) + (removed or 0), removed or 0
                file = ChangedFile(path, kind, module, change, is_core, lines, gone, patches.get((number, path)))
                found.setdefault(number, []).append(file)
        return found

    def files_where(self, holds: Callable[[ChangedFile], bool]) -> Iterator[tuple[int, list[ChangedFile]]]:
        """Each pull request with those of its files that hold, where any does."""
        for number, files in self.files.items():
            chosen = [file for file in files if holds(file)]
            if chosen:
                yield number, chosen

    @cached_property
    def core(self) -> dict[str, Mapping[str, Any]]:
        """The week's core paths by path."""
        return {row["path"]: row for row in dicts(self.made, "derived_core_paths")}

    @cached_property
    def threads(self) -> list[threads.ThreadState]:
        """The review threads with their states."""
        return threads.states(self.inputs)

    @cached_property
    def links(self) -> list[Mapping[str, Any]]:
        """Links inside the repository between different pull requests, sorted."""
        repo = self.inputs.repo.lower()
        rows = (row for row in dicts(self.made, "derived_links") if row["target_repo"].lower() == repo)
        inside = [row for row in rows if row["number"] != row["target_number"]]
        return sorted(inside, key=lambda row: (row["number"], row["kind"], row["target_number"]))

    def by_people(self) -> Iterator[tuple[int, Pull]]:
        """The pull requests of people; bots and suspects apart."""
        return ((number, pull) for number, pull in self.pulls.items() if pull["author_kind"] in HUMAN)


def source_lines(pull: Pull) -> int:
    """Source lines added and removed."""
    return int(pull["source_added_lines_count"] + pull["source_removed_lines_count"])


def file_rows(paths: Iterable[str]) -> tuple[str, ...]:
    """Paths as evidence."""
    return tuple(f"file:{path}" for path in paths)


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
        found = self.find(week)
        return (one for one in found if self.fires_on_part or self.knows(week.pulls[one.number]["unknown_parts"]))

    def knows(self, unknown_parts: Iterable[str]) -> bool:
        """Whether the rule knows all it needs of a pull request with these unknown parts."""
        return not set(self.needs) & set(unknown_parts)


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
