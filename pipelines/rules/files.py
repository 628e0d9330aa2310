"""What kind of file a changed file is, by its path; the first rule of the table that holds decides."""

import re
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from pipelines.rules import globs
from pipelines.rules.inputs import Frames, WeekInputs
from pipelines.rules.modules import module_of
from pipelines.settings import RuleSettings
from pipelines.tables import TABLES

#: Programming languages by a file's ending; files of these endings are source unless a rule before says otherwise.
LANGUAGES = {
    **dict.fromkeys(("py", "pyi", "pyx", "pxd"), "Python"),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "JavaScript"),
    **dict.fromkeys(("ts", "tsx", "mts"), "TypeScript"),
    **dict.fromkeys(("c", "h"), "C"),
    **dict.fromkeys(("cc", "cpp", "cxx", "hpp", "hh", "inl", "ipp"), "C++"),
    **dict.fromkeys(("cu", "cuh"), "CUDA"),
    **dict.fromkeys(("mu", "muh"), "MUSA"),
    **dict.fromkeys(("hip",), "HIP"),
    **dict.fromkeys(("sh", "bash", "zsh", "fish"), "Shell"),
    **dict.fromkeys(("ps1", "psm1", "bat", "cmd"), "PowerShell"),
    **dict.fromkeys(("html", "htm", "xhtml"), "HTML"),
    **dict.fromkeys(("css", "scss", "sass", "less"), "CSS"),
    **dict.fromkeys(("j2", "jinja", "jinja2", "tmpl", "hbs", "ejs", "erb"), "Template"),
    **dict.fromkeys(("ml", "mli"), "OCaml"),
    **dict.fromkeys(("ex", "exs"), "Elixir"),
    **dict.fromkeys(("clj", "cljs"), "Clojure"),
    **dict.fromkeys(("kt", "kts"), "Kotlin"),
    **dict.fromkeys(("f90", "f95", "f"), "Fortran"),
    **dict.fromkeys(("s", "asm"), "Assembly"),
    "rs": "Rust", "go": "Go", "java": "Java", "scala": "Scala", "rb": "Ruby", "php": "PHP", "cs": "C#", "fs": "F#",
    "swift": "Swift", "m": "Objective-C", "mm": "Objective-C", "metal": "Metal", "hs": "Haskell", "lua": "Lua", "r": "R", "jl": "Julia",
    "pl": "Perl", "pm": "Perl", "dart": "Dart", "zig": "Zig", "nim": "Nim", "erl": "Erlang", "vue": "Vue", "svelte": "Svelte",
    "sql": "SQL", "proto": "Protocol Buffers", "thrift": "Thrift", "graphql": "GraphQL", "tf": "Terraform", "wgsl": "WGSL",
    "groovy": "Groovy", "sol": "Solidity", "v": "Verilog", "sv": "SystemVerilog", "vhd": "VHDL", "td": "TableGen", "mlir": "MLIR",
}  # fmt: skip


@dataclass(frozen=True)
class KindRule:
    """A row of the table: files whose lower-case path holds ``pattern`` somewhere are of ``kind``."""

    id: str
    kind: str
    pattern: re.Pattern[str]


def _rule(name: str, kind: str, pattern: str) -> KindRule:
    return KindRule(name, kind, re.compile(pattern))


