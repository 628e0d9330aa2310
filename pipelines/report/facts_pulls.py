"""One entry of ``pull_requests`` per pull request merged in the week, put together from its stored rows."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from pipelines.report.facts_rows import Row, WeekRows, json_object
from pipelines.report.model import Component, FileFacts, LinkFacts, PullDetail, PullFacts, RiskFlag, ThreadFacts

_SEVERITY_ORDER = {"high": 0, "medium": 1, "low": 2}
#: A comment is quoted so far on a highlight's page: the gist, never a wall of text.
_EXCERPT_CHARACTERS = 200


def pull_facts(rows: WeekRows) -> list[PullFacts]:
    """All pull requests of the week, by number; highlights with their detail."""
    parts = _Parts(rows)
    return [_pull(rows, parts, raw) for raw in rows["raw_pull_requests"]]


class _Parts:
    """Rows of the other tables, by pull request."""

    def __init__(self, rows: WeekRows) -> None:
        self.measures = _by_number(rows["derived_pull_requests"])
        self.importance = _by_number(rows["derived_importance"])
        self.risks = _grouped(rows["derived_risks"], "number")
        self.themes = _grouped(rows["derived_themes"], "number")
        self.files = _grouped(rows["derived_files"], "number")
        self.previous_paths = {(row["number"], row["path"]): row["previous_path"] for row in rows["raw_files"]}
        self.links_from = _grouped(rows["derived_links"], "number")
        self.links_to = _grouped((row for row in rows["derived_links"] if row["target_repo"] == rows.repo), "target_number")
        self.threads = _grouped(rows["raw_review_threads"], "number")
        self.comments: dict[str, list[Row]] = defaultdict(list)
        for row in rows["raw_review_comments"]:
            self.comments[row["thread_id"]].append(row)


def _by_number(rows: Iterable[Row]) -> dict[int, Row]:
    return {row["number"]: row for row in rows}


def _grouped(rows: Iterable[Row], key: str) -> dict[int, list[Row]]:
    made: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        made[row[key]].append(row)
    return made


def _pull(rows: WeekRows, parts: _Parts, raw: Row) -> PullFacts:
    number: int = raw["number"]
    measures, importance = parts.measures[number], parts.importance[number]
    made: PullFacts = {
        "number": number,
        "title": raw["title"],
        "url": f"{rows.repo_url}/pull/{number}",
        "author": raw["author_login"],
        "author_kind": measures["author_kind"],
        "merged_at": raw["merged_at_utc"],
        "base_ref": raw["base_ref"],
        "is_base_default": raw["is_base_default"],
        "change_kind": measures["change_kind"],
        "importance": importance["importance"],
        "rank": importance["rank"],
        "is_highlight": importance["is_highlight"],
        "components": _components(importance),
        "themes": [row["theme"] for row in sorted(parts.themes[number], key=_theme_order)],
        "modules": measures["modules"],
        "labels": raw["labels"],
        "risks": _flags(parts.risks[number]),
        "reviewers": measures["reviewers"],
        "approvers": measures["approvers"],
        "added": raw["added_lines_count"],
        "removed": raw["removed_lines_count"],
        "files": raw["changed_files_count"],
        "source_lines": measures["source_added_lines_count"] + measures["source_removed_lines_count"],
        "tests_state": measures["tests_state"],
        "merge_hours": measures["merge_hours"],
        "first_review_hours": measures["first_review_hours"],
        "open_threads": measures["open_threads_count"],
        "summary": measures["summary"],
        "claims": measures["claims"],
        "reverted_by": measures["reverted_by_number"],
        "reverted_after_hours": measures["reverted_after_hours"],
        "links": _links(rows, parts, number),
        "unknown_parts": measures["unknown_parts"],
    }
    if importance["is_highlight"]:
        made["detail"] = _detail(parts, number, measures)
    return made


def _theme_order(row: Row) -> tuple[bool, float, str]:
    return (not row["is_primary"], -row["weight"], row["theme"])


def _components(importance: Row) -> list[Component]:
    """Summands other than 0, the base first, then the largest."""
    points = {name: value for name, value in importance.items() if name.endswith("_points")}
    ordered = sorted(points, key=lambda name: (name != "base_points", -abs(points[name]), name))
    return [{"name": name, "points": points[name]} for name in ordered if points[name]]


def _flags(risks: list[Row]) -> list[RiskFlag]:
    ordered = sorted(risks, key=lambda row: (_SEVERITY_ORDER[row["severity"]], row["rule"]))
    return [
        {
            "rule": row["rule"],
            "severity": row["severity"],
            "confidence": row["confidence"],
            "reason": row["reason"],
            "measures": json_object(row["measures_json"]),
            "evidence": row["evidence"],
        }
        for row in ordered
    ]


def _links(rows: WeekRows, parts: _Parts, number: int) -> list[LinkFacts]:
    done = [_link(row, "from") for row in parts.links_from[number]]
    suffered = [
        _link(row, "to") | {"repo": rows.repo, "number": row["number"], "title": None, "week": None}
        for row in parts.links_to[number]
    ]
    return sorted([*done, *suffered], key=lambda link: (link["direction"], link["kind"], link["repo"], link["number"]))


def _link(row: Row, direction: Literal["from", "to"]) -> LinkFacts:
    return {
        "kind": row["kind"],
        "direction": direction,
        "repo": row["target_repo"],
        "number": row["target_number"],
        "title": row["target_title"],
        "week": row["target_week"],
        "hours": row["hours_between"],
        "evidence": row["evidence"],
        "story": row["story"],
    }


def _detail(parts: _Parts, number: int, measures: Row) -> PullDetail:
    known = measures["open_threads_count"] is not None
    return {
        "file_rows": [
            _file(row, parts.previous_paths.get((number, row["path"]))) for row in sorted(parts.files[number], key=_file_order)
        ],
        "threads": _threads(parts, number) if known else None,
        "measures": {key: value for key, value in measures.items() if key != "number"},
        "described_tests": measures["described_tests"],
    }


def _file_order(row: Row) -> tuple[bool, str, str, int, str]:
    return (
        not row["is_core"],
        row["module"],
        row["kind"],
        -(row["added_lines_count"] or 0) - (row["removed_lines_count"] or 0),
        row["path"],
    )


def _file(row: Row, previous_path: str | None) -> FileFacts:
    return {
        "path": row["path"],
        "previous_path": previous_path,
        "change_type": row["change_type"],
        "kind": row["kind"],
        "module": row["module"],
        "is_core": row["is_core"],
        "added": row["added_lines_count"],
        "removed": row["removed_lines_count"],
    }


def _threads(parts: _Parts, number: int) -> list[ThreadFacts]:
    """Threads neither resolved nor outdated, by path and line."""
    left = [row for row in parts.threads[number] if row["is_resolved"] is False and not row["is_outdated"]]
    made = [
        _thread(row, sorted(parts.comments[row["thread_id"]], key=lambda c: (c["created_at_utc"], c["comment_id"]))) for row in left
    ]
    return sorted(made, key=lambda thread: (thread["path"], thread["line"] or 0, thread["thread_id"]))


def _thread(row: Row, comments: list[Row]) -> ThreadFacts:
    first = comments[0] if comments else None
    text = " ".join(first["body"].split()) if first and not first["is_minimized"] else ""
    return {
        "thread_id": row["thread_id"],
        "path": row["path"],
        "line": row["line"],
        "author": first["author_login"] if first else "ghost",
        "by_bot": bool(first and first["author_type"] == "Bot"),
        "excerpt": text if len(text) <= _EXCERPT_CHARACTERS else text[:_EXCERPT_CHARACTERS].rsplit(" ", 1)[0] + " …",
        "comments": row["comments_count"],
    }
