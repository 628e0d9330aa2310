"""The records every source gives to the one parser: pull requests in the shape of GitHub's GraphQL answers.

A source fetches a :class:`FetchedWeek`: one :class:`PullRequestRecord` a merged pull request, and what happened on
the way. ``sources/github/parse.py`` makes the raw tables of it, whichever source it came from.

Every connection holds ``totalCount`` and all its ``nodes``: pages are joined before a record leaves its source.
Where a part could not be read to the end, its name stands in ``missing`` and what was read stays.
Instants are ISO 8601 text in UTC, ``2026-04-20T08:15:00Z``. A deleted account is ``None``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NotRequired, Protocol, TypedDict, runtime_checkable

from pipelines.weeks import Window

if TYPE_CHECKING:
    import pyarrow as pa

#: The parts of a record that are read by connections of their own; ``missing`` holds names from this list.
PARTS = ("files", "reviews", "reviewThreads", "comments", "timelineItems", "labels", "closingIssuesReferences", "checks")


class Actor(TypedDict):
    """An account: ``__typename`` is User, Bot, Mannequin, Organization or EnterpriseUserAccount."""

    __typename: str
    login: str


class Connection(TypedDict):
    """A GraphQL connection with its pages joined."""

    totalCount: int
    nodes: list[dict[str, Any]]


class PullRequestRecord(TypedDict):
    """One pull request, with the field names of GitHub's GraphQL schema (no aliases).

    ``files`` nodes: ``path additions deletions changeType`` and, where known, ``previousPath`` and ``patch``.
    ``reviews`` nodes: ``id state body submittedAt authorAssociation isMinimized author commit{oid} comments{totalCount}``.
    ``reviewThreads`` nodes: ``id isResolved isOutdated path line originalLine subjectType resolvedBy{login}`` and
    ``comments``, a connection of ``id body createdAt author isMinimized replyTo{id} pullRequestReview{id}``.
    ``comments`` nodes: ``id body createdAt author isMinimized``.
    ``closingIssuesReferences`` nodes: ``number title state repository{nameWithOwner}``.
    ``timelineItems`` nodes: ``__typename`` and the fields of CrossReferencedEvent, ConnectedEvent, ReferencedEvent,
    ReviewDismissedEvent, BaseRefChangedEvent and AddedToMergeQueueEvent that ``queries.graphql`` asks for.
    ``commits``: ``totalCount`` and the last node's ``commit{oid statusCheckRollup{state}}``.
    """

    id: str
    number: int
    title: str
    body: str | None
    state: str
    isDraft: bool
    createdAt: str
    updatedAt: str | None
    closedAt: str | None
    mergedAt: str | None
    baseRefName: str
    headRefName: str | None
    headRefOid: str | None
    headRepository: dict[str, Any] | None
    isCrossRepository: bool
    additions: int
    deletions: int
    changedFiles: int
    authorAssociation: str | None
    author: Actor | None
    mergedBy: Actor | None
    mergeCommit: dict[str, Any] | None
    reviewDecision: str | None
    milestone: dict[str, Any] | None
    labels: Connection
    closingIssuesReferences: Connection
    files: Connection
    reviews: Connection
    reviewThreads: Connection
    comments: Connection
    commits: Connection
    timelineItems: Connection
    missing: NotRequired[list[str]]
    landedAt: NotRequired[str]  # closed, not merged, by a landing bot: when, by the repository's landing rule
    landedOid: NotRequired[str]


@dataclass(frozen=True)
class Repository:
    """The repository as the source resolved it: a renamed one keeps its ``id`` and carries its new ``name``."""

    id: str
    name: str  # OWNER/NAME
    default_branch: str | None
    web_url: str  # https://github.com; an enterprise host's own


@dataclass(frozen=True)
class FetchedWeek:
    """What one fetch of a repository-week brought; the row of ``raw_fetches`` is made of it."""

    source: Literal["github", "sample"]
    repository: Repository
    window: Window
    records: list[PullRequestRecord]
    started_at: datetime
    finished_at: datetime
    enumerated_by: str  # "updated", "search+history", "sample"
    enumerated_numbers: list[int]  # every pull request found to belong to the week, read or not
    enumeration_differences: list[str] = field(default_factory=list)  # "812: in search only"
    opened_count: int | None = None  # pull requests opened in the window; None: not asked
    requests_count: int = 0
    points_spent: int = 0
    notes: list[str] = field(default_factory=list)


class Progress(Protocol):
    """Where a source says how far it is; the command draws it, Dagster logs it."""

    def __call__(self, done: int, total: int | None, doing: str) -> None:
        """So many of so many (None: not known) are done of what is being done."""
        ...


@runtime_checkable
class RefreshingSource(Protocol):
    """A source that can read again only what changed, and keeps checkpoints of what was paid for."""

    def refresh_week(self, repo: str, window: Window, stored: "Mapping[str, pa.Table]", progress: Progress) -> FetchedWeek:
        """The week again; ``stored`` holds its conformed raw tables by name."""
        ...

    def forget(self, repo: str, window: Window) -> None:
        """The week is stored: what was kept for resuming it may go."""
        ...


class Source(Protocol):
    """Somewhere pull requests come from."""

    def fetch_week(self, repo: str, window: Window, progress: Progress) -> FetchedWeek:
        """All pull requests of ``repo`` (OWNER/NAME) merged in ``window``; raises ``SourceError``, never half a week unsaid."""
        ...
