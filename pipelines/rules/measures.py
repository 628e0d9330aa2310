"""The measures of each pull request: churn by kind of file, modules, tests, review, reverts, and what is not known."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from pipelines.rules import change_kind, description, flow, people, threads
from pipelines.rules.inputs import Frames, WeekInputs
from pipelines.tables import TABLES, empty_frame

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


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per pull request merged in the week, with its measures."""
    requests = inputs.raw["raw_pull_requests"].sort_values("number", ignore_index=True)
    if requests.empty:
        return empty_frame(TABLES["derived_pull_requests"])
    files = made["derived_files"]
    unknown = unknown_parts(requests, files)
    indexed = requests.set_index("number")
    whole = pd.concat(
        [
            indexed[["title", "body", "author_login", "author_type"]],
            _churn(files, indexed.index),
            _modules(files, indexed.index),
            flow.measures(inputs, _lacks(unknown, "reviews")),
            threads.measures(inputs, _lacks(unknown, "threads")),
            _reverts(made["derived_links"], inputs, indexed.index),
        ],
        axis=1,
    ).assign(unknown_parts=unknown)
    whole = whole.assign(tests_state=_tests_state(whole), **change_kind.kinds_of_changes(whole), **_described(whole))
    kinds = people.account_kinds(indexed["author_login"], indexed["author_type"], inputs.bot_logins())
    whole = whole.assign(author_kind=kinds, is_first_contribution=people.first_contributions(inputs, kinds))
    columns = [column.name for column in TABLES["derived_pull_requests"].columns]
    return whole.reset_index()[columns]


def unknown_parts(requests: pd.DataFrame, files: pd.DataFrame) -> pd.Series:
    """Parts of each pull request that were not read to the end, sorted, by number."""
    read = files.groupby("number").size().reindex(requests["number"], fill_value=0).to_numpy()
    lacking = {
        "files": read < requests["changed_files_count"].to_numpy(),
        "description": requests["body"].isna().to_numpy(),
        "labels": requests["labels"].isna().to_numpy(),
        "reviews": requests["reviews_count"].isna().to_numpy(),
        "threads": requests["review_threads_count"].isna().to_numpy(),
        "comments": requests["comments_count"].isna().to_numpy(),
    }
    rows = [
        sorted({PARTS.get(part, part) for part in missing} | {part for part, lacks in lacking.items() if lacks[row]})
        for row, missing in enumerate(requests["missing_parts"])
    ]
    return pd.Series(rows, index=pd.Index(requests["number"], name="number"), dtype=object)


def _lacks(unknown: pd.Series, part: str) -> pd.Series:
    return pd.Series([part in parts for parts in unknown], index=unknown.index, dtype="bool")


def _churn(files: pd.DataFrame, numbers: pd.Index) -> pd.DataFrame:
    """Files and lines of each pull request by kind, by number."""
    kind, moved, removed = files["kind"], files["is_rename_only"], files["change_type"] == "removed"
    added = files["added_lines_count"].fillna(0).astype("int64")
    gone = files["removed_lines_count"].fillna(0).astype("int64")
    source, test, docs = kind == "source", kind == "test", kind == "docs"
    flags = {
        "files_count": pd.Series(1, index=files.index),
        "source_files_count": source & ~moved,
        "test_files_count": test & ~moved & ~removed,
        "removed_test_files_count": test & removed,
        "moved_test_files_count": test & moved,
        "docs_files_count": docs,
        "core_files_count": files["is_core"],
        "source_added_lines_count": added * source,
        "source_removed_lines_count": gone * source,
        "test_added_lines_count": added * test,
        "test_removed_lines_count": gone * test,
        "docs_lines_count": (added + gone) * docs,
        "other_lines_count": (added + gone) * ~(source | test | docs),
    }
    sums = pd.DataFrame({name: pd.Series(flag).astype("int64") for name, flag in flags.items()}).groupby(files["number"]).sum()
    churn = sums.reindex(numbers, fill_value=0)
    core = files[files["is_core"]]
    paths = {number: sorted(found) for number, found in _grouped(core["number"], core["path"]).items()}
    kinds = {number: frozenset(found) for number, found in _grouped(files["number"], files["kind"]).items()}
    return churn.assign(core_paths=_column(paths, numbers, list), file_kinds=_column(kinds, numbers, frozenset))


