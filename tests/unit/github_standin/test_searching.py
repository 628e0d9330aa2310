"""The search language: ranges include both ends, states, sorting, and what is not understood finds nothing."""

import pytest

from tests.github_standin.searching import Search

FACTS = {
    "number": 1,
    "title": "Fix the parser",
    "state": "MERGED",
    "createdAt": "2026-04-19T23:59:59Z",
    "updatedAt": "2026-04-22T00:00:00Z",
    "closedAt": "2026-04-20T12:00:00Z",
    "mergedAt": "2026-04-20T12:00:00Z",
    "baseRefName": "main",
    "author": "Ada",
}

FOUND = (
    "",
    "is:pr is:merged",
    "type:pr is:closed -is:open",
    "merged:2026-04-20",
    "merged:2026-04-20..2026-04-20",
    "merged:2026-04-20T12:00:00Z..2026-04-20T12:00:00Z",
    "merged:2026-04-20T20:00:00+08:00",
    "merged:*..2026-04-20T12:00:00Z",
    "merged:>=2026-04-20T12:00:00Z created:<2026-04-20",
    "merged:<=2026-04-20 updated:>2026-04-21",
    "closed:>2026-04-19",
    "base:main author:ada parser",
    'repo:a/b "fix the"',
)
LOST = (
    "is:issue",
    "is:open",
    "-is:merged",
    "is:unmerged",
    "merged:2026-04-21",
    "merged:2026-04-20T12:00:01Z..*",
    "merged:>2026-04-20T12:00:00Z",
    "merged:<2026-04-20T12:00:00Z",
    "created:2026-04-20..2026-04-21",
    "merged:yesterday",
    "base:dev",
    "author:grace",
    "lexer",
    "label:bug",
)


@pytest.mark.parametrize("query", FOUND)
def test_found(query: str) -> None:
    assert Search.parse(query).matches(FACTS)


@pytest.mark.parametrize("query", LOST)
def test_not_found(query: str) -> None:
    assert not Search.parse(query).matches(FACTS)


def test_one_that_was_never_merged_is_in_no_range_of_merges() -> None:
    assert not Search.parse("merged:*..*").matches(FACTS | {"mergedAt": None})


@pytest.mark.parametrize(("text", "key", "descending"), [("", "createdAt", True), ("sort:updated-asc", "updatedAt", False)])
def test_sorting(text: str, key: str, descending: bool) -> None:  # noqa: FBT001  # because: a column of the table above
    search = Search.parse(text)
    assert (search.order(FACTS)[0], search.descending) == (FACTS[key], descending)
