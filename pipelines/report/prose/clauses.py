"""What is said of one pull request: clauses from its own facts, most telling first.

Its own words are only ever quoted, as its claim. What its files show is said as a fact. What was not read is not said.
"""

import re

from pipelines.report.model import FileFacts, LinkFacts, PullFacts
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.say import Code, Fact, Listed, Name, Pull, Quote, Say, Slot

#: A quotation is a sentence, not a paragraph: two lines of a page at most.
_QUOTE_CHARACTERS = 150
#: Of a quotation's words, so many in the title make it a repetition of the title.
_REPEATED_SHARE = 0.7
#: Signs that would stand doubled before our own, ASCII and full-width: . , ; :
_END_SIGNS = " .,;:\u3002\uff0c\uff1b\uff1a"
_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")
_MOST_REVIEWERS = 3
_MOST_CORE = 2
#: Under this a review was quick by anybody's measure, and over it a reader wants to know: two weeks.
_LONG_HOURS = 14 * 24.0


def clip(text: str, limit: int = _QUOTE_CHARACTERS) -> str:
    """The text, cut at a word where it is longer than the limit, with an ellipsis in place of the rest."""
    if len(text) <= limit:
        return text.rstrip(_END_SIGNS)
    cut = text[:limit]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).rstrip(_END_SIGNS) + "…"


def repeats(text: str, title: str) -> bool:
    """Whether a text says little more than the title."""
    words, known = _WORD.findall(text.lower()), set(_WORD.findall(title.lower()))
    return not words or sum(word in known for word in words) / len(words) >= _REPEATED_SHARE


def rule_title(rule: str) -> Say:
    """The title of a risk rule; its id where it is a repository's own."""
    return Say(f"rule.{rule}", otherwise=Code(rule))


def told_clauses(paths: Paths, number: int, most: int) -> tuple[Slot, ...]:
    """At most so many clauses on a pull request, in the order in which they are told."""
    pull = paths.pull_at(number)
    found = [
        reverted(paths, pull),
        claim(pull),
        *link_clauses(pull),
        center(paths, pull),
        core(paths, pull),
        tests(paths, pull),
        open_threads(paths, pull),
        reviewed(pull),
        waited(paths, pull),
    ]
    kept = [clause for clause in found if clause is not None][:most]
    return tuple(kept) or (size(paths, pull),)


def reverted(paths: Paths, pull: PullFacts) -> Slot | None:
    """That it was reverted, by what and after how long: said before any praise."""
    if pull["reverted_by"] is None:
        return None
    if pull["reverted_after_hours"] is None:
        return Say("prose.clause.reverted", {"by": Pull(pull["reverted_by"])})
    hours = Fact(paths.pull(pull["number"], "reverted_after_hours"), "hours")
    return Say("prose.clause.reverted_after", {"by": Pull(pull["reverted_by"]), "hours": hours})


def claim(pull: PullFacts) -> Slot | None:
    """What its own description says it does or gains, as its claim; nothing where that repeats the title."""
    summary, claims = pull["summary"], pull["claims"]
    told = clip(summary) if summary and not repeats(summary, pull["title"]) else ""
    gain = next((clip(text) for text in claims if text.lower() not in f"{told} {pull['title']}".lower()), "")
    if told and gain:
        return Say("prose.clause.says_and_claims", {"quote": Quote(told), "gain": Quote(gain)})
    if told:
        return Say("prose.clause.says", {"quote": Quote(told)})
    return Say("prose.clause.claims", {"gain": Quote(gain)}) if gain else None


_LINK_CLAUSES = ("reverts", "relands", "fixes", "backports", "follows", "series", "closes")


def link_clauses(pull: PullFacts) -> list[Slot]:
    """What it does to others: one clause, of the most telling kind it has."""
    for kind in _LINK_CLAUSES:
        links = [link for link in pull["links"] if link["direction"] == "from" and link["kind"] == kind]
        if links:
            return [
                Say(f"prose.clause.{kind}", {"targets": Listed(tuple(link_target(pull, link) for link in links[:_MOST_REVIEWERS]))})
            ]
    return []


