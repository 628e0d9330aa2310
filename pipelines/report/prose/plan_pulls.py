"""Sentences on one pull request: as one of a group, and as the line on a highlight."""

from pipelines.report.prose.clauses import reverted_clause, said_clause, size, told_clauses
from pipelines.report.prose.does import does
from pipelines.report.prose.paths import Paths
from pipelines.report.prose.say import HeadedPlan, Joined, Name, Phrases, Pull, Say, Slot, Title

#: Wordings taken in turn; the catalogue holds one message for each.
_WORDINGS = ("a", "b", "c")
_GROUP_CLAUSES, _LONE_CLAUSES, _LINE_CLAUSES = 2, 4, 4


def told(paths: Paths, number: int, turn: int, step: str | None, of: int) -> Say:
    """One pull request of a group of so many: who does what, by its own words, and what its files and review show.

    ``step`` is its place in a story: first, next or last; None where the group is none.
    """
    letter = _WORDINGS[turn % len(_WORDINGS)]
    pull = paths.pull_at(number)
    slots: dict[str, Slot] = {"pull": Pull(number), "author": Name(pull["author"]), "does": does(pull)}
    lead = Say(f"prose.told.{step or letter}", slots)
    undone = reverted_clause(paths, number)
    if undone is not None:
        lead = Say("prose.told.undone", {"lead": lead, "undone": undone})
    return Say(
        "prose.told.whole",
        {
            "lead": Joined((lead, *_said(paths, number, letter))),
            "more": _more(paths, number, turn, _GROUP_CLAUSES if of > 1 else _LONE_CLAUSES),
        },
        about=(number,),
    )


def _said(paths: Paths, number: int, letter: str) -> tuple[Slot, ...]:
    """Its own words on it, after the deed."""
    quoted = said_clause(paths.pull_at(number))
    name = "_and_".join(quoted)
    return (Say(f"prose.said.{name}_{letter}", quoted),) if quoted else ()


def _more(paths: Paths, number: int, turn: int, most: int) -> Slot:
    """What its facts show, as a sentence about it, with its size."""
    slots: dict[str, Slot] = {"clauses": Phrases(told_clauses(paths, number, most, turn)), "size": size(paths, number)}
    return Say(f"prose.more.{_WORDINGS[turn % len(_WORDINGS)]}", slots)


def pull_lines(paths: Paths) -> tuple[HeadedPlan, ...]:
    """One line a highlight, by importance: what its description says beyond its title, and what its files and review show."""
    return tuple(_line(paths, number, turn) for turn, number in enumerate(paths.report["highlights"]))


def _line(paths: Paths, number: int, turn: int) -> HeadedPlan:
    letter = _WORDINGS[turn % len(_WORDINGS)]
    quoted = said_clause(paths.pull_at(number))
    undone = reverted_clause(paths, number)
    sentences = [Say("prose.line.undone", {"undone": undone}, about=(number,))] if undone is not None else []
    if quoted:
        sentences.append(Say(f"prose.line.{'_and_'.join(quoted)}_{letter}", quoted, about=(number,)))
    slots: dict[str, Slot] = {"clauses": Phrases(told_clauses(paths, number, _LINE_CLAUSES, turn)), "size": size(paths, number)}
    return HeadedPlan(str(number), Title(number), (*sentences, Say(f"prose.line.more_{letter}", slots, about=(number,))))
