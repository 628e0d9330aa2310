"""Soft checks on a stored week: they warn and stop nothing. Hard contracts hold in the warehouse, before writing.

Each looks at one stored week; a run tells them of all its weeks that were made.
"""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet

import dagster as dg

from pipelines.defs.watching import WeekOutcome
from pipelines.tables import TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import Week, week_range

# A week at less than half or more than twice its usual merges is worth a look: holidays, a release, or a lost page.
VOLUME_RATIO = 2.0
VOLUME_WEEKS = 4
# Above a fifth without a theme the trends say little; the lexicon wants a few words for this repository.
MAX_SHARE_WITHOUT_THEME = 0.2

Finding = tuple[bool, str]


def check_volume(warehouse: Warehouse, repo: str, week: Week) -> Finding:
    """Merged pull requests against the median of the stored ones of the four weeks before."""
    merged = warehouse.read(TABLES["derived_week"], repo, week)["merged_count"].iloc[0]
    before = warehouse.read_weeks(TABLES["derived_week"], repo, week_range(week.shift(-VOLUME_WEEKS), week.shift(-1)))[
        "merged_count"
    ]
    if len(before) < VOLUME_WEEKS:
        return (
            True,
            f"{week}: {merged} merged; only {len(before)} of {VOLUME_WEEKS} weeks before are stored, so the usual is unknown",
        )
    usual = before.median()
    within = usual / VOLUME_RATIO <= merged <= usual * VOLUME_RATIO
    return bool(within), f"{week}: {merged} merged, usually {usual:g}"


def check_coverage(warehouse: Warehouse, repo: str, week: Week) -> Finding:
    """Pull requests read against those found, and parts cut."""
    last = warehouse.read(TABLES["raw_fetches"], repo, week).iloc[-1]
    return last[
        "state"
    ] == "complete", f"{week}: {last['read_count']} of {last['enumerated_count']} read, {len(last['cut_parts'])} parts cut"


def check_themes(warehouse: Warehouse, repo: str, week: Week) -> Finding:
    """Share of pull requests that no theme fits."""
    row = warehouse.read(TABLES["derived_week"], repo, week).iloc[0]
    share = row["without_theme_count"] / row["merged_count"] if row["merged_count"] else 0.0
    return share <= MAX_SHARE_WITHOUT_THEME, f"{week}: {row['without_theme_count']} of {row['merged_count']} without a theme"


CHECKS: tuple[tuple[str, str, Callable[[Warehouse, str, Week], Finding]], ...] = (
    ("volume", "derived_week", check_volume),
    ("coverage", "raw_fetches", check_coverage),
    ("themes", "derived_week", check_themes),
)


def check_results(
    warehouse: Warehouse, repo: str, outcomes: Sequence[WeekOutcome], selected: AbstractSet[dg.AssetCheckKey]
) -> Iterator[dg.AssetCheckResult]:
    """The result of every selected check over the weeks of a run that were made."""
    weeks = [outcome.week for outcome in outcomes if outcome.failure is None]
    for key in sorted(selected, key=str):
        look = next(look for name, _, look in CHECKS if name == key.name)
        found = [look(warehouse, repo, week) for week in weeks]
        yield dg.AssetCheckResult(
            asset_key=key.asset_key,
            check_name=key.name,
            passed=all(within for within, _ in found),
            severity=dg.AssetCheckSeverity.WARN,
            metadata={"found": dg.MetadataValue.text("\n".join(line for _, line in found) or "no week was made")},
        )
