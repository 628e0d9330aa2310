"""Agreement of the rules with 150 pull requests that were labelled by reading their titles and file lists.

The pull requests were drawn with a fixed seed from every week of the shared history but 2026-W17 and labelled before the
rules were tuned. Prints the share that agrees and every row that does not.
"""

import csv
import sys
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from benchmarks.shared_data import WeekFrames, derive_all, is_there

LABELS = Path(__file__).resolve().parents[1] / "tests" / "data" / "labels.csv"
#: The least share that agrees, by what is labelled.
BOUNDS = {"kinds": 0.90, "theme": 0.80, "missing_tests": 0.85}


@dataclass(frozen=True)
class Label:
    """One labelled pull request: the kinds of its files, its primary theme, whether tests are missing, and why."""

    number: int
    week: str
    kinds: str
    theme: str
    missing_tests: str
    reason: str


def labels() -> list[Label]:
    """All labels, by number."""
    with LABELS.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    return [Label(**{**row, "number": int(row["number"])}) for row in rows]  # type: ignore[arg-type]  # because: the header is the fields


def told_by_rules(made: dict[str, WeekFrames], wanted: list[Label]) -> pd.DataFrame:
    """What the rules say of the labelled pull requests, indexed by number, in the words of the labels."""
    weeks = sorted({label.week for label in wanted})
    numbers = {label.number for label in wanted}
    files, themes, risks = (
        pd.concat([made[week][table] for week in weeks], ignore_index=True)
        for table in ("derived_files", "derived_themes", "derived_risks")
    )
    told = pd.DataFrame(index=pd.Index(sorted(numbers), name="number"))
    kinds = files[files["number"].isin(numbers)].groupby("number")["kind"].agg(lambda column: " ".join(sorted(set(column))))
    primary = themes[themes["is_primary"]].drop_duplicates("number").set_index("number")["theme"]
    missing = set(risks.loc[risks["rule"] == "missing_tests", "number"])
    return told.assign(
        kinds=kinds.reindex(told.index).fillna(""),
        theme=primary.reindex(told.index).fillna(""),
        missing_tests=["yes" if number in missing else "no" for number in told.index],
    )


def agreement(told: pd.DataFrame, wanted: list[Label]) -> tuple[dict[str, float], list[str]]:
    """Shares that agree, by what is labelled, and a line for each disagreement."""
    shares, lines = {}, []
    for what in BOUNDS:
        said = told[what].to_dict()
        differ = [label for label in wanted if said[label.number] != getattr(label, what)]
        shares[what] = 1 - len(differ) / len(wanted)
        lines += [
            f"{what:14s} #{label.number}: labelled {getattr(label, what)}, rules say {said[label.number]} ({label.reason})"
            for label in differ
        ]
    return shares, lines


def main(_arguments: list[str]) -> int:
    """Print the agreement; 1 where it is below a bound."""
    if not is_there():
        print("skipped: ../shared/data/sglang is not there")
        return 0
    wanted = labels()
    shares, lines = agreement(told_by_rules(derive_all(), wanted), wanted)
    print("\n".join(lines))
    for what, share in shares.items():
        print(f"{what:14s} {share:.1%} of {len(wanted)} agree, bound {BOUNDS[what]:.0%}")
    return int(any(share < BOUNDS[what] for what, share in shares.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
