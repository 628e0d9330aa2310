"""Which files are core in a week, by the history before it: those that many different people had to change.

A file that many people change is a place where work meets: a scheduler, a memory pool. So is a list of settings, on
which nothing hangs; such files weigh less, by rules of the table below and by how the file is changed. Whether other
files import it would tell more, but no source is read here; the weights stand in for it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pipelines.rules import globs
from pipelines.rules.files import kinds_of
from pipelines.rules.inputs import HISTORY_WEEKS, Frames, WeekInputs
from pipelines.rules.people import account_kinds, is_human
from pipelines.settings import RuleSettings
from pipelines.tables import TABLES, empty_frame

if TYPE_CHECKING:
    import numpy.typing as npt

# With fewer weeks than a month, a file that one feature made three people change would look core.
_ENOUGH_WEEKS = 4
# People who changed a core file: at least three (two is a pair of colleagues), and in a large project at least one in
# thirty of those active, so that core stays a small part of the code however many people there are.
_LEAST_PEOPLE = 3
_SHARE_OF_PEOPLE = 1 / 30
# A file that was core the week before stays so until it falls a fifth below the bar: without this, files at the bar would flicker.
_STAYS_AT = 0.8
# Of all source files changed in the history, at most one in twenty is core: a reader can hold no longer list in mind.
_SHARE_OF_FILES = 1 / 20


@dataclass(frozen=True)
class WeightRule:
    """A row of the table of weights: files whose lower-case path holds ``pattern`` weigh ``weight``."""

    id: str
    weight: float
    pattern: re.Pattern[str]


def _named(name: str, weight: float, *patterns: str) -> WeightRule:
    return WeightRule(name, weight, re.compile("|".join(patterns)))


# Everyone adds a line to these, and nothing breaks elsewhere when one is wrong: half, and a third where it is only listing.
WEIGHT_RULES = (
    _named("package_listing", 0.3, r"(^|/)(__init__\.py|index\.(js|ts)|mod\.rs|lib\.rs|exports?\.\w+|_?version\.\w+)$"),
    _named("registry", 0.4, r"(^|/)[\w-]*(registry|registries|catalog|constants?|enums?|errors?|exceptions?|types|typing)\.\w+$"),
    _named(
        "settings",
        0.5,
        r"(^|/)[\w-]*(settings?|config(s|uration)?|options?|flags?|args|arguments|params|envs?|environ(ment)?)\.\w+$",
    ),
    _named("helpers", 0.6, r"(^|/)[\w-]*(utils?|helpers?|common|misc)\.\w+$", r"(^|/)(utils?|helpers?|common)/"),
)
_SOURCE_WEIGHT = 1.0
_DECIMALS = 4  # of scores and bars, so that a score just at the bar is not lost to binary fractions


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per core file, highest score first; none where nothing is known or nothing stands out."""
    del made  # the first step stands on the raw tables alone
    enough = len(inputs.history_weeks) >= _ENOUGH_WEEKS
    changes = _changes(inputs, with_week=not enough)
    counted = _counted(changes, inputs.settings)
    chosen = _chosen(counted, changes, inputs, basis="history" if enough else "breadth")
    if chosen.empty:
        return empty_frame(TABLES["derived_core_paths"])
    ranked = chosen.sort_values(["score", "path"], ascending=[False, True], ignore_index=True)
    columns = [column.name for column in TABLES["derived_core_paths"].columns]
    return ranked.assign(rank=np.arange(1, len(ranked) + 1), history_weeks_count=len(inputs.history_weeks))[columns]


def _changes(inputs: WeekInputs, *, with_week: bool) -> pd.DataFrame:
    """Changes of files by people in the weeks before (and in this one where those are too few), under their newest names."""
    columns = ["week", "number", "author_login", "author_type", "merged_at_utc"]
    requests, files = inputs.history["raw_pull_requests"], inputs.history["raw_files"]
    if with_week:
        requests = pd.concat([requests, inputs.raw["raw_pull_requests"].assign(week=inputs.week)], ignore_index=True)
        files = pd.concat([files, inputs.raw["raw_files"].assign(week=inputs.week)], ignore_index=True)
    kinds = account_kinds(requests["author_login"], requests["author_type"], inputs.bot_logins())
    people = requests.loc[is_human(kinds), columns].sort_values(["merged_at_utc", "number"]).drop_duplicates("number", keep="last")
    order = pd.Series(np.arange(len(people)), index=people["number"])
    places = files["number"].map(order)
    known = files.loc[places.notna(), ["number", "path", "previous_path", "change_type"]]
    ranks = places[places.notna()].to_numpy(dtype=np.int64)
    path_codes, _ = pd.factorize(known["path"], sort=True)
    oldest_first = np.lexsort((path_codes, ranks))
    authors = people[["author_login", "week"]].iloc[ranks[oldest_first]].reset_index(drop=True)
    joined = pd.concat([known.iloc[oldest_first].reset_index(drop=True), authors], axis=1)
    return joined.assign(path=_newest_names(joined))


