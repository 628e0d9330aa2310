"""What is stored of a repository-week, what it stands on, and whether anything is to be done about it.

Only hashes and footers are compared: no pandas, no Dagster and no rule is imported, so that a command that has
nothing to do says so in the time of reading.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from pipelines.errors import WarehouseError
from pipelines.report.contents import hashes_of
from pipelines.settings import ModelSettings, RepositorySettings, load_settings, settings_path
from pipelines.tables import DERIVED_TABLES, RAW_TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import HISTORY_WEEKS, Week, week_range

STAMP = ".stamp.json"  # in a published folder: what it was made of, and the hash of each file it holds
#: Of a published folder: that the files its stamp names are what they were, or only by their hashes, or not at all.
Trust = Literal["names", "bytes", "nothing"]
PACKAGE = Path(__file__).resolve().parents[1]


def is_current(warehouse: Warehouse, entry: RepositorySettings, week: Week) -> bool:
    """Whether the week is stored complete, derived and published, all of it by these rules, settings and pages."""
    if warehouse.week_state(entry.name, week) != "complete" or warehouse.last_fetch(entry.name, week)["timezone"] != entry.timezone:
        return False
    stands_on = derived_stands_on(warehouse, entry, week)
    return is_derived(warehouse, entry, week, stands_on) and is_published(
        warehouse, entry, week, made_of(warehouse, entry, week, stands_on)
    )


def is_derived(warehouse: Warehouse, entry: RepositorySettings, week: Week, stands_on: Mapping[str, str]) -> bool:
    """Whether every derived table stands on these and is whole; one that cannot be read is to be made again."""
    wanted = {"schema_version": "", **stands_on}
    try:
        for table in DERIVED_TABLES:
            wanted["schema_version"] = str(table.schema_version)
            stored = warehouse.stands_on(table, entry.name, week)
            if not wanted.items() <= stored.items() or not warehouse.is_whole(table, entry.name, week):
                return False
    except WarehouseError:
        return False
    return True


def history_weeks(warehouse: Warehouse, repo: str, week: Week) -> list[Week]:
    """The stored ones of the twelve weeks before: raw tables whole, derived tables made; oldest first."""
    before = week_range(week.shift(-HISTORY_WEEKS), week.shift(-1))
    derived = set(warehouse.weeks(repo, "derived_follow_ups"))
    return [w for w in before if w in derived and warehouse.week_state(repo, w) in {"complete", "partial"}]


def derived_stands_on(warehouse: Warehouse, entry: RepositorySettings, week: Week) -> dict[str, str]:
    """The hashes a derived week stands on: ``raw``, ``history``, ``rules``, ``settings``."""
    finished = warehouse.last_fetch(entry.name, week)["finished_at_utc"]
    raw = [finished, *_contents(warehouse, entry.name, week, raw_only=True)]
    history = [line for w in history_weeks(warehouse, entry.name, week) for line in (str(w), *_contents(warehouse, entry.name, w))]
    return {
        "raw": digest(raw),
        "history": digest(history),
        "rules": rules_version(),
        "settings": settings_digest(entry),
    }


def _contents(warehouse: Warehouse, repo: str, week: Week, *, raw_only: bool = False) -> list[str]:
    tables = [table for table in (*RAW_TABLES, *DERIVED_TABLES) if table.name != "raw_fetches" and (table.is_raw or not raw_only)]
    return [f"{table.name} {warehouse.stands_on(table, repo, week).get('content', 'absent')}" for table in tables]


def digest(lines: list[str]) -> str:
    """One hash over some lines."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def settings_digest(entry: RepositorySettings) -> str:
    """A hash over the settings that the rules look at."""
    return digest([entry.rules.model_dump_json()])


@cache
def code_version(*places: str) -> str:
    """A hash over the source of some rooms and modules: another one means that their code may give other results."""
    files = sorted(
        path
        for place in places
        for path in (PACKAGE / place, *(PACKAGE / place).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    )
    return digest([f"{path.relative_to(PACKAGE).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files])[
        :16
    ]


def rules_version() -> str:
    """The version of all code that decides what stands in a derived table."""
    return code_version("rules", "contracts", "tables.py", "weeks.py")


@cache
def pages_version() -> str:
    """A hash over what makes pages of a report: the report's room and the notebook."""
    notebook = PACKAGE.parent / "notebooks" / "weekly_report.ipynb"
    return digest([code_version("report"), hashlib.sha256(notebook.read_bytes()).hexdigest()])[:16]


def made_of(
    warehouse: Warehouse, entry: RepositorySettings, week: Week, stands_on: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What a published week is made of: a hash over every row that it can show, the version of its pages, its wording."""
    stands_on = stands_on or derived_stands_on(warehouse, entry, week)
    lines = [*(f"{key} {value}" for key, value in sorted(stands_on.items())), *_contents(warehouse, entry.name, week)]
    return {"tables": digest(lines), "pages": pages_version(), "wording": _wording(wording_settings())}


def wording_settings() -> ModelSettings:
    """The language model that words the reports, as settings and environment name it."""
    return load_settings(settings_path()).model.under(os.environ)


def _wording(model: ModelSettings) -> str:
    """What a model's wording depends on beside the tables and this program; ``off`` where none is set."""
    return digest([model.model_dump_json()])[:16] if model.is_on else "off"


def is_published(
    warehouse: Warehouse, entry: RepositorySettings, week: Week, made: Mapping[str, str], trust: Trust = "names"
) -> bool:
    """Whether the week's folder was made of these, and its files are there, as far as the folder is trusted."""
    if trust == "nothing":
        return False
    folder = warehouse.report_folder(entry.name, week)
    try:
        stamp = json.loads((folder / STAMP).read_bytes())
        if not made.items() <= stamp.items():
            return False
        if trust == "bytes":
            return bool(hashes_of(folder) == stamp["files"])
        return all((folder / name).is_file() for name in stamp["files"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # absent, cut or foreign: it is published again
        return False


def stored_pages_version(folder: Path) -> str | None:
    """The version of the code that made a published folder; None where its stamp is absent or cut."""
    try:
        return str(json.loads((folder / STAMP).read_bytes())["pages"])
    except (OSError, ValueError, KeyError):
        return None
