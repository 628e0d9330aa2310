"""The three steps of a repository-week, each from the warehouse to the warehouse: fetch, derive, report.

They join the other rooms and hold no rule of their own. Each says what it did, or that nothing was to be done.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.defs import storing
from pipelines.errors import WarehouseError
from pipelines.rules.inputs import HISTORY_WEEKS, WeekInputs
from pipelines.settings import MODEL_KEY_VARIABLE, ModelSettings, RepositorySettings, load_settings, settings_path
from pipelines.sources.records import Progress, RefreshingSource, Source
from pipelines.tables import DERIVED_TABLES, RAW_TABLES, TABLES
from pipelines.warehouse import Warehouse, replace_file
from pipelines.weeks import Week, week_range

if TYPE_CHECKING:
    import pandas as pd

    from pipelines.report.export_kernel import Kernel
    from pipelines.report.facts_rows import RulesAbout
    from pipelines.report.model import Report

STAMP = ".stamp.json"  # in a published folder: what it was made of, and which files it holds
PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class StepResult:
    """What a step did for one week: rows a table, or ``skipped`` where everything was there and current."""

    week: Week
    rows: Mapping[str, int]
    skipped: bool = False
    paths: list[Path] = field(default_factory=list)


def fetch_week(
    warehouse: Warehouse, source: Source, entry: RepositorySettings, week: Week, progress: Progress, *, refresh: bool
) -> StepResult:
    """Fetch one week into the raw tables; a whole week that is stored is left as it is unless ``refresh``."""
    with warehouse.lock(entry.name, week):
        storing.refuse_other_zone(warehouse, entry, week, refresh=refresh)
        if not refresh and warehouse.week_state(entry.name, week) == "complete":
            return StepResult(week, _row_counts(warehouse, entry.name, week), skipped=True)
        fetched = storing.read_source(warehouse, source, entry, week, progress, refresh=refresh)
        rows = storing.store_raw_week(warehouse, entry.name, week, fetched)
        if isinstance(source, RefreshingSource):
            source.forget(entry.name, week.window(entry.timezone))
    return StepResult(week, rows)


def _row_counts(warehouse: Warehouse, repo: str, week: Week) -> dict[str, int]:
    last = warehouse.read(TABLES["raw_fetches"], repo, week).iloc[-1]
    return {file["table"]: int(file["rows_count"]) for file in last["files"]} | {"raw_fetches": int(last["fetch_number"])}


def derive_week(warehouse: Warehouse, entry: RepositorySettings, week: Week, *, rerun: bool = False) -> StepResult:
    """Make every derived table of a stored week; nothing is done where inputs, rules and settings are unchanged."""
    with warehouse.lock(entry.name, week):
        state = warehouse.week_state(entry.name, week)
        if state in {"absent", "torn"}:
            raise WarehouseError(f"{entry.name} {week}: the raw week is {state}. Fetch it: pullweek report {entry.name} {week}.")
        stands_on = derived_stands_on(warehouse, entry, week)
        if not rerun and _is_current(warehouse, entry.name, week, stands_on):
            return StepResult(week, {}, skipped=True)
        from pipelines.rules.derive import derive_week as derive

        made = derive(week_inputs(warehouse, entry, week))
        for table in DERIVED_TABLES:
            warehouse.write(table, entry.name, week, made[table.name], stands_on)
    return StepResult(week, {name: len(frame) for name, frame in made.items()})


def _is_current(warehouse: Warehouse, repo: str, week: Week, stands_on: Mapping[str, str]) -> bool:
    """Whether every derived table stands on these and is whole; one that cannot be read is made again."""
    wanted = {"schema_version": "", **stands_on}
    try:
        for table in DERIVED_TABLES:
            wanted["schema_version"] = str(table.schema_version)
            if not wanted.items() <= warehouse.stands_on(table, repo, week).items() or not warehouse.is_whole(table, repo, week):
                return False
    except WarehouseError:
        return False
    return True


def history_weeks(warehouse: Warehouse, repo: str, week: Week) -> list[Week]:
    """The stored ones of the twelve weeks before: raw tables whole, derived tables made; oldest first."""
    before = week_range(week.shift(-HISTORY_WEEKS), week.shift(-1))
    derived = set(warehouse.weeks(repo, "derived_follow_ups"))
    return [w for w in before if w in derived and warehouse.week_state(repo, w) in {"complete", "partial"}]


class StoredHistory(Mapping[str, "pd.DataFrame"]):
    """The frames of the weeks before by table, each read when a rule first asks for it."""

    def __init__(self, warehouse: Warehouse, repo: str, weeks: list[Week]) -> None:
        self._warehouse, self._repo, self._weeks = warehouse, repo, weeks
        self._read: dict[str, pd.DataFrame] = {}

    def __getitem__(self, name: str) -> "pd.DataFrame":
        if name not in self._read:
            self._read[name] = self._warehouse.read_weeks(TABLES[name], self._repo, self._weeks)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(TABLES)

    def __len__(self) -> int:
        return len(TABLES)


def week_inputs(warehouse: Warehouse, entry: RepositorySettings, week: Week) -> WeekInputs:
    """What the rules may look at, read from the warehouse."""
    before = history_weeks(warehouse, entry.name, week)
    raw = {table.name: warehouse.read(table, entry.name, week) for table in RAW_TABLES}
    history = StoredHistory(warehouse, entry.name, before)
    return WeekInputs(entry.name, str(week), raw, history, tuple(str(w) for w in before), entry.rules)


def derived_stands_on(warehouse: Warehouse, entry: RepositorySettings, week: Week) -> dict[str, str]:
    """The hashes a derived week stands on: ``raw``, ``history``, ``rules``, ``settings``."""
    fetches = warehouse.read(TABLES["raw_fetches"], entry.name, week).iloc[-1]
    raw = [fetches["finished_at_utc"].isoformat(), *_contents(warehouse, entry.name, week, raw_only=True)]
    history = [line for w in history_weeks(warehouse, entry.name, week) for line in (str(w), *_contents(warehouse, entry.name, w))]
    return {
        "raw": _digest(raw),
        "history": _digest(history),
        "rules": code_version("rules", "contracts"),
        "settings": _digest([entry.rules.model_dump_json()]),
    }


def _contents(warehouse: Warehouse, repo: str, week: Week, *, raw_only: bool = False) -> list[str]:
    tables = [table for table in (*RAW_TABLES, *DERIVED_TABLES) if table.name != "raw_fetches" and (table.is_raw or not raw_only)]
    return [f"{table.name} {warehouse.stands_on(table, repo, week).get('content', 'absent')}" for table in tables]


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@cache
def code_version(*rooms: str) -> str:
    """A hash over the source of some rooms: another one means that their code may give other results."""
    files = sorted(
        path for room in rooms for path in (PACKAGE / room).rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return _digest([f"{path.relative_to(PACKAGE).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files])[
        :16
    ]


def report_week(
    warehouse: Warehouse,
    entry: RepositorySettings,
    week: Week,
    *,
    rerun: bool = False,
    open_kernel: "Callable[[], Kernel] | None" = None,
) -> StepResult:
    """Build the week's report from the stored tables and publish it whole; nothing is done where it is current.

    ``open_kernel`` gives one kernel for many weeks; else one is started for this week.
    """
    if not warehouse.path(TABLES["derived_follow_ups"], entry.name, week).exists():
        raise WarehouseError(f"{entry.name} {week}: no derived tables. Run pullweek report {entry.name} {week}.")
    with warehouse.lock(entry.name, week):
        folder = warehouse.report_folder(entry.name, week)
        model = load_settings(settings_path()).model.under(os.environ)
        made_of = {"tables": _tables_digest(warehouse, entry, week), "pages": pages_version(), "wording": _wording(model)}
        if not rerun and _is_published(folder, made_of):
            return StepResult(week, {}, skipped=True)
        from pipelines.report.facts import build_report
        from pipelines.report.publish import publish_report

        report = worded(warehouse, model, week, build_report(warehouse, entry.name, week, about_rules(entry)))
        paths = publish_report(warehouse, report, open_kernel() if open_kernel else None)
        names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        if "wording" in report and report["wording"]["state"] != "used":
            made_of["wording"] = "default"  # the next run asks the model again
        replace_file(folder / STAMP, (json.dumps(made_of | {"files": names}, indent=1) + "\n").encode())
    return StepResult(week, {}, paths=paths)


def _tables_digest(warehouse: Warehouse, entry: RepositorySettings, week: Week) -> str:
    """A hash over every row that the report can show: of the week, of the weeks before, and their settings."""
    stands_on = derived_stands_on(warehouse, entry, week)
    return _digest([*(f"{key} {value}" for key, value in sorted(stands_on.items())), *_contents(warehouse, entry.name, week)])


def _wording(model: ModelSettings) -> str:
    """What a model's wording depends on beside the tables and this program; ``off`` where none is set."""
    return _digest([model.model_dump_json()])[:16] if model.is_on else "off"


