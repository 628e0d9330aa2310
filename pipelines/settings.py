"""Typed settings: ``pullweek.toml`` for what a team decides, the environment for where things are.

Every repository works without an entry here; an entry refines its time zone, first week and rules.
A malformed file is refused as a whole, with the place and the values seen: settings are never half read.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from pipelines.errors import PullweekError, SettingsError
from pipelines.weeks import Week, parse_week, zone_of

_REPOSITORY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
SETTINGS_FILE = "pullweek.toml"
WAREHOUSE_VARIABLE = "PULLWEEK_WAREHOUSE"
MODEL_URL_VARIABLE, MODEL_VARIABLE = "PULLWEEK_MODEL_BASE_URL", "PULLWEEK_MODEL"
MODEL_KEY_VARIABLE = "PULLWEEK_MODEL_KEY"
Severity = Literal["low", "medium", "high"]


def repository_name(text: str) -> str:
    """``OWNER/NAME`` as given, checked; :class:`SettingsError` where it is not of that form."""
    if _REPOSITORY.fullmatch(text) is None:
        raise SettingsError(f"repository {text!r}: not of the form OWNER/NAME, such as sgl-project/sglang.")
    return text


def _zone(text: str) -> str:
    return zone_of(text).key


def _week(text: str) -> str:
    return str(parse_week(text))


def _week_or_none(text: str) -> str:
    return _week(text) if text else ""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ThemeSettings(_Model):
    """A theme of a repository's own, or more ways to recognise one of the lexicon."""

    title_en: str = ""
    title_zh: str = ""
    tags: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class PathRisk(_Model):
    """A risk rule of a repository's own: any change under these paths."""

    paths: tuple[str, ...]
    severity: Severity = "medium"
    reason: str


class RuleSettings(_Model):
    """What a repository refines in the rules; everything has a default that needs no entry."""

    core_paths_add: tuple[str, ...] = ()
    core_paths_forbid: tuple[str, ...] = ()
    test_paths: tuple[str, ...] = ()
    generated_paths: tuple[str, ...] = ()
    modules: dict[str, str] = Field(default_factory=dict)  # path pattern -> module
    risks_off: tuple[str, ...] = ()
    risks_severity: dict[str, Severity] = Field(default_factory=dict)
    risks_paths: dict[str, PathRisk] = Field(default_factory=dict)
    themes: dict[str, ThemeSettings] = Field(default_factory=dict)
    bots: tuple[str, ...] = ()  # plain users that are bots


class LandingRule(_Model):
    """Pull requests that a bot closes after pushing their commit, as pytorch's: they count as merged."""

    bot: str
    label: str = ""
    commit_pattern: str = ""


class RepositorySettings(_Model):
    """One repository to follow."""

    name: Annotated[str, AfterValidator(repository_name)]
    timezone: Annotated[str, AfterValidator(_zone)] = "UTC"
    first_week: Annotated[str, AfterValidator(_week)] = "2026-W01"
    last_week: Annotated[str, AfterValidator(_week_or_none)] = ""
    source: Literal["github", "sample"] = "github"
    patches: bool = False  # fetch the diffs of changed files too: one REST request a pull request
    landing: LandingRule | None = None
    rules: RuleSettings = RuleSettings()

    @property
    def starts(self) -> Week:
        """The first week of its partitions."""
        return parse_week(self.first_week)

    @property
    def ends(self) -> Week | None:
        """The last week of its partitions; None where it goes on."""
        return parse_week(self.last_week) if self.last_week else None


class ScheduleSettings(_Model):
    """When a closed week is fetched and reported, by the repository's own clock."""

    hour_of_day: Annotated[int, Field(ge=0, le=23)] = 6
    minute_of_hour: Annotated[int, Field(ge=0, le=59)] = 0


class ModelSettings(_Model):
    """A language model that may word the report; off unless a base URL and a model are given.

    ``PULLWEEK_MODEL_BASE_URL`` and ``PULLWEEK_MODEL`` go before the file. The key stands in ``PULLWEEK_MODEL_KEY`` alone.
    """

    base_url: str = ""
    model: str = ""
    languages: tuple[Literal["zh", "en"], ...] = ("zh", "en")
    max_tokens_per_report: Annotated[int, Field(ge=0)] = 200_000
    timeout_seconds: Annotated[float, Field(gt=0)] = 60.0
    price_per_million_input_tokens: Annotated[float, Field(ge=0)] | None = None
    price_per_million_output_tokens: Annotated[float, Field(ge=0)] | None = None

    @property
    def is_on(self) -> bool:
        """Whether a model is to be asked at all."""
        return bool(self.base_url and self.model)

    def under(self, environment: Mapping[str, str]) -> "ModelSettings":
        """These settings with what the environment says instead."""
        given = {"base_url": environment.get(MODEL_URL_VARIABLE), "model": environment.get(MODEL_VARIABLE)}
        return self.model_copy(update={name: text for name, text in given.items() if text})


class Settings(_Model):
    """The whole of ``pullweek.toml``."""

    schema_version: Literal[1] = 1
    repositories: tuple[RepositorySettings, ...] = ()
    schedule: ScheduleSettings = ScheduleSettings()
    model: ModelSettings = ModelSettings()

    def repository(self, name: str) -> RepositorySettings:
        """The entry of a repository, or the defaults where it has none."""
        wanted = repository_name(name)
        found = (entry for entry in self.repositories if entry.name.lower() == wanted.lower())
        return next(found, RepositorySettings(name=wanted))


def load_settings(path: Path) -> Settings:
    """The settings of a file; the defaults where there is none. Raises :class:`SettingsError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read: {error}. Mend the file or its permissions.") from error
    try:
        return settings_of(tomllib.loads(text), str(path))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not TOML: {error}. Mend that line.") from error


def settings_of(tree: Mapping[str, object], where: str) -> Settings:
    """The settings of a parsed TOML tree: ``[repositories."owner/name"]`` tables become entries."""
    given = dict(tree)
    repositories = given.get("repositories", {})
    if not isinstance(repositories, Mapping) or not all(isinstance(entry, Mapping) for entry in repositories.values()):
        raise SettingsError(f'{where}: repositories must be tables, as [repositories."owner/name"].')
    given["repositories"] = tuple({**entry, "name": name} for name, entry in sorted(repositories.items()))
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"{where}: {place}: {first['msg']} (got {first['input']!r}). Mend it, or delete it.") from error
    except PullweekError as error:
        raise SettingsError(f"{where}: {error}") from error


def settings_path(environment: Mapping[str, str] = os.environ) -> Path:
    """Where ``pullweek.toml`` lies: ``PULLWEEK_SETTINGS``, else beside the working directory's."""
    return Path(environment.get("PULLWEEK_SETTINGS") or SETTINGS_FILE)


def warehouse_root(environment: Mapping[str, str] = os.environ) -> Path:
    """The warehouse's root: ``PULLWEEK_WAREHOUSE``, else ``warehouse/`` in the working directory."""
    return Path(environment.get(WAREHOUSE_VARIABLE) or "warehouse").absolute()
