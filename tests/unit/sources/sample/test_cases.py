"""Every case of ``CASES`` is really there."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from pipelines.sources.records import PullRequestRecord
from pipelines.sources.sample import CASES, records

Check = Callable[[PullRequestRecord], object]


def numbers_of(case: str) -> tuple[int, ...]:
    found = CASES[case]
    return (found,) if isinstance(found, int) else found


BY_NUMBER = {record["number"]: record for record in records()}


def get(case: str) -> list[PullRequestRecord]:
    return [BY_NUMBER[number] for number in numbers_of(case)]


def login(record: PullRequestRecord) -> str:
    return record["author"]["login"] if record["author"] else "ghost"


def paths(record: PullRequestRecord) -> list[str]:
    return [f["path"] for f in record["files"]["nodes"]]


def types(record: PullRequestRecord) -> set[str]:
    return {f["changeType"] for f in record["files"]["nodes"]}


def body(record: PullRequestRecord) -> str:
    return record["body"] or ""


def states(record: PullRequestRecord) -> list[str]:
    return [r["state"] for r in record["reviews"]["nodes"]]


def merged(record: PullRequestRecord) -> datetime:
    return datetime.fromisoformat(str(record["mergedAt"]))


def labels(record: PullRequestRecord) -> set[str]:
    return {label["name"] for label in record["labels"]["nodes"]}


def threads(record: PullRequestRecord, *, resolved: bool, outdated: bool, kind: str = "User") -> list[str]:
    return [
        thread["id"]
        for thread in record["reviewThreads"]["nodes"]
        if thread["isResolved"] == resolved
        and (resolved or thread["isOutdated"] == outdated)
        and (thread["comments"]["nodes"][0]["author"] or {"__typename": "User"})["__typename"] == kind
    ]


CHECKS: dict[str, Check] = {
    "deleted_author": lambda r: r["author"] is None,
    "deleted_reviewer": lambda r: any(
        review["author"] is None and review["state"] == "APPROVED" for review in r["reviews"]["nodes"]
    ),
    "bot_author": lambda r: r["author"] == {"__typename": "Bot", "login": "dependabot"},
    "bot_login_with_suffix": lambda r: r["author"] and r["author"]["__typename"] == "Bot" and login(r).endswith("[bot]"),
    "bot_as_user": lambda r: r["author"] == {"__typename": "User", "login": "lattice-ci-robot"},
    "reviewing_bot": lambda r: (r["reviews"]["nodes"][0]["author"] or {}).get("__typename") == "Bot",
    "bot_open_thread": lambda r: threads(r, resolved=False, outdated=False, kind="Bot"),
    "fork_gone": lambda r: r["headRepository"] is None and r["isCrossRepository"] and r["author"],
    "reverted": lambda r: any("Revert" in e["source"]["title"] for e in r["timelineItems"]["nodes"] if "source" in e),
    "revert": lambda r: r["title"].startswith("Revert ") and re.match(r"Reverts acme/lattice#\d+", body(r)),
    "reland": lambda r: r["title"].startswith("Reland "),
    "series": lambda r: re.search(r"\[[123]/3\]", r["title"]),
    "story": lambda r: re.search(r"Deprecate|convert|Remove", r["title"]),
    "follow_up": lambda r: re.search(r"dropped by #\d+", body(r)),
    "backport": lambda r: r["baseRefName"] == "release/1.4" and not r["closingIssuesReferences"]["nodes"],
    "backport_of": lambda r: r["baseRefName"] == "main" and "backport-1.4" in labels(r),
    "squash_by_other": lambda r: r["mergedBy"] != r["author"] and r["commits"]["totalCount"] > 10,
    "self_merged": lambda r: r["mergedBy"] == r["author"] and "APPROVED" not in states(r),
    "changes_requested": lambda r: r["reviewDecision"] == "CHANGES_REQUESTED",
    "rename_only": lambda r: types(r) == {"RENAMED"} and r["additions"] + r["deletions"] == 0,
    "moved_tests": lambda r: any(p.startswith("tests/") for p in paths(r)) and "RENAMED" in types(r),
    "removed_test": lambda r: any(f["changeType"] == "DELETED" and "/test_" in f["path"] for f in r["files"]["nodes"]),
    "binaries": lambda r: sum(p.endswith((".png", ".gif")) for p in paths(r)) == 4,
    "many_files": lambda r: r["changedFiles"] == 120,
    "thread_resolved": lambda r: threads(r, resolved=True, outdated=False),
    "thread_outdated": lambda r: threads(r, resolved=False, outdated=True),
    "thread_open": lambda r: threads(r, resolved=False, outdated=False),
    "title_html": lambda r: "<script>" in r["title"],
    "title_img": lambda r: "<img src=x onerror=" in r["title"],
    "title_markdown": lambda r: "|" in r["title"] and "**" in r["title"] and "](" in r["title"],
    "title_chinese": lambda r: re.search(r"[\u4e00-\u9fff]{4}", r["title"]),
    "title_emoji": lambda r: "\U0001f680" in r["title"],
    "title_rtl": lambda r: "\u200f" in r["title"] and "\u202e" in r["title"],
    "last_second": lambda r: r["mergedAt"] == "2026-03-22T23:59:59Z",
    "first_instant": lambda r: r["mergedAt"] == "2026-03-23T00:00:00Z",
    "fix": lambda r: (
        re.search(r"\bFixes (a regression introduced in |the regression from |a bug from )?#\d+", body(r)) and "bug" in labels(r)
    ),
    "fixed": lambda r: any("Fix" in e["source"]["title"] for e in r["timelineItems"]["nodes"] if "source" in e),
    "removed_flag": lambda r: re.search(r"Removes? .?--[a-z-]+", r["title"]) and "docs/reference/cli.md" in paths(r),
    "removed_env": lambda r: "Removes the environment variable `LATTICE_ENABLE_ROCM`" in body(r) and "lattice/env.py" in paths(r),
    "dependency_bump": lambda r: re.fullmatch(r"Bump \S+ from \S+ to \S+", r["title"]),
    "ci_change": lambda r: all(p.startswith(".github/") for p in paths(r)),
    "migration": lambda r: any(re.search(r"/migrations/\d{4}_", p) for p in paths(r)),
    "security": lambda r: "security" in labels(r) and any(re.search("auth|token|logs", p) for p in paths(r)),
    "new_platform": lambda r: re.search("MI300|Blackwell", r["title"]),
    "new_model": lambda r: "ADDED" in types(r),
    "measured_speed": lambda r: re.search(r"\d\.\d+x|\d+ ms instead", r["title"] + body(r)),
    "measured_memory": lambda r: re.search(r"-\d\d % memory", body(r)),
    "body_benchmark": lambda r: "| ---: |" in body(r),
    "body_checklist": lambda r: "- [x]" in body(r) and "- [ ]" in body(r),
    "body_html_comment": lambda r: body(r).startswith("<!--"),
    "body_template": lambda r: "## Motivation" in body(r) and "## Modifications" in body(r),
    "body_empty": lambda r: r["body"] == "",
    "body_null": lambda r: r["body"] is None,
    "body_long": lambda r: len(body(r)) > 65_536,
    "body_injection": lambda r: "Ignore previous instructions" in body(r),
    "body_closing_words": lambda r: len(re.findall(r"(?:[Ff]ixes|[Cc]loses|[Rr]esolves) #\d+", body(r))) == 2,
    "mention": lambda r: re.search(r"@[a-z]", body(r)),
    "unsafe_characters": lambda r: all(any(c in review["body"] for review in r["reviews"]["nodes"]) for c in ("\x00", "\ud83d")),
    "review_empty_body": lambda r: any(review["body"] == "" and review["state"] == "APPROVED" for review in r["reviews"]["nodes"]),
    "review_dismissed": lambda r: (
        "DISMISSED" in states(r) and any(e["__typename"] == "ReviewDismissedEvent" for e in r["timelineItems"]["nodes"])
    ),
    "comment_minimized": lambda r: any(c["isMinimized"] for c in r["comments"]["nodes"]),
    "docs_only": lambda r: all(p.startswith("docs/") for p in paths(r)),
    "generated_only": lambda r: all("/_proto/" in p for p in paths(r)),
}


def test_every_case_has_a_check() -> None:
    assert set(CASES) == set(CHECKS)


@pytest.mark.parametrize("case", sorted(CHECKS))
def test_case_holds(case: str) -> None:
    found = get(case)
    assert found
    for record in found:
        assert CHECKS[case](record), (case, record["number"], record["title"])


def test_a_revert_comes_within_hours_and_its_reland_names_both() -> None:
    (original,), (revert,), (reland,) = get("reverted"), get("revert"), get("reland")
    assert timedelta(0) < merged(revert) - merged(original) < timedelta(hours=12)
    assert f"#{original['number']}" in body(revert)
    assert str(original["number"]) in str(revert["headRefName"])
    assert {f"#{original['number']}", f"#{revert['number']}"} <= set(re.findall(r"#\d+", body(reland)))
    assert {f["path"]: (f["additions"], f["deletions"]) for f in revert["files"]["nodes"]} == {
        f["path"]: (f["deletions"], f["additions"]) for f in original["files"]["nodes"]
    }


def test_a_series_comes_in_order_and_each_part_names_the_one_before() -> None:
    parts = get("series")
    assert [int(re.findall(r"\[(\d)/3\]", part["title"])[0]) for part in parts] == [1, 2, 3]
    assert all(f"#{before['number']}" in body(part) for before, part in pairwise(parts))


def test_the_story_deprecates_then_migrates_then_removes_in_three_weeks() -> None:
    steps = get("story")
    assert [merged(step).isocalendar().week for step in steps] == [12, 14, 17]
    assert {f"#{steps[0]['number']}", f"#{steps[1]['number']}"} <= set(re.findall(r"#\d+", body(steps[2])))


def test_the_backport_names_its_original_which_merged_before() -> None:
    (original,) = get("backport_of")
    backport = get("backport")[0]
    assert f"Backport of #{original['number']}" in body(backport)
    assert merged(original) < merged(backport)


def test_fixes_name_a_change_of_the_two_weeks_before() -> None:
    for fix in get("fix"):
        named = [BY_NUMBER[int(n)] for n in re.findall(r"#(\d+)", body(fix)) if int(n) in BY_NUMBER]
        assert named
        assert all(timedelta(0) < merged(fix) - merged(r) <= timedelta(days=14) for r in named), fix["title"]