def worded(warehouse: Warehouse, settings: ModelSettings, week: Week, report: "Report") -> "Report":
    """The report as a model words it, where one is set; what the verifier refused goes into ``derived_prose_audit``."""
    if not settings.is_on:
        return report
    import pandas as pd

    from pipelines.report.writer.answers import Answers
    from pipelines.report.writer.client import Client
    from pipelines.report.writer.reword import reword

    with closing(Client(settings, os.environ.get(MODEL_KEY_VARIABLE, ""))) as client:
        made = reword(report, settings, client, Answers.of(warehouse))
    table = TABLES["derived_prose_audit"]
    frame = pd.DataFrame(made.audit, columns=[column.name for column in table.columns])
    warehouse.write(
        table, report["repo"], week, frame.astype({"attempt": "int64"}), {"report": report["stands_on"]["rules_version"]}
    )
    return made.report


def _is_published(folder: Path, made_of: Mapping[str, str]) -> bool:
    """Whether the folder's stamp names these, and every file that it names is there."""
    try:
        stamp = json.loads((folder / STAMP).read_bytes())
        return made_of.items() <= stamp.items() and all((folder / name).is_file() for name in stamp["files"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # absent, cut or foreign: it is published again
        return False


def stored_pages_version(folder: Path) -> str | None:
    """The version of the code that made a published folder; None where its stamp is absent or cut."""
    try:
        return str(json.loads((folder / STAMP).read_bytes())["pages"])
    except (OSError, ValueError, KeyError):
        return None


@cache
def pages_version() -> str:
    """A hash over what makes pages of a report: the report's room and the notebook."""
    notebook = PACKAGE.parent / "notebooks" / "weekly_report.ipynb"
    return _digest([code_version("report"), hashlib.sha256(notebook.read_bytes()).hexdigest()])[:16]


def about_rules(entry: RepositorySettings) -> "RulesAbout":
    """What the report is told of the rules, since its room knows none: their version, ids, titles and settings."""
    from importlib.metadata import version

    from pipelines.report.facts_rows import RulesAbout
    from pipelines.rules.risks import RULES
    from pipelines.rules.themes import titles

    return RulesAbout(
        version=code_version("rules", "contracts"),
        settings=_digest([entry.rules.model_dump_json()]),
        program_version=version("pullweek"),
        theme_title=partial(titles, settings=entry.rules),
        risk_rules=tuple(rule.id for rule in RULES),
    )
