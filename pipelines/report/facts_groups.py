"""Key changes: three to seven groups of the week's pull requests, chosen by a published rule.

1. A story comes first: pull requests tied by reverts and relands, or by a series, fixes and follow-ups: two of this
   week of which one is a highlight or was reverted, or one highlight that takes back or brings back an earlier one.
   One without a highlight, as a reverted change of CI, is told last.
2. Then emerging terms, of the pull requests that name them at all: a wave crosses the themes of the lexicon.
3. Then themes, by primary theme, of pull requests that nothing above has told.
4. The order is by salience: the importance of a group's highlights added up, and where its theme rises two points for
   each pull request above its usual, so that a wave of small changes is seen beside a few great ones.
A theme without a highlight that does not rise is told only where fewer than three groups would be left.
"""

from collections import Counter, defaultdict

from pipelines.report.facts_rows import WeekRows
from pipelines.report.model import Group, PullFacts, ThemeFacts

FEWEST_GROUPS, MOST_GROUPS = 3, 7
#: Of the seven, so many may be stories: a week of reverts still has its themes.
_MOST_STORIES = 3
#: Two terms may cross the themes: more would leave little of them.
_MOST_WAVES, _FEWEST_IN_WAVE = 2, 4
#: A quarter of what an average pull request weighs on the scale of 1 to 10: many small ones add up to a few great ones.
_POINTS_ABOVE_USUAL = 2.0
#: What is told one by one in a group: more reads as a list, and the table of key pull requests is one.
_MOST_TOLD = 4
#: Where a group lies: the first three say it.
_MOST_MODULES = 3
_REVERTS = frozenset({"reverts", "relands"})
_RISING = ("rising", "new")
#: Without a theme that fits, what the pull requests have in common is nothing a reader could name.
_UNNAMED = "other"


def group_facts(rows: WeekRows, pulls: list[PullFacts], themes: list[ThemeFacts]) -> list[Group]:
    """The groups in the order in which they are told; none in a week in which nothing was merged."""
    by_number = {pull["number"]: pull for pull in pulls}
    stories = sorted(_stories(rows, by_number), key=_order)[:_MOST_STORIES]
    told = {number for story in stories for number in story["pull_requests"]}
    waves = sorted(_waves([pull for pull in pulls if pull["number"] not in told], themes), key=_order)[:_MOST_WAVES]
    told |= {number for wave in waves for number in wave["pull_requests"]}
    themed = sorted([*waves, *_themes([pull for pull in pulls if pull["number"] not in told], themes)], key=_order)
    telling = [group for group in themed if group["salience"] > 0][: MOST_GROUPS - len(stories)]
    plain = [group for group in themed if group["salience"] <= 0][: max(0, FEWEST_GROUPS - len(stories) - len(telling))]
    leading = [story for story in stories if story["highlights"]]
    return [*leading, *sorted([*telling, *plain], key=_order), *(story for story in stories if not story["highlights"])]


def _order(group: Group) -> tuple[float, int, str]:
    return (-group["salience"], -group["count"], group["key"])


def _stories(rows: WeekRows, by_number: dict[int, PullFacts]) -> list[Group]:
    members: dict[str, set[int]] = defaultdict(set)
    kinds: dict[str, set[str]] = defaultdict(set)
    for row in rows["derived_links"]:
        if row["story"] is not None and row["target_repo"] == rows.repo and row["kind"] != "closes":
            members[row["story"]] |= {row["number"], row["target_number"]} & by_number.keys()
            kinds[row["story"]].add(row["kind"])
    made = []
    for story, numbers in sorted(members.items()):
        told = sorted(numbers, key=lambda number: (by_number[number]["merged_at"], number))
        if _is_story([by_number[number] for number in told], kinds[story]):
            rule = "revert" if kinds[story] & _REVERTS else "series"
            made.append(_group(f"{rule}:{story}", rule, None, [by_number[number] for number in told], 0.0))
    return made


def _is_story(members: list[PullFacts], kinds: set[str]) -> bool:
    """Two of this week that a revert ties or a highlight leads, or a highlight that reverts or brings something back."""
    is_revert = bool(kinds & _REVERTS)
    has_highlight = any(pull["is_highlight"] for pull in members)
    return (has_highlight and (is_revert or len(members) > 1)) or (is_revert and len(members) > 1)


def _waves(pulls: list[PullFacts], themes: list[ThemeFacts]) -> list[Group]:
    """Emerging terms that rise, each with every pull request that names it, so many at least that it is a wave."""
    made = []
    for theme in themes:
        members = sorted((pull for pull in pulls if theme["key"] in pull["themes"]), key=lambda pull: pull["rank"])
        if theme["is_emerging"] and theme["direction"] in _RISING and len(members) >= _FEWEST_IN_WAVE:
            rise = max(len(members) - (theme["median_4"] or 0.0), 0.0)
            made.append(_group(f"theme:{theme['key']}", "theme", theme["key"], members, _POINTS_ABOVE_USUAL * rise))
    return made


def _themes(pulls: list[PullFacts], themes: list[ThemeFacts]) -> list[Group]:
    members: dict[str, list[PullFacts]] = defaultdict(list)
    for pull in pulls:
        if pull["themes"] and pull["themes"][0] != _UNNAMED:
            members[pull["themes"][0]].append(pull)
    rise = {theme["key"]: theme["change"] or 0.0 for theme in themes if theme["direction"] in _RISING}
    made = []
    for theme, found in sorted(members.items()):
        ordered = sorted(found, key=lambda pull: pull["rank"])
        made.append(_group(f"theme:{theme}", "theme", theme, ordered, _POINTS_ABOVE_USUAL * max(rise.get(theme, 0.0), 0.0)))
    return made


def _group(key: str, rule: str, theme: str | None, members: list[PullFacts], rise_points: float) -> Group:
    highlights = [pull for pull in members if pull["is_highlight"]]
    authors = sorted({pull["author"] for pull in members})
    modules = Counter(pull["modules"][0] for pull in members if pull["modules"])
    reviewers = {login for pull in members for login in pull["reviewers"] or []}
    return {
        "key": key,
        "rule": rule,
        "theme": theme,
        "pull_requests": [pull["number"] for pull in members],
        "kinds": dict(sorted(Counter(pull["change_kind"] for pull in members).items())),
        "modules": sorted(modules, key=lambda module: (-modules[module], module))[:_MOST_MODULES],
        "told": [pull["number"] for pull in members[:_MOST_TOLD]],
        "count": len(members),
        "highlights": len(highlights),
        "salience": round(sum(pull["importance"] for pull in highlights) + rise_points, 1),
        "authors": authors,
        "people": len(authors),
        "reviewers": sorted(reviewers),
        "added": sum(pull["added"] for pull in members),
        "removed": sum(pull["removed"] for pull in members),
        "with_tests": sum(pull["tests_state"] == "changed" for pull in members),
        "without_tests": sum(pull["tests_state"] in ("none", "removed_only", "moved_only") for pull in members),
        "mean_importance": round(sum(pull["importance"] for pull in members) / len(members), 2),
    }
