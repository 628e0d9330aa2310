"""Key changes: what the week did in each area, the pull requests that stand for it, and why it was chosen."""

from typing import Literal

from pipelines.report.model import Group, PullFacts, ThemeFacts
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.plan_pulls import told
from pipelines.report.prose.say import Clauses, Code, Fact, HeadedPlan, Listed, Name, Phrases, Pull, Say, Slot, Theme, Title
from pipelines.report.prose.titles import shared_names

_MOST_KINDS = 3
_MOST_NAMED = 2
#: A name that so many titles of a group hold says what it is about; so many of them are told.
_LEAST_NAMING, _MOST_NAMES = 2, 4
#: Numbers named beyond those told: a line of them.
_MOST_REST = 8


def groups(paths: Paths) -> tuple[HeadedPlan, ...]:
    """A headed run of sentences a group: what happened, the pull requests that stand for it, how much, why it was chosen."""
    return tuple(_group(paths, index, group) for index, group in enumerate(paths.report["groups"]))


def _group(paths: Paths, index: int, group: Group) -> HeadedPlan:
    is_lone = group["count"] == 1
    # Of a single pull request its own sentence says how much it is and who did it.
    opening = _story(paths, group) if group["theme"] is None else None if is_lone else _opening(paths, index, group)
    steps = _steps(group)
    members = tuple(told(paths, number, turn + index, steps[turn], group["count"]) for turn, number in enumerate(group["told"]))
    closing = (None if is_lone else _extent(index, group), _elsewhere(paths, group), _why(paths, index, group))
    sentences = (opening, *members, _rest(group), *closing)
    return HeadedPlan(group["key"], _heading(paths, group), tuple(say for say in sentences if say is not None))


def _steps(group: Group) -> list[str | None]:
    """The place of each told pull request in a story, which is told by time."""
    last = len(group["told"]) - 1
    if group["rule"] == "theme" or not last:
        return [None] * (last + 1)
    return ["first", *["next"] * (last - 1), "last" if group["count"] == last + 1 else "next"]


def _heading(paths: Paths, group: Group) -> Slot:
    if group["theme"] is not None:
        return Theme(group["theme"])
    return Say(f"prose.group.heading_{_turn(paths, group)}", {"title": Title(group["told"][0])})


def _turn(paths: Paths, group: Group) -> str:
    """What happened in a story: taken back, taken back and in again, brought back, or built step by step."""
    pulls = [paths.pull_at(number) for number in group["pull_requests"]]
    if group["rule"] != "revert":
        return group["rule"]
    if not any("relands" in _kinds_done(pull) for pull in pulls):
        return "revert"
    return "again" if any(pull["reverted_by"] for pull in pulls) else "reland"


def _kinds_done(pull: PullFacts) -> set[str]:
    return {link["kind"] for link in pull["links"] if link["direction"] == "from"}


def _story(paths: Paths, group: Group) -> Say:
    """What a story comes to, before it is told step by step."""
    return Say(f"prose.group.story_{_turn(paths, group)}", about=tuple(group["told"]))


def _opening(paths: Paths, index: int, group: Group) -> Say:
    """What the week did in this area: how many, by whom, of what kind, and the names that their titles share."""
    slots: dict[str, Slot] = {
        "pulls": Say("prose.n.pulls", n=Fact(f"groups[{index}].count")),
        "who": _who(index, group),
        "kinds": _kinds(index, group),
    }
    members = [paths.pull_at(number) for number in group["pull_requests"]]
    heading = " ".join([group["theme"] or "", *paths.report["theme_titles"].get(group["theme"] or "", {}).values()])
    names = shared_names([pull["title"] for pull in members], heading, _LEAST_NAMING, _MOST_NAMES)
    letter = "ab"[index % 2]
    if not names:
        return Say(f"prose.group.opening_{letter}", slots)
    naming = tuple(next(pull["number"] for pull in members if name in pull["title"]) for name in names)
    return Say(f"prose.group.opening_names_{letter}", {**slots, "names": Listed(tuple(Code(name) for name in names))}, about=naming)


def _who(index: int, group: Group) -> Slot:
    """The authors by name where they are few, else how many: those told are named below."""
    if group["people"] > _MOST_NAMED:
        return Say("prose.n.authors", n=Fact(f"groups[{index}].people"))
    return Listed(tuple(Name(login) for login in group["authors"]))


