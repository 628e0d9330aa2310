"""The sample as a source: any of its weeks, as if read on the Monday after it, without a network or a clock."""

from copy import deepcopy
from datetime import UTC, datetime, timedelta

from pipelines.errors import SourceError
from pipelines.sources.records import FetchedWeek, Progress, PullRequestRecord, Repository
from pipelines.sources.sample.build import build_records
from pipelines.sources.sample.choice import node_id
from pipelines.sources.sample.plan import WEEKS, timeline
from pipelines.weeks import Window

REPOSITORY = Repository(id=node_id("R", "acme/lattice"), name="acme/lattice", default_branch="main", web_url="https://github.com")
_READ_AFTER = timedelta(hours=6)


class SampleSource:
    """The embedded repository acme/lattice; ``fetch_week`` gives the same bytes wherever it runs."""

    def fetch_week(self, repo: str, window: Window, progress: Progress) -> FetchedWeek:
        """All pull requests merged in the window, in any time zone; :class:`SourceError` for other repositories and weeks."""
        if repo.lower() != REPOSITORY.name:
            raise SourceError(
                f"sample {repo}: the sample holds {REPOSITORY.name} only. Run `pullweek demo`, or set GITHUB_TOKEN to read {repo}."
            )
        if str(window.week) not in WEEKS:
            raise SourceError(
                f"sample {repo} {window.week}: the sample holds {WEEKS[0]} to {WEEKS[-1]}; other weeks are unknown, not empty. "
                "Ask for one of these."
            )
        records = [deepcopy(record) for record in build_records() if _merged_at(record) in window]
        progress(len(records), len(records), "pull requests of the sample")
        read = max(_monday_after(window), window.end_utc) + _READ_AFTER
        return FetchedWeek(
            source="sample",
            repository=REPOSITORY,
            window=window,
            records=records,
            started_at=read,
            finished_at=read,
            enumerated_by="sample",
            enumerated_numbers=[record["number"] for record in records],
            opened_count=sum(created in window for _, created in timeline().opened),
            notes=["acme/lattice is invented; its people, code and figures do not exist."],
        )


def _merged_at(record: PullRequestRecord) -> datetime:
    return datetime.fromisoformat(record["mergedAt"] or record["createdAt"])


def _monday_after(window: Window) -> datetime:
    return datetime.combine(window.week.shift(1).monday, datetime.min.time(), UTC)
