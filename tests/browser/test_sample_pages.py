"""The six weeks of the sample, as they are published, in a real browser: pages with the words of real ones."""

import json
import re
from pathlib import Path

import pytest

from pipelines.defs.steps import about_rules
from pipelines.report.check import linkable, problems
from pipelines.report.facts import build_report
from pipelines.report.model import Report
from pipelines.report.publish import publish_report
from pipelines.warehouse import Warehouse
from pipelines.weeks import parse_week
from tests.browser.bounds import Bound
from tests.browser.conftest import Opener
from tests.browser.test_pages import _OVERFLOW, KB, printed
from tests.conftest import SAMPLE, sample_entry

pytestmark = pytest.mark.browser

WEEKS = [f"2026-W{week}" for week in range(12, 18)]
#: Weeks of 47 to 52 pull requests: one page more than the bound of forty.
MOST_PAGES = 7
_BROKEN = """names => [...document.querySelectorAll(names)].filter(each => {
  const tops = [...each.getClientRects()].map(rect => rect.top);
  return Math.max(...tops) - Math.min(...tops) > 8;
}).map(each => each.textContent)"""


def _folder(site: Warehouse, week: str) -> Path:
    return site.root / "reports" / SAMPLE / week


def _report(site: Warehouse, week: str) -> Report:
    report: Report = json.loads((_folder(site, week) / "report.json").read_bytes())
    return report


def test_every_week_is_within_its_weight_and_prints_on_few_pages(sample_site: Warehouse, watched: Opener, bound: Bound) -> None:
    seen = watched(718)
    for language in ("en", "zh"):
        weights, sheets = [], []
        for week in WEEKS:
            path = _folder(sample_site, week) / f"report.{language}.html"
            weights.append(path.stat().st_size)
            sheets.append(printed(seen.open(path)))
        assert max(weights) <= 100 * KB
        assert max(sheets) <= MOST_PAGES
        bound(f"HTML of the sample's weeks of 0 to 52, {language}", "100 KB", f"{max(weights) / KB:.1f} KB at most")
        bound(f"A4 pages of the sample's weeks of 0 to 52, {language}", f"{MOST_PAGES}", " ".join(map(str, sheets)))


def test_nothing_scrolls_sideways_and_no_week_or_verdict_is_broken_in_two(sample_site: Warehouse, watched: Opener) -> None:
    seen = watched()
    for week in ("2026-W15", "2026-W17"):
        folder = _folder(sample_site, week)
        for path in [*folder.glob("*.zh.html"), *folder.glob("*.en.html"), *sorted(folder.glob("pulls/*.html"))[:6]]:
            page = seen.open(path)
            page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
            for width in (320, 390, 1280):
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate(_OVERFLOW) <= 0, (path.name, width)
                assert page.evaluate(_BROKEN, ".weeks a, .judged, .crumbs .nowrap") == [], (path.name, width)
    assert seen.is_quiet, seen.complaints


def test_the_columns_of_key_pull_requests_are_wide_enough_to_read(sample_site: Warehouse, watched: Opener) -> None:
    page = watched(1280).open(_folder(sample_site, "2026-W17") / "report.en.html")
    width = "name => document.querySelector('.keytable tbody ' + name).getBoundingClientRect().width"
    risks, title = page.evaluate(width, "td:last-child"), page.evaluate(width, "th")
    assert risks >= 150
    assert title >= 280


def test_the_table_of_themes_tells_every_theme_that_has_a_sentence(sample_site: Warehouse, watched: Opener) -> None:
    report = _report(sample_site, "2026-W17")
    page = watched().open(_folder(sample_site, "2026-W17") / "report.en.html")
    shown = page.evaluate("[...document.querySelectorAll('.themes tbody th')].map(each => each.textContent.toLowerCase())")
    told = {trend["key"] for trend in report["prose"]["en"]["trends"]}
    titles = [report["theme_titles"][theme["key"]]["en"].lower() for theme in report["themes"] if theme["key"] in told]
    assert [each.removesuffix(" emerging") for each in shown] == titles


def test_every_number_of_the_prose_is_a_value_and_every_link_is_known(sample_site: Warehouse, bound: Bound) -> None:
    numbers = links = 0
    for week in WEEKS:
        report = _report(sample_site, week)
        assert list(problems(report)) == []
        known = linkable(report)
        for prose in report["prose"].values():
            runs = [*prose["groups"], *prose["trends"], *prose["risks"], *prose["pulls"], *prose["suggestions"]]
            told = [prose["headline"], *prose["summary"], *(sentence for headed in runs for sentence in headed["sentences"])]
            numbers += sum("fact" in part for sentence in told for part in sentence["parts"])
            found = [part["pull"] for sentence in told for part in sentence["parts"] if "pull" in part]
            assert set(found) <= known
            links += len(found)
        for page in _folder(sample_site, week).glob("*.html"):
            own = re.findall(rf'href="https://github.com/{SAMPLE}/pull/(\d+)"', page.read_text(encoding="utf-8"))
            assert {int(number) for number in own} <= known, page.name
            links += len(own)
    bound("every number in prose", "a value of report.json", f"all {numbers} of the sample's six weeks")
    bound("every link to a pull request", "of the week, or named by its data", f"all {links} of the sample's six weeks")


def test_the_same_week_published_again_has_the_same_bytes(
    sample_site: Warehouse, sample_tables: Warehouse, tmp_path: Path, bound: Bound
) -> None:
    published, again = _folder(sample_site, "2026-W17"), Warehouse(tmp_path)
    report = build_report(sample_tables, SAMPLE, parse_week("2026-W17"), about_rules(sample_entry()))
    publish_report(again, report)
    folder = _folder(again, "2026-W17")
    names, theirs = (
        sorted(path.relative_to(each).as_posix() for path in each.rglob("[!.]*") if path.is_file()) for each in (folder, published)
    )
    assert names == theirs
    for name in names:
        ours, before = ((each / name).read_bytes() for each in (folder, published))
        if re.fullmatch(r"report\.(en|zh)\.html", name):  # alone in its folder it has no weeks beside it to lead to
            ours, before = (re.sub(rb'<nav class="weeks".*?</nav>', b"", each, flags=re.DOTALL) for each in (ours, before))
        assert ours == before, name
    bound("the same input twice", "the same bytes", f"all {len(names)} files of a week, built anew from the tables")
