import subprocess
import sys

import pytest

from pipelines.errors import SettingsError
from pipelines.sources.github.source import GitHubSource
from pipelines.sources.records import RefreshingSource, Source
from pipelines.weeks import Week
from tests.unit.sources.github.asking import silent, source


def test_importing_the_source_does_not_import_pygithub() -> None:
    code = "import sys, pipelines.sources.github.source; sys.exit('github' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_it_is_a_source_that_can_refresh() -> None:
    made: Source = source("http://127.0.0.1:9")
    assert isinstance(made, RefreshingSource)


def test_no_token_is_told_before_anything_is_asked() -> None:
    with pytest.raises(SettingsError, match="GITHUB_TOKEN: not set"):
        GitHubSource.from_environment({})


@pytest.mark.parametrize("name", ["acme", "acme/", "a/b/c", "../x", "acme/lat tice"])
def test_what_is_no_repository_s_name_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="not of the form OWNER/NAME"):
        source("http://127.0.0.1:9").fetch_week(name, Week(2026, 17).window("UTC"), silent)
