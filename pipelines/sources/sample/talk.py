"""What is said about a change: reviews, threads and comments, written by hand (``talk`` in the data) or invented.

The hand-written form has one item a line::

    thread open lattice/scheduler.py:402
      amara-diallo: Who starts the thread, and with what.
      author: The answer.
    review approved amara-diallo: Its text, may be empty.
    comment author: A comment before the merge. ``after`` is one after it, ``minimized`` one that was hidden.
"""

import re
from dataclasses import dataclass, replace
from itertools import count
from tomllib import loads

from pipelines.errors import SourceError
from pipelines.sources.sample.areas import area_of, language_of, people_of
from pipelines.sources.sample.choice import between, draw, pick, shuffled, weighted
from pipelines.sources.sample.content import Change, people, read_data

_THREAD = re.compile(r"thread (resolved|outdated|open) (\S+):(\d+)")
_SAID = re.compile(r"(?:review (approved|changes|commented|dismissed)|(comment|after|minimized)) (\S+):\s?(.*)")
_REPLY = re.compile(r"  (\S+): (.*)")
_STATES = {"approved": "APPROVED", "changes": "CHANGES_REQUESTED", "commented": "COMMENTED", "dismissed": "DISMISSED"}
_REVIEW_BOT = "reviewpilot"
_COVERAGE_BOT = "covbeacon"

#: How often each thing happens, of all the times it could.
_SHARES = {
    "bot is not reviewed": 0.2,
    "nobody reviews": 0.03,
    "one reviewer fewer": 0.35,
    "asker requests changes": 0.2,
    "approval has words": 0.3,
    "second reviewer only comments": 0.25,
    "author comments": 0.22,
    "review bot looks": 0.3,
    "review bot suggests": 0.4,
    "coverage bot comments": 0.4,
}
_ANSWERED = (("resolved", 0.74), ("outdated", 0.17), ("open", 0.09))
_NOT_ANSWERED = (("open", 0.6), ("outdated", 0.4))
_BOTS = (("resolved", 0.45), ("outdated", 0.2), ("open", 0.35))
#: A change with fewer lines gets one reviewer, one with more three; in between two.
_ONE_REVIEWER_LINES, _THREE_REVIEWERS_LINES = 25, 400
#: Files with fewer changed lines are not worth a thread; above so many a change may get a second thread.
_THREAD_LINES, _SECOND_THREAD_LINES = 4, 150
_COVERED_LINES = 10
_THREADS_SHARE = 0.3


@dataclass(frozen=True)
class Thread:
    """One review thread: ``state`` is resolved, outdated or open; ``said`` its comments as (login, text)."""

    state: str
    path: str
    line: int
    said: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Review:
    """One review; ``state`` is GraphQL's."""

    login: str
    state: str
    body: str


@dataclass(frozen=True)
class Comment:
    """One comment of the conversation; ``kind`` is comment, after (the merge) or minimized."""

    login: str
    kind: str
    body: str


@dataclass(frozen=True)
class Talk:
    """All that is said about one change."""

    threads: tuple[Thread, ...] = ()
    reviews: tuple[Review, ...] = ()
    comments: tuple[Comment, ...] = ()


def _happens(what: str, *key: object) -> bool:
    return draw(what, *key) < _SHARES[what]


class Pools:
    """Sentences handed out one after the other, so that none comes back before all were used."""

    def __init__(self) -> None:
        pools: dict[str, str] = loads(read_data("pools.toml"))
        self._pools = {name: text.strip().splitlines() for name, text in pools.items()}
        self._used = {name: count() for name in pools}

    def next(self, name: str) -> str:
        """The next sentence of a pool."""
        pool = self._pools[name]
        return pool[next(self._used[name]) % len(pool)]


def parse_talk(text: str, author: str) -> Talk:
    """The hand-written form as a :class:`Talk`; ``author`` in it stands for the change's author."""
    threads: list[Thread] = []
    reviews: list[Review] = []
    comments: list[Comment] = []
    for line in filter(None, text.splitlines()):
        if match := _THREAD.fullmatch(line):
            threads.append(Thread(match[1], match[2], int(match[3]), ()))
        elif (match := _REPLY.fullmatch(line)) and threads:
            said = (*threads[-1].said, (_who(match[1], author), match[2]))
            threads[-1] = replace(threads[-1], said=said)
        elif match := _SAID.fullmatch(line):
            if match[1]:
                reviews.append(Review(_who(match[3], author), _STATES[match[1]], match[4]))
            else:
                comments.append(Comment(_who(match[3], author), match[2], match[4]))
        else:
            raise SourceError(f"sample talk line {line!r}: not understood. See talk.py for the form.")
    return Talk(tuple(threads), tuple(reviews), tuple(comments))


