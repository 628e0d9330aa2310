"""The headline, and the executive summary of five sentences at most: read in a minute."""

from pipelines.report.model import PullFacts, Report, RiskFacts, ThemeFacts
from pipelines.report.prose.clauses import said_clause, told_clauses
from pipelines.report.prose.does import does
from pipelines.report.prose.news import arrivals, departures, gains
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.plan_groups import counted, rise
from pipelines.report.prose.say import Clauses, Fact, Joined, Listed, Name, Phrases, Pull, Quote, Say, Slot, Theme
from pipelines.report.prose.texts import clip, rule_title
from pipelines.report.prose.titles import Deed

_MOST_THEMES = 3
_MOST_RISKS = 3
_MOST_GAINS, _GAIN_CHARACTERS = 2, 100
#: Within a tenth of the usual a week is as usual: counts of a week move more than that by chance.
_STEADY_SHARE = 0.1
_SUMMARY_CLAUSES = 2
_MOST_NEWS, _OBJECT_CHARACTERS = 3, 70
MOST_SENTENCES = 5


def headline(paths: Paths) -> Say:
    """The week in one line: how much, and on what."""
    report = paths.report
    if not report["counts"]["merged"]:
        return Say("prose.headline.empty")
    themes = _group_themes(report)
    slots: dict[str, Slot] = {"pulls": Say("prose.n.pulls", n=Fact("counts.merged"))}
    if themes:
        return Say("prose.headline.themes", {**slots, "themes": Listed(tuple(Theme(key) for key in themes))})
    return Say("prose.headline.plain", slots)


def _group_themes(report: Report) -> list[str]:
    named = [group["theme"] for group in report["groups"] if group["theme"] is not None]
    return named[:_MOST_THEMES]


def summary(paths: Paths) -> tuple[Say, ...]:
    """At most five sentences, each with a pull request or a fact; what could not be read is said before what is new."""
    if not paths.report["counts"]["merged"]:
        return _empty(paths)
    gap = _gap(paths)
    last = (None, _exposed(paths), gap) if gap is not None else (_news(paths), _exposed(paths), _flow(paths))
    planned = (_volume(paths), _weight(paths), _foremost(paths), *last)
    return tuple(say for say in planned if say is not None)[:MOST_SENTENCES]


def _empty(paths: Paths) -> tuple[Say, ...]:
    """Of a week without a merge: that it was looked at, and what is still open."""
    report = paths.report
    first = Say(
        "prose.summary.empty", {"first": Fact("days.first", "day"), "last": Fact("days.last", "day")}, Fact("counts.merged")
    )
    opened = Say("prose.summary.empty_opened", n=Fact("counts.opened")) if report["counts"]["opened"] else None
    usual = Say("prose.summary.empty_usual", n=Fact("usual.merged")) if report["usual"].get("merged") else None
    return tuple(say for say in (first, usual, opened) if say is not None)


def _volume(paths: Paths) -> Say:
    report = paths.report
    slots: dict[str, Slot] = {
        "pulls": Say("prose.n.pulls", n=Fact("counts.merged")),
        "people": Say("prose.n.authors", n=Fact("counts.authors")),
        "first": Fact("days.first", "day"),
        "last": Fact("days.last", "day"),
        "against": _against(report),
        "highlights": Say("prose.n.highlights", n=Fact("counts.highlights")),
    }
    newcomers = report["counts"]["first_time_authors"]
    if newcomers:
        return Say(
            "prose.summary.volume_newcomers", {**slots, "newcomers": Say("prose.n.newcomers", n=Fact("counts.first_time_authors"))}
        )
    return Say("prose.summary.volume", slots)


def _against(report: Report) -> Say:
    """This week's merges against the four weeks before."""
    tile = report["tiles"][0]
    if tile["comparator"] is None or tile["change"] is None:
        return Say("prose.against.unknown", n=Fact("coverage.history_weeks"))
    usual: dict[str, Slot] = {"usual": Fact("tiles[0].comparator"), "change": Fact("tiles[0].change", "size")}
    if abs(tile["change"]) <= _STEADY_SHARE * tile["comparator"]:
        return Say("prose.against.steady", usual)
    return Say("prose.against.more" if tile["change"] > 0 else "prose.against.fewer", usual)


def _weight(paths: Paths) -> Say | None:
    """What the week was about: the themes of the first groups, each with its count and what its first pull request does."""
    report = paths.report
    groups = [(index, group) for index, group in enumerate(report["groups"]) if group["theme"] is not None][:_MOST_THEMES]
    if not groups:
        return None
    told = tuple(_theme(paths, index, group["theme"] or "", group["told"][0]) for index, group in groups)
    rising = _most_risen(report)
    if rising is None:
        return Say("prose.summary.weight", {"themes": Clauses(told)})
    grown: dict[str, Slot] = {"theme": Theme(rising["key"]), "rise": rise(paths, rising["key"])}
    return Say("prose.summary.weight_rising", {"themes": Clauses(told), "grown": Say("prose.summary.grown", grown)})


def _theme(paths: Paths, index: int, theme: str, first: int) -> Say:
    slots: dict[str, Slot] = {"theme": Theme(theme), "pull": Pull(first), "does": does(paths.pull_at(first))}
    # As its trend counts it: some of its pull requests may be told in a story, or under a term that crosses the themes.
    known = paths.theme(theme, counted(paths.theme_at(theme))[0]) if paths.has_theme(theme) else f"groups[{index}].count"
    return Say("prose.summary.theme", slots, Fact(known))


