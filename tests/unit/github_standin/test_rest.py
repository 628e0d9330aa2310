"""The REST calls, read by PyGithub as its users do."""

from collections.abc import Iterator

import github
import pytest
from github.Repository import Repository

from tests.github_standin import StandIn
from tests.unit.github_standin import examples
from tests.unit.github_standin.examples import REPO, asked, body, core, get


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn(examples.dataset()) as running:
        yield running


def _repository(url: str) -> Repository:
    client = github.Github(base_url=url, auth=github.Auth.Token(examples.TOKEN), seconds_between_requests=None, per_page=10)
    return client.get_repo(REPO)


def test_a_plain_loop_reads_everything_of_a_pull_request(server: StandIn) -> None:
    for url in (server.url, server.enterprise_url):
        pull = _repository(url).get_pull(40)
        assert (pull.title, pull.merged, pull.merged_by.login) == ("Special", True, "lander[bot]")
        assert pull.raw_data["body"] is None
        assert [review.state for review in pull.get_reviews()] == ["DISMISSED"]
        assert [comment.path for comment in pull.get_review_comments()] == ["a.py", "a.py"]
        assert [commit.sha for commit in pull.get_commits()][-1] == "f" * 40
        issue = pull.as_issue()
        assert issue.number == 40
        events = [event.event for event in issue.get_timeline()]
        assert events.count("cross-referenced") == 3
        assert {"reviewed", "merged", "closed", "connected", "review_dismissed"} <= set(events)


def test_an_answer_in_a_thread_names_what_it_answers() -> None:
    first, second = body(get(core(), "/repos/acme/rocket/pulls/40/comments"))
    assert "in_reply_to_id" not in first
    assert second["in_reply_to_id"] == first["id"]
    assert second["pull_request_review_id"] == body(get(core(), "/repos/acme/rocket/pulls/40/reviews"))[0]["id"]


def test_lists_are_paged_with_links_and_hold_each_once(server: StandIn) -> None:
    repository = _repository(server.url)
    numbers = [pull.number for pull in repository.get_pulls(state="closed", sort="updated", direction="desc")]
    assert sorted(numbers) == [*examples.NUMBERS, 40, 42, 43]
    assert [pull.number for pull in repository.get_pulls(state="open")] == [41]
    assert server.stats()["by_kind"]["rest:GET /repos/{}/{}/pulls"] == 5
    assert repository.get_pulls(state="all").totalCount == 34


def test_links_name_the_pages_around() -> None:
    answer = get(core(), "/repos/acme/rocket/pulls", state="all", per_page="10", page="2")
    relations = {part.split("; ")[1]: part.split("; ")[0] for part in answer.headers["link"].split(", ")}
    assert set(relations) == {'rel="prev"', 'rel="first"', 'rel="next"', 'rel="last"'}
    assert relations['rel="last"'] == "<http://127.0.0.1:1/repos/acme/rocket/pulls?state=all&per_page=10&page=4>"
    assert "link" not in get(core(), "/repos/acme/rocket/pulls", state="all", per_page="100").headers


def test_files_tell_the_previous_name_the_patch_and_binaries(server: StandIn) -> None:
    engine, moved, logo = _repository(server.url).get_pull(1).get_files()
    assert (engine.status, engine.patch.count("\n+"), engine.patch.count("\n-")) == ("modified", 10, 2)
    assert (moved.filename, moved.previous_filename, moved.status) == ("docs/new.md", "docs/old.md", "renamed")
    assert logo.additions == 0
    assert "patch" not in logo.raw_data


def test_files_stop_at_three_thousand_and_commits_at_two_hundred_and_fifty() -> None:
    of = core()
    files = [{"path": f"f{index}", "additions": 1, "deletions": 0, "changeType": "ADDED"} for index in range(3_050)]
    parts = {"files": {"totalCount": 3_050, "nodes": files}, "commits": {"totalCount": 300, "nodes": []}, "changedFiles": 3_050}
    of.store.mutate({"op": "set", "number": 1, "fields": parts})
    assert len(body(get(of, "/repos/acme/rocket/pulls/1/files", per_page="100", page="30"))) == 100
    assert body(get(of, "/repos/acme/rocket/pulls/1/files", per_page="100", page="31")) == []
    assert len(body(get(of, "/repos/acme/rocket/pulls/1/commits", per_page="100", page="3"))) == 50
    assert body(get(of, "/repos/acme/rocket/pulls/1"))["changed_files"] == 3_050


def test_search_pages_to_a_thousand(server: StandIn) -> None:
    client = github.Github(base_url=server.url, auth=github.Auth.Token(examples.TOKEN), seconds_between_requests=None)
    found = client.search_issues(f"repo:{REPO} is:pr is:merged merged:2026-04-20..2026-04-21", sort="created", order="asc")
    assert sorted(issue.number for issue in found) == [1, 2, 3, 4, 5, 6, 7]
    moments = [issue.created_at for issue in found]
    assert moments == sorted(moments)
    assert get(core(), "/search/issues", q="is:pr", per_page="100", page="11").status == 422


def test_a_renamed_repository_moves_to_its_id_without_the_query() -> None:
    of = core()
    identifier = of.store.home["databaseId"]
    of.store.mutate({"op": "rename", "name": "acme/shuttle"})
    moved = get(of, "/repos/acme/rocket/pulls", state="all")
    identifier = of.store.home["databaseId"]
    assert (moved.status, moved.headers["location"]) == (301, f"http://127.0.0.1:1/repositories/{identifier}/pulls")
    assert body(get(of, f"/repositories/{identifier}"))["full_name"] == "acme/shuttle"
    assert get(of, "/repos/acme/shuttle").status == 200


def test_what_is_not_there_is_not_found() -> None:
    of = core()
    for path in (
        "/repos/no/one",
        "/repos/acme/rocket/pulls/999",
        "/repos/acme/rocket/pulls/1/nothing",
        "/nothing",
        "/repositories/1",
    ):
        assert get(of, path).status == 404


def test_limits_and_rights_are_told() -> None:
    of = core()
    answer = get(of, "/user", token="ghp_x")
    assert (body(answer)["login"], answer.headers["x-oauth-scopes"]) == ("octocat", "repo, read:org")
    assert (answer.headers["x-ratelimit-resource"], answer.headers["x-ratelimit-remaining"]) == ("core", "4999")
    assert body(get(of, "/rate_limit", token="ghp_x"))["resources"]["core"]["remaining"] == 4_999
    assert "x-oauth-scopes" not in get(of, "/user", token="github_pat_x").headers
    assert get(of, "/user", token="ghs_standin1").status == 403
    of.meter.budget("ghp_x", "core").used = 5_000
    assert "API rate limit exceeded" in body(get(of, "/user", token="ghp_x"))["message"]
    assert get(of, "/meta", token=None).status == 200


def test_an_installation_gets_a_token_that_is_good() -> None:
    of = core(tokens={"other"})
    path = "/app/installations/77/access_tokens"
    refused = of.answer(asked("POST", path, token="not-a-jwt"))
    given = of.answer(asked("POST", path, token="a.b.c"))
    assert (refused.status, given.status) == (401, 201)
    token = body(given)["token"]
    assert get(of, "/repos/acme/rocket", token=token).status == 200
    assert of.answer(asked("GET", path, token="a.b.c")).status == 404
