"""What each page must hold to, in a real browser: the bounds of the report page."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.bounds import Bound
from tests.browser.conftest import Opener, pages_of
from tests.hostile_strings import HOSTILE
from tests.page_site import make_site, week_page
from tests.report_fixture import make_report

pytestmark = pytest.mark.browser

KB = 1000
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
MOST_PAGES = 6
_HOVER = "document.querySelectorAll('a, th, td, bdi').forEach(e => e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})))"
_HANDLERS = "[...document.querySelectorAll('*')].filter(e => e.getAttributeNames().some(name => /^on|^style$/.test(name))).length"
_OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def violations(page: Page, axe: str, only: dict[str, Any]) -> list[str]:
    """What axe-core finds: the rule and the first element that breaks it."""
    page.evaluate(axe)
    found = page.evaluate("only => axe.run(document, {runOnly: only, resultTypes: ['violations']})", only)
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]} {each['nodes'][0]['failureSummary'][:200]}" for each in found["violations"]
    ]


def printed(page: Page) -> int:
    """How many sheets of A4 a page takes."""
    return len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4", prefer_css_page_size=True)))


@pytest.mark.parametrize(("count", "most"), [(0, 100), (40, 100), (100, 100), (240, 250), (400, 250)])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_weeks_page_is_no_heavier_than_its_bound(count: int, most: int, language: str, bound: Bound) -> None:
    weight = len(week_page(make_report(count), language).encode())
    assert weight <= most * KB
    bound(f"HTML of {count:3d} invented pull requests, {language}", f"{most} KB", f"{weight / KB:.1f} KB")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_is_accessible_light_and_dark_and_asks_nothing_of_anybody(
    site: Path, watched: Opener, axe_source: str, language: str, bound: Bound
) -> None:
    asked = 0
    for path in pages_of(site, language)[: 5 if language == "en" else 2]:  # the same templates: Chinese where they differ most
        seen = watched()
        page = seen.open(path)
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert violations(page, axe_source, {"type": "tag", "values": TAGS}) == [], path.name
        page.emulate_media(color_scheme="dark")
        assert violations(page, axe_source, {"type": "rule", "values": ["color-contrast"]}) == [], path.name
        assert seen.is_quiet, (path.name, seen.requests, seen.ran, seen.complaints)
        assert page.evaluate("document.documentElement.lang") == ("zh-CN" if language == "zh" else "en")
        asked += len(seen.requests)
    bound(
        f"axe-core A, AA, best practice; light and dark, {language}", "0 violations", f"0 on {5 if language == 'en' else 2} pages"
    )
    bound(f"requests to anywhere else, {language}", "0", asked)


def test_phones_too_are_accessible(site: Path, watched: Opener, axe_source: str) -> None:
    page = watched(390).open(site / "report.zh.html")
    assert violations(page, axe_source, {"type": "tag", "values": TAGS}) == []


def test_dark_is_dark_and_light_is_light(site: Path, watched: Opener) -> None:
    brightness = []
    for dark in (False, True):
        colour = watched(dark=dark).open(site / "report.en.html").evaluate("getComputedStyle(document.body).backgroundColor")
        brightness.append(sum(int(part) for part in re.findall(r"\d+", colour)))
    assert brightness[0] > 700
    assert brightness[1] < 150


def test_no_page_scrolls_sideways(site: Path, hostile_site: Path, watched: Opener, bound: Bound) -> None:
    seen, overflow = watched(), dict[int, int]()
    for path in [*pages_of(site, "en"), *pages_of(site, "zh"), *pages_of(hostile_site, "en")]:
        page = seen.open(path)
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        for width in (320, 390, 768, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            overflow[width] = max(overflow.get(width, 0), page.evaluate(_OVERFLOW))
            assert overflow[width] <= 0, (path.name, width)
    for width in (320, 390):
        bound(f"sideways scroll at {width} px", "none", f"{overflow[width]} px on 15 pages, hostile ones among them")


def test_a_weeks_report_prints_on_six_pages_with_a_readable_title_column(site: Path, watched: Opener, bound: Bound) -> None:
    for language in ("en", "zh"):
        page = watched(718).open(site / f"report.{language}.html")
        sheets = printed(page)
        assert 1 <= sheets <= MOST_PAGES
        page.emulate_media(media="print")
        cell = page.evaluate(
            "(() => {const b = document.querySelector('.keytable tbody th').getBoundingClientRect(); return [b.width, b.height]})()"
        )
        assert cell[0] > 200
        assert cell[1] < 200
        bound(f"A4 pages of 40 invented pull requests, {language}", f"{MOST_PAGES}", sheets)
        bound(f"title column in print, {language}", "readable: over 200 px", f"{cell[0]:.0f} px")
        assert page.evaluate(_OVERFLOW) <= 0


def test_the_keyboard_reaches_the_content_first_and_every_link_after(site: Path, watched: Opener) -> None:
    page = watched().open(site / "report.en.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("Enter")
    page.wait_for_url("**#summary")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('section')?.id") == "summary"
    width = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
    assert width == "2px"
    assert page.evaluate("[...document.querySelectorAll('[tabindex]')].every(each => Number(each.tabIndex) <= 0)")


def test_the_list_sorts_and_filters_by_its_one_script(site: Path, watched: Opener) -> None:
    seen = watched()
    page = seen.open(site / "all.en.html")
    numbers = "[...document.querySelectorAll('#rows tbody tr')].filter(row => !row.hidden).map(row => Number(row.id.slice(1)))"
    before = page.evaluate(numbers)
    assert page.inner_text("#shown") == "40 of 40"
    page.get_by_role("button", name="Hours to merge").click()
    assert page.evaluate(numbers) == before[::-1]
    assert page.get_attribute("th[aria-sort]", "aria-sort") == "descending"
    page.get_by_role("button", name="Hours to merge").click()
    assert page.evaluate(numbers) == before
    page.fill("#query", "proxy NODE")
    shown = page.evaluate(numbers)
    assert 0 < len(shown) < 40
    assert page.inner_text("#shown") == f"{len(shown)} of 40"
    assert page.get_by_label("Filter").is_visible()
    assert seen.is_quiet, seen.complaints


def test_the_list_is_whole_without_scripts(site: Path, watched: Opener) -> None:
    page = watched(scripts=False).open(site / "all.zh.html")
    assert page.locator("#rows tbody tr").count() == 40
    assert not page.locator("#filter").is_visible()
    assert page.locator("#rows th button").count() == 0


def test_there_are_enough_hostile_strings_and_each_is_shown_as_text(hostile_site: Path, watched: Opener) -> None:
    assert len(set(HOSTILE)) >= 40
    shown = watched().open(hostile_site / "all.en.html").evaluate("document.querySelector('#rows').textContent")
    for text in HOSTILE:
        assert text in shown


@pytest.mark.parametrize("with_policy", [True, False])
def test_nothing_hostile_runs_or_is_fetched_with_the_policy_or_without(
    hostile_site: Path, watched: Opener, bound: Bound, *, with_policy: bool
) -> None:
    seen, handlers, pages, others = watched(), 0, 0, 0
    for path in [page for language in ("en", "zh") for page in pages_of(hostile_site, language)] + sorted(
        (hostile_site / "pulls").glob("*.en.html")
    ):
        opened = path
        if not with_policy:
            html, removed = re.subn(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", path.read_text(encoding="utf-8"))
            assert removed == 1
            opened = path.with_name("bare." + path.name)
            opened.write_text(html, encoding="utf-8")
        page = seen.open(opened)
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        page.evaluate(_HOVER)
        pages, handlers = pages + 1, handlers + page.evaluate(_HANDLERS)
        assert handlers == 0, path.name
        scripts = page.evaluate("document.scripts.length")
        assert scripts == (1 if path.name.startswith("all.") else 0), path.name
        others += 0 if path.name.startswith("all.") else scripts
        schemes = page.evaluate("[...new Set([...document.links].map(each => each.protocol))].sort()")
        assert set(schemes) <= {"file:", "https:"}, path.name
        hosts = page.evaluate("[...new Set([...document.links].filter(each => each.protocol === 'https:').map(each => each.host))]")
        assert set(hosts) <= {"github.com"}, path.name
        if not with_policy:
            opened.unlink()
    assert seen.is_quiet, (seen.requests, seen.ran, seen.complaints)
    told = f"{len(seen.ran)} ran, {len(seen.requests)} fetched, of {len(HOSTILE)} strings in every place of {pages} pages"
    bound(f"hostile texts {'with' if with_policy else 'without'} the policy", "nothing runs, nothing is fetched", told)
    bound("inline event handlers and styles", "0", handlers)
    bound("scripts, but for the one of the list of all", "0", others)


def test_the_watch_would_see_what_runs_and_what_is_fetched(watched: Opener, tmp_path: Path) -> None:
    """Against a false pass: the same strings, unescaped, do run and do fetch."""
    path = tmp_path / "bad.html"
    path.write_text("<!DOCTYPE html><title>x</title>" + HOSTILE[7] + HOSTILE[8], encoding="utf-8")
    seen = watched()
    seen.open(path)
    assert seen.ran == ["1"]
    assert seen.requests == ["https://evil.example/p.png"]


def test_empty_and_partial_weeks_hold_too(watched: Opener, axe_source: str, tmp_path: Path) -> None:
    for name, report in (("empty", make_report(0)), ("partial", make_report(5, state="partial"))):
        folder = make_site(tmp_path / name, report)
        seen = watched(320)
        page = seen.open(folder / "report.en.html")
        assert violations(page, axe_source, {"type": "tag", "values": TAGS}) == []
        assert page.evaluate(_OVERFLOW) <= 0
        assert seen.is_quiet
