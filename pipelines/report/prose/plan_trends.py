"""What each theme is about that is worth a sentence, and what made it grow."""

from pipelines.report.model import ThemeFacts
from pipelines.report.prose.does import does
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.say import Clauses, Fact, HeadedPlan, Name, Pull, Say, Slot, Theme

#: Sentences on themes: more than these nobody reads, and the table holds all. The largest are told whatever they did.
_MOST_TRENDS, _MOST_MOVED = 9, 6
_MOST_MOVERS = 3
#: Pull requests that name a theme beside those counted under it: from here on it is larger than its count says.
_MANY_MORE = 3


def trends(paths: Paths) -> tuple[HeadedPlan, ...]:
    """A run of sentences a theme: those that moved most against their usual first, then the largest."""
    if not paths.report["counts"]["merged"]:
        return ()  # that every theme is at nothing says no more than that nothing was merged
    named = [theme for theme in paths.report["themes"] if theme["key"] != "other"]
    moved = sorted((theme for theme in named if theme["direction"] in ("rising", "new", "falling")), key=_movement)
    first = moved[:_MOST_MOVED]
    others = [theme for theme in named if theme not in first and theme["count"]]
    return tuple(_trend(paths, theme) for theme in [*first, *others][:_MOST_TRENDS])


def _movement(theme: ThemeFacts) -> tuple[float, float, str]:
    return (-abs(theme["z_score"] or 0.0), -abs(theme["change"] or 0.0), theme["key"])


def _trend(paths: Paths, theme: ThemeFacts) -> HeadedPlan:
    key = theme["key"]
    n = Fact(paths.theme(key, "count"))
    slots: dict[str, Slot] = {"share": Fact(paths.theme(key, "share"), "percent")}
    known = theme["median_4"] is not None
    if known:
        slots["usual"] = Fact(paths.theme(key, "median_4"))
    direction: str = theme["direction"] if known or theme["direction"] == "new" else "unknown"
    if theme["count"] and direction in ("rising", "steady") and not theme["median_4"]:
        direction = "from_none"
    level = Say(f"prose.trend.{direction}", slots, n) if theme["count"] else Say("prose.trend.gone", slots)
    return HeadedPlan(key, Theme(key), (level, *_named_by(paths, theme), *_moved_by(paths, theme)))


def _named_by(paths: Paths, theme: ThemeFacts) -> tuple[Say, ...]:
    """How many name the theme at all, where that is many more than are counted under it first."""
    if theme["mentions"] < theme["count"] + _MANY_MORE:
        return ()
    key = "prose.trend.named_by" if theme["count"] else "prose.trend.only_named"
    return (Say(key, n=Fact(paths.theme(theme["key"], "mentions"))),)


def _moved_by(paths: Paths, theme: ThemeFacts) -> tuple[Say, ...]:
    movers = [number for number in theme["movers"] if paths.holds(number)][:_MOST_MOVERS]
    if not movers:
        return ()
    told = tuple(
        Say("prose.trend.mover", {"pull": Pull(number), "does": does(pull), "author": Name(pull["author"])})
        for number in movers
        for pull in [paths.pull_at(number)]
    )
    has_grown = theme["direction"] in ("rising", "new")  # of one that shrank, those that are left did not move it
    return (Say("prose.trend.moved_by" if has_grown else "prose.trend.among", {"movers": Clauses(told)}),)
