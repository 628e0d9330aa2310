"""Faults by script: which request, which fault, how often.

A rule is a dict. What it matches (all that are given must hold):
``kind`` (regular expression on ``graphql:Details`` or ``rest:GET /repos/{}/{}/pulls``), ``path``, ``body`` and ``token``
(regular expressions), ``nth`` (a number or list: which of the matching requests, from 1), ``every`` (each n-th of them),
``probability`` with ``seed``, ``times`` (at most so often). What happens: ``fault``, a name of :data:`FAULTS`, and its
parameters: ``retry_after``, ``reset_in``, ``seconds``, ``numbers``, ``fields``, ``only_in_batches``, ``location``, ``type``,
``message``, and ``points`` that the fault costs all the same (as GitHub charges queries that time out).
The first rule that matches counts.
"""

import json
import random
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.github_standin import answers
from tests.github_standin.answers import Answer
from tests.github_standin.errors import SOMETHING_WENT_WRONG

if TYPE_CHECKING:
    from tests.github_standin.core import Asked

Json = dict[str, Any]


@dataclass
class Fault:
    """One fault that is about to happen."""

    rule: Json

    @property
    def name(self) -> str:
        """Its name in the script."""
        return str(self.rule["fault"])

    @property
    def without(self) -> frozenset[str]:
        """Fields that the schema is to lack."""
        return frozenset(self.rule["fields"]) if self.name == "missing_fields" else frozenset()

    @property
    def forbidden(self) -> frozenset[str]:
        """Fields that the token may not read."""
        return frozenset(self.rule.get("fields", ["Commit.statusCheckRollup"])) if self.name == "forbidden_fields" else frozenset()

    @property
    def null_numbers(self) -> frozenset[int]:
        """Pull requests that come back null."""
        return frozenset(self.rule["numbers"]) if self.name == "null_nodes" else frozenset()

    def instead(self, asked: "Asked") -> Answer | None:
        """The answer in place of the honest one, or None where that one is only changed."""
        made = _INSTEAD.get(self.name)
        return made(self.rule, asked) if made else None

    def after(self, answer: Answer) -> Answer:
        """The answer with the fault in it."""
        change = _AFTER.get(self.name)
        return change(self.rule, answer) if change else answer


@dataclass
class FaultScript:
    """The rules, and how often each has matched and struck."""

    rules: list[Json] = field(default_factory=list)

    def __post_init__(self) -> None:
        for rule in self.rules:
            if rule.get("fault") not in FAULTS:
                msg = f"fault {rule.get('fault')!r}: not known. Known are {', '.join(sorted(FAULTS))}."
                raise ValueError(msg)
        self._matched = [0] * len(self.rules)
        self._struck = [0] * len(self.rules)
        self._random = [random.Random(rule.get("seed", 0)) for rule in self.rules]  # noqa: S311  # because: no secret

    def pick(self, kind: str, path: str, body: str, token: str) -> Fault | None:
        """The fault for this request, if any."""
        facts = {"kind": kind, "path": path, "body": body, "token": token}
        for index, rule in enumerate(self.rules):
            if all(re.search(rule[name], text) for name, text in facts.items() if name in rule) and self._due(index, rule):
                self._struck[index] += 1
                return Fault(rule)
        return None

    def _due(self, index: int, rule: Json) -> bool:
        self._matched[index] += 1
        count = self._matched[index]
        nth = rule.get("nth")
        return (
            self._struck[index] < rule.get("times", 1_000_000_000)
            and (nth is None or count in (nth if isinstance(nth, list) else [nth]))
            and count % rule.get("every", 1) == 0
            and ("probability" not in rule or self._random[index].random() < rule["probability"])
        )


def parse_flag(text: str) -> Json:
    """A rule from a flag: ``502,kind=Details,nth=3``; numbers and lists (``1;4``) are read as such."""
    rule: Json = {}
    for part in text.split(","):
        name, sign, value = part.partition("=")
        if sign:
            rule[name.strip()] = str(value) if name == "fault" else _value(value)
        else:
            rule["fault"] = name.strip()
    return rule


