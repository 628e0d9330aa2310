"""The tables that kinds of files are decided by: languages by ending, and rules on paths, of which the first decides.

A path is looked at in lower case, with a slash before it: so every folder and name begins with one, which a search finds at
once. Patterns of one rule are alternatives.
"""

import re
from dataclasses import dataclass

_ENDINGS = {
    "Python": "py pyi pyx pxd",
    "JavaScript": "js jsx mjs cjs",
    "TypeScript": "ts tsx mts",
    "C": "c h",
    "C++": "cc cpp cxx hpp hh inl ipp",
    "CUDA": "cu cuh",
    "HIP": "hip",
    "MUSA": "mu muh",
    "Shell": "sh bash zsh fish",
    "PowerShell": "ps1 psm1",
    "Batch": "bat cmd",
    "HTML": "html htm xhtml",
    "CSS": "css scss sass less",
    "Template": "j2 jinja jinja2 tmpl hbs ejs erb",
    "Rust": "rs",
    "Go": "go",
    "Java": "java",
    "Kotlin": "kt kts",
    "Scala": "scala",
    "Groovy": "groovy",
    "Ruby": "rb",
    "PHP": "php",
    "C#": "cs",
    "F#": "fs",
    "Swift": "swift",
    "Objective-C": "m mm",
    "Metal": "metal",
    "WGSL": "wgsl",
    "Haskell": "hs",
    "OCaml": "ml mli",
    "Elixir": "ex exs",
    "Erlang": "erl",
    "Clojure": "clj cljs",
    "Lua": "lua",
    "R": "r",
    "Julia": "jl",
    "Perl": "pl pm",
    "Dart": "dart",
    "Zig": "zig",
    "Nim": "nim",
    "Fortran": "f90 f95 f",
    "Assembly": "s asm",
    "Vue": "vue",
    "Svelte": "svelte",
    "SQL": "sql",
    "Protocol Buffers": "proto",
    "Thrift": "thrift",
    "GraphQL": "graphql",
    "Terraform": "tf",
    "Solidity": "sol",
    "Verilog": "v",
    "SystemVerilog": "sv",
    "VHDL": "vhd",
    "TableGen": "td",
    "MLIR": "mlir",
}
#: Programming languages by a file's ending; files of these endings are source unless a rule says otherwise.
LANGUAGES = {ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}


@dataclass(frozen=True)
class KindRule:
    """A row of the table: files whose lower-case path, a slash before it, holds ``pattern`` somewhere are of ``kind``."""

    id: str
    kind: str
    pattern: re.Pattern[str]


def _rule(name: str, kind: str, *patterns: str) -> KindRule:
    return KindRule(name, kind, re.compile("|".join(patterns)))


def _named(*names: str) -> str:
    """Files that bear one of these names, in any folder."""
    return rf"/({'|'.join(names)})$"


def _below(*folders: str) -> str:
    """Files in or below a folder of one of these names, wherever it lies."""
    return rf"/({'|'.join(folders)})/"


def _ending(endings: str) -> str:
    """Files with one of these endings, which blanks part."""
    return rf"\.({'|'.join(endings.split())})$"


