"""What stands in the way of fetching, before it does: token, permissions, host, limits, clock, disk, cost of a week.

Each finding says what was seen and, where something is amiss, what to do. Looking costs at most five requests a token.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Literal

from pipelines.errors import PullweekError
from pipelines.sources.github.auth import Access, Credential
from pipelines.sources.github.batches import START_SIZE, Batch
from pipelines.sources.github.budget import Budget
from pipelines.sources.github.checkpoint import Checkpoint
from pipelines.sources.github.client import Client, Pace
from pipelines.sources.github.enumerate import candidate_of
from pipelines.sources.github.resolve import Resolved, resolve
from pipelines.weeks import Window, last_closed

FREE_BYTES_MIN = 1_000_000_000  # a year of a busy repository's weeks takes about a tenth of it
SKEW_SECONDS_MAX = 60.0  # an app's proof of identity is refused beyond; resets are then told wrongly too
_ENUMERATING_REQUESTS = 13  # a search a day, some pages of history, the repository itself
_POINTS_A_REQUEST = 1.3  # by runs against the stand-in
_CLASSIC_SCOPE = "repo"

State = Literal["good", "warning", "bad"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: what was seen, and what to do where it is not good."""

    name: str
    state: State
    said: str
    advice: str = ""


@dataclass
class _Visit:
    """What one token's questions brought."""

    credential: Credential
    client: Client
    rate: Mapping[str, Any] = field(default_factory=dict)


def diagnose(
    environment: Mapping[str, str], repo: str | None, warehouse: Path, pace: Pace | None = None, timezone: str = "UTC"
) -> list[Finding]:
    """Findings on everything that fetching needs; with ``repo`` (OWNER/NAME) on that repository too. Raises nothing."""
    pace = pace or Pace(attempts_count=2)
    findings = [_disk(warehouse)]
    try:
        access = Access.from_environment(environment)
    except PullweekError as error:
        return [Finding("token", "bad", str(error), "See the line itself."), *findings]
    host = "an enterprise host" if access.is_enterprise else "github.com"
    findings.insert(0, Finding("host", "good", f"{access.api_url} ({host})"))
    window = last_closed(pace.clock.now(), timezone).window(timezone)
    for credential in access.credentials:
        findings += _token(Access(access.api_url, (credential,)), repo, window, pace)
    return findings


def _disk(warehouse: Path) -> Finding:
    place = next(path for path in (warehouse, *warehouse.absolute().parents) if path.exists())
    free = shutil.disk_usage(place).free
    if not os.access(place, os.W_OK):
        return Finding("disk", "bad", f"{place} cannot be written", "Mend its permissions, or set PULLWEEK_WAREHOUSE.")
    said = f"{free / 1e9:.1f} GB free at {place}"
    if free < FREE_BYTES_MIN:
        return Finding("disk", "warning", said, "Make room, or set PULLWEEK_WAREHOUSE to a larger disk.")
    return Finding("disk", "good", said)


def _token(access: Access, repo: str | None, window: Window, pace: Pace) -> Iterator[Finding]:
    [credential] = access.credentials
    budget = Budget(1, pace.clock, max_wait_seconds=0.0, say=lambda _text: None)
    name = repo or "GitHub"
    client = Client(access, budget, Checkpoint(None, name, window, pace.clock.now()), where=credential.name, pace=pace)
    visit = _Visit(credential, client)
    try:
        answer = client.ask("Viewer", {}, keep="no", is_whole=False)
        visit.rate = answer.data.get("rateLimit") or {}
        login = (answer.data.get("viewer") or {}).get("login", "unknown")
        yield Finding("token", "good", f"{credential.name}: {credential.kind} of {login}")
        yield from _scopes(visit)
        yield from _clock(visit, pace.clock.now())
        yield _limits(visit)
        if repo is not None:
            yield from _repository(visit, repo, window)
    except PullweekError as error:
        yield Finding("access", "bad", str(error), "See the line itself.")
    finally:
        client.close()