def _newest_names(changes: pd.DataFrame) -> pd.Series:
    """Each path under the name it bears after all renames; ``changes`` is oldest first."""
    renames = changes[(changes["change_type"] == "renamed") & changes["previous_path"].notna()]
    newest: dict[str, str] = {}
    for old, new in zip(reversed(renames["previous_path"].tolist()), reversed(renames["path"].tolist()), strict=True):
        if old != new:
            newest[old] = newest.get(new, new)
    return pd.Series([newest.get(path, path) for path in changes["path"].to_numpy(dtype=object)], index=changes.index, dtype="str")


def _counted(changes: pd.DataFrame, settings: RuleSettings) -> pd.DataFrame:
    """People, pull requests, weeks, weight and score of each changed source file that is still there."""
    codes, paths = pd.factorize(changes["path"], sort=True)
    last = changes.drop_duplicates("path", keep="last")
    counted = pd.DataFrame(
        {
            "path": pd.Series(paths, dtype="str"),
            "people_count": _different(codes, changes["author_login"], len(paths)),
            "pull_requests_count": _different(codes, changes["number"], len(paths)),
            "changed_weeks_count": _different(codes, changes["week"], len(paths)),
        }
    )
    gone = counted["path"].isin(last.loc[last["change_type"] == "removed", "path"])
    counted = counted[(kinds_of(counted["path"], settings)["kind"] == "source") & ~gone].reset_index(drop=True)
    weights = [_weight(path) for path in counted["path"].to_numpy(dtype=object)]
    counted = counted.assign(
        weight=[weight for weight, _ in weights], weight_rule=pd.Series([rule for _, rule in weights], dtype="str")
    )
    return counted.assign(score=(counted["people_count"] * counted["weight"]).astype("float64").round(_DECIMALS))


def _different(codes: "npt.NDArray[np.intp]", values: pd.Series, length: int) -> "npt.NDArray[np.int64]":
    """How many different values go with each code; pandas' nunique takes ten times as long."""
    others, different = pd.factorize(values)
    pairs = np.unique(codes.astype(np.int64) * max(1, len(different)) + others)
    return np.bincount(pairs // max(1, len(different)), minlength=length).astype(np.int64)


@lru_cache(maxsize=65_536)
def _weight(path: str) -> tuple[float, str]:
    low = path.lower()
    return next(((rule.weight, rule.id) for rule in WEIGHT_RULES if rule.pattern.search(low)), (_SOURCE_WEIGHT, "source"))


def _chosen(counted: pd.DataFrame, changes: pd.DataFrame, inputs: WeekInputs, basis: str) -> pd.DataFrame:
    people = changes["author_login"].nunique()
    bar = max(float(_LEAST_PEOPLE), people * _SHARE_OF_PEOPLE)
    stayed = counted["path"].isin(_last_core(inputs))
    chosen = counted["score"] >= np.where(stayed, round(bar * _STAYS_AT, _DECIMALS), bar)
    most = int(np.ceil(len(counted) * _SHARE_OF_FILES))
    order = counted.assign(chosen=chosen).sort_values(["chosen", "score", "path"], ascending=[False, False, True])
    first = order.head(most)
    kept = first.loc[first["chosen"], list(counted.columns)].assign(basis=basis)
    forbidden = kept["path"].map(lambda path: globs.holds(inputs.settings.core_paths_forbid, path)).astype("bool")
    return _with_configured(kept[~forbidden], counted, inputs)


def _last_core(inputs: WeekInputs) -> set[str]:
    before = inputs.history["derived_core_paths"]
    return set(before.loc[before["week"] == inputs.history_weeks[-1], "path"]) if inputs.history_weeks else set()


def _with_configured(chosen: pd.DataFrame, counted: pd.DataFrame, inputs: WeekInputs) -> pd.DataFrame:
    """The chosen files and those that the settings add, as far as this week or the weeks before know them."""
    wanted = inputs.settings.core_paths_add
    if not wanted:
        return chosen
    known = sorted(set(inputs.raw["raw_files"]["path"]) | set(counted["path"]))
    added = [path for path in known if globs.holds(wanted, path) and path not in set(chosen["path"])]
    rows = pd.DataFrame({"path": pd.Series(added, dtype="str")}).merge(counted, on="path", how="left", validate="one_to_one")
    counts = ["people_count", "pull_requests_count", "changed_weeks_count"]
    rows[counts] = rows[counts].fillna(0).astype("int64")
    rows = rows.assign(
        weight=_SOURCE_WEIGHT, weight_rule="configured", basis="configured", score=rows["people_count"].astype("float64")
    )
    return pd.concat([chosen, rows], ignore_index=True) if len(rows) else chosen


def history_note(weeks_count: int) -> str:
    """What a reader should know of the history that core paths stand on."""
    if weeks_count >= HISTORY_WEEKS:
        return ""
    return f"{weeks_count} of {HISTORY_WEEKS} weeks of history" + (
        "" if weeks_count >= _ENOUGH_WEEKS else ": too few, core paths stand on breadth"
    )
