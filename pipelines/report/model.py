"""The shape of ``report.json``, the only source of pages, Markdown, feed and index.

Language-neutral facts stand at the top level; sentences stand under ``prose`` a language each, made of parts, so
that untrusted text (titles, names, paths) is told apart from ours and escaped for each output.
Instants are ISO 8601 text in UTC with ``Z``. Null is "not known". Lists are sorted or in the order shown.
"""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # pydantic checks report.json by these classes, and wants this one before Python 3.12

from pipelines.report.model_prose import Headed, Part, Prose, Sentence, Wording
from pipelines.report.model_pulls import Component, FileFacts, LinkFacts, PullDetail, PullFacts, RiskFlag, Severity, ThreadFacts

__all__ = [
    "LANGUAGES",
    "SCHEMA_VERSION",
    "Component",
    "Coverage",
    "Direction",
    "FileFacts",
    "FlowFacts",
    "Group",
    "Headed",
    "Language",
    "LinkFacts",
    "Part",
    "Prose",
    "PullDetail",
    "PullFacts",
    "Report",
    "RiskFacts",
    "RiskFlag",
    "Sentence",
    "Severity",
    "SpanFacts",
    "StandsOn",
    "Suggestion",
    "ThemeFacts",
    "ThreadFacts",
    "Tile",
    "WindowFacts",
    "Wording",
]

SCHEMA_VERSION = 1
LANGUAGES = ("zh", "en")

Language = Literal["zh", "en"]
Direction = Literal["rising", "steady", "falling", "new", "unknown"]


class WindowFacts(TypedDict):
    """The week's instants and the zone whose midnights they are."""

    start: str
    end: str
    timezone: str


class Coverage(TypedDict):
    """What was found, read, missing or cut; ``state`` is complete or partial, ``revised`` after a later fetch changed it."""

    state: Literal["complete", "partial"]
    revised: bool
    enumerated: int
    read: int
    missing_numbers: list[int]
    cut_parts: list[str]
    differences: list[str]
    added_numbers: list[int]
    changed_numbers: list[int]
    removed_numbers: list[int]
    history_weeks: int  # of the 12 before, how many the warehouse holds
    fetches: int
    source: str
    notes: list[str]


class Tile(TypedDict):
    """One number of the executive summary with its comparator and the 13 weeks up to it (null: not stored)."""

    key: str  # a column of derived_week
    value: float | int | None
    unit: str
    comparator: float | int | None  # median of the stored ones of the 4 weeks before
    change: float | int | None
    good: Literal["up", "down", "neutral"]
    weeks: list[str]
    series: list[float | int | None]


class SpanFacts(TypedDict):
    """How long something took, in hours: over ``n`` pull requests of people; ``usual`` is the 12 weeks' median of medians."""

    n: int | None
    median: float | None
    quartile_1: float | None
    quartile_3: float | None
    usual: float | None


class FlowFacts(TypedDict):
    """Times and load of the week; null where reviews are not known."""

    merge_hours: SpanFacts
    first_review_hours: SpanFacts
    approval_hours: SpanFacts
    reviews_per_reviewer_median: float | None
    reviews_per_reviewer_max: int | None


class ThemeFacts(TypedDict):
    """One row of derived_theme_trends."""

    dimension: Literal["theme", "module"]
    key: str
    title: dict[str, str]  # language -> title
    count: int
    mentions: int
    share: float
    last_week: int | None
    median_4: float | None
    median_12: float | None
    quartile_1: float | None
    quartile_3: float | None
    change: float | None
    direction: Direction
    z_score: float | None
    is_emerging: bool
    weeks: list[str]
    series: list[int | None]  # the 13 weeks up to this one, null where not stored
    movers: list[int]


class RiskFacts(TypedDict):
    """One risk rule over the week: ``usual`` is the median of the stored ones of the 12 weeks before."""

    rule: str
    count: int
    severity: Severity
    confidence: Severity
    by_severity: dict[str, int]
    usual: float | None
    weeks_known: int
    pull_requests: list[int]  # most severe, then most important first
    looked_at: int
    unknown: int  # pull requests the rule could not judge


class Suggestion(TypedDict):
    """One row of derived_follow_ups."""

    id: str
    kind: str
    created_week: str
    severity: Severity
    rank: int
    pull_requests: list[int]
    subject: str
    measures: dict[str, Any]
    evidence: list[str]
    done_when: str
    done_when_facts: dict[str, Any]
    state: Literal["open", "done", "moot"]
    closed_by: int | None
    closed_week: str | None


class Group(TypedDict):
    """One story of "key changes": why these pull requests stand together, and by which published rule."""

    key: str
    rule: str  # revert (taken back or brought back), series, theme
    kinds: dict[str, int]  # kind of change -> pull requests
    modules: list[str]  # most changed first, three at most
    theme: str | None
    pull_requests: list[int]  # all of it; a theme's by importance, a story's by time
    told: list[int]  # those that its sentences tell one by one
    count: int
    highlights: int
    salience: float  # what it was chosen by: importance of its highlights, and two points a pull request above its usual
    authors: list[str]
    people: int  # how many authors
    reviewers: list[str]
    added: int
    removed: int
    with_tests: int
    without_tests: int
    mean_importance: float


class StandsOn(TypedDict):
    """What the report was made of: hashes of inputs, version of rules, settings."""

    raw: dict[str, str]  # table -> sha256
    derived: dict[str, str]
    history: dict[str, str]  # week -> sha256 over its tables
    rules_version: str
    settings: str
    program_version: str


class Report(TypedDict):
    """``report.json``."""

    schema_version: int
    repo: str
    repo_url: str
    week: str
    window: WindowFacts
    days: dict[str, str]  # first and last calendar day
    data_as_of: str
    previous_week: str | None  # null where not stored
    next_week: None
    coverage: Coverage
    counts: dict[str, Any]  # the row of derived_week; merged, opened ... without _count
    tiles: list[Tile]
    usual: dict[str, float | None]  # of each count: median of the stored ones of the 12 weeks before
    flow: FlowFacts
    highlights: list[int]
    groups: list[Group]
    pull_requests: list[PullFacts]  # by number
    themes: list[ThemeFacts]
    theme_titles: dict[str, dict[str, str]]  # theme -> language -> title: of every theme named anywhere in the report
    modules: list[ThemeFacts]
    risks: list[RiskFacts]  # those that fired
    rules_looked: int
    quiet_rules: list[str]  # those that looked and found nothing
    core_paths: list[dict[str, Any]]
    suggestions: list[Suggestion]
    earlier_suggestions: list[Suggestion]
    first_time_authors: list[str] | None
    reviewers: list[str] | None
    exclusions: dict[str, int]
    search_url: str  # the search that reproduces the week on GitHub
    stands_on: StandsOn
    prose: dict[str, Prose]  # language -> prose
    wording: NotRequired[Wording]  # only where a language model was to word it
