"""What is said of one pull request beside its deed: its own claim, then clauses from its facts, most telling first.

Its own words are only ever quoted, as its claim. What its files show is said as a fact. What was not read is not said.
Every clause is a phrase of which the pull request is the subject, so that a few of them make a sentence.
"""

from dataclasses import dataclass

from pipelines.report.model import PullFacts
from pipelines.report.prose.does import is_told_by_links
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.say import Code, Fact, Listed, Name, Pull, Quote, Say, Slot, Style
from pipelines.report.prose.texts import clip, largest_source, link_target, repeats, rule_title, short_path
from pipelines.report.prose.titles import bare

#: Wordings of one clause in the catalogue, taken in turn, so that neighbours do not read alike.
_WORDINGS = ("a", "b", "c")
_MOST_REVIEWERS = 3
_MOST_FLAGS = 3
_MOST_CORE = 2
_MOST_LINKS = 3
_MOST_SETTINGS = 2
#: Over this a reader wants to know: two weeks.
_LONG_HOURS = 14 * 24.0
#: Kinds of links in the order in which one of them is told; those that take or bring back are told as the deed itself.
_LINK_CLAUSES = ("fixes", "backports", "follows", "series", "closes")
#: Of these a reader wants to know what the other one was.
_WITH_TITLE = frozenset({"fixes", "backports", "follows", "series"})
#: Risks that other clauses say already.
_TOLD_OTHERWISE = frozenset({"core_path_change", "missing_tests", "open_threads", "reverted", "relanded", "setting_removed"})


def told_clauses(paths: Paths, number: int, most: int, turn: int) -> tuple[Slot, ...]:
    """At most so many clauses on a pull request, in the order in which they are told; ``turn`` chooses among wordings."""
    return _Teller(paths, paths.pull_at(number), turn).clauses(most)


def reverted_clause(paths: Paths, number: int) -> Slot | None:
    """By what a pull request was reverted, and when; None where it was not."""
    return _Teller(paths, paths.pull_at(number), 0).reverted()


def said_clause(pull: PullFacts) -> dict[str, Slot]:
    """What its description says it does (``quote``) and gains (``gain``), where that is more than its title says."""
    summary, title = pull["summary"], pull["title"]
    told = clip(summary) if summary and not repeats(summary, title) else ""
    gain = next((clip(text) for text in pull["claims"] if text.lower() not in f"{told} {title}".lower()), "")
    if gain and told and told.lower().rstrip("…") in gain.lower():
        told = ""
    return {name: Quote(text) for name, text in (("quote", told), ("gain", gain)) if text}


def size(paths: Paths, number: int) -> Slot:
    """Lines added and removed, and files."""
    added, removed, files = (Fact(paths.pull(number, step)) for step in ("added", "removed", "files"))
    return Say("prose.size_in_files", {"added": added, "removed": removed, "files": Say("prose.n.files", n=files)})


@dataclass(frozen=True)
class _Teller:
    """What one pull request gives to say."""

    paths: Paths
    pull: PullFacts
    turn: int

    def clauses(self, most: int) -> tuple[Slot, ...]:
        """The most telling ones that there are; its kind, where there is nothing else."""
        found = (
            self.link(),
            self.settings(),
            self.center(),
            self.core(),
            self.tests(),
            self.open_threads(),
            self.flags(),
            self.reviewed(),
            self.waited(),
        )
        told = tuple(clause for clause in found if clause is not None)[:most]
        return told or (Say("prose.clause.kind", {"kind": self.kind()}),)

    def kind(self) -> Slot:
        """What kind of change it is."""
        return Say(f"prose.kind.{self.pull['change_kind']}", otherwise=Say("prose.kind.chore"))

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

    def link(self) -> Slot | None:
        """What it does to others: one clause, of the most telling kind it has."""
        for kind in () if is_told_by_links(self.pull) else _LINK_CLAUSES:
            links = [link for link in self.pull["links"] if link["direction"] == "from" and link["kind"] == kind]
            title = bare(links[0]["title"] or "") if links else ""
            slots: dict[str, Slot] = {"targets": Listed(tuple(link_target(self.pull, link) for link in links[:_MOST_LINKS]))}
            if len(links) == 1 and title and kind in _WITH_TITLE and not repeats(title, self.pull["title"]):
                return Say(f"prose.clause.{kind}_titled", {**slots, "title": Quote(clip(title))})
            if links:
                return Say(f"prose.clause.{kind}", slots)
        return None

    def settings(self) -> Slot | None:
        """Settings that it takes away or renames."""
        found = [
            name
            for flag in self.pull["risks"]
            if flag["rule"] == "setting_removed"
            for name in flag["measures"].get("settings", ())
        ]
        shown = Listed(tuple(Code(str(name)) for name in found[:_MOST_SETTINGS]))
        return Say("prose.clause.settings", {"settings": shown}) if found else None

    def center(self) -> Slot | None:
        """Where it lies: the file that holds most of it, else its module."""
        largest = largest_source(self.pull)
        if largest is not None:
            key = {"added": "new_file", "removed": "removed_file"}.get(largest["change_type"], "center_file")
            return Say(self.vary(f"prose.clause.{key}"), {"file": Code(short_path(largest["path"]))})
        if self.pull["modules"]:
            return Say(self.vary("prose.clause.center_module"), {"module": Code(self.pull["modules"][0])})
        return None

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
        shown = Listed(tuple(rule_title(rule) for rule in rules[:_MOST_FLAGS]))
        return Say("prose.clause.flags", {"rules": shown}) if rules else None

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
        is_long = self.pull["merge_hours"] >= _LONG_HOURS
        return Say("prose.clause.waited", {"hours": self.fact("merge_hours", style="hours")}) if is_long else None
