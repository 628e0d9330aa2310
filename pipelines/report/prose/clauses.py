"""What is said of one pull request: clauses from its own facts, most telling first.

Its own words are only ever quoted, as its claim. What its files show is said as a fact. What was not read is not said.
"""

import re
from dataclasses import dataclass

from pipelines.report.model import FileFacts, LinkFacts, PullFacts
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.say import Code, Fact, Listed, Name, Pull, Quote, Say, Slot, Style

#: Wordings of one clause in the catalogue, taken in turn, so that neighbours do not begin alike.
_WORDINGS = ("a", "b", "c")
#: File names that say nothing without their folder.
_GENERIC_NAMES = frozenset(
    {"__init__", "__main__", "index", "main", "mod", "lib", "utils", "config", "common", "types", "base", "core", "README"}
)
#: A quotation is a sentence, not a paragraph: two lines of a page at most.
_QUOTE_CHARACTERS = 150
#: Of a quotation's words, so many in the title make it a repetition of the title.
_REPEATED_SHARE = 0.7
#: Signs that would stand doubled before our own, ASCII and full-width: . , ; :
_END_SIGNS = " .,;:\u3002\uff0c\uff1b\uff1a"
_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")
_MOST_REVIEWERS = 3
_MOST_FLAGS = 3
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


def short_path(path: str) -> str:
    """A file's name, with its folder where the name alone says nothing."""
    folder, _, name = path.rpartition("/")
    return f"{folder.rpartition('/')[2]}/{name}" if folder and name.partition(".")[0] in _GENERIC_NAMES else name


def rule_title(rule: str) -> Say:
    """The title of a risk rule; its id where it is a repository's own."""
    return Say(f"rule.{rule}", otherwise=Code(rule))


def told_clauses(paths: Paths, number: int, most: int, turn: int) -> tuple[Slot, ...]:
    """At most so many clauses on a pull request, in the order in which they are told; ``turn`` chooses among wordings."""
    return _Teller(paths, paths.pull_at(number), turn).clauses(most)


def reverted_clause(paths: Paths, number: int) -> Slot:
    """By what a reverted pull request was reverted, and when; nothing else is asked of it."""
    return told_clauses(paths, number, 1, 0)[0]


def link_target(pull: PullFacts, link: LinkFacts) -> Slot:
    """The other side of a link: linked where it lies in the same repository."""
    is_ours = pull["url"].endswith(f"/{link['repo']}/pull/{pull['number']}")
    return Pull(link["number"]) if is_ours else Code(f"{link['repo']}#{link['number']}")


def largest_source(pull: PullFacts) -> FileFacts | None:
    """The source file with most changed lines, of a highlight; None where no source file is known."""
    rows = [row for row in pull["detail"]["file_rows"] if row["kind"] == "source"] if "detail" in pull else []
    return max(rows, key=lambda row: ((row["added"] or 0) + (row["removed"] or 0), row["path"]), default=None)


