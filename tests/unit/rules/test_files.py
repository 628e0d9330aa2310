import pytest

from pipelines.rules import globs
from pipelines.rules.files import kind_of, language_of
from pipelines.rules.modules import ROOT, module_of
from pipelines.settings import RuleSettings
from tests.unit.rules.weeks import changed, derived, pull, week_of


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/engine/scheduler.py", "source"),
        ("kernels/gemm.cu", "source"),
        ("proto/api.proto", "source"),
        ("tests/test_scheduler.py", "test"),
        ("src/engine/scheduler_test.go", "test"),
        ("web/button.spec.ts", "test"),
        ("src/worker_spec.rs", "source"),
        ("src/tokenizer/tests.rs", "test"),
        ("app/src/EngineTest.java", "test"),
        ("src/latest.py", "source"),
        ("tests/fixtures/reply.md", "test"),
        ("tests/__snapshots__/page.snap", "test"),
        ("docs/guide.md", "docs"),
        ("docs_new/src/deploy.jsx", "docs"),
        ("README.md", "docs"),
        ("LICENSE", "docs"),
        ("CONTRIBUTORS.txt", "docs"),
        (".github/workflows/test.yml", "ci"),
        (".github/pull_request_template.md", "docs"),
        (".gitlab-ci.yml", "ci"),
        ("scripts/ci/install.sh", "ci"),
        ("scripts/ci_monitor/analyze.py", "ci"),
        ("src/engine/ci_weights.py", "source"),
        ("pyproject.toml", "dependency"),
        ("uv.lock", "dependency"),
        ("requirements-dev.txt", "dependency"),
        ("go.sum", "dependency"),
        ("docker/Dockerfile.rocm", "build"),
        ("CMakeLists.txt", "build"),
        ("build.rs", "build"),
        ("api/service_pb2.py", "generated"),
        ("static/app.min.js", "generated"),
        ("third_party/zlib/inflate.c", "vendored"),
        ("benchmarks/bench_decode.py", "tool"),
        ("src/engine/bench_serving.py", "tool"),
        ("examples/hello.py", "tool"),
        ("src/sources/sample/build.py", "source"),
        ("configs/h100.json", "config"),
        (".editorconfig", "config"),
        ("logo.svg", "asset"),
        ("prices.csv", "data"),
        ("strange.zzz", "data"),
    ],
)
def test_a_path_is_of_one_kind(path: str, kind: str) -> None:
    assert kind_of(path)[0] == kind


def test_patterns_of_the_settings_come_first() -> None:
    assert kind_of("checks/run.py", ("checks/**",), ()) == ("test", "configured_test")
    assert kind_of("api/client.py", ("api/**",), ("api/",)) == ("generated", "configured_generated")


@pytest.mark.parametrize(
    ("pattern", "path", "holds"),
    [
        ("*.lock", "a/b/x.lock", True),
        ("a/*.py", "a/b/c.py", False),
        ("a/**/*.py", "a/b/c/d.py", True),
        ("a/**/*.py", "a/d.py", True),
        ("a/b", "a/b/c.py", True),
        ("a/b/", "a/bc.py", False),
        ("/a/?.py", "a/x.py", True),
        ("a.c", "abc", False),
    ],
)
def test_patterns_are_read_as_gitignore_reads_them(pattern: str, path: str, *, holds: bool) -> None:
    assert globs.holds((pattern,), path) is holds


def test_no_pattern_holds_for_no_path() -> None:
    assert not globs.holds((), "a.py")


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("python/engine/srt/managers/scheduler.py", "srt/managers"),
        ("src/main/java/org/acme/engine/clients/Poll.java", "clients"),
        ("python/engine/version.py", "engine"),
        ("setup.py", ROOT),
        (".github/workflows/test.yml", ".github"),
        ("docs/a/b/c.md", "docs"),
        ("kernel/tests/test_gemm.py", "kernel"),
    ],
)
def test_a_module_is_the_first_telling_folders(path: str, module: str) -> None:
    assert module_of(path, "acme/engine") == module


def test_a_configured_module_comes_first() -> None:
    assert module_of("python/engine/srt/x.py", "acme/engine", (("python/engine/srt/**", "runtime"),)) == "runtime"


def test_language_is_told_by_the_ending() -> None:
    assert [language_of(path) for path in ("a.py", "b.CU", "Makefile", "x.unknown")] == ["Python", "CUDA", None, None]


def test_a_rename_without_a_changed_line_is_told_apart() -> None:
    rows = [
        changed(1, "src/new.py", 0, 0, change_type="renamed", previous_path="src/old.py"),
        changed(1, "src/also.py", 1, 0, change_type="renamed", previous_path="src/was.py"),
        changed(1, "logo.png", None, None, change_type="renamed", previous_path="old.png"),
    ]
    files = derived(week_of({"raw_pull_requests": [pull(1)], "raw_files": rows}))["derived_files"].set_index("path")
    assert files["is_rename_only"].to_dict() == {"logo.png": False, "src/also.py": False, "src/new.py": True}


def test_settings_reach_the_table() -> None:
    settings = RuleSettings(modules={"src/**": "all of it"}, test_paths=("checks/**",))
    rows = [changed(1, "src/a.py"), changed(1, "checks/b.py")]
    files = derived(week_of({"raw_pull_requests": [pull(1)], "raw_files": rows}, settings))["derived_files"].set_index("path")
    assert files.loc["src/a.py", "module"] == "all of it"
    assert files.loc["checks/b.py", "kind_rule"] == "configured_test"
