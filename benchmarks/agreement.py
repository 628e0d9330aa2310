"""Agreement of the derived tables with the one published report at hand, and how stable the same figures are before it.

Prints the figures of ``../shared/eval/agreement.py`` for 2026-W17, made with the weeks before as history, then one line
a week for the twenty weeks before. It judges nothing: a rule fitted to the one week shows as a jump in the others.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from benchmarks.shared_data import FOLDER, WeekFrames, derive_all, is_there, raw_weeks
from pipelines.weeks import parse_week

WEEK = "2026-W17"
_WEEKS_SHOWN = 20
_EVAL = FOLDER.parents[1] / "eval"


def facts(frames: WeekFrames) -> dict[str, object]:
    """As much of a report.json as the agreement is measured on."""
    risks = frames["derived_risks"]["rule"].value_counts().sort_index()
    scores = frames["derived_importance"].sort_values("number")
    return {
        "counts": {"merged": len(frames["derived_pull_requests"])},
        "risks": [{"rule": rule, "count": int(count)} for rule, count in risks.items()],
        "pull_requests": scores[["number", "importance"]].to_dict("records"),
    }


def published_agreement(frames: WeekFrames) -> str:
    """What the measuring script prints of a week's frames."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        report.write_text(json.dumps(facts(frames)), encoding="utf-8")
        command = [sys.executable, str(_EVAL / "agreement.py"), str(report), str(_EVAL / f"truth-{WEEK}.json")]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def stability(made: Mapping[str, WeekFrames]) -> pd.DataFrame:
    """One row per week: counts of risks, mean importance, highlights, share of last week's core paths and themes kept."""
    rows, before = [], None
    for week, frames in made.items():
        rules = frames["derived_risks"]["rule"].value_counts()
        scores = frames["derived_importance"]
        rows.append(
            {
                "week": week,
                "merged": len(scores),
                "core_path_change": int(rules.get("core_path_change", 0)),
                "missing_tests": int(rules.get("missing_tests", 0)),
                "mean_importance": round(float(scores["importance"].mean()), 2) if len(scores) else None,
                "top_importance": scores["importance"].max(),
                "highlights": int(scores["is_highlight"].sum()),
                "core_paths": len(frames["derived_core_paths"]),
                "core_paths_kept": _kept(before, frames, "derived_core_paths", "path"),
                "themes": frames["derived_themes"]["theme"].nunique(),
                "themes_kept": _kept(before, frames, "derived_themes", "theme"),
            }
        )
        before = frames
    return pd.DataFrame(rows)


def _kept(before: WeekFrames | None, frames: WeekFrames, table: str, column: str) -> float | None:
    """The share of last week's values of a column that this week has too."""
    last = set(before[table][column]) if before else set()
    return round(len(last & set(frames[table][column])) / len(last), 2) if last else None


def main(_arguments: list[str]) -> int:
    """Print the agreement and the stability; it judges nothing."""
    if not is_there():
        print("skipped: ../shared/data/sglang is not there")
        return 0
    raw = raw_weeks()
    week = parse_week(WEEK)
    made = derive_all([name for name in raw if name <= WEEK], raw=raw)
    print(published_agreement(made[WEEK]))
    first = str(week.shift(-_WEEKS_SHOWN))
    print(stability({name: frames for name, frames in made.items() if name >= first}).to_string(index=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