def _value(text: str) -> object:
    if ";" in text:
        return [_value(part) for part in text.split(";")]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _limited(rule: Json, kind: str) -> Answer:
    reset = int(time.time() + rule.get("reset_in", 60))
    headers = {
        "x-ratelimit-limit": "5000",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-used": "5000",
        "x-ratelimit-reset": str(reset),
    }
    return answers.exhausted_graphql(headers | {"x-ratelimit-resource": "graphql"}, kind)


def _saml(_rule: Json, _asked: "Asked") -> Answer:
    text = "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to it."
    made = answers.message(403, text)
    made.headers["x-github-sso"] = "required; url=https://github.com/orgs/acme/sso?authorization_request=AB"
    return made


def _moved(rule: Json, asked: "Asked") -> Answer:
    target = rule.get("location", f"{asked.root}/repositories/1")
    made = answers.message(301, "Moved Permanently", url=target)
    made.headers["location"] = target
    return made


def _taken_down(_rule: Json, _asked: "Asked") -> Answer:
    block = {"reason": "dmca", "created_at": "2024-01-01T00:00:00Z", "html_url": "https://github.com/github/dmca"}
    return answers.message(451, "Repository access blocked", block=block)


def _errors_only(_rule: Json, _asked: "Asked") -> Answer:
    return answers.json_answer({"data": None, "errors": [{"message": SOMETHING_WENT_WRONG}]})


def _dropped(_rule: Json, _asked: "Asked") -> Answer:
    return Answer(200, b"", reset=True)


def _secondary(status: int) -> Callable[[Json, "Asked"], Answer]:
    return lambda rule, _: answers.secondary(rule.get("retry_after"), status)


def _status(status: int) -> Callable[[Json, "Asked"], Answer]:
    return lambda _rule, _asked: answers.gateway(status)


_INSTEAD: dict[str, Callable[[Json, "Asked"], Answer]] = {
    "502": _status(502),
    "503": _status(503),
    "504": _status(504),
    "reset": _dropped,
    "html": lambda _rule, _asked: answers.html_page(),
    "errors_only": _errors_only,
    "RATE_LIMITED": lambda rule, _: _limited(rule, "RATE_LIMITED"),
    "RATE_LIMIT": lambda rule, _: _limited(rule, "RATE_LIMIT"),
    "secondary_200": _secondary(200),
    "secondary_403": _secondary(403),
    "secondary_429": _secondary(429),
    "401": lambda _rule, _asked: answers.bad_credentials(),
    "403_saml": _saml,
    "404": lambda _rule, _asked: answers.not_found(),
    "451": _taken_down,
    "301": _moved,
}


def _slow(rule: Json, answer: Answer) -> Answer:
    answer.wait += rule.get("seconds", 1.0)
    return answer


def _truncated(_rule: Json, answer: Answer) -> Answer:
    answer.body = answer.body[: len(answer.body) // 2]
    return answer


def _cut_connection(_rule: Json, answer: Answer) -> Answer:
    answer.announce = len(answer.body)
    answer.body = answer.body[: len(answer.body) // 2]
    return answer


def _errors_with_data(rule: Json, answer: Answer) -> Answer:
    return _rewritten(answer, lambda body: {**body, "errors": [*body.get("errors", []), _beside(rule)]})


def _beside(rule: Json) -> Json:
    return {"type": rule.get("type", "INTERNAL"), "message": rule.get("message", SOMETHING_WENT_WRONG)}


def _rewritten(answer: Answer, change: Callable[[Json], Json]) -> Answer:
    made = answers.json_answer(change(json.loads(answer.body)), answer.status, answer.headers)
    made.wait, made.nodes, made.points = answer.wait, answer.nodes, answer.points
    return made


_AFTER: dict[str, Callable[[Json, Answer], Answer]] = {
    "slow": _slow,
    "truncated": _truncated,
    "cut": _cut_connection,
    "errors_with_data": _errors_with_data,
    "RESOURCE_LIMITS_EXCEEDED": lambda _rule, answer: _rewritten(answer, answers.cut_short),
}

#: Every fault there is; the last three change how the honest answer is made.
FAULTS = frozenset({*_INSTEAD, *_AFTER, "missing_fields", "forbidden_fields", "null_nodes"})


def script(rules: Iterable[Json]) -> FaultScript:
    """A script of rules."""
    return FaultScript(list(rules))
