"""An answer of PyGithub's requester, or whatever it raised, as one plain :class:`Reply`."""

from collections.abc import Callable, Mapping
from typing import Any

import requests
from github import GithubException

from pipelines.sources.github.faults import Reply

_RAISED_FOR_ERRORS = frozenset({400, 404})  # graphql_query raises these for an answer of 200 that holds errors


def read(call: Callable[[], tuple[Mapping[str, Any], Any]], timeout_seconds: int) -> Reply:
    """The reply to a call; nothing that the network, GitHub or a proxy sends is raised from here."""
    try:
        headers, payload = call()
    except GithubException as error:
        return _refused(error)
    except requests.exceptions.RequestException as error:
        return _broken(error, timeout_seconds)
    except (ValueError, TypeError):
        return Reply(status=200, broken="the answer was cut off")  # half a JSON text, or none at all
    except RuntimeError:
        return Reply(status=301)  # PyGithub refuses to follow to another host
    return Reply(200, _texts(headers), payload)


def _broken(error: requests.exceptions.RequestException, timeout_seconds: int) -> Reply:
    if isinstance(error, requests.exceptions.Timeout):
        return Reply(broken=f"no answer within {timeout_seconds} s")
    if isinstance(error, requests.exceptions.SSLError):
        return Reply(status=495, payload={"message": "the certificate of the host does not hold"})
    return Reply(broken=f"the connection failed ({_reason(error)})")


def _refused(error: GithubException) -> Reply:
    payload: Any = error.data
    status = error.status
    if (
        status in _RAISED_FOR_ERRORS
        and isinstance(payload, dict)
        and isinstance(payload.get("errors"), list)
        and "message" not in payload
    ):
        status = 200
    return Reply(status, _texts(error.headers or {}), payload)


def _texts(headers: Mapping[str, Any]) -> dict[str, str]:
    return {str(name).lower(): str(value) for name, value in headers.items()}


def _reason(error: BaseException) -> str:
    """The innermost cause by its kind: messages of the layers above repeat addresses and say no more."""
    seen = error
    while (inner := seen.__cause__ or seen.__context__) is not None:
        seen = inner
    return type(seen).__name__
