"""Reading the repository by GraphQL: lists, pages, history, names; and what changes while it is read."""

from typing import Any

import pytest

from tests.github_standin.core import Core
from tests.github_standin.dataset import blank, from_records
from tests.unit.github_standin.examples import NUMBERS, ask, core

Json = dict[str, Any]

UPDATED = """query($first: Int!, $after: String) { repository(owner: "acme", name: "rocket") {
  pullRequests(states: MERGED, orderBy: {field: UPDATED_AT, direction: DESC}, first: $first, after: $after) {
    totalCount pageInfo { hasNextPage endCursor } nodes { number updatedAt } } } }"""
SEARCH = """query($q: String!, $first: Int!, $after: String) { search(type: ISSUE, query: $q, first: $first, after: $after) {
  issueCount pageInfo { hasNextPage endCursor } nodes { ... on PullRequest { number mergedAt } } } }"""
HISTORY = """query($ref: String!, $since: GitTimestamp, $until: GitTimestamp) { repository(owner: "acme", name: "rocket") {
  ref(qualifiedName: $ref) { target { ... on Commit { history(first: 100, since: $since, until: $until) { totalCount
    nodes { oid committedDate messageHeadline associatedPullRequests(first: 5) { nodes { number } } } } } } } } }"""


def _connection(of: Core, query: str, *path: str, **variables: Any) -> Json:
    found = ask(of, query, **variables)["data"]
    for name in path:
        found = found[name]
    assert isinstance(found, dict)
    return found


def _all(of: Core, query: str, *path: str, first: int, **variables: Any) -> list[int]:
    numbers: list[int] = []
    after = None
    while True:
        page = _connection(of, query, *path, first=first, after=after, **variables)
        numbers += [node["number"] for node in page["nodes"]]
        if not page["pageInfo"]["hasNextPage"]:
            return numbers
        after = page["pageInfo"]["endCursor"]


@pytest.mark.parametrize("first", [1, 7, 100])
def test_pages_hold_every_merged_pull_request_once_newest_change_first(first: int) -> None:
    of = core()
    numbers = _all(of, UPDATED, "repository", "pullRequests", first=first)
    assert sorted(numbers) == [*NUMBERS, 40, 43]
    moments = [of.store.facts[number]["updatedAt"] for number in numbers]
    assert moments == sorted(moments, reverse=True)


def test_one_changed_during_the_scan_jumps_above_the_cursor() -> None:
    of = core()
    page = _connection(of, UPDATED, "repository", "pullRequests", first=10)
    oldest = _all(of, UPDATED, "repository", "pullRequests", first=100)[-1]
    of.store.mutate({"op": "set", "number": oldest, "fields": {"title": "Touched"}, "at": "2026-06-01T00:00:00Z"})
    rest = _connection(of, UPDATED, "repository", "pullRequests", first=100, after=page["pageInfo"]["endCursor"])
    assert oldest not in [node["number"] for node in rest["nodes"]]
    assert len(rest["nodes"]) == len(NUMBERS) + 2 - 10 - 1
    head = _connection(of, UPDATED, "repository", "pullRequests", first=1)
    assert head["nodes"] == [{"number": oldest, "updatedAt": "2026-06-01T00:00:00Z"}]


def test_search_by_merge_time_includes_both_ends() -> None:
    of = core()
    first, last = of.store.facts[3]["mergedAt"], of.store.facts[6]["mergedAt"]
    query = f"repo:acme/rocket is:pr is:merged merged:{first}..{last}"
    assert sorted(_all(of, SEARCH, "search", first=3, q=query)) == [3, 4, 5, 6]


def test_search_gives_a_thousand_and_counts_all() -> None:
    of = core()
    for number in range(1_000, 2_100):
        of.store.mutate(
            {"op": "add", "record": blank(number, "2026-01-01T00:00:00Z", state="MERGED", mergedAt="2026-01-02T00:00:00Z")}
        )
    page = _connection(of, SEARCH, "search", first=1, q="merged:2026-01-02")
    assert page["issueCount"] == 1_100
    assert len(_all(of, SEARCH, "search", first=100, q="merged:2026-01-02")) == 1_000