def link_target(pull: PullFacts, link: LinkFacts) -> Slot:
    """The other side of a link: linked where it lies in the same repository."""
    is_ours = pull["url"].endswith(f"/{link['repo']}/pull/{pull['number']}")
    return Pull(link["number"]) if is_ours else Code(f"{link['repo']}#{link['number']}")


def center(paths: Paths, pull: PullFacts) -> Slot | None:
    """What it does and where: kind and module with size, or the file that holds most of it."""
    largest = largest_source(pull)
    slots: dict[str, Slot] = {
        "kind": Say(f"prose.kind.{pull['change_kind']}", otherwise=Say("prose.kind.chore")),
        "size": size(paths, pull),
        "files": Say("prose.n.files", n=Fact(paths.pull(pull["number"], "files"))),
    }
    if largest is not None:
        key = {"added": "new_file", "removed": "removed_file"}.get(largest["change_type"], "center_file")
        return Say(f"prose.clause.{key}", {**slots, "file": Code(largest["path"])})
    if pull["modules"]:
        return Say("prose.clause.center_module", {**slots, "module": Code(pull["modules"][0])})
    return Say("prose.clause.center", slots)


def largest_source(pull: PullFacts) -> FileFacts | None:
    """The source file with most changed lines, of a highlight; None where no file is known or none stands out."""
    rows = [row for row in pull["detail"]["file_rows"] if row["kind"] == "source"] if "detail" in pull else []
    return max(rows, key=lambda row: ((row["added"] or 0) + (row["removed"] or 0), row["path"]), default=None)


def size(paths: Paths, pull: PullFacts) -> Slot:
    """Lines added and removed."""
    number = pull["number"]
    return Say("prose.size", {"added": Fact(paths.pull(number, "added")), "removed": Fact(paths.pull(number, "removed"))})


def core(paths: Paths, pull: PullFacts) -> Slot | None:
    """Which core files it changes."""
    if "detail" not in pull:
        return None
    files = pull["detail"]["measures"]["core_paths"]
    if not files:
        return None
    shown = Listed(tuple(Code(path.rsplit("/", 1)[-1]) for path in files[:_MOST_CORE]))
    n = Fact(paths.pull(pull["number"], "detail", "measures", "core_files_count"))
    return Say("prose.clause.core_named" if len(files) <= _MOST_CORE else "prose.clause.core_many", {"files": shown}, n)


def tests(paths: Paths, pull: PullFacts) -> Slot | None:
    """The state of its tests, where it changes source."""
    state = pull["tests_state"]
    if state == "changed" and "detail" in pull:
        return Say("prose.clause.tests_counted", n=Fact(paths.pull(pull["number"], "detail", "measures", "test_files_count")))
    return Say(f"prose.clause.tests_{state}") if state in ("changed", "none", "removed_only", "moved_only") else None


def open_threads(paths: Paths, pull: PullFacts) -> Slot | None:
    """Threads of people still open at the merge."""
    return Say("prose.clause.open_threads", n=Fact(paths.pull(pull["number"], "open_threads"))) if pull["open_threads"] else None


def reviewed(pull: PullFacts) -> Slot | None:
    """Who reviewed it, or that nobody did; nothing where reviews are not known."""
    if pull["reviewers"] is None:
        return None
    if not pull["reviewers"]:
        return Say("prose.clause.not_reviewed")
    names = tuple(Name(login) for login in pull["reviewers"][:_MOST_REVIEWERS])
    return Say("prose.clause.reviewed", {"names": Listed(names)})


def waited(paths: Paths, pull: PullFacts) -> Slot | None:
    """How long it was open, where that was long."""
    hours = Fact(paths.pull(pull["number"], "merge_hours"), "hours")
    return Say("prose.clause.waited", {"hours": hours}) if pull["merge_hours"] >= _LONG_HOURS else None
