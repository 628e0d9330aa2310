"""Who imports what, by diffs, and what that does to core paths."""

import pytest

from pipelines.rules.imports import imported_names, importers

PATHS = [
    "pkg/core/scheduler.py",
    "pkg/core/__init__.py",
    "pkg/config.py",
    "other/config.py",
    "web/src/store/index.ts",
    "kernel/src/solve/krylov.rs",
    "csrc/attention/flash.cuh",
]


@pytest.mark.parametrize(
    ("path", "line", "target"),
    [
        ("pkg/server.py", "+from pkg.core.scheduler import Scheduler", "pkg/core/scheduler.py"),
        ("pkg/server.py", " import pkg.core.scheduler", "pkg/core/scheduler.py"),
        ("pkg/core/run.py", "+from .scheduler import run", "pkg/core/scheduler.py"),
        ("pkg/api/run.py", "+from ..core.scheduler import run", "pkg/core/scheduler.py"),
        ("pkg/api/run.py", "+from pkg.core import Engine", "pkg/core/__init__.py"),
        ("web/src/app.tsx", "+import { store } from './store'", "web/src/store/index.ts"),
        ("web/src/app.js", "+const s = require('./store/index')", "web/src/store/index.ts"),
        ("kernel/src/main.rs", "+pub use crate::solve::krylov::step;", "kernel/src/solve/krylov.rs"),
        ("csrc/bind.cc", '+#include "attention/flash.cuh"', "csrc/attention/flash.cuh"),
    ],
)
def test_an_import_in_a_diff_names_its_file(path: str, line: str, target: str) -> None:
    counts = importers([(path, f"@@ -1 +1 @@\n{line}\n")], PATHS)
    assert counts is not None
    assert {found for found, count in counts.items() if count} == {target}


def test_what_a_diff_takes_away_is_no_import() -> None:
    counts = importers([("pkg/server.py", "-from pkg.core.scheduler import Scheduler\n+x = 1\n")], PATHS)
    assert counts is not None
    assert not any(counts.values())


def test_a_name_that_fits_two_files_says_nothing() -> None:
    counts = importers([("pkg/server.py", "+import config\n")], PATHS)
    assert counts is not None
    assert not any(counts.values())


def test_each_importing_file_counts_once_and_none_itself() -> None:
    line = "+from pkg.core.scheduler import a\n+from pkg.core.scheduler import b\n"
    counts = importers([("a.py", line), ("a.py", line + " \n"), ("b.py", line), ("pkg/core/scheduler.py", line)], PATHS)
    assert counts is not None
    assert counts["pkg/core/scheduler.py"] == 2


def test_without_diffs_nothing_is_known() -> None:
    assert importers([("a.py", None), ("b.py", "")], PATHS) is None


def test_text_that_is_no_code_names_nothing() -> None:
    assert list(imported_names("README.md", "+import pkg.core.scheduler\n")) == []