def _kinds(index: int, group: Group) -> Slot:
    """The kinds of change, the most frequent ones where there are many."""
    ordered = sorted(group["kinds"], key=lambda kind: (-group["kinds"][kind], kind))
    told = Phrases(tuple(_kind(index, kind) for kind in ordered[:_MOST_KINDS]))
    return told if len(ordered) <= _MOST_KINDS else Say("prose.group.among", {"kinds": told})


def _kind(index: int, kind: str) -> Slot:
    n = Fact(f"groups[{index}].kinds.{kind}")
    return Say(f"prose.kinds.{kind}", n=n, otherwise=Say("prose.kinds.chore", n=n))


def _extent(index: int, group: Group) -> Say:
    """Where and how much, and how much of it is tested."""
    slots: dict[str, Slot] = {
        "size": Say("prose.size", {"added": Fact(f"groups[{index}].added"), "removed": Fact(f"groups[{index}].removed")}),
        "tests": _tests(index, group),
    }
    if group["modules"]:
        slots["where"] = Listed(tuple(Code(module) for module in group["modules"]))
    return Say("prose.group.extent" if group["modules"] else "prose.group.extent_nowhere", slots)


def _tests(index: int, group: Group) -> Say:
    """How many came with tests, of those that change source."""
    with_tests, without = Fact(f"groups[{index}].with_tests"), Fact(f"groups[{index}].without_tests")
    if not group["with_tests"] and not group["without_tests"]:
        return Say("prose.group.no_source")
    if not group["without_tests"]:
        return Say("prose.group.all_tested")
    if not group["with_tests"]:
        return Say("prose.group.none_tested", n=without)
    return Say("prose.group.some_tested", {"without": without}, with_tests)


def _rest(group: Group) -> Say | None:
    """The other pull requests of a small group, so that none is unnamed."""
    rest = group["pull_requests"][len(group["told"]) :]
    if not rest:
        return None
    named: tuple[Slot, ...] = tuple(Pull(number) for number in rest[:_MOST_REST])
    if len(rest) > _MOST_REST:
        return Say("prose.group.rest_more", {"pulls": Clauses(named, "prose.between_counts")})
    return Say("prose.group.rest", {"pulls": Listed(named)})


def _elsewhere(paths: Paths, group: Group) -> Say | None:
    """That the theme has more pull requests than are told here, since a story or a wave tells them: else 22 reads as all of 34."""
    theme = group["theme"] or ""
    name, count = counted(paths.theme_at(theme)) if paths.has_theme(theme) else ("", 0)
    return Say("prose.group.elsewhere", n=Fact(paths.theme(theme, name))) if count > group["count"] else None


def _why(paths: Paths, index: int, group: Group) -> Say | None:
    """By which part of the published rule a theme was chosen; a story has said it already."""
    if group["rule"] != "theme":
        return None
    theme = group["theme"] or ""
    highlights = Say("prose.n.highlights", n=Fact(f"groups[{index}].highlights"))
    trend = paths.theme_at(theme) if paths.has_theme(theme) else None
    if trend is not None and trend["direction"] in ("rising", "new") and trend["median_4"] is not None:
        slots: dict[str, Slot] = {"highlights": highlights, "rise": rise(paths, theme)}
        return Say("prose.group.why_rising" if group["highlights"] else "prose.group.why_rising_only", slots)
    if group["highlights"]:
        return Say("prose.group.why_highlights", {"highlights": highlights, "salience": Fact(f"groups[{index}].salience")})
    return Say("prose.group.why_count", about=(group["told"][0],))


def counted(theme: ThemeFacts) -> tuple[str, int]:
    """How many pull requests a theme is told with, and the value's name: of an emerging term all that name it."""
    name: Literal["mentions", "count"] = "mentions" if theme["is_emerging"] else "count"
    return name, theme[name]


def rise(paths: Paths, theme: str) -> Say:
    """From what is usual to this week's count."""
    usual, count = Fact(paths.theme(theme, "median_4")), Fact(paths.theme(theme, counted(paths.theme_at(theme))[0]))
    if not paths.theme_at(theme)["median_4"]:
        return Say("prose.rise_from_none", {"count": count})
    return Say("prose.rise", {"usual": usual, "count": count})