def _who(name: str, author: str) -> str:
    return author if name == "author" else name


def talk_of(change: Change, author: str, pools: Pools) -> Talk:
    """What is said about a change: by hand where it is written down, invented for the rest."""
    written = parse_talk(change.talk, author)
    if people().get(author) and (people()[author].kind == "Bot" or author == "lattice-ci-robot"):
        return _talk_of_bot(change, written, author)
    if not change.talk and "self_merged" not in change.cases:
        written = _invented(change, author, pools)
    elif not written.reviews and "self_merged" not in change.cases and "revert" not in change.cases:
        written = replace(written, reviews=_invented(change, author, pools).reviews)
    return _with_bots(change, written, pools)


def _talk_of_bot(change: Change, written: Talk, author: str) -> Talk:
    """A bot's pull request: one approval without words, in one of five none at all."""
    if author == "dependabot" and _happens("bot is not reviewed", change.week, change.title):
        return written
    reviewer = pick(people_of(area_of(change)), "bot-reviewer", change.title, change.week)
    return replace(written, reviews=(Review(reviewer, "APPROVED", ""),))


def _invented(change: Change, author: str, pools: Pools) -> Talk:
    key = (change.week, change.title)
    wanted = 1 if change.lines < _ONE_REVIEWER_LINES else 2 if change.lines < _THREE_REVIEWERS_LINES else 3
    wanted = max(1, wanted - _happens("one reviewer fewer", *key))
    reviewers = [p for p in shuffled(people_of(area_of(change)), "reviewers", *key) if p != author][:wanted]
    if _happens("nobody reviews", *key):
        return Talk()
    threads = tuple(_threads(change, author, reviewers, pools))
    reviews: list[Review] = []
    for reviewer in reviewers:
        if any(t.said[0][0] == reviewer for t in threads) and _happens("asker requests changes", *key, reviewer):
            reviews.append(Review(reviewer, "CHANGES_REQUESTED", pools.next("requests")))
        words = _happens("approval has words", *key, reviewer)
        verdict = (
            "COMMENTED" if reviewer != reviewers[0] and _happens("second reviewer only comments", *key, reviewer) else "APPROVED"
        )
        reviews.append(Review(reviewer, verdict, pools.next("approvals") if words and verdict == "APPROVED" else ""))
    comments = (Comment(author, "comment", pools.next("conversation")),)
    return Talk(threads, tuple(reviews), comments if _happens("author comments", *key) else ())


def _threads(change: Change, author: str, reviewers: list[str], pools: Pools) -> list[Thread]:
    key = (change.week, change.title)
    paths = [f.path for f in change.files if f.change_type != "DELETED" and f.added + f.removed >= _THREAD_LINES]
    if not paths or draw("threads", *key) > _THREADS_SHARE:
        return []
    found = []
    for index in range(between(1, 2 if change.lines > _SECOND_THREAD_LINES else 1, "how-many", *key)):
        path = pick(paths, "thread-path", *key, index)
        question, _, answer = (part.strip() for part in pools.next(language_of(path)).partition("|"))
        states = _ANSWERED if answer else _NOT_ANSWERED
        said = ((pick(reviewers, "asker", *key, index), question), *(((author, answer),) if answer else ()))
        found.append(Thread(weighted(states, "state", *key, index), path, between(8, 410, "line", *key, index), said))
    return found


def _with_bots(change: Change, talk: Talk, pools: Pools) -> Talk:
    """Adds what the reviewing bot and the coverage bot say."""
    key = (change.week, change.title)
    source = [
        f.path
        for f in change.files
        if f.path.startswith(("lattice/", "kernel/src/")) and f.added > _COVERED_LINES and "_proto" not in f.path
    ]
    threads, reviews, comments = talk.threads, talk.reviews, talk.comments
    if source and _happens("review bot looks", *key) and all(r.login != _REVIEW_BOT for r in reviews):
        found = _happens("review bot suggests", *key)
        reviews = (
            Review(
                _REVIEW_BOT, "COMMENTED", f"Reviewed {len(change.files)} files. {'1 suggestion' if found else 'No suggestions'}."
            ),
            *reviews,
        )
        if found:
            state = weighted(_BOTS, "bot-state", *key)
            path = pick(source, "bot-path", *key)
            threads = (Thread(state, path, between(5, 300, "bot-line", *key), ((_REVIEW_BOT, pools.next("bot")),)), *threads)
    if source and _happens("coverage bot comments", *key):
        share = 91 + draw("share", *key) * 2
        delta = draw("delta", *key) * 0.2 - 0.06
        body = f"Coverage of this pull request: {share:.2f} % ({delta:+.2f} %). Lines changed: {change.lines}."
        comments = (Comment(_COVERAGE_BOT, "comment", body), *comments)
    return Talk(threads, reviews, comments)
