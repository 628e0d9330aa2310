"""The shape of one pull request in ``report.json``: what :mod:`pipelines.report.model` says holds here too."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # pydantic checks report.json by these classes, and wants this one before Python 3.12

Severity = Literal["low", "medium", "high"]


class Component(TypedDict):
    """One summand of an importance."""

    name: str  # a *_points column of derived_importance
    points: float


class RiskFlag(TypedDict):
    """One row of derived_risks."""

    rule: str
    severity: Severity
    confidence: Severity
    reason: str
    measures: dict[str, Any]
    evidence: list[str]


class FileFacts(TypedDict):
    """One changed file."""

    path: str
    previous_path: str | None
    change_type: str
    kind: str
    module: str
    is_core: bool
    added: int | None
    removed: int | None


class LinkFacts(TypedDict):
    """One row of derived_links, seen from either side."""

    kind: str
    direction: Literal["from", "to"]  # from: this pull request does it; to: it is done to this one
    repo: str
    number: int
    title: str | None
    week: str | None
    hours: float | None
    evidence: str
    story: str | None


class ThreadFacts(TypedDict):
    """A review thread open at the merge."""

    thread_id: str
    path: str
    line: int | None
    author: str
    by_bot: bool
    excerpt: str
    comments: int


class PullFacts(TypedDict):
    """One pull request merged in the week. ``detail`` stands only on highlights, which have a page of their own."""

    number: int
    title: str
    url: str
    author: str
    author_kind: str  # person, bot, suspected_bot, ghost
    merged_at: str
    base_ref: str
    is_base_default: bool | None
    change_kind: str
    importance: float
    rank: int
    is_highlight: bool
    components: list[Component]
    themes: list[str]  # primary first
    modules: list[str]
    labels: list[str] | None
    risks: list[RiskFlag]
    reviewers: list[str] | None
    approvers: list[str] | None
    added: int
    removed: int
    files: int
    source_lines: int
    tests_state: str
    merge_hours: float
    first_review_hours: float | None
    open_threads: int | None
    summary: str | None  # its own description's first telling sentence: untrusted text
    claims: list[str]  # improvements it claims: untrusted text
    reverted_by: int | None
    reverted_after_hours: float | None
    links: list[LinkFacts]
    unknown_parts: list[str]
    detail: NotRequired["PullDetail"]


class PullDetail(TypedDict):
    """What a highlight's own page shows beside."""

    file_rows: list[FileFacts]
    threads: list[ThreadFacts] | None
    measures: dict[str, Any]  # the row of derived_pull_requests
    described_tests: str | None