def test_search_in_another_repository_finds_nothing() -> None:
    assert _connection(core(), SEARCH, "search", first=1, q="repo:acme/other is:pr")["issueCount"] == 0


def test_history_holds_merge_commits_plain_ones_and_landed_ones_of_one_branch() -> None:
    of = core()
    path = ("repository", "ref", "target", "history")
    commits = _connection(of, HISTORY, *path, ref="refs/heads/main")["nodes"]
    by_oid = {commit["oid"]: [node["number"] for node in commit["associatedPullRequests"]["nodes"]] for commit in commits}
    assert by_oid["e" * 40] == [40]
    assert by_oid["a" * 40] == by_oid["b" * 40] == []
    assert "c" * 40 not in by_oid
    moments = [commit["committedDate"] for commit in commits]
    assert moments == sorted(moments, reverse=True)
    other = _connection(of, HISTORY, *path, ref="release/1")["nodes"]
    assert [commit["oid"] for commit in other][:-1] == ["c" * 40]


def test_history_is_limited_by_commit_time_both_ends_included() -> None:
    of = core()
    moment = of.store.facts[5]["mergedAt"]
    found = _connection(of, HISTORY, "repository", "ref", "target", "history", ref="main", since=moment, until=moment)
    assert [commit["oid"] for commit in found["nodes"]] == [f"{5:040x}"]


def test_a_branch_that_is_not_there_is_null() -> None:
    assert ask(core(), HISTORY, ref="nowhere")["data"]["repository"]["ref"] is None


RENAMED = """query($name: String!, $follow: Boolean) {
  repository(owner: "acme", name: $name, followRenames: $follow) { id nameWithOwner } }"""


def test_a_renamed_repository_keeps_its_id_and_is_found_by_its_old_name() -> None:
    of = core()
    before = ask(of, RENAMED, name="rocket")["data"]["repository"]
    of.store.mutate({"op": "rename", "name": "acme/shuttle"})
    after = ask(of, RENAMED, name="rocket", follow=True)["data"]["repository"]
    assert after == {"id": before["id"], "nameWithOwner": "acme/shuttle"}
    refused = ask(of, RENAMED, name="rocket", follow=False)
    assert refused["data"] == {"repository": None}
    assert refused["errors"][0]["message"] == "Could not resolve to a Repository with the name 'acme/rocket'."
    assert refused["errors"][0]["type"] == "NOT_FOUND"
    pull = ask(of, 'query { repository(owner: "acme", name: "shuttle") { pullRequest(number: 1) { url } } }')
    assert pull["data"]["repository"]["pullRequest"]["url"] == "https://github.com/acme/shuttle/pull/1"


THREAD = """query($id: ID!) { node(id: $id) { ... on PullRequest {
  title updatedAt reviews { totalCount } reviewThreads(first: 9) { nodes { id isResolved } } } } }"""


def test_changes_are_seen_and_move_the_time_of_change_only_where_github_promises_it() -> None:
    of = core()
    key = of.store.facts[40]["id"]
    before = ask(of, THREAD, id=key)["data"]["node"]
    of.store.mutate({"op": "resolve_thread", "number": 40, "resolved": False})
    unresolved = ask(of, THREAD, id=key)["data"]["node"]
    assert unresolved == before | {"reviewThreads": {"nodes": [{"id": "PRRT_40", "isResolved": False}]}}
    review = {
        "id": "PRR_new",
        "state": "APPROVED",
        "body": "",
        "submittedAt": "2026-04-25T00:00:00Z",
        "author": None,
        "commit": None,
    }
    of.store.mutate({"op": "append", "number": 40, "connection": "reviews", "node": review})
    reviewed = ask(of, THREAD, id=key)["data"]["node"]
    assert (reviewed["reviews"]["totalCount"], reviewed["updatedAt"]) == (2, "2026-04-23T00:01:00Z")
    assert ask(of, 'query { node(id: "PRR_new") { __typename } }')["data"]["node"] == {"__typename": "PullRequestReview"}


