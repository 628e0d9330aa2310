"""The descriptions: each :class:`Change` in one of the forms that people really use."""

from pipelines.sources.sample.choice import pick, weighted
from pipelines.sources.sample.content import Change

_FORMS = (("template", 0.30), ("headings", 0.12), ("plain", 0.43), ("brief", 0.15))
_GREETING = """<!--
Thanks for the pull request! Say what changes and why, and how you tested it.
Leave out sections that do not apply.
-->"""
_TESTED = (
    "Covered by the tests in this change.",
    "New cases in the unit tests.",
    "Unit tests, and tried by hand.",
    "See the tests that were changed.",
)
_NOT_TESTED = ("Existing tests cover this.", "No new tests; the ones we have pass.", "Tried by hand.")
_UNTESTABLE = (("docs", "Documentation only."), ("ci", "Ran on this branch."))


def body_of(change: Change, issues: list[int]) -> str | None:
    """The description in Markdown before references are filled in; ``None`` where the account left none at all."""
    if change.body_null:
        return None
    if change.body is not None:
        return change.body.strip("\n")
    if change.bump:
        return _bump_body(*change.bump)
    form = change.form or weighted(_FORMS, "form", change.title)
    text = {"template": _template, "headings": _headings, "plain": _plain, "brief": _brief}[form](change, _closing(change, issues))
    return text + _long_tail() if change.long_body else text


def _closing(change: Change, issues: list[int]) -> str:
    word = pick(("Fixes", "Closes", "Resolves", "fixes"), "closing", change.title)
    text = " and ".join(f"{word.lower()} #{number}" for number in issues)
    return f"{word}{text[len(word) :]}." if issues else ""


def _table(bench: str) -> str:
    if not bench:
        return ""
    head, *rows = ([cell.strip() for cell in line.split(" | ")] for line in bench.splitlines())
    rule = ["---", *("---:" for _ in head[1:])]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def _join(*parts: str) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _template(change: Change, closing: str) -> str:
    has_tests = any(f.path.startswith(("tests/", "kernel/tests/")) and f.change_type != "DELETED" for f in change.files)
    has_docs = any(f.path.startswith("docs/") for f in change.files)
    ticks = [
        (True, "I have read the contributing guide"),
        (has_tests, "Tests added or changed"),
        (has_docs, "Documentation changed"),
        ("breaking" in change.labels, "This is a breaking change"),
    ]
    table = _table(change.bench)
    return _join(
        _GREETING,
        f"## Motivation\n\n{_join(change.why, closing)}" if change.why or closing else "",
        f"## Modifications\n\n{_join(change.what, change.body_extra)}",
        f"## Tests\n\n{change.tested or _tested(change, has_tests=has_tests)}",
        f"## Benchmarks\n\n{table}" if table else "",
        "## Checklist\n\n" + "\n".join(f"- [{'x' if done else ' '}] {text}" for done, text in ticks),
    )


def _tested(change: Change, *, has_tests: bool) -> str:
    said = dict(_UNTESTABLE).get(change.origin)
    return said if said and not has_tests else pick(_TESTED if has_tests else _NOT_TESTED, "tests", change.title)


def _headings(change: Change, closing: str) -> str:
    return _join(
        f"### Why\n\n{change.why}" if change.why else "",
        f"### What\n\n{_join(change.what, change.body_extra)}",
        f"### How it was tested\n\n{change.tested}" if change.tested else "",
        _table(change.bench),
        closing,
    )


def _plain(change: Change, closing: str) -> str:
    tested = f"Tested: {change.tested}" if change.tested else ""
    return _join(change.why, change.what, change.body_extra, tested, _table(change.bench), closing)


def _brief(change: Change, closing: str) -> str:
    return _join(" ".join(filter(None, (change.why, change.what))), change.body_extra, change.tested, _table(change.bench), closing)


def _bump_body(package: str, old: str, new: str, ecosystem: str) -> str:
    kind = "indirect" if ecosystem == "cargo" else "direct"
    return (
        f"Bumps [{package}](https://example.invalid/{ecosystem}/{package}) from {old} to {new}.\n\n"
        f"<details>\n<summary>Release notes</summary>\n\nSee the release notes of {package} {new}.\n</details>\n\n"
        f"Dependency type: {kind}. Compatible by its version number.\n\n"
        "You can trigger a rebase by commenting `rebase`, and close this pull request to ignore the version."
    )


def _long_tail() -> str:
    """A table of every combination that is to be tried: longer than the 65,536 characters an issue may have."""
    victims = (
        "a job without a checkpoint",
        "a job that writes one every minute",
        "a GPU job",
        "a job with children",
        "a streaming job",
    )
    loads = ("an idle cluster", "a full cluster", "a full cluster of one tenant", "a cluster that drains")
    moments = ("before the first sweep", "in the middle of a sweep", "during the upload", "while a checkpoint is written")
    faults = (
        "nothing else happens",
        "the worker dies",
        "the database restarts",
        "the scheduler fails over",
        "the blob store is slow",
    )
    rows = [
        f"| {number} | Preempt {victim} on {load}, {moment}; {fault}. | The job ends with the same result as without preemption. "
        f"Its attempt count is {'one higher' if fault == 'the worker dies' else 'unchanged'}. | |"
        for number, (victim, load, moment, fault) in enumerate(
            ((v, w, m, f) for v in victims for w in loads for m in moments for f in faults), start=1
        )
    ]
    return "\n\n## Matrix\n\n| case | what is done | what is expected | seen |\n| ---: | --- | --- | --- |\n" + "\n".join(rows)
