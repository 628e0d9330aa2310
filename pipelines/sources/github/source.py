"""The door to GitHub: a week of merged pull requests, fetched or refreshed.

The steps stand in :meth:`GitHubSource.fetch_week`. Each leaves what it paid for in the week's checkpoint; whoever
stores the week calls :meth:`GitHubSource.forget` afterwards.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from pipelines.errors import SourceError
from pipelines.settings import LandingRule, repository_name
from pipelines.sources.github.auth import Access
from pipelines.sources.github.budget import Budget
from pipelines.sources.github.checkpoint import Checkpoint
from pipelines.sources.github.client import Client, Pace
from pipelines.sources.github.details import Details, read_details
from pipelines.sources.github.enumerate import Candidate, Enumeration, enumerate_week
from pipelines.sources.github.faults import LimitReachedError
from pipelines.sources.github.landing import landed_candidates
from pipelines.sources.github.refresh import Comparison, compare
from pipelines.sources.github.resolve import Resolved, resolve
from pipelines.sources.github.restfiles import REQUESTS_MAX, add_patches, add_previous_paths
from pipelines.sources.github.revision import RefreshedWeek
from pipelines.sources.records import FetchedWeek, Progress, PullRequestRecord
from pipelines.weeks import Window

MAX_WAIT_SECONDS = 3_900.0  # the hourly limit's longest wait, and a little


def _no_landing(_repo: str) -> LandingRule | None:
    return None


@dataclass
class _Seen:
    """How far a fetch is: said to the reader by one thread at a time, and again where it has to stop."""

    progress: Progress
    done: int = 0
    total: int | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def say(self, done: int, total: int | None, doing: str) -> None:
        with self.lock:
            self.done, self.total = done, total
            self.progress(done, total, doing)

    def wait(self, doing: str) -> None:
        with self.lock:
            self.progress(self.done, self.total, doing)


@dataclass(frozen=True)
class GitHubSource:
    """Reads repository-weeks through PyGithub's GraphQL requester, within GitHub's limits, resuming what was interrupted."""

    access: Access
    checkpoint_root: Path | None = None
    max_wait_seconds: float = MAX_WAIT_SECONDS
    wants_patches: bool = False
    previous_paths_requests_max: int | None = REQUESTS_MAX
    landing: Callable[[str], LandingRule | None] = _no_landing
    pace: Pace = field(default_factory=Pace)

    @classmethod
    def from_environment(
        cls,
        environment: Mapping[str, str],
        *,
        checkpoint_root: Path | None = None,
        max_wait_seconds: float = MAX_WAIT_SECONDS,
        wants_patches: bool = False,
        landing: Callable[[str], LandingRule | None] = _no_landing,
        pace: Pace | None = None,
    ) -> "GitHubSource":
        """The source as ``GITHUB_TOKEN`` or ``GITHUB_APP_*``, and ``GITHUB_API_URL`` tell.

        ``checkpoint_root`` is the warehouse's root; None keeps no checkpoints. ``landing`` gives a repository's
        landing rule. Raises ``SettingsError`` where the environment does not hold together.
        """
        access = Access.from_environment(environment)
        return cls(access, checkpoint_root, max_wait_seconds, wants_patches, landing=landing, pace=pace or Pace())

    def fetch_week(self, repo: str, window: Window, progress: Progress) -> FetchedWeek:
        """All pull requests of ``repo`` merged in ``window``; raises ``SourceError``, never half a week unsaid."""
        with self._asking(repo, window, progress) as (client, seen):
            resolved = resolve(client, repo, window)
            found = self._enumerate(client, resolved, window, seen)
            details = read_details(client, found.candidates, seen.say)
            notes = self._files(client, resolved, details.records, seen)
            return FetchedWeek(**self._facts(client, resolved, window, found, details, notes))  # type: ignore[arg-type]  # because: one dict serves both kinds of week

    def refresh_week(self, repo: str, window: Window, stored: Mapping[str, pa.Table], progress: Progress) -> FetchedWeek:
        """The week again, reading only what changed since ``stored``, its conformed raw tables by name.

        Unchanged pull requests are told by their stamps, 1 point for 100 of them. A pull request that is gone is
        left out. Where the stored tables are of another contract, the whole week is fetched.
        """
        with self._asking(repo, window, progress, is_refresh=True) as (client, seen):
            resolved = resolve(client, repo, window)
            comparison = compare(client, resolved, window, stored, lambda: self._enumerate(client, resolved, window, seen))
            if comparison is None:
                progress(0, None, "the stored week is of another contract: fetching it whole")
                found, kept = self._enumerate(client, resolved, window, seen), Comparison.nothing()
            else:
                found, kept = comparison.enumeration, comparison
            details = read_details(client, kept.to_read(found.candidates), seen.say)
            notes = self._files(client, resolved, details.records, seen)
            facts = self._facts(client, resolved, window, found, details, [*notes, *kept.notes])
            return RefreshedWeek(**facts, kept=kept.tables)  # type: ignore[arg-type]  # because: one dict serves both kinds of week

    def forget(self, repo: str, window: Window) -> None:
        """Delete the week's checkpoints: it is stored."""
        for is_refresh in (False, True):
            Checkpoint(self.checkpoint_root, repo, window, self.pace.clock.now(), is_refresh=is_refresh).discard()

    @contextmanager
    def _asking(self, repo: str, window: Window, progress: Progress, *, is_refresh: bool = False) -> Iterator[tuple[Client, _Seen]]:
        where = f"GitHub {repository_name(repo)} {window.week}"
        seen = _Seen(progress)
        clock = self.pace.clock
        budget = Budget(len(self.access.credentials), clock, max_wait_seconds=self.max_wait_seconds, say=seen.wait)
        checkpoint = Checkpoint(self.checkpoint_root, repo, window, clock.now(), is_refresh=is_refresh)
        client = Client(self.access, budget, checkpoint, where=where, pace=self.pace)
        try:
            yield client, seen
        except LimitReachedError as error:
            read = f"; {seen.done} of {seen.total} pull requests are read" if seen.total is not None else ""
            kept = " and kept" if read and self.checkpoint_root is not None else ""
            raise SourceError(client.text(f"{error}{read}{kept}.")) from None
        finally:
            client.close()

    def _enumerate(self, client: Client, resolved: Resolved, window: Window, seen: _Seen) -> Enumeration:
        """The week's pull requests, landed ones too; where search counts another number, that is told."""
        found = enumerate_week(client, resolved.repository, window, self.pace.clock.now(), seen.say)
        differences = list(found.differences)
        if found.by == "updated" and resolved.merged_count not in {None, len(found.candidates)}:
            differences.append(f"search counts {resolved.merged_count}, {len(found.candidates)} found")
        rule = self.landing(resolved.repository.name)
        notes = list(found.notes)
        candidates = list(found.candidates)
        if rule is not None:
            known = {one.id for one in candidates}
            candidates += [
                one for one in landed_candidates(client, resolved.repository, window, rule, notes) if one.id not in known
            ]
        return Enumeration(sorted(candidates, key=_number), found.by, differences, notes)

    def _files(self, client: Client, resolved: Resolved, records: Mapping[int, PullRequestRecord], seen: _Seen) -> list[str]:
        ordered = [records[number] for number in sorted(records)]
        if self.wants_patches:
            return add_patches(client, resolved.repository.name, ordered, seen.say)
        return add_previous_paths(client, resolved.repository.name, ordered, self.previous_paths_requests_max)

    def _facts(
        self, client: Client, resolved: Resolved, window: Window, found: Enumeration, details: Details, notes: list[str]
    ) -> dict[str, object]:
        """The fields of a :class:`FetchedWeek`."""
        told = [*found.notes, *sorted(details.notes), *notes, *resolved.notes, *sorted(client.notes)]
        now = self.pace.clock.now()
        if client.checkpoint.is_resumed:
            begun, kept = client.checkpoint.begun_at, client.checkpoint.resumed_count
            told.append(f"resumed a fetch begun at {begun:%Y-%m-%d %H:%M} UTC: {kept} answers kept")
        if client.queries.dropped:
            told.append(f"the server's schema lacks {', '.join(sorted(client.queries.dropped))}: not known")
        if now < window.end_utc:
            told.append("the week had not ended when it was fetched")
        return {
            "source": "github",
            "repository": resolved.repository,
            "window": window,
            "records": [details.records[number] for number in sorted(details.records)],
            "started_at": _whole_second(client.checkpoint.begun_at),
            "finished_at": _whole_second(now),
            "enumerated_by": found.by,
            "enumerated_numbers": sorted(one.number for one in found.candidates),
            "enumeration_differences": found.differences,
            "opened_count": resolved.opened_count,
            "requests_count": client.requests_count,
            "points_spent": client.points_spent,
            "notes": [client.redact(note) for note in told],
        }


def _number(one: Candidate) -> int:
    return one.number


def _whole_second(instant: datetime) -> datetime:
    return instant.astimezone(UTC).replace(microsecond=0)
