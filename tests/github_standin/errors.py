"""What GitHub refuses, in the shapes GitHub uses."""

from typing import Any

Json = dict[str, Any]


class RefusedError(Exception):
    """An error inside an answer: ``type`` beside ``message``, ``path`` and ``locations`` are added where it happened."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


def not_found(what: str) -> RefusedError:
    """``Could not resolve to a ...``."""
    return RefusedError("NOT_FOUND", f"Could not resolve to {what}.")


def forbidden() -> RefusedError:
    """A token that may not read a field."""
    return RefusedError("FORBIDDEN", "Resource not accessible by personal access token")


def wrong() -> RefusedError:
    """GitHub's own failure for one node."""
    return RefusedError("INTERNAL", SOMETHING_WENT_WRONG)


SOMETHING_WENT_WRONG = (
    "Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug. "
    "Please include `ABCD:1234:5678:9ABC:DEF0` when reporting this issue."
)
RESOURCE_LIMITS = "Resource limits for this query exceeded."


def entry(kind: str, message: str, path: list[str | int] | None = None, locations: list[Json] | None = None) -> Json:
    """One entry of ``errors``."""
    made: Json = {"type": kind}
    if path is not None:
        made["path"] = path
    if locations:
        made["locations"] = locations
    return made | {"message": message}
