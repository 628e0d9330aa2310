"""What only REST tells of files: the path before a rename, and the patch. One request for 100 files of one pull request.

A busy week has renames in up to forty pull requests. Their paths before are worth a few requests, not as many as all
the rest of the week: those with most renamed files come first, and how many were left out is told. Patches cost a
request a pull request and are read only where they are wanted.
"""

from collections.abc import Iterable
from typing import Any

from pipelines.errors import SourceError
from pipelines.sources.github.checkpoint import page_key
from pipelines.sources.github.client import Client
from pipelines.sources.github.enumerate import Say
from pipelines.sources.records import PullRequestRecord

REQUESTS_MAX = 5  # a week, for previous paths
PAGE = 100
PAGES_MAX = 30  # REST lists 3,000 files of a pull request and no more


def add_previous_paths(client: Client, name: str, records: Iterable[PullRequestRecord], requests_max: int | None) -> list[str]:
    """Give renamed files their path before, in place; notes on what was not read. ``requests_max`` None: without bound."""
    renamed = sorted(
        (record for record in records if _renamed(record)), key=lambda record: (-len(_renamed(record)), record["number"])
    )
    left = requests_max
    skipped: list[int] = []
    notes: list[str] = []
    for record in renamed:
        pages = _pages(record)
        if left is not None and pages > left:
            skipped.append(record["number"])
            continue
        left = None if left is None else left - pages
        notes += _read(client, name, record)
    if skipped:
        notes.append(f"paths before a rename were not asked for in {len(skipped)} pull requests: they are not known there")
    return notes


def add_patches(client: Client, name: str, records: list[PullRequestRecord], say: Say) -> list[str]:
    """Give every file its patch, and its path before a rename, in place; notes on what was not read."""
    notes: list[str] = []
    for done, record in enumerate(records):
        say(done, len(records), "reading patches")
        notes += _read(client, name, record)
        bare = [file for file in record["files"]["nodes"] if file["additions"] + file["deletions"] > 0 and not file.get("patch")]
        if bare:
            notes.append(f"{record['number']}: no patch of {len(bare)} files (binary or too large)")
    return notes


def _renamed(record: PullRequestRecord) -> list[dict[str, Any]]:
    return [file for file in record["files"]["nodes"] if file["changeType"] == "RENAMED" and "previousPath" not in file]


def _pages(record: PullRequestRecord) -> int:
    return min(PAGES_MAX, -(-max(1, len(record["files"]["nodes"])) // PAGE))


def _read(client: Client, name: str, record: PullRequestRecord) -> list[str]:
    files = {file["path"]: file for file in record["files"]["nodes"]}
    for page in range(1, _pages(record) + 1):
        try:
            listed = _page(client, f"/repos/{name}/pulls/{record['number']}/files", {"per_page": PAGE, "page": page})
        except SourceError as error:
            return [f"{record['number']}: previous paths and patches could not be read ({error})"]
        for told in listed:
            file = files.get(told.get("filename"))
            if file is not None:
                file |= {"previousPath": told.get("previous_filename"), "patch": told.get("patch")}
    return []


def _page(client: Client, path: str, parameters: dict[str, int]) -> list[dict[str, Any]]:
    key = page_key(path, parameters)
    kept = client.checkpoint.page(key)
    if kept is None:
        listed = client.get(path, parameters)
        kept = {"files": listed if isinstance(listed, list) else []}
        client.checkpoint.keep_page(key, kept, is_lasting=True)
    files: list[dict[str, Any]] = kept["files"]
    return files