# The order matters: what a file is made by (vendored, generated) outranks what it holds; what runs it (CI) outranks its
# format; a test's data is part of the test, whatever its ending; documentation is what people read, whatever its folder.
KIND_RULES: tuple[KindRule, ...] = (
    _rule("vendored_folder", "vendored", r"(^|/)(vendor|vendored|_vendor|third[_-]?party|3rd[_-]?party|node_modules|bower_components)/"),
    _rule("generated_name", "generated", r"(_pb2(_grpc)?\.pyi?|\.pb\.(go|cc|h|gw\.go)|[._-]generated\.\w+|\.g\.dart|\.min\.(js|css)|\.map|_string\.go)$"),
    _rule("generated_folder", "generated", r"(^|/)(generated|__generated__|gen-src|autogen)/"),
    _rule("lock_file", "dependency", r"(^|/)([\w.-]*\.lock|[\w-]*lock\.(json|ya?ml)|go\.sum|package-lock\.json|npm-shrinkwrap\.json|gradle\.lockfile)$"),
    _rule("test_snapshot", "test", r"(\.snap|(^|/)__snapshots__/.*)$"),
    _rule("github_docs", "docs", r"^\.(github|gitlab)/(?!workflows/|actions/).*\.(md|rst|txt)$"),
    _rule("ci_folder", "ci", r"^\.(github|gitlab|circleci|buildkite|azure-pipelines|ci|teamcity|woodpecker|forgejo|gitea)/|(^|/)(ci|\.ci|jenkins)/"),
    _rule("ci_file", "ci", r"(^|/)(\.gitlab-ci\.ya?ml|\.travis\.ya?ml|jenkinsfile[\w.]*|azure-pipelines[\w-]*\.ya?ml|appveyor\.ya?ml|\.?codecov\.ya?ml"
          r"|\.pre-commit-config\.ya?ml|\.?cirrus\.ya?ml)$|^(scripts?|tools?)/(.*/)?ci[_-][\w-]+[/.]"),
    _rule("manifest", "dependency", r"(^|/)(requirements[\w.-]*\.(txt|in)|[\w.-]*requirements\.(txt|in)|constraints[\w.-]*\.txt|pyproject[\w.-]*\.toml|setup\.(py|cfg)|pipfile"
          r"|package\.json|cargo\.toml|go\.mod|gemfile|[\w-]+\.gemspec|pom\.xml|build\.gradle(\.kts)?|libs\.versions\.toml|composer\.json"
          r"|environment[\w.-]*\.ya?ml|mix\.exs|pubspec\.yaml|package\.swift|conanfile\.\w+|vcpkg\.json|[\w.-]+\.csproj)$"),
    _rule("build_file", "build", r"(^|/)([\w.-]*dockerfile[\w.-]*|\.dockerignore|docker-compose[\w.-]*\.ya?ml|docker-bake\.\w+|makefile[\w.-]*|gnumakefile|[\w-]+\.mk|cmakelists\.txt"
          r"|[\w.-]+\.cmake(\.in)?|build\.bazel|build|workspace(\.bazel)?|module\.bazel|[\w-]+\.bzl|meson\.build|meson_options\.txt|configure(\.ac|\.in)?|makefile\.am"
          r"|sconstruct|justfile|taskfile\.ya?ml|[\w-]+\.nix|build\.rs|manifest\.in|\.bazelrc|\.readthedocs\.ya?ml)$"),
    _rule("build_folder", "build", r"^(docker|packaging|debian|rpm|cmake)/(?!.*\.(md|rst)$)"),
    _rule("test_data", "test", r"(^|/)(tests?|__tests__|specs?|e2e)/(.*/)?(data|fixtures?|golden|resources|cassettes|snapshots?|assets)/|(^|/)(testdata|test_data|test_fixtures|test-fixtures)/"),
    _rule("docs_ending", "docs", r"\.(md|mdx|rst|adoc|asciidoc|textile|pod)$|\.\d\.in$"),
    _rule("docs_name", "docs", r"(^|/)(readme|changelog|changes|history|news|authors|contributors|contributing|license|licence|copying|notice|code_of_conduct|security|maintainers|todo)([._-][\w-]+)?(\.txt)?$"),
    _rule("docs_folder", "docs", r"(^|/)(docs?|documentation|docs[_-]\w+|\w+[_-]docs|website|doc-site)/"),
    _rule("test_folder", "test", r"(^|/)(tests?|__tests__|__mocks__|specs?|e2e|unittests?|[\w-]+[_-]tests?|tests?[_-][\w-]+)/"),
    _rule("test_name", "test", r"(^|/)(test_[\w.-]+|[\w.-]+[_.-](test|tests|unittest)\.\w+|[\w.-]+[_.-]spec\.(js|jsx|mjs|ts|tsx|rb|lua|cr)|tests?\.(rs|py)|conftest\.py)$"),
    _rule("benchmark", "tool", r"(^|/)(benchmarks?|benches|bench|perf_tests?)/|(^|/)(bench(mark)?_[\w.-]+|[\w-]+_bench(mark)?\.\w+)$"),
    _rule("tool_folder", "tool", r"^([\w.-]+/)?(examples?|samples?|demos?|scripts?|hack|playground|tutorials?|notebooks?|contrib|\.devcontainer|\.claude|\.cursor|\.vscode)/"),
    _rule("notebook", "docs", r"\.ipynb$"),
    _rule("asset_ending", "asset", r"\.(png|jpe?g|gif|svg|ico|webp|bmp|tiff?|avif|woff2?|ttf|otf|eot|mp[34]|wav|ogg|flac|webm|mov|avi|pdf|psd|ai|sketch)$"),
    _rule("data_ending", "data", r"\.(csv|tsv|jsonl|ndjson|parquet|arrow|npy|npz|pt|pth|onnx|safetensors|bin|pkl|pickle|h5|hdf5|db|sqlite|gz|zip|tar|xz|zst|txt|dat|model|gguf)$"),
    _rule("config_ending", "config", r"\.(ya?ml|toml|ini|cfg|conf|json5?|jsonc|properties|env|xml|plist|tfvars|service|rules|desktop)$"),
    _rule("config_name", "config", r"(^|/)(\.[\w.-]+|codeowners|procfile|[\w.-]+\.config\.\w+)$"),
)  # fmt: skip
_PATHS_OF_PEOPLE = re.compile(r"(?<=[a-z0-9])(Test|Tests|Spec|IT)\.(java|kt|kts|scala|cs|swift|groovy|php|m|cpp)$")


