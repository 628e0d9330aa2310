"""When it runs: every Monday by a repository's own clock, for the week that closed and the three before it.

GitHub does not document that ``updatedAt`` moves when a thread is resolved, so the last weeks are read again at each
run; older ones are frozen with the instant they were fetched at.
"""

import dagster as dg

from pipelines.defs.assets import partition_key, partitions_of, slug, step_name
from pipelines.settings import RepositorySettings, ScheduleSettings
from pipelines.weeks import last_closed, week_range

REFRESHED_WEEKS = 3
_MONDAY = 1


def job_name(entry: RepositorySettings) -> str:
    """The job "a week's report": every asset of the repository."""
    return f"weekly__{slug(entry.name)}"


def repository_schedule(entry: RepositorySettings, when: ScheduleSettings) -> dg.ScheduleDefinition:
    """The schedule of one repository."""

    @dg.schedule(
        name=f"monday__{slug(entry.name)}",
        job_name=job_name(entry),
        cron_schedule=f"{when.minute_of_hour} {when.hour_of_day} * * {_MONDAY}",
        execution_timezone=entry.timezone,
        description=f"The closed week of {entry.name} and the {REFRESHED_WEEKS} before it, fetched again.",
    )
    def monday(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        closed = last_closed(context.scheduled_execution_time, entry.timezone)
        first = max(entry.starts, closed.shift(-REFRESHED_WEEKS))
        if closed < first or not partitions_of(entry).has_partition_key(partition_key(closed)):
            return dg.SkipReason(f"{entry.name}: its first week {entry.starts} has not closed yet.")
        return dg.RunRequest(
            run_key=str(closed),
            tags={
                "dagster/asset_partition_range_start": partition_key(first),
                "dagster/asset_partition_range_end": partition_key(closed),
            },
            run_config={"ops": {step_name(entry): {"config": {"refresh": [str(week) for week in week_range(first, closed)]}}}},
        )

    return monday
