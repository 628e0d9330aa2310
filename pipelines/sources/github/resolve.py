"""The repository under the name it has now, and two counts of the week by search: one request."""

from dataclasses import dataclass, field
from typing import Any

from pipelines.sources.github.client import Client
from pipelines.sources.github.enumerate import between
from pipelines.sources.records import Repository
from pipelines.weeks import Window

_DEFAULT_WEB_URL = "https://github.com"


@dataclass(frozen=True)
class Resolved:
    """A repository with what search counts in the week: merged and opened pull requests; None where it does not tell."""

    repository: Repository
    merged_count: int | None
    opened_count: int | None
    notes: list[str] = field(default_factory=list)


def resolve(client: Client, repo: str, window: Window) -> Resolved:
    """The repository as GitHub resolves its name; raises ``SourceError`` where it cannot be seen or is not there."""
    data = _ask(client, repo, window)
    found = data.get("repository")
    if found is None:
        raise client.error("not found. Check the name, and that the token may see it.")
    name: str = found["nameWithOwner"]
    notes = []
    if name.lower() != repo.lower():
        notes.append(f"{repo} is now called {name}")
        data = _ask(client, name, window)  # search does not follow a rename
    branch = (found.get("defaultBranchRef") or {}).get("name")
    repository = Repository(found["id"], name, branch, _web_url(found.get("url"), name))
    return Resolved(repository, _count(data, "merged"), _count(data, "opened"), notes)


def _ask(client: Client, repo: str, window: Window) -> dict[str, Any]:
    owner, _, name = repo.partition("/")
    span = between(window.start_utc, window.end_utc)
    asked = {
        "owner": owner,
        "name": name,
        "merged": f"repo:{repo} is:pr is:merged merged:{span}",
        "opened": f"repo:{repo} is:pr created:{span}",
    }
    return client.ask("Resolve", asked, keep="closed", is_whole=False).data


def _count(data: dict[str, Any], alias: str) -> int | None:
    count: int | None = (data.get(alias) or {}).get("issueCount")
    return count


def _web_url(url: str | None, name: str) -> str:
    """The root of the web pages: a repository's page without its name."""
    if url is None or not url.lower().endswith(f"/{name.lower()}"):
        return _DEFAULT_WEB_URL
    return url[: -len(name) - 1]
