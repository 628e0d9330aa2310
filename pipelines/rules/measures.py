"""The measures of each pull request: churn by kind of file, modules, tests, review, reverts, and what is not known."""

from typing import Any, NamedTuple

import pandas as pd

from pipelines.rules import change_kind, description, flow, people, threads
from pipelines.rules.inputs import WeekInputs
from pipelines.rules.rows import Frames, Row, dicts, frame_of, tuples

#: Names of the parts a pull request is read in, as readers see them, by the names of ``missing_parts``.
PARTS = {
    "files": "files",
    "reviews": "reviews",
    "reviewThreads": "threads",
    "review_threads": "threads",
    "threads": "threads",
    "comments": "comments",
    "timelineItems": "references",
    "references": "references",
    "labels": "labels",
    "closingIssuesReferences": "references",
    "checks": "checks",
}


_REQUEST_COLUMNS = (
    *("number", "title", "body", "labels", "author_login", "author_type", "missing_parts", "changed_files_count"),
    *("reviews_count", "review_threads_count", "comments_count"),
)

_FILE_COLUMNS = (
    *("number", "path", "kind", "module", "change_type", "is_rename_only", "is_core"),
    *("added_lines_count", "removed_lines_count"),
)


class _File(NamedTuple):
    number: int
    path: str
    kind: str
    module: str
    change_type: str
    is_rename_only: bool
    is_core: bool
    added: int
    removed: int


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per pull request merged in the week, with its measures."""
    requests = {row["number"]: row for row in dicts(inputs.raw, "raw_pull_requests", _REQUEST_COLUMNS)}
    files = _files(made)
    unknown = {number: unknown_parts(row, len(files.get(number, ()))) for number, row in requests.items()}
    bots = inputs.bot_logins()
    kinds = {number: people.account_kind(row["author_login"], row["author_type"], bots) for number, row in requests.items()}
    first = people.first_contributions(inputs, kinds)
    reviewed = flow.measures(inputs, {number for number, parts in unknown.items() if "reviews" in parts})
    discussed = threads.measures(inputs, {number for number, parts in unknown.items() if "threads" in parts})
    reverts = _reverts(made, inputs.repo)
    backports = {number for number, kind in tuples(made, "derived_links", "number", "kind") if kind == "backports"}
    rows = [
        {
            **_of_files(request, files.get(number, []), unknown[number]),
            **reviewed[number],
            **discussed[number],
            **reverts.get(number, {}),
            "number": number,
            "author_kind": kinds[number],
            "is_first_contribution": first[number],
            "is_backport": number in backports,
            "unknown_parts": unknown[number],
        }
        for number, request in requests.items()
    ]
    return frame_of("derived_pull_requests", rows)


def unknown_parts(request: Row, files_count: int) -> list[str]:
    """Parts of a pull request that were not read to the end, sorted."""
    lacking = {
        "files": files_count < request["changed_files_count"],
        "description": request["body"] is None,
        "labels": request["labels"] is None,
        "reviews": request["reviews_count"] is None,
        "threads": request["review_threads_count"] is None,
        "comments": request["comments_count"] is None,
    }
    told = {PARTS.get(part, part) for part in request["missing_parts"]}
    return sorted(told | {part for part, lacks in lacking.items() if lacks})


def _files(made: Frames) -> dict[int, list[_File]]:
    found: dict[int, list[_File]] = {}
    for number, *rest, added, removed in tuples(made, "derived_files", *_FILE_COLUMNS):
        found.setdefault(number, []).append(_File._make((number, *rest, added or 0, removed or 0)))
    return found


def _of_files(request: Row, files: list[_File], unknown: list[str]) -> dict[str, Any]:
    """What the changed files tell, and with them title and description."""
    churn, modules = _churn(files), _modules(files)
    added, removed = churn["source_added_lines_count"], churn["source_removed_lines_count"]
    decided = change_kind.kind_of_change(request["title"], frozenset(file.kind for file in files), added, removed)
    said = description.read(request["title"], request["body"])
    return churn | {
        "core_paths": sorted(file.path for file in files if file.is_core),
        "modules": modules,
        "primary_module": modules[0] if modules else "",
        "change_kind": decided.kind,
        "change_kind_rule": decided.rule,
        "tests_state": _tests_state(churn, is_known="files" not in unknown),
        "summary": said.summary,
        "described_tests": said.tests,
        # What changes no source makes nothing faster, whatever its description claims.
        "claims": list(said.claims) if churn["source_files_count"] else [],
    }


def _churn(files: list[_File]) -> dict[str, int]:
    """Files and lines of a pull request by kind."""
    source, test, docs = ([file for file in files if file.kind == kind] for kind in ("source", "test", "docs"))
    other = [file for file in files if file.kind not in ("source", "test", "docs")]
    return {
        "files_count": len(files),
        "source_files_count": sum(not file.is_rename_only for file in source),
        "test_files_count": sum(not file.is_rename_only and file.change_type != "removed" for file in test),
        "removed_test_files_count": sum(file.change_type == "removed" for file in test),
        "moved_test_files_count": sum(file.is_rename_only for file in test),
        "docs_files_count": len(docs),
        "core_files_count": sum(file.is_core for file in files),
        "source_added_lines_count": sum(file.added for file in source),
        "source_removed_lines_count": sum(file.removed for file in source),
        "test_added_lines_count": sum(file.added for file in test),
        "test_removed_lines_count": sum(file.removed for file in test),
        "docs_lines_count": sum(file.added + file.removed for file in docs),
        "other_lines_count": sum(file.added + file.removed for file in other),
    }


def _modules(files: list[_File]) -> list[str]:
    """Modules of a pull request, that with most changed source lines first, then by all lines, then by name."""
    lines: dict[str, tuple[int, int]] = {}
    for file in files:
        source, every = lines.get(file.module, (0, 0))
        changed = file.added + file.removed
        lines[file.module] = (source + (changed if file.kind == "source" else 0), every + changed)
    return sorted(lines, key=lambda module: (-lines[module][0], -lines[module][1], module))


def _tests_state(churn: dict[str, int], *, is_known: bool) -> str:
    """What became of tests, the strongest statement first; a change of tests is known even where files are missing."""
    told = (
        ("changed", churn["test_files_count"] > 0),
        ("unknown", not is_known),
        ("not_applicable", churn["source_files_count"] == 0),
        ("removed_only", churn["removed_test_files_count"] > 0),
        ("moved_only", churn["moved_test_files_count"] > 0),
        ("none", True),
    )
    return next(state for state, holds in told if holds)


def _reverts(made: Frames, repo: str) -> dict[int, dict[str, object]]:
    """Which pull request is known to revert each one, by the reverted number: the first that did."""
    columns = ("target_number", "hours_between", "number", "kind", "target_repo")
    found = sorted(
        (target, float("inf") if hours is None else hours, number)
        for target, hours, number, kind, target_repo in tuples(made, "derived_links", *columns)
        if kind == "reverts" and target_repo.lower() == repo.lower() and number != target
    )
    return {
        target: {"reverted_by_number": number, "reverted_after_hours": None if hours == float("inf") else hours}
        for target, hours, number in reversed(found)
    }
