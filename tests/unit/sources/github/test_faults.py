from typing import Any

import pytest

from pipelines.sources.github.faults import Reply, classify

GOOD = {"data": {"repository": {"id": "R"}}}


def errors(*given: dict[str, Any], data: object = None) -> dict[str, Any]:
    return {"data": data, "errors": list(given)}


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(200, {}, errors({"type": "RATE_LIMITED", "message": "API rate limit exceeded"})), "primary"),
        (Reply(200, {}, errors({"type": "RATE_LIMIT", "message": "limit"})), "primary"),
        (Reply(403, {"x-ratelimit-remaining": "0"}, {"message": "no"}), "primary"),
        (Reply(403, {}, {"message": "API rate limit exceeded for user ID 1."}), "primary"),
        (Reply(200, {}, {"message": "You have exceeded a secondary rate limit."}), "secondary"),
        (Reply(403, {"retry-after": "7"}, {"message": "slow down"}), "secondary"),
        (Reply(429, {}, {"message": "Too many"}), "secondary"),
        (Reply(401, {}, {"message": "Bad credentials"}), "token"),
        (Reply(403, {}, {"message": "Resource not accessible by integration"}), "fatal"),
        (Reply(403, {}, {"message": "Resource protected by organization SAML enforcement."}), "fatal"),
        (
            Reply(
                200,
                {},
                errors({"type": "FORBIDDEN", "extensions": {"saml_failure": True}, "message": "SAML", "path": ["repository"]}),
            ),
            "fatal",
        ),
        (Reply(200, {}, errors({"type": "NOT_FOUND", "path": ["repository"], "message": "Could not resolve"})), "fatal"),
        (Reply(404, {}, {"message": "Not Found"}), "fatal"),
        (Reply(451, {}, {"message": "blocked"}), "fatal"),
        (Reply(301), "fatal"),
        (Reply(422, {}, {"message": "odd"}), "fatal"),
        (Reply(502), "again"),
        (Reply(503, {}, {"data": "<html>"}), "again"),
        (Reply(200, {}, {"data": "<html>"}), "again"),
        (Reply(200, {}, None), "again"),
        (Reply(broken="the connection failed"), "again"),
        (Reply(200, {}, errors({"message": "Something went wrong while executing your query."})), "again"),
        (
            Reply(200, {}, errors({"type": "RESOURCE_LIMITS_EXCEEDED", "path": ["nodes"], "message": "x"}, data={"nodes": [None]})),
            "again",
        ),
        (
            Reply(200, {}, errors({"type": "INTERNAL", "path": ["nodes", 0, "reviews"], "message": "x"}, data={"nodes": [{}]})),
            "partial",
        ),
        (
            Reply(200, {}, errors({"message": "Field 'x' doesn't exist on type 'Y'", "extensions": {"code": "undefinedField"}})),
            "field",
        ),
    ],
)
def test_each_failure_has_its_kind(reply: Reply, kind: str) -> None:
    fault = classify(reply)
    assert fault is not None
    assert fault.kind == kind


def test_a_good_answer_has_no_fault_and_a_rest_answer_needs_no_data() -> None:
    assert classify(Reply(200, {}, GOOD)) is None
    assert classify(Reply(200, {}, [1, 2]), is_graphql=False) is None


def test_the_wait_that_github_asks_for_is_kept_and_a_date_is_not_taken_for_seconds() -> None:
    limited = {"message": "You have exceeded a secondary rate limit."}
    fault = classify(Reply(403, {"retry-after": "7"}, limited))
    assert fault is not None
    assert fault.retry_after_seconds == 7.0
    dated = classify(Reply(403, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, limited))
    assert dated is not None
    assert dated.retry_after_seconds is None


def test_a_saml_refusal_says_where_to_authorise() -> None:
    fault = classify(Reply(403, {"x-github-sso": "required; url=https://github.com/orgs/a/sso"}, {"message": "SAML"}))
    assert fault is not None
    assert "at https://github.com/orgs/a/sso" in fault.message