def _grouped(numbers: pd.Series, values: pd.Series) -> dict[int, list[str]]:
    """The values that go with each number, in their order; plain Python, since groups of a few rows cost pandas most."""
    found: dict[int, list[str]] = {}
    for number, value in zip(numbers.tolist(), values.to_numpy(dtype=object), strict=True):
        found.setdefault(number, []).append(value)
    return found


def _column(found: Mapping[int, object], numbers: pd.Index, empty: Callable[[], object]) -> pd.Series:
    return pd.Series([found.get(number, empty()) for number in numbers], index=numbers, dtype=object)


def _modules(files: pd.DataFrame, numbers: pd.Index) -> pd.DataFrame:
    """Modules of each pull request, that with most changed source lines first, then by all lines, then by name."""
    lines = files["added_lines_count"].fillna(0).astype("int64") + files["removed_lines_count"].fillna(0).astype("int64")
    rows = files[["number", "module"]].assign(source=lines * (files["kind"] == "source"), lines=lines)
    sums = rows.groupby(["number", "module"], as_index=False).sum()
    ordered = sums.sort_values(["number", "source", "lines", "module"], ascending=[True, False, False, True])
    modules = _column(_grouped(ordered["number"], ordered["module"]), numbers, list)
    return pd.DataFrame(
        {"modules": modules, "primary_module": pd.Series([m[0] if m else "" for m in modules], index=numbers, dtype="str")}
    )


def _tests_state(whole: pd.DataFrame) -> pd.Series:
    """What became of tests, the strongest statement first; a change of tests is known even where files are missing."""
    unknown = _lacks(whole["unknown_parts"], "files")
    told = np.select(
        [
            whole["test_files_count"] > 0,
            unknown,
            whole["source_files_count"] == 0,
            whole["removed_test_files_count"] > 0,
            whole["moved_test_files_count"] > 0,
        ],
        ["changed", "unknown", "not_applicable", "removed_only", "moved_only"],
        default="none",
    )
    return pd.Series(told, index=whole.index, dtype="str")


def _described(whole: pd.DataFrame) -> dict[str, pd.Series]:
    read = [
        description.read(title, body if isinstance(body, str) else None)
        for title, body in zip(whole["title"], whole["body"], strict=True)
    ]
    sources = whole["source_files_count"]  # what changes no source makes nothing faster, whatever its description claims
    return {
        "summary": pd.Series([one.summary for one in read], index=whole.index, dtype="str"),
        "described_tests": pd.Series([one.tests for one in read], index=whole.index, dtype="str"),
        "claims": pd.Series(
            [list(one.claims) if files else [] for one, files in zip(read, sources, strict=True)], index=whole.index, dtype=object
        ),
    }


def _reverts(links: pd.DataFrame, inputs: WeekInputs, numbers: pd.Index) -> pd.DataFrame:
    """Whether each pull request is a backport, and which one is known to revert it: the first that did."""
    inside = links[links["target_repo"].str.lower() == inputs.repo.lower()]
    reverts = inside[(inside["kind"] == "reverts") & (inside["number"] != inside["target_number"])]
    first = (
        reverts.sort_values(["target_number", "hours_between", "number"])
        .drop_duplicates("target_number")
        .set_index("target_number")
    )
    return pd.DataFrame(
        {
            "is_backport": numbers.isin(links.loc[links["kind"] == "backports", "number"]),
            "reverted_by_number": first["number"].astype("Int64").reindex(numbers),
            "reverted_after_hours": first["hours_between"].astype("float64").reindex(numbers),
        },
        index=numbers,
    )