@lru_cache(maxsize=65_536)
def kind_of(path: str, test_paths: tuple[str, ...] = (), generated_paths: tuple[str, ...] = ()) -> tuple[str, str]:
    """The kind of a path and the id of the rule that decided; a repository's own patterns come first."""
    if globs.holds(generated_paths, path):
        return "generated", "configured_generated"
    if globs.holds(test_paths, path):
        return "test", "configured_test"
    low = path.lower()
    for rule in KIND_RULES:
        if rule.pattern.search(low):
            return rule.kind, rule.id
    if _PATHS_OF_PEOPLE.search(path):
        return "test", "test_class_name"
    return ("source", "source_ending") if language_of(path) else ("data", "unknown_ending")


@lru_cache(maxsize=65_536)
def language_of(path: str) -> str | None:
    """The programming language of a file by its ending, or None."""
    name = path.rpartition("/")[2]
    _, dot, ending = name.rpartition(".")
    return LANGUAGES.get(ending.lower()) if dot else None


def kinds_of(paths: pd.Series, settings: RuleSettings) -> pd.DataFrame:
    """Columns ``kind`` and ``kind_rule`` for a column of paths."""
    decided = {path: kind_of(path, settings.test_paths, settings.generated_paths) for path in paths.unique()}
    pairs = [decided[path] for path in paths]
    return pd.DataFrame(
        {"kind": [kind for kind, _ in pairs], "kind_rule": [rule for _, rule in pairs]}, index=paths.index, dtype="str"
    )


def derive(inputs: WeekInputs, made: Frames) -> pd.DataFrame:
    """One row per changed file of a pull request, with its module, kind and whether it is core."""
    raw = inputs.raw["raw_files"].sort_values(["number", "path"], ignore_index=True)
    configured = tuple(inputs.settings.modules.items())
    core = set(made["derived_core_paths"]["path"])
    lines = raw["added_lines_count"].fillna(1) + raw["removed_lines_count"].fillna(1)
    columns = [column.name for column in TABLES["derived_files"].columns]
    return raw.assign(
        module=pd.Series([module_of(path, inputs.repo, configured) for path in raw["path"]], dtype="str"),
        language=pd.Series([language_of(path) for path in raw["path"]], dtype="str"),
        is_rename_only=((raw["change_type"] == "renamed") & (lines == 0)).astype("bool"),
        is_core=(raw["path"].isin(core) | raw["previous_path"].isin(core)).astype("bool"),
        **kinds_of(raw["path"], inputs.settings),
    )[columns]