def _most_risen(report: Report) -> ThemeFacts | None:
    risen = [
        theme
        for theme in report["themes"]
        if theme["direction"] in ("rising", "new") and theme["median_4"] is not None and theme["key"] != "other"
    ]
    return max(risen, key=lambda theme: (theme["change"] or 0.0, theme["count"], theme["key"]), default=None)


def _foremost(paths: Paths) -> Say | None:
    """The most important pull request that stands: what it does, by its own words too, and what its files show."""
    first = _first(paths)
    if first is None:
        return None
    pull = paths.pull_at(first)
    quoted = said_clause(pull)
    slots: dict[str, Slot] = {
        "pull": Pull(first),
        "author": Name(pull["author"]),
        "importance": Fact(paths.pull(first, "importance")),
        "does": does(pull),
        "clauses": Phrases(told_clauses(paths, first, _SUMMARY_CLAUSES, 0)),
        "said": Say(f"prose.said.{'_and_'.join(quoted)}_a", quoted) if quoted else Joined(()),
    }
    return Say("prose.summary.foremost", slots)


def _first(paths: Paths) -> int | None:
    """The most important highlight that was not reverted, if one stands."""
    ranked = paths.report["highlights"]
    return next((number for number in ranked if paths.pull_at(number)["reverted_by"] is None), ranked[0] if ranked else None)


def _news(paths: Paths) -> Say | None:
    """New support beside the foremost change, what is deprecated or gone, and what its authors measured to be better."""
    first = _first(paths)
    pulls = [pull for pull in paths.report["pull_requests"] if pull["number"] != first]
    told = {
        "arrived": tuple(_object(pull, deed) for pull, deed in arrivals(pulls)[:_MOST_NEWS]),
        "left": tuple(_deed(pull, deed) for pull, deed in departures(pulls)[:_MOST_NEWS]),
        "gained": tuple(_gain(pull) for pull in gains(pulls)[:_MOST_GAINS]),
    }
    clauses = tuple(Say(f"prose.summary.{name}", {"items": Listed(items)}) for name, items in told.items() if items)
    return Say("prose.summary.news", {"clauses": Clauses(clauses)}) if clauses else None


def _object(pull: PullFacts, deed: Deed) -> Say:
    return Say(
        "prose.summary.object", {"what": Quote(clip(deed.what, _OBJECT_CHARACTERS), is_object=True), "pull": Pull(pull["number"])}
    )


def _deed(pull: PullFacts, deed: Deed) -> Say:
    does_it = Say(f"prose.verb.{deed.verb}", {"what": Quote(clip(deed.what, _OBJECT_CHARACTERS), is_object=True)})
    return Say("prose.summary.deed", {"does": does_it, "pull": Pull(pull["number"])})


def _gain(pull: PullFacts) -> Say:
    slots: dict[str, Slot] = {"gain": Quote(clip(pull["claims"][0], _GAIN_CHARACTERS)), "pull": Pull(pull["number"])}
    return Say("prose.summary.gain", slots)


def _exposed(paths: Paths) -> Say | None:
    """The risks that stand out, each with its count, its usual and its first pull request."""
    fired = {risk["rule"]: risk for risk in paths.report["risks"]}
    asked = [rule for rule in _SUMMARY_RISKS if rule in fired][:_MOST_RISKS]
    others = [rule for rule, risk in fired.items() if rule not in asked and risk["severity"] == "high"]
    chosen = [fired[rule] for rule in (*asked, *others)][:_MOST_RISKS]
    if not chosen:
        return Say("prose.summary.no_risks", {"rules": Say("prose.n.rules", n=Fact("rules_looked"))})
    return Say("prose.summary.risks", {"risks": Clauses(tuple(_exposure(paths, risk) for risk in chosen))})


#: What a maintainer asks first, in this order; others follow by severity.
_SUMMARY_RISKS = ("reverted", "core_path_change", "missing_tests", "open_threads")


def _exposure(paths: Paths, risk: RiskFacts) -> Say:
    n = Fact(paths.risk(risk["rule"], "count"))
    flagged = Say("prose.summary.flagged", {"rule": rule_title(risk["rule"])}, n)
    slots: dict[str, Slot] = {
        "what": Say(f"prose.what.{risk['rule']}", n=n, otherwise=flagged),
        "pull": Pull(risk["pull_requests"][0]),
    }
    if risk["usual"] is None:
        return Say("prose.summary.risk", slots, n)
    return Say("prose.summary.risk_usual", {**slots, "usual": Fact(paths.risk(risk["rule"], "usual"))}, n)


def _gap(paths: Paths) -> Say | None:
    """What could not be read."""
    if paths.report["coverage"]["state"] != "partial":
        return None
    return Say("prose.summary.partial", {"read": Fact("coverage.read"), "found": Fact("coverage.enumerated")})


def _flow(paths: Paths) -> Say | None:
    """How long things took."""
    report = paths.report
    flow = report["flow"]
    if flow["merge_hours"]["median"] is None:
        return None
    slots: dict[str, Slot] = {"merge": Fact("flow.merge_hours.median", "hours")}
    if flow["first_review_hours"]["median"] is None:
        return Say("prose.summary.flow_no_reviews" if report["counts"]["reviewers"] is None else "prose.summary.flow", slots)
    return Say("prose.summary.flow_reviews", {**slots, "review": Fact("flow.first_review_hours.median", "hours")})
