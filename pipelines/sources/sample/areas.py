"""Which part of acme/lattice a change belongs to, and who works on that part: one table of path prefixes."""

from functools import cache

from pipelines.sources.sample.content import Change, people

#: The first prefix that fits decides; tests, documentation and lock files count only where nothing else was changed.
_AREAS = (
    ("kernel/src/hip", "gpu"),
    ("kernel/", "kernel"),
    ("lattice/backends/", "gpu"),
    ("lattice/solver/", "solver"),
    ("lattice/planner/", "planner"),
    ("lattice/workers/", "workers"),
    ("lattice/storage/", "storage"),
    ("lattice/server/", "server"),
    ("lattice/streaming/", "streaming"),
    ("lattice/graph/", "graph"),
    ("lattice/cli/", "cli"),
    ("lattice/telemetry/", "telemetry"),
    ("lattice/config", "config"),
    ("lattice/legacy_config", "config"),
    ("lattice/env", "config"),
    ("lattice/_proto/", "server"),
    ("lattice/", "scheduler"),
    (".github/", "ci"),
    ("scripts/", "ci"),
    ("benchmarks/", "ci"),
    ("deploy/", "ci"),
    ("examples/", "docs"),
    ("docs/", "docs"),
    ("README", "docs"),
    ("tests/", "ci"),
    ("", "ci"),
)
_LESSER = ("tests/", "kernel/tests/", "docs/", "examples/", "lattice/_proto/", "uv.lock", "kernel/Cargo.lock")
_LABELS = {"gpu": "backend", "docs": "documentation"}
_LANGUAGES = ((".rs", "rust"), (".hip", "rust"), (".py", "python"), (".md", "docs"))


def area_of(change: Change) -> str:
    """The area of the file with most changed lines, tests and documentation behind everything else."""
    main = min(change.files, key=lambda f: (f.path.startswith(_LESSER), -(f.added + f.removed), f.path))
    return next(area for prefix, area in _AREAS if main.path.startswith(prefix))


def label_of(area: str) -> str:
    """The label that the labeller puts on changes of an area."""
    return _LABELS.get(area, area)


@cache
def people_of(area: str) -> tuple[str, ...]:
    """Everyone who writes and reviews in an area, in the order of ``people.toml``."""
    return tuple(login for login, person in people().items() if area in person.areas)


def language_of(path: str) -> str:
    """The pool of review sentences that fits a file."""
    if path.startswith(("tests/", "kernel/tests/")):
        return "tests"
    return next((language for ending, language in _LANGUAGES if path.endswith(ending)), "other")
