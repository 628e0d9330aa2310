"""The pages below a week's report: one for each highlight, and the list of all pull requests.

They are made of ``report.json`` alone, without the notebook: a template each, in the frame of every page.
"""

from collections.abc import Iterator
from functools import cache
from typing import TypedDict

from markupsafe import Markup

from pipelines.report.model import FileFacts, Headed, PullFacts, Report, Severity
from pipelines.report.page_frame import frame
from pipelines.report.render import Context, environment, macro


class KindRow(TypedDict):
    """The files of a pull request that are of one kind; ``unknown`` of them have no known lines."""

    kind: str
    files: int
    added: int
    removed: int
    unknown: int
    modules: list[str]


class Asked(TypedDict):
    """A suggestion about a pull request, with its sentences."""

    severity: Severity
    run: Headed


def kinds_of(files: list[FileFacts]) -> list[KindRow]:
    """Files by kind, most files first; modules by number of files."""
    made = []
    for kind in sorted({file["kind"] for file in files}):
        of_kind = [file for file in files if file["kind"] == kind]
        modules = [file["module"] for file in of_kind]
        made.append(
            KindRow(
                kind=kind,
                files=len(of_kind),
                added=sum(file["added"] or 0 for file in of_kind),
                removed=sum(file["removed"] or 0 for file in of_kind),
                unknown=sum(file["added"] is None or file["removed"] is None for file in of_kind),
                modules=sorted(set(modules), key=lambda module: (-modules.count(module), module)),
            )
        )
    return sorted(made, key=lambda row: (-row["files"], row["kind"]))


def asked_of(context: Context, number: int) -> list[Asked]:
    """The week's suggestions about a pull request, in their order."""
    told = context.suggested
    return [
        Asked(severity=each["severity"], run=told[each["id"]])
        for each in context.report["suggestions"]
        if number in each["pull_requests"] and each["id"] in told
    ]


def pull_pages(report: Report, language: str) -> Iterator[tuple[int, str]]:
    """The number and the page of each highlight, by number."""
    context = Context(report, language, up="../")
    for pull in report["pull_requests"]:
        if "detail" in pull:
            yield pull["number"], _pull_page(context, pull)


def _pull_page(context: Context, pull: PullFacts) -> str:
    kinds, asked = kinds_of(pull["detail"]["file_rows"]), asked_of(context, pull["number"])
    content = macro("pages/pull.html.j2", "pull_page", context, pull, kinds, asked)
    title = context.t("page.pull.document_title", number=str(pull["number"]), title=pull["title"], repo=context.repo)
    return frame(context.words, title, kind="pull").around(str(content))


class _ListContext(Context):
    """The context of the list, with the one script that any page carries."""

    @property
    def script(self) -> Markup:
        return Markup(list_script())  # noqa: S704  # because: a file of ours


@cache
def list_script() -> str:
    """The script that sorts and filters the list; its hash stands in that page's policy."""
    loader = environment().loader
    return loader.get_source(environment(), "pages/all.js")[0].strip() if loader else ""


def all_page(report: Report, language: str) -> str:
    """The list of all pull requests of the week: complete without the script, sortable and filterable with it."""
    context = _ListContext(report, language)
    content = str(macro("pages/all.html.j2", "all_page", context))
    title = context.t("page.all.document_title", repo=context.repo, week=context.week)
    return frame(context.words, title, kind="all", script=list_script()).around(content)
