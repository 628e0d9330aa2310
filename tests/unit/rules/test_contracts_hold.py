"""Whatever a pull request says of others, in any form and as often as it likes: every derived table keeps its contract."""

from collections.abc import Mapping
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from tests.unit.rules.small_weeks import REPO, derive_weeks, pull, raw_week

_WEEKS = ("2026-W16", "2026-W17")
#: Few, so that references meet pull requests, each other and the pull request itself; 99 is nobody's.
_NUMBERS = (1, 2, 3, 4, 5, 99)
_OID = "{:07x}abcdef0123456789abcdef0123456789a"
_VERBS = (
    *("Fixes", "closes", "reverts", "Relands", "Follow-up to", "backport of", "builds on", "supersedes", "introduced in"),
    *("part 2 of", "cherry-picked from", "fixed in", "See", "not fix", "broken by"),
)
_BRANCHES = ("revert-{}-x", "reland-{}", "backport/{}-to-1.0", "mergify/bp/1.0/pr-{}", "topic")
_numbers = st.sampled_from(_NUMBERS)


def _forms(number: int) -> st.SearchStrategy[str]:
    owner, name = REPO.split("/")
    there = ("https://github.com/{}/pull/{}", "https://github.com/{}/issues/{}", "[#{1}](https://github.com/{0}/pull/{1})", "{}#{}")
    repos = (REPO, f"{owner.upper()}/{name}", f"{owner}/{name.title()}", "other/thing", "OTHER/thing")
    return st.sampled_from([f"#{number}", f"PR #{number}", *(form.format(repo, number) for form in there for repo in repos)])


_references = _numbers.flatmap(_forms)
_sentences = st.one_of(
    st.builds(
        lambda verb, listed: f"{verb} {', '.join(listed)}", st.sampled_from(_VERBS), st.lists(_references, min_size=1, max_size=3)
    ),
    st.builds(lambda number: f"This reverts commit {_OID.format(number)}.", _numbers),
    st.builds(lambda number: f"(cherry picked from commit {_OID.format(number)[:12]})", _numbers),
    st.builds(lambda one: f"{one} broke it", _references),
    _references,
)
_bodies = st.one_of(st.none(), st.lists(_sentences, max_size=5).map("\n".join))
_plain_titles = st.one_of(
    st.sampled_from(
        ("Add a cache", "[1/2] Move the cache", "[2/2] Move the cache", "Reland the cache", "Fix", "[backport] Add a cache")
    ),
    _sentences,
)
_titles = st.recursive(
    _plain_titles,
    lambda inner: st.one_of(
        inner.map('Revert "{}"'.format),
        inner.map('Reland "{}"'.format),
        st.builds(lambda title, number: f"{title} (#{number})", inner, _numbers),
    ),
    max_leaves=3,
)
# One link said twice, in title and description, each time in a form of its own.
_doubled = st.builds(
    lambda verb, forms: {"title": f"{verb} {forms[0]}", "body": f"{verb} {forms[1]}\n{verb} {forms[2]}"},
    st.sampled_from(_VERBS),
    _numbers.flatmap(lambda number: st.tuples(_forms(number), _forms(number), _forms(number))),
)
_texts = st.one_of(st.fixed_dictionaries({"title": _titles, "body": _bodies}), _doubled)
_pulls = st.fixed_dictionaries(
    {
        "hour": st.integers(1, 160),
        "files": st.lists(st.sampled_from(("src/a.py", "src/b.py", "tests/test_a.py", "docs/a.md")), max_size=3, unique=True),
        "head_ref": st.builds(lambda form, number: form.format(number), st.sampled_from(_BRANCHES), _numbers),
        "author_login": st.sampled_from(("ann", "Bob", "dependabot[bot]")),
        "is_base_default": st.sampled_from((True, False, None)),
        "labels": st.sampled_from((None, [], ["bug"])),
    }
).flatmap(lambda row: _texts.map(lambda texts: row | texts))
_events = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(("closes", "connected", "cross_referenced", "referenced")),
        "target_repo": st.sampled_from((None, REPO, REPO.upper(), "other/thing")),
        "target_type": st.sampled_from(("issue", "pull_request")),
        "target_number": _numbers,
        "target_title": st.one_of(st.none(), _titles),
        "target_state": st.sampled_from(("MERGED", "OPEN", None)),
    }
)


def _week(week: str, pulls: Mapping[int, dict[str, Any]], events: list[tuple[int, dict[str, Any]]]) -> dict[str, Any]:
    rows = [pull(number, merge_commit_oid=_OID.format(number), **given) for number, given in pulls.items()]
    own = [(number, event) for number, event in events if number in pulls]
    return raw_week(
        week, rows, references=[{"number": n, "reference_id": f"E{spot}", **event} for spot, (n, event) in enumerate(own)]
    )


_said = given(
    st.dictionaries(st.sampled_from(_NUMBERS[:5]), st.tuples(st.sampled_from(_WEEKS), _pulls), min_size=1),
    st.lists(st.tuples(_numbers, _events), max_size=4),
)


@settings(deadline=None, max_examples=40)
@_said
def test_every_table_keeps_its_contract(
    pulls: dict[int, tuple[str, dict[str, Any]]], events: list[tuple[int, dict[str, Any]]]
) -> None:
    _hold(pulls, events)


@pytest.mark.soak
@settings(deadline=None, max_examples=800)
@_said
def test_every_table_keeps_its_contract_whatever_is_said(
    pulls: dict[int, tuple[str, dict[str, Any]]], events: list[tuple[int, dict[str, Any]]]
) -> None:
    _hold(pulls, events)


def _hold(pulls: dict[int, tuple[str, dict[str, Any]]], events: list[tuple[int, dict[str, Any]]]) -> None:
    chosen = {week: {number: given for number, (at, given) in pulls.items() if at == week} for week in _WEEKS}
    made = derive_weeks({week: _week(week, of_week, events) for week, of_week in chosen.items()})  # holds each against its contract
    for week in _WEEKS:
        links = made[week]["derived_links"]
        pairs = [
            (n, kind, repo.lower(), target)
            for n, kind, repo, target in links[["number", "kind", "target_repo", "target_number"]].itertuples(index=False)
        ]
        assert len(pairs) == len(set(pairs)), "one link told twice, by names that differ in capitals alone"
        assert not ((links["number"] == links["target_number"]) & (links["target_repo"].str.lower() == REPO)).any()