def _scopes(visit: _Visit) -> Iterator[Finding]:
    """Permissions, as far as GitHub tells them: classic tokens have scopes, the others are tried out on a repository."""
    told = visit.client.last_headers.get("x-oauth-scopes")
    if told is None:
        return
    scopes = [scope.strip() for scope in told.split(",") if scope.strip()]
    said = f"{visit.credential.name}: scopes {', '.join(scopes) or 'none'}"
    if _CLASSIC_SCOPE in scopes:
        yield Finding("permissions", "good", said)
    else:
        yield Finding(
            "permissions", "warning", said, f"It sees public repositories only. Give it {_CLASSIC_SCOPE!r} for private ones."
        )


def _clock(visit: _Visit, now: datetime) -> Iterator[Finding]:
    date = visit.client.last_headers.get("date")
    if date is None:
        return
    off = (now - parsedate_to_datetime(date)).total_seconds()
    said = f"{abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} GitHub's"
    if abs(off) > SKEW_SECONDS_MAX:
        yield Finding("clock", "warning", said, "Set the machine's clock (NTP): weeks that just closed are told by it.")
    else:
        yield Finding("clock", "good", said)


def _limits(visit: _Visit) -> Finding:
    name, rate = visit.credential.name, visit.rate
    if rate.get("remaining") is None:
        return Finding("limits", "good", f"{name}: the host tells no limits; it counts as without")
    said = f"{name}: {rate['remaining']} of {rate['limit']} points left until {rate['resetAt']}"
    if rate["remaining"] * 10 <= rate["limit"]:
        return Finding("limits", "warning", said, "Wait until then, or give several tokens, separated by commas.")
    return Finding("limits", "good", said)


def _repository(visit: _Visit, repo: str, window: Window) -> Iterator[Finding]:
    resolved = resolve(visit.client, repo, window)
    renamed = f" (now called {resolved.repository.name})" if resolved.notes else ""
    advice = "Use its new name: the warehouse keeps a folder a name." if renamed else ""
    yield Finding("repository", "warning" if renamed else "good", f"{repo}{renamed} can be read", advice)
    yield _checks(visit, resolved)
    yield _cost(visit, resolved, window)


def _checks(visit: _Visit, resolved: Resolved) -> Finding:
    """Whether the state of checks is readable, by the pull request that was updated last."""
    owner, _, name = resolved.repository.name.partition("/")
    page = visit.client.ask("Updated", {"owner": owner, "name": name, "first": 1, "after": None}, keep="no")
    nodes = [node for node in page.data["repository"]["pullRequests"]["nodes"] if node]
    if not nodes:
        return Finding("checks", "good", "no merged pull request to try them on")
    answer = visit.client.ask("Details", Batch((candidate_of(nodes[0]),)).variables, keep="no", is_whole=False)
    refused = [error for error in answer.errors if "statusCheckRollup" in (error.get("path") or [])]
    if refused:
        advice = "Give the token read access to checks and commit statuses, or do without: the rest is not affected."
        return Finding("checks", "warning", "the state of checks is not readable", advice)
    return Finding("checks", "good", "the state of checks is readable")


def _cost(visit: _Visit, resolved: Resolved, window: Window) -> Finding:
    if resolved.merged_count is None:
        return Finding(
            "cost", "warning", "search does not tell how many were merged", "Run it all the same; the cost is not known."
        )
    requests = _ENUMERATING_REQUESTS + -(-resolved.merged_count // START_SIZE)
    points = round(requests * _POINTS_A_REQUEST)
    said = f"{window.week}: {resolved.merged_count} merged, about {requests} requests and {points} points"
    if points > visit.rate.get("remaining", points):
        return Finding(
            "cost", "warning", said, "Fewer points are left: fetching will wait for the hour to end, or give more tokens."
        )
    return Finding("cost", "good", said)
