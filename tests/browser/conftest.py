"""One headless Chromium for all the tests of pages, and a page that watches for what must never happen."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

from tests.browser.bounds import bound
from tests.hostile_strings import HOSTILE
from tests.page_site import make_site
from tests.report_fixture import make_report

__all__ = ["bound"]  # a fixture that pytest finds here

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Watched:
    """A page with what it asked for from elsewhere, what it ran and what its policy refused."""

    page: Page
    requests: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, path: Path) -> Page:
        self.page.goto(path.as_uri())
        return self.page

    @property
    def is_quiet(self) -> bool:
        return not (self.requests or self.ran or self.complaints)


Opener = Callable[..., Watched]


# Of the module, not the session: while it is open an event loop runs in this thread, and Dagster cannot start its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("no chromium on this machine: run make browser")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=list(_ARGUMENTS))
        yield started
        started.close()


@pytest.fixture
def watched(browser: Browser) -> Iterator[Opener]:
    """A new page of given options; external requests are counted and refused, ``alert`` is counted."""
    contexts = []

    def make(width: int = 1280, *, dark: bool = False, scripts: bool = True) -> Watched:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", java_script_enabled=scripts
        )
        contexts.append(context)
        made = Watched(context.new_page())

        def answer(route: Route) -> None:
            if route.request.url.startswith(("file:", "data:")):
                route.continue_()
            else:
                made.requests.append(route.request.url)
                route.abort()

        context.route("**/*", answer)
        context.expose_function("ranHostileText", lambda text: made.ran.append(text))  # noqa: PLW0108  # because: Playwright marks it
        context.add_init_script("window.alert = text => window.ranHostileText(String(text));")
        made.page.on("dialog", lambda dialog: dialog.dismiss())
        made.page.on("console", lambda message: made.complaints.append(message.text) if message.type == "error" else None)
        made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
        return made

    yield make
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def axe_source() -> str:
    if not AXE.exists():
        pytest.skip("no axe-core in node_modules: run make browser")
    return AXE.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The week of 40 pull requests; its folder."""
    return make_site(tmp_path_factory.mktemp("site"), make_report(40))


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A week whose every text is hostile; its folder."""
    return make_site(tmp_path_factory.mktemp("hostile"), make_report(len(HOSTILE), texts=HOSTILE, state="partial"))


def pages_of(folder: Path, language: str) -> list[Path]:
    """One page of each kind."""
    pulls = sorted((folder / "pulls").glob(f"*.{language}.html"))
    return [
        folder / f"report.{language}.html",
        folder / f"all.{language}.html",
        pulls[1],
        folder.parent / f"index.{language}.html",
        folder.parents[2] / f"index.{language}.html",
    ]
