"""Key changes and the lines on key pull requests."""

from pipelines.report.model import Group
from pipelines.report.prose.clauses import told_clauses
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.say import Clauses, Code, Fact, HeadedPlan, Listed, Name, Pull, Say, Slot, Theme, Title

#: Ways to begin a sentence on a pull request, taken in turn; the catalogue holds one message for each.
_LEADS = ("a", "b", "c")
_GROUP_CLAUSES, _LINE_CLAUSES = 3, 5
_MOST_KINDS = 3
_MOST_NAMED = 2


def groups(paths: Paths) -> tuple[HeadedPlan, ...]:
    """A headed run of sentences a group: what and how much, the pull requests that stand for it, why it was chosen."""
    return tuple(_group(paths, index, group) for index, group in enumerate(paths.report["groups"]))


def _group(paths: Paths, index: int, group: Group) -> HeadedPlan:
    told = tuple(_told(paths, number, turn + index, group["count"]) for turn, number in enumerate(group["told"]))
    # Of a single pull request its own sentence says how much it is.
    extent = _extent(index, group) if group["count"] > 1 else None
    sentences = (extent, *told, _rest(group), _why(paths, index, group))
    return HeadedPlan(group["key"], _heading(paths, group), tuple(say for say in sentences if say is not None))


def _heading(paths: Paths, group: Group) -> Slot:
    if group["theme"] is not None:
        return Theme(group["theme"])
    return Say(f"prose.group.heading_{_turn(paths, group)}", {"title": Title(group["told"][0])})


def _turn(paths: Paths, group: Group) -> str:
    """What happened in a story: taken back, brought back, or built step by step."""
    pulls = [paths.pull_at(number) for number in group["pull_requests"]]
    if group["rule"] != "revert":
        return group["rule"]
    done = {link["kind"] for pull in pulls for link in pull["links"]}
    return "revert" if "relands" not in done or any(pull["reverted_by"] for pull in pulls) else "reland"


def _extent(index: int, group: Group) -> Say:
    """What, who, where and how much."""
    slots: dict[str, Slot] = {
        "pulls": Say("prose.n.pulls", n=Fact(f"groups[{index}].count")),
        "who": _who(index, group),
        "size": Say("prose.size", {"added": Fact(f"groups[{index}].added"), "removed": Fact(f"groups[{index}].removed")}),
        "kinds": Clauses(_kinds(index, group), "prose.between_counts"),
        "tests": _tests(index, group),
    }
    if group["modules"]:
        slots["where"] = Listed(tuple(Code(module) for module in group["modules"]))
    return Say("prose.group.extent" if group["modules"] else "prose.group.extent_nowhere", slots)


def _who(index: int, group: Group) -> Slot:
    """The authors by name where they are few, else how many: those told are named below."""
    if group["people"] > _MOST_NAMED:
        return Say("prose.n.authors", n=Fact(f"groups[{index}].people"))
    return Listed(tuple(Name(login) for login in group["authors"]))


def _kinds(index: int, group: Group) -> tuple[Slot, ...]:
    ordered = sorted(group["kinds"], key=lambda kind: (-group["kinds"][kind], kind))[:_MOST_KINDS]
    return tuple(_kind(index, kind) for kind in ordered)


def _kind(index: int, kind: str) -> Slot:
    n = Fact(f"groups[{index}].kinds.{kind}")
    return Say(f"prose.kinds.{kind}", n=n, otherwise=Say("prose.kinds.chore", n=n))


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


def _told(paths: Paths, number: int, turn: int, of: int) -> Say:
    most = _GROUP_CLAUSES if of > 1 else _LINE_CLAUSES
    slots: dict[str, Slot] = {
        "pull": Pull(number),
        "title": Title(number),
        "author": Name(paths.pull_at(number)["author"]),
        "clauses": Clauses(told_clauses(paths, number, most, turn)),
    }
    return Say(f"prose.group.told_{_LEADS[turn % len(_LEADS)]}", slots)


def _rest(group: Group) -> Say | None:
    """The other pull requests of a small group, so that none is unnamed."""
    rest = group["pull_requests"][len(group["told"]) :]
    if not rest:
        return None
    named: tuple[Slot, ...] = tuple(Pull(number) for number in rest[:_MOST_REST])
    if len(rest) > _MOST_REST:
        return Say("prose.group.rest_more", {"pulls": Clauses(named, "prose.between_counts")})
    return Say("prose.group.rest", {"pulls": Listed(named)})


#: Numbers named beyond those told: a line of them.
_MOST_REST = 8


def _why(paths: Paths, index: int, group: Group) -> Say:
    """By which part of the published rule it was chosen."""
    salience = Fact(f"groups[{index}].salience")
    if group["rule"] != "theme":
        return Say(f"prose.group.why_{_turn(paths, group)}")
    theme = group["theme"] or ""
    highlights = Say("prose.n.highlights", n=Fact(f"groups[{index}].highlights"))
    trend = paths.theme_at(theme) if paths.has_theme(theme) else None
    if trend is not None and trend["direction"] in ("rising", "new") and trend["median_4"] is not None:
        slots: dict[str, Slot] = {"highlights": highlights, "rise": rise(paths, theme)}
        return Say("prose.group.why_rising" if group["highlights"] else "prose.group.why_rising_only", slots)
    if group["highlights"]:
        return Say("prose.group.why_highlights", {"highlights": highlights, "salience": salience})
    return Say("prose.group.why_count")


def rise(paths: Paths, theme: str) -> Say:
    """From what is usual to this week's count."""
    usual = Fact(paths.theme(theme, "median_4"))
    # An emerging term is told with every pull request that names it, not only those counted under it first.
    count = Fact(paths.theme(theme, "mentions" if paths.theme_at(theme)["is_emerging"] else "count"))
    if not paths.theme_at(theme)["median_4"]:
        return Say("prose.rise_from_none", {"count": count})
    return Say("prose.rise", {"usual": usual, "count": count})


def pull_lines(paths: Paths) -> tuple[HeadedPlan, ...]:
    """One line a highlight, by importance: what it does and what its files and review show."""
    return tuple(_line(paths, number, turn) for turn, number in enumerate(paths.report["highlights"]))


def _line(paths: Paths, number: int, turn: int) -> HeadedPlan:
    clauses = Clauses(told_clauses(paths, number, _LINE_CLAUSES, turn))
    return HeadedPlan(str(number), Title(number), (Say("prose.pull.line", {"clauses": clauses}, about=(number,)),))
