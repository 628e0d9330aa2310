"""The three steps of a repository-week, each from the warehouse to the warehouse: fetch, derive, report.

They join the other rooms and hold no rule of their own. Each says what it did, or that nothing was to be done.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.defs import storing
from pipelines.defs.current import (
    STAMP,
    Trust,
    derived_stands_on,
    history_weeks,
    is_derived,
    is_published,
    made_of,
    rules_version,
    settings_digest,
    wording_settings,
)
from pipelines.errors import WarehouseError
from pipelines.report.contents import hashes_of
from pipelines.rules.inputs import WeekInputs
from pipelines.settings import MODEL_KEY_VARIABLE, ModelSettings, RepositorySettings
from pipelines.sources.records import Progress, RefreshingSource, Source
from pipelines.tables import DERIVED_TABLES, RAW_TABLES, TABLES
from pipelines.warehouse import Warehouse, replace_file
from pipelines.weeks import Week

if TYPE_CHECKING:
    import pandas as pd

    from pipelines.report.export_kernel import Kernel
    from pipelines.report.facts_rows import RulesAbout
    from pipelines.report.model import Report


@dataclass(frozen=True)
class StepResult:
    """What a step did for one week: rows a table, or ``skipped`` where everything was there and current."""

    week: Week
    rows: Mapping[str, int]
    skipped: bool = False
    paths: list[Path] = field(default_factory=list)


def fetch_week(
    warehouse: Warehouse,
    open_source: Callable[[], Source],
    entry: RepositorySettings,
    week: Week,
    progress: Progress,
    *,
    refresh: bool,
) -> StepResult:
    """Fetch one week into the raw tables; a whole week that is stored is left as it is unless ``refresh``.

    The source is opened only where something is to be fetched: a stored week needs neither a token nor a network.
    """
    with warehouse.lock(entry.name, week):
        storing.refuse_other_zone(warehouse, entry, week, refresh=refresh)
        if not refresh and warehouse.week_state(entry.name, week) == "complete":
            return StepResult(week, raw_rows(warehouse, entry.name, week), skipped=True)
        source = open_source()
        fetched = storing.read_source(warehouse, source, entry, week, progress, refresh=refresh)
        rows = storing.store_raw_week(warehouse, entry.name, week, fetched)
        if isinstance(source, RefreshingSource):
            source.forget(entry.name, week.window(entry.timezone))
    return StepResult(week, rows)


def raw_rows(warehouse: Warehouse, repo: str, week: Week) -> dict[str, int]:
    """Rows of each raw table of a stored week, as its last fetch wrote them."""
    last = warehouse.last_fetch(repo, week)
    return {file["table"]: int(file["rows_count"]) for file in last["files"]} | {"raw_fetches": int(last["fetch_number"])}


def derive_week(warehouse: Warehouse, entry: RepositorySettings, week: Week, *, rerun: bool = False) -> StepResult:
    """Make every derived table of a stored week; nothing is done where inputs, rules and settings are unchanged."""
    with warehouse.lock(entry.name, week):
        state = warehouse.week_state(entry.name, week)
        if state in {"absent", "torn"}:
            raise WarehouseError(f"{entry.name} {week}: the raw week is {state}. Fetch it: pullweek report {entry.name} {week}.")
        stands_on = derived_stands_on(warehouse, entry, week)
        if not rerun and is_derived(warehouse, entry, week, stands_on):
            return StepResult(week, {}, skipped=True)
        from pipelines.rules.derive import derive_week as derive

        made = derive(week_inputs(warehouse, entry, week))
        for table in DERIVED_TABLES:
            warehouse.write(table, entry.name, week, made[table.name], stands_on)
    return StepResult(week, {name: len(frame) for name, frame in made.items()})


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


def report_week(
    warehouse: Warehouse,
    entry: RepositorySettings,
    week: Week,
    *,
    trust: Trust = "names",
    open_kernel: "Callable[[], Kernel] | None" = None,
) -> StepResult:
    """Build the week's report from the stored tables and publish it whole; nothing is done where it is current.

    ``trust`` is what is taken for granted of the published folder.
    ``open_kernel`` gives one kernel for many weeks; else one is started for this week.
    """
    if not warehouse.path(TABLES["derived_follow_ups"], entry.name, week).exists():
        raise WarehouseError(f"{entry.name} {week}: no derived tables. Run pullweek report {entry.name} {week}.")
    with warehouse.lock(entry.name, week):
        folder = warehouse.report_folder(entry.name, week)
        made = made_of(warehouse, entry, week)
        if is_published(warehouse, entry, week, made, trust):
            return StepResult(week, {}, skipped=True)
        from pipelines.report.facts import build_report
        from pipelines.report.publish import publish_report

        report = worded(warehouse, wording_settings(), week, build_report(warehouse, entry.name, week, about_rules(entry)))
        paths = publish_report(warehouse, report, open_kernel() if open_kernel else None)
        if "wording" in report and report["wording"]["state"] != "used":
            made["wording"] = "default"  # the next run asks the model again
        replace_file(folder / STAMP, (json.dumps(made | {"files": hashes_of(folder)}, indent=1) + "\n").encode())
    return StepResult(week, {}, paths=paths)


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


def about_rules(entry: RepositorySettings) -> "RulesAbout":
    """What the report is told of the rules, since its room knows none: their version, ids, titles and settings."""
    from importlib.metadata import version

    from pipelines.report.facts_rows import RulesAbout
    from pipelines.rules.risks import RULES
    from pipelines.rules.themes import titles

    return RulesAbout(
        version=rules_version(),
        settings=settings_digest(entry),
        program_version=version("pullweek"),
        theme_title=partial(titles, settings=entry.rules),
        risk_rules=tuple(rule.id for rule in RULES),
    )