@dataclass(frozen=True)
class _Teller:
    """What one pull request gives to say."""

    paths: Paths
    pull: PullFacts
    turn: int

    def clauses(self, most: int) -> tuple[Slot, ...]:
        """The most telling ones that there are; its size where there is nothing else."""
        found = (
            self.reverted(),
            self.claim(),
            self.link(),
            self.center(),
            self.core(),
            self.tests(),
            self.flags(),
            self.open_threads(),
            self.reviewed(),
            self.waited(),
        )
        return tuple(clause for clause in found if clause is not None)[:most]

    def fact(self, *steps: str, style: Style = "number") -> Fact:
        """A value of this pull request."""
        return Fact(self.paths.pull(self.pull["number"], *steps), style)

    def vary(self, key: str) -> str:
        """One of the wordings of a clause."""
        return f"{key}_{_WORDINGS[self.turn % len(_WORDINGS)]}"

    def reverted(self) -> Slot | None:
        """That it was reverted, by what and after how long: said before any praise."""
        if self.pull["reverted_by"] is None:
            return None
        slots: dict[str, Slot] = {"by": Pull(self.pull["reverted_by"])}
        if self.pull["reverted_after_hours"] is None:
            return Say("prose.clause.reverted", slots)
        return Say("prose.clause.reverted_after", {**slots, "hours": self.fact("reverted_after_hours", style="hours")})

    def claim(self) -> Slot | None:
        """What its own description says it does or gains, as its claim; nothing where that repeats the title."""
        summary, title = self.pull["summary"], self.pull["title"]
        told = clip(summary) if summary and not repeats(summary, title) else ""
        gain = next((clip(text) for text in self.pull["claims"] if text.lower() not in f"{told} {title}".lower()), "")
        if told and gain:
            return Say(self.vary("prose.clause.says_and_claims"), {"quote": Quote(told), "gain": Quote(gain)})
        if told:
            return Say(self.vary("prose.clause.says"), {"quote": Quote(told)})
        return Say("prose.clause.claims", {"gain": Quote(gain)}) if gain else None

    def link(self) -> Slot | None:
        """What it does to others: one clause, of the most telling kind it has."""
        for kind in _LINK_CLAUSES:
            links = [link for link in self.pull["links"] if link["direction"] == "from" and link["kind"] == kind]
            if links:
                return Say(
                    f"prose.clause.{kind}", {"targets": Listed(tuple(link_target(self.pull, link) for link in links[:_MOST_LINKS]))}
                )
        return None

    def center(self) -> Slot:
        """What kind of change it is and where: the file that holds most of it, else its module."""
        kind = f"prose.kind.{self.pull['change_kind']}"
        slots: dict[str, Slot] = {
            "kind": Say(kind, otherwise=Say("prose.kind.chore")),
            "size": Say("prose.size", {"added": self.fact("added"), "removed": self.fact("removed")}),
            "files": Say("prose.n.files", n=self.fact("files")),
        }
        largest = largest_source(self.pull)
        if largest is not None:
            key = {"added": "new_file", "removed": "removed_file"}.get(largest["change_type"], "center_file")
            return Say(self.vary(f"prose.clause.{key}"), {**slots, "file": Code(short_path(largest["path"]))})
        if self.pull["modules"]:
            return Say("prose.clause.center_module", {**slots, "module": Code(self.pull["modules"][0])})
        return Say("prose.clause.center", slots)

    def core(self) -> Slot | None:
        """Which core files it changes."""
        files = self.pull["detail"]["measures"]["core_paths"] if "detail" in self.pull else []
        if not files:
            return None
        shown = Listed(tuple(Code(short_path(path)) for path in files[:_MOST_CORE]))
        key = self.vary("prose.clause.core_named") if len(files) <= _MOST_CORE else "prose.clause.core_many"
        return Say(key, {"files": shown}, self.fact("detail", "measures", "core_files_count"))

    def tests(self) -> Slot | None:
        """The state of its tests, where it changes source."""
        state = self.pull["tests_state"]
        if state == "changed" and "detail" in self.pull:
            return Say(self.vary("prose.clause.tests_counted"), n=self.fact("detail", "measures", "test_files_count"))
        if state == "none":
            return Say(self.vary("prose.clause.tests_none"))
        return Say(f"prose.clause.tests_{state}") if state in ("changed", "removed_only", "moved_only") else None

    def flags(self) -> Slot | None:
        """High risks that no other clause tells."""
        rules = [flag["rule"] for flag in self.pull["risks"] if flag["severity"] == "high" and flag["rule"] not in _TOLD_OTHERWISE]
        return (
            Say("prose.clause.flags", {"rules": Listed(tuple(rule_title(rule) for rule in rules[:_MOST_FLAGS]))}) if rules else None
        )

    def open_threads(self) -> Slot | None:
        """Threads of people still open at the merge."""
        return Say("prose.clause.open_threads", n=self.fact("open_threads")) if self.pull["open_threads"] else None

    def reviewed(self) -> Slot | None:
        """Who reviewed it, or that nobody did; nothing where reviews are not known, or of a bot's."""
        reviewers = self.pull["reviewers"]
        if reviewers is None or self.pull["author_kind"] in ("bot", "suspected_bot"):
            return None
        if not reviewers:
            return Say("prose.clause.not_reviewed")
        return Say("prose.clause.reviewed", {"names": Listed(tuple(Name(login) for login in reviewers[:_MOST_REVIEWERS]))})

    def waited(self) -> Slot | None:
        """How long it was open, where that was long."""
        return (
            Say("prose.clause.waited", {"hours": self.fact("merge_hours", style="hours")})
            if self.pull["merge_hours"] >= _LONG_HOURS
            else None
        )


#: Kinds of links in the order in which one of them is told.
_LINK_CLAUSES = ("reverts", "relands", "fixes", "backports", "follows", "series", "closes")
_MOST_LINKS = 3
#: Risks that other clauses say already.
_TOLD_OTHERWISE = frozenset({"core_path_change", "missing_tests", "open_threads", "reverted", "relanded"})