def test_what_is_removed_or_hidden_is_gone() -> None:
    of = core()
    key = of.store.facts[5]["id"]
    of.store.mutate({"op": "remove", "number": 5})
    answer = ask(of, "query($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=[key, "PRR_40"])
    assert answer["data"]["nodes"] == [None, {"id": "PRR_40"}]
    assert answer["errors"][0]["message"] == f"Could not resolve to a node with the global id of '{key}'."
    of.store.mutate({"op": "hide", "from": "search", "numbers": [6]})
    of.store.mutate({"op": "hide", "from": "history", "numbers": [7]})
    assert 6 not in _all(of, SEARCH, "search", first=100, q="is:pr")
    history = _connection(of, HISTORY, "repository", "ref", "target", "history", ref="main")["nodes"]
    assert f"{7:040x}" not in [commit["oid"] for commit in history]
    of.store.mutate({"op": "show", "from": "search", "numbers": [6]})
    assert 6 in _all(of, SEARCH, "search", first=100, q="is:pr")


TIMELINE = """query($types: [PullRequestTimelineItemsItemType!], $after: String) { repository(owner: "acme", name: "rocket") {
  pullRequest(number: 40) { timelineItems(first: 3, after: $after, itemTypes: $types) {
    totalCount filteredCount pageInfo { hasNextPage endCursor } nodes { __typename
      ... on CrossReferencedEvent {
        source { __typename ... on PullRequest { number title } ... on Issue { issue: number } } } } } } } }"""


def test_timeline_is_filtered_by_type_and_paged() -> None:
    path = ("repository", "pullRequest", "timelineItems")
    types = ["CROSS_REFERENCED_EVENT", "MERGED_EVENT"]
    of = core()
    first = _connection(of, TIMELINE, *path, types=types)
    assert (first["totalCount"], first["filteredCount"], first["pageInfo"]["hasNextPage"]) == (11, 4, True)
    sources = [node["source"] for node in first["nodes"]]
    assert sources[0] == {"__typename": "PullRequest", "number": 3, "title": "Change 3"}
    assert sources[1:] == [
        {"__typename": "PullRequest", "number": 9, "title": "Pull request 9"},
        {"__typename": "Issue", "issue": 8},
    ]
    second = _connection(of, TIMELINE, *path, types=types, after=first["pageInfo"]["endCursor"])
    assert (second["filteredCount"], [node["__typename"] for node in second["nodes"]]) == (1, ["MergedEvent"])


def test_a_repository_without_pull_requests_answers_with_none() -> None:
    of = Core(from_records([], "acme/rocket"))
    assert _connection(of, UPDATED, "repository", "pullRequests", first=10)["nodes"] == []
    assert _connection(of, SEARCH, "search", first=1, q="repo:acme/rocket is:pr")["issueCount"] == 0
    assert _connection(of, HISTORY, "repository", "ref", "target", "history", ref="main")["totalCount"] == 1


def test_a_cursor_that_is_none_is_refused() -> None:
    answer = ask(core(), UPDATED, first=1, after="bm9uc2Vuc2U=")
    assert answer["errors"][0]["message"] == "`bm9uc2Vuc2U=` does not appear to be a valid cursor."


def test_a_landed_one_is_closed_by_its_bot_and_its_commit_names_it() -> None:
    of = core()
    query = """query { repository(owner: "acme", name: "rocket") {
      pullRequest(number: 42) { state mergedAt timelineItems(last: 1, itemTypes: [CLOSED_EVENT]) {
        nodes { ... on ClosedEvent { createdAt actor { __typename login } } } } }
      ref(qualifiedName: "main") { target { ... on Commit { history(first: 100) { nodes { oid message } } } } } } }"""
    found = ask(of, query)["data"]["repository"]
    assert (found["pullRequest"]["state"], found["pullRequest"]["mergedAt"]) == ("CLOSED", None)
    event = found["pullRequest"]["timelineItems"]["nodes"][0]
    assert event == {"createdAt": "2026-04-23T01:00:00Z", "actor": {"__typename": "Bot", "login": "lander"}}
    messages = {commit["oid"]: commit["message"] for commit in found["ref"]["target"]["history"]["nodes"]}
    assert "Pull Request resolved: https://github.com/acme/rocket/pull/42" in messages["b" * 40]
