"""Raw frames a week, made of the shared history of sglang, and every derived table of a run of weeks.

The shared files are public facts of a busy repository: pull requests with titles, times and changed files. They hold no
descriptions, labels, reviews or threads, so these are null or empty here and their counts null: not known, not zero.
Nothing of them is part of the project: they are read where they lie, ``../shared/data/sglang``.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from pipelines.rules.derive import derive_week
from pipelines.rules.inputs import WeekInputs
from pipelines.settings import RuleSettings
from pipelines.tables import RAW_TABLES, TABLES, conform, empty_frame, to_frame
from pipelines.weeks import HISTORY_WEEKS, Window, parse_week, week_of_day

REPO = "sgl-project/sglang"
TIMEZONE = "Asia/Shanghai"
FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "sglang"

WeekFrames = dict[str, pd.DataFrame]


def is_there() -> bool:
    """Whether the shared files lie beside the project."""
    return (FOLDER / "pulls.parquet").exists() and (FOLDER / "files.parquet").exists()


def raw_weeks(folder: Path = FOLDER) -> dict[str, WeekFrames]:
    """Every raw table of each week, by week, oldest first; of a number that occurs twice the later merge is kept."""
    pulls = pd.read_parquet(folder / "pulls.parquet").sort_values(["merged_at", "number"]).drop_duplicates("number", keep="last")
    days = pulls["merged_at"].dt.tz_convert(TIMEZONE).dt.date
    weeks = pd.Series([str(week_of_day(day)) for day in days], index=pulls["number"])
    requests, files = _pull_requests(pulls), _files(pd.read_parquet(folder / "files.parquet"), weeks.index)
    by_request = dict(iter(requests.groupby(requests["number"].map(weeks))))
    by_file = dict(iter(files.groupby(files["number"].map(weeks))))
    none = empty_frame(TABLES["raw_files"])
    return {str(week): _raw_week(str(week), frame, by_file.get(week, none)) for week, frame in sorted(by_request.items())}


def derive_all(
    weeks: Iterable[str] | None = None, settings: RuleSettings | None = None, raw: Mapping[str, WeekFrames] | None = None
) -> dict[str, WeekFrames]:
    """Every derived table of each week, by week, held against its contract; the twelve weeks before it stand as its history."""
    source = raw_weeks() if raw is None else raw
    kept: deque[tuple[str, WeekFrames]] = deque(maxlen=HISTORY_WEEKS)
    made: dict[str, WeekFrames] = {}
    for week in sorted(source) if weeks is None else weeks:
        inputs = week_inputs(week, source[week], kept, settings)
        made[week] = {name: to_frame(conform(TABLES[name], frame, f"{REPO} {week}")) for name, frame in derive_week(inputs).items()}
        kept.append((week, {name: frame.assign(week=week) for name, frame in {**source[week], **made[week]}.items()}))
    return made


def week_inputs(
    week: str, raw: WeekFrames, before: Iterable[tuple[str, WeekFrames]] = (), settings: RuleSettings | None = None
) -> WeekInputs:
    """One week as inputs; ``before`` holds the tables of earlier weeks, with their column ``week``."""
    first = parse_week(week).shift(-HISTORY_WEEKS)
    stored = [(name, frames) for name, frames in before if parse_week(name) >= first]
    return WeekInputs(REPO, week, raw, History(stored), tuple(name for name, _ in stored), settings or RuleSettings())


class History(Mapping[str, pd.DataFrame]):
    """Tables of the weeks before, joined when a rule first asks for one: most rules look at few."""

    def __init__(self, stored: list[tuple[str, WeekFrames]]) -> None:
        self._stored = stored
        self._joined: WeekFrames = {}

    def __getitem__(self, table: str) -> pd.DataFrame:
        """All stored weeks of a table in one frame, with their column ``week``."""
        if table not in self._joined:
            parts = [frames[table] for _, frames in self._stored if len(frames[table])]
            whole = pd.concat(parts, ignore_index=True) if parts else empty_frame(TABLES[table]).assign(week=pd.Series(dtype="str"))
            self._joined[table] = whole[["week", *(column.name for column in TABLES[table].columns)]]
        return self._joined[table]

    def __iter__(self) -> Iterator[str]:
        """Names of all tables."""
        return iter(TABLES)

    def __len__(self) -> int:
        """How many tables there are."""
        return len(TABLES)


def _raw_week(week: str, requests: pd.DataFrame, files: pd.DataFrame) -> WeekFrames:
    frames = {table.name: empty_frame(table) for table in RAW_TABLES}
    window = parse_week(week).window(TIMEZONE)
    return {
        **frames,
        "raw_pull_requests": requests.reset_index(drop=True),
        "raw_files": files.reset_index(drop=True),
        "raw_fetches": _conformed("raw_fetches", pd.DataFrame([_fetch(window, len(requests))])),
    }


def _conformed(table: str, frame: pd.DataFrame) -> pd.DataFrame:
    return to_frame(conform(TABLES[table], frame, REPO))


def _pull_requests(pulls: pd.DataFrame) -> pd.DataFrame:
    given = pd.DataFrame(
        {
            "number": pulls["number"],
            "node_id": "PR_" + pulls["number"].astype("str"),
            "title": pulls["title"],
            "author_login": pulls["author"],
            "author_type": "User",
            "created_at_utc": pulls[["authored_at", "merged_at"]].min(axis=1),
            "merged_at_utc": pulls["merged_at"],
            "merge_commit_oid": pulls["merge_commit_sha"],
            "merge_kind": "merged",
            "base_ref": "main",
            "is_base_default": True,
            "is_cross_repository": False,
            "is_draft": False,
            "added_lines_count": pulls["additions"],
            "removed_lines_count": pulls["deletions"],
            "changed_files_count": pulls["changed_files"].astype("int64"),
            "replaced_characters_count": 0,
        }
    )
    missing = [column.name for column in TABLES["raw_pull_requests"].columns if column.name not in given.columns]
    unknown = pd.DataFrame({name: pd.Series([None] * len(given), index=given.index, dtype=object) for name in missing})
    unknown["missing_parts"] = pd.Series([[] for _ in range(len(given))], index=given.index, dtype=object)
    return _conformed("raw_pull_requests", pd.concat([given, unknown], axis=1))


def _files(files: pd.DataFrame, numbers: "pd.Index[int]") -> pd.DataFrame:
    kept = files[files["number"].isin(numbers)].drop_duplicates(["number", "path"], keep="last")
    given = pd.DataFrame(
        {
            "number": kept["number"],
            "path": kept["path"],
            "previous_path": kept["previous_path"],
            "change_type": kept["status"],
            "added_lines_count": kept["additions"].astype("Int64"),
            "removed_lines_count": kept["deletions"].astype("Int64"),
            "patch": pd.Series([None] * len(kept), index=kept.index, dtype=object),
        }
    )
    return _conformed("raw_files", given)


def _fetch(window: Window, count: int) -> dict[str, object]:
    """One row, of a fetch that never was: everything read from the shared files."""
    when = datetime(2026, 6, 1, tzinfo=UTC)
    lists = ("missing_numbers", "cut_parts", "enumeration_differences", "added_numbers", "changed_numbers", "removed_numbers")
    return {
        "fetch_number": 1,
        "source": "github",
        "web_url": "https://github.com",
        "repository_id": "R_shared",
        "repository_name": REPO,
        "default_branch": "main",
        "timezone": window.timezone,
        "window_start_utc": window.start_utc,
        "window_end_utc": window.end_utc,
        "state": "complete",
        "enumerated_by": "updated",
        "enumerated_count": count,
        "read_count": count,
        **{name: [] for name in lists},
        "opened_count": None,
        "requests_count": 0,
        "points_spent": 0,
        "replaced_characters_count": 0,
        "started_at_utc": when,
        "finished_at_utc": when,
        "files": [],
        "notes": ["read from the shared history: no descriptions, labels, reviews or threads"],
    }
