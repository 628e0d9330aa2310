"""Settings: typed, refused whole, with the place and the values seen."""

from pathlib import Path

import pytest

from pipelines.errors import SettingsError
from pipelines.settings import ModelSettings, Settings, load_settings, repository_name, settings_path, warehouse_root

GOOD = """
schema_version = 1
[repositories."sgl-project/sglang"]
timezone = "Asia/Shanghai"
first_week = "2026-W01"
[repositories."sgl-project/sglang".rules]
bots = ["sglang-bot"]
core_paths_add = ["python/sglang/srt/server_args.py"]
[repositories."sgl-project/sglang".rules.themes.router]
title_en = "Router"
words = ["gateway"]
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "pullweek.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file(tmp_path: Path) -> None:
    entry = load_settings(write(tmp_path, GOOD)).repository("sgl-project/SGLang")
    assert entry.timezone == "Asia/Shanghai"
    assert str(entry.starts) == "2026-W01"
    assert entry.rules.bots == ("sglang-bot",)
    assert entry.rules.themes["router"].words == ("gateway",)


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "pullweek.toml")
    assert settings == Settings()
    assert settings.repository("acme/lattice").timezone == "UTC"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("schema_version = ", r"pullweek.toml: not TOML: "),
        ("schema_version = 2", r"schema_version: Input should be 1 \(got 2\)"),
        ('[repositories."sglang"]', r"repository 'sglang': not of the form OWNER/NAME"),
        ('[repositories."a/b"]\ntimezone = "Mars/Base"', r"time zone 'Mars/Base': not an IANA name"),
        ('[repositories."a/b"]\nfirst_week = "2026-W77"', r"2026 has no such ISO week"),
        ('[repositories."a/b"]\ntimezon = "UTC"', r"repositories.0.timezon: Extra inputs are not permitted \(got 'UTC'\)"),
        ("[schedule]\nhour_of_day = 25", r"schedule.hour_of_day: .*less than or equal to 23"),
        ("repositories = 3", "repositories must be tables"),
        ('[repositories]\n"a/b" = 3', "repositories must be tables"),
    ],
)
def test_a_malformed_file_is_refused_with_the_place(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        load_settings(write(tmp_path, text))


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pullweek.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(path)


@pytest.mark.parametrize("name", ["sglang", "a/b/c", "../x", "a/..", "a/", "/b", "a b/c", "a/b\n", "-a/b", "a/<script>"])
def test_what_is_no_repository_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="not of the form OWNER/NAME"):
        repository_name(name)


def test_places_come_from_the_environment() -> None:
    assert settings_path({"PULLWEEK_SETTINGS": "/etc/pullweek.toml"}) == Path("/etc/pullweek.toml")
    assert settings_path({}) == Path("pullweek.toml")
    assert warehouse_root({"PULLWEEK_WAREHOUSE": "/data"}) == Path("/data")
    assert warehouse_root({}).name == "warehouse"


def test_the_environment_goes_before_the_file_for_the_model() -> None:
    given = ModelSettings(base_url="http://a", model="one")
    assert given.under({}) == given
    assert given.under({"PULLWEEK_MODEL": "two", "PULLWEEK_MODEL_BASE_URL": ""}).model == "two"
    assert given.under({"PULLWEEK_MODEL_BASE_URL": "http://b"}).base_url == "http://b"
    assert (ModelSettings().is_on, given.is_on, ModelSettings(model="one").is_on) == (False, True, False)
