"""The REST calls that are used: ``/repos/...`` with pages and ``Link`` headers, search, user, limits, installation tokens.

Enterprise hosts serve the same below ``/api/v3``. A renamed repository answers 301 to ``/repositories/{id}`` and, as
PyGithub has to cope with, without the query string. Files stop at 3,000 and commits at 250, as on GitHub.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tests.github_standin import answers, restviews
from tests.github_standin.answers import Answer
from tests.github_standin.meter import Meter
from tests.github_standin.restviews import Views
from tests.github_standin.store import Store

if TYPE_CHECKING:
    from tests.github_standin.core import Asked

Json = dict[str, Any]

FILES_LIMIT = 3_000
COMMITS_LIMIT = 250
SEARCH_LIMIT = 1_000
PAGE_DEFAULT, PAGE_LIMIT = 30, 100

_PREFIX = "/api/v3"
_REPOSITORY = re.compile(r"/repos/([^/]+)/([^/]+)(/.*)?|/repositories/(\d+)(/.*)?")


@dataclass(frozen=True)
class Call:
    """One REST request on its way through."""

    asked: "Asked"
    store: Store
    views: Views
    meter: Meter
    token: str
    enterprise: bool


def _local(path: str) -> str:
    return path.removeprefix(_PREFIX) or "/"


def template(path: str) -> str:
    """``/repos/{}/{}/pulls/{}/files``: the path without what differs."""
    short = re.sub(r"^/repos/[^/]+/[^/]+", "/repos/{}/{}", _local(path))
    return re.sub(r"/\d+", "/{}", short)


def is_open(path: str) -> bool:
    """Whether a path is answered without a token."""
    return _local(path) == "/meta"


def is_free(path: str) -> bool:
    """Whether a path costs none of the budget."""
    return _local(path) in {"/rate_limit", "/meta"}


def answer(asked: "Asked", store: Store, meter: Meter, token: str, *, enterprise: bool) -> Answer:
    """The answer to a REST request."""
    prefix = _PREFIX if asked.path.startswith(_PREFIX) else ""
    call = Call(asked, store, Views(store, asked.root + prefix), meter, token, enterprise)
    path = _local(asked.path)
    plain = _PLAIN.get(path)
    if asked.method != "GET":
        made = answers.not_found()
    elif plain:
        made = plain(call)
    else:
        match = _REPOSITORY.fullmatch(path)
        made = _of_repository(call, match) if match else answers.not_found()
    if not token.startswith(("github_pat_", "ghs_")):
        made.headers["x-oauth-scopes"] = "repo, read:org"
    return made


def installation_token(asked: "Asked") -> Answer:
    """A token of a GitHub App's installation, good for an hour."""
    match = re.fullmatch(r"/app/installations/(\d+)/access_tokens", _local(asked.path))
    if match is None or asked.method != "POST":
        return answers.not_found()
    if len(asked.headers.get("authorization", "").split(".")) != 3:
        return answers.message(401, "A JSON web token could not be decoded")
    ends = datetime.fromtimestamp(int(time.time()) + 3_600, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    rights = {"contents": "read", "metadata": "read", "pull_requests": "read", "issues": "read", "checks": "read"}
    known = {"token": f"ghs_standin{match[1]}", "expires_at": ends, "permissions": rights, "repository_selection": "all"}
    return answers.json_answer(known, 201)


def _of_repository(call: Call, match: re.Match[str]) -> Answer:
    owner, short, tail, identifier, other_tail = match.groups()
    rest = tail or other_tail or ""
    home = call.store.home
    if identifier is not None:
        if int(identifier) != home["databaseId"]:
            return answers.not_found()
    elif not call.store.resolve_name(f"{owner}/{short}"):
        return answers.not_found()
    elif not call.store.resolve_name(f"{owner}/{short}", follow=False):
        target = f"{call.views.root}/repositories/{home['databaseId']}{rest}"
        moved = answers.message(301, "Moved Permanently", url=target)
        moved.headers["location"] = target
        return moved
    if rest == "":
        return answers.json_answer(call.views.repository(home))
    if rest == "/pulls":
        return _pulls(call)
    return _of_pull(call, rest)


def _of_pull(call: Call, rest: str) -> Answer:
    match = re.fullmatch(r"/(pulls|issues)/(\d+)(?:/(\w+))?", rest)
    number = int(match[2]) if match else -1
    if match is None or number not in call.store.facts or (match[1], match[3]) not in _PARTS:
        return answers.not_found()
    return _PARTS[match[1], match[3]](call, number)


def paged(call: Call, items: Sequence[Any], view: Callable[[Any], Any], *, limit: int | None = None) -> Answer:
    """One page of a list, with the ``Link`` header."""
    shown = items[:limit] if limit is not None else items
    part, links = _cut(call, len(shown))
    made = answers.json_answer([view(item) for item in shown[part]])
    made.headers.update(links)
    made.nodes = len(shown[part])
    return made


def _cut(call: Call, total: int) -> tuple[slice, dict[str, str]]:
    query = call.asked.query
    size = min(max(_number(query.get("per_page"), PAGE_DEFAULT), 1), PAGE_LIMIT)
    page = max(_number(query.get("page"), 1), 1)
    last = max((total + size - 1) // size, 1)
    others = [("prev", page - 1), ("first", 1)] if page > 1 else []
    others += [("next", page + 1), ("last", last)] if page < last else []
    links = ", ".join(f'<{_address(call, place)}>; rel="{name}"' for name, place in others)
    return slice((page - 1) * size, page * size), {"link": links} if links else {}


def _number(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isdigit() else default


def _address(call: Call, page: int) -> str:
    return f"{call.asked.root}{call.asked.path}?{urlencode({**call.asked.query, 'page': str(page)})}"


def _pulls(call: Call) -> Answer:
    query = call.asked.query
    states = {"open": ("OPEN",), "closed": ("CLOSED", "MERGED"), "all": ()}.get(query.get("state", "open"), ("OPEN",))
    field = "UPDATED_AT" if query.get("sort") == "updated" else "CREATED_AT"
    numbers = call.store.order(states, query.get("base"), field)
    back = query.get("direction", "asc" if query.get("sort") else "desc") == "desc"
    return paged(call, numbers[::-1] if back else numbers, lambda number: call.views.pull(number, whole=False))


def _search(call: Call) -> Answer:
    query = call.asked.query
    way = f" sort:{query['sort']}-{query.get('order', 'desc')}" if "sort" in query else ""
    numbers = call.store.search(query.get("q", "") + way)
    part, links = _cut(call, min(len(numbers), SEARCH_LIMIT))
    if part.start >= SEARCH_LIMIT:
        return answers.message(422, "Only the first 1000 search results are available")
    items = [call.views.issue(number) for number in numbers[:SEARCH_LIMIT][part]]
    made = answers.json_answer({"total_count": len(numbers), "incomplete_results": False, "items": items})
    made.headers.update(links)
    return made


def _user(call: Call) -> Answer:
    if call.token.startswith("ghs_"):
        return answers.message(403, "Resource not accessible by integration")
    return answers.json_answer(call.views.user({"__typename": "User", "login": "octocat", "databaseId": 1, "id": "U_octocat"}))


def _rate_limit(call: Call) -> Answer:
    if call.enterprise:
        return answers.message(404, "Rate limiting is not enabled.")
    known = {}
    for name in ("core", "search", "graphql"):
        budget = call.meter.budget(call.token, name)
        known[name] = {
            "limit": budget.limit,
            "remaining": budget.remaining,
            "used": budget.used,
            "reset": int(budget.resets),
            "resource": name,
        }
    return answers.json_answer({"resources": known, "rate": known["core"]})


def _meta(call: Call) -> Answer:
    known: Json = {"verifiable_password_authentication": False}
    return answers.json_answer(known | {"installed_version": "3.14.0"} if call.enterprise else known)


def _commits(call: Call, number: int) -> Answer:
    return paged(call, call.store.document(number)["commits"], call.views.commit, limit=COMMITS_LIMIT)


def _files(call: Call, number: int) -> Answer:
    files = call.store.record(number)["files"]["nodes"]
    return paged(call, files, restviews.file, limit=FILES_LIMIT)


def _thread_comments(call: Call, number: int) -> Answer:
    threads = call.store.document(number)["reviewThreads"]
    return paged(call, [one for thread in threads for one in thread["comments"]], call.views.review_comment)


def _reviews(call: Call, number: int) -> Answer:
    return paged(call, call.store.document(number)["reviews"], call.views.review)


def _comments(call: Call, number: int) -> Answer:
    return paged(call, call.store.document(number)["comments"], call.views.comment)


def _timeline(call: Call, number: int) -> Answer:
    return paged(call, call.store.timeline(call.store.document(number)), call.views.event)


_PLAIN: dict[str, Callable[[Call], Answer]] = {
    "/search/issues": _search,
    "/user": _user,
    "/rate_limit": _rate_limit,
    "/meta": _meta,
}
_PARTS: dict[tuple[str, str | None], Callable[[Call, int], Answer]] = {
    ("pulls", None): lambda call, number: answers.json_answer(call.views.pull(number, whole=True)),
    ("pulls", "files"): _files,
    ("pulls", "reviews"): _reviews,
    ("pulls", "comments"): _thread_comments,
    ("pulls", "commits"): _commits,
    ("issues", None): lambda call, number: answers.json_answer(call.views.issue(number)),
    ("issues", "comments"): _comments,
    ("issues", "timeline"): _timeline,
}