# The order matters: what made a file (others, a program) outranks what it holds; what runs it (CI) outranks its format; a
# test's data is part of the test, whatever its ending; documentation is what people read, whatever its folder.
KIND_RULES: tuple[KindRule, ...] = (
    _rule(
        "vendored_folder", "vendored", _below("vendor", "vendored", "_vendor", r"third[_-]?party", r"3rd[_-]?party", "node_modules")
    ),
    _rule(
        "generated_name",
        "generated",
        r"(_pb2(_grpc)?\.pyi?|\.pb\.(go|cc|h|gw\.go)|[._-]generated\.\w+|_string\.go)$",
        _ending("g\\.dart map"),
    ),
    _rule("minified", "generated", r"\.min\.(js|css)$"),
    _rule("generated_folder", "generated", _below("generated", "__generated__", "gen-src", "autogen")),
    _rule(
        "lock_file",
        "dependency",
        _named(r"[\w.-]*\.lock", r"[\w-]*lock\.(json|ya?ml)", r"go\.sum", r"npm-shrinkwrap\.json", r"gradle\.lockfile"),
    ),
    _rule("test_snapshot", "test", r"\.snap$", _below("__snapshots__")),
    _rule("github_docs", "docs", r"^/\.(github|gitlab)/(?!workflows/|actions/).*\.(md|rst|txt)$"),
    _rule(
        "ci_folder",
        "ci",
        r"^/\.(github|gitlab|circleci|buildkite|azure-pipelines|ci|teamcity|woodpecker|forgejo|gitea)/",
        _below("ci", r"\.ci", "jenkins"),
    ),
    _rule(
        "ci_file",
        "ci",
        _named(
            r"\.gitlab-ci\.ya?ml", r"\.travis\.ya?ml", r"jenkinsfile[\w.]*", r"azure-pipelines[\w-]*\.ya?ml", r"appveyor\.ya?ml"
        ),
        _named(r"\.?codecov\.ya?ml", r"\.pre-commit-config\.ya?ml", r"\.?cirrus\.ya?ml"),
        r"^/(scripts?|tools?)/(.*/)?ci[_-][\w-]+[/.]",
    ),
    _rule(
        "manifest",
        "dependency",
        _named(
            r"[\w.-]*requirements[\w.-]*\.(txt|in)",
            r"constraints[\w.-]*\.txt",
            r"pyproject[\w.-]*\.toml",
            r"setup\.(py|cfg)",
            "pipfile",
        ),
        _named(r"package\.json", r"cargo\.toml", r"go\.mod", "gemfile", r"[\w-]+\.gemspec", r"pom\.xml", r"build\.gradle(\.kts)?"),
        _named(
            r"libs\.versions\.toml",
            r"composer\.json",
            r"environment[\w.-]*\.ya?ml",
            r"mix\.exs",
            r"pubspec\.yaml",
            r"package\.swift",
        ),
        _named(r"conanfile\.\w+", r"vcpkg\.json", r"[\w.-]+\.csproj"),
    ),
    _rule(
        "build_file",
        "build",
        _named(
            r"[\w.-]*dockerfile[\w.-]*",
            r"\.dockerignore",
            r"docker-compose[\w.-]*\.ya?ml",
            r"docker-bake\.\w+",
            r"\.readthedocs\.ya?ml",
        ),
        _named(
            r"makefile[\w.-]*",
            "gnumakefile",
            r"[\w-]+\.mk",
            r"cmakelists\.txt",
            r"[\w.-]+\.cmake(\.in)?",
            "justfile",
            r"taskfile\.ya?ml",
        ),
        _named(
            r"build\.bazel",
            "build",
            r"workspace(\.bazel)?",
            r"module\.bazel",
            r"[\w-]+\.bzl",
            r"\.bazelrc",
            r"[\w-]+\.nix",
            r"build\.rs",
        ),
        _named(r"meson\.build", r"meson_options\.txt", r"configure(\.ac|\.in)?", "sconstruct", r"manifest\.in"),
    ),
    _rule("build_folder", "build", r"^/(docker|packaging|debian|rpm|cmake)/(?!.*\.(md|rst)$)"),
    _rule(
        "test_data",
        "test",
        r"/(tests?|__tests__|specs?|e2e)/(.*/)?(data|fixtures?|golden|resources|cassettes|snapshots?|assets)/",
        _below("testdata", r"test[_-]data", r"test[_-]fixtures"),
    ),
    _rule("docs_ending", "docs", _ending("md mdx rst adoc asciidoc textile pod")),
    _rule(
        "docs_name",
        "docs",
        r"/(readme|changelog|changes|history|news|authors|contributors|contributing|license|licence|copying|notice"
        r"|maintainers|todo|code_of_conduct)([._-][\w-]+)?(\.txt)?$",
    ),
    _rule("docs_folder", "docs", _below("docs?", "documentation", r"docs[_-]\w+", r"\w+[_-]docs", "website")),
    _rule(
        "test_folder",
        "test",
        _below("tests?", "__tests__", "__mocks__", "specs?", "e2e", "unittests?", r"[\w-]+[_-]tests?", r"tests?[_-][\w-]+"),
    ),
    _rule(
        "test_name",
        "test",
        _named(r"test_[\w.-]+", r"[\w.-]+[_.-](test|tests|unittest)\.\w+", r"[\w.-]+[_.-]spec\.(js|jsx|mjs|ts|tsx|rb|lua|cr)"),
        _named(r"tests?\.(rs|py)", r"conftest\.py"),
    ),
    _rule(
        "benchmark",
        "tool",
        _below("benchmarks?", "benches", "bench", "perf_tests?"),
        _named(r"bench(mark)?_[\w.-]+", r"[\w-]+_bench(mark)?\.\w+"),
    ),
    _rule(
        "tool_folder",
        "tool",
        r"^/([\w.-]+/)?(examples?|samples?|demos?|scripts?|hack|playground|tutorials?|notebooks?|contrib|\.devcontainer)/",
        r"^/([\w.-]+/)?\.(claude|cursor|vscode|idea)/",
    ),
    _rule("notebook", "docs", _ending("ipynb")),
    _rule(
        "asset_ending",
        "asset",
        _ending("png jpe?g gif svg ico webp bmp tiff? avif woff2? ttf otf eot mp[34] wav ogg flac webm mov avi pdf psd"),
    ),
    _rule(
        "data_ending",
        "data",
        _ending(
            "csv tsv jsonl ndjson parquet arrow npy npz pt pth onnx safetensors bin pkl pickle h5 hdf5 db sqlite gz zip tar xz zst"
        ),
        _ending("txt dat model gguf"),
    ),
    _rule(
        "config_ending",
        "config",
        _ending("ya?ml toml ini cfg conf json5? jsonc properties env xml plist tfvars service rules desktop"),
    ),
    _rule("config_name", "config", _named(r"\.[\w.-]+", "codeowners", "procfile", r"[\w.-]+\.config\.\w+")),
)
#: Classes of tests by the custom of Java and its kin, where capitals part the words.
TEST_CLASS = re.compile(r"(?<=[a-z0-9])(Test|Tests|Spec|IT)\.(java|kt|kts|scala|cs|swift|groovy|php|m|cpp)$")
