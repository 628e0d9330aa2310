"""Stories, news and openings: what happened is told in order, and only where the rows show it."""

from typing import Any

import pytest

from pipelines.report.check import problems
from pipelines.report.facts import report_from_rows
from pipelines.report.model import Prose
from pipelines.report.prose.realise import plain
from tests.unit.report.week_rows import REPO, WeekBuilder


def _prose(week: WeekBuilder, language: str = "en") -> Prose:
    report = report_from_rows(week.build())
    assert list(problems(report)) == []
    return report["prose"][language]


def _first_group(week: WeekBuilder, language: str = "en") -> str:
    group = _prose(week, language)["groups"][0]
    return ("" if language == "zh" else " ").join("".join(map(plain, sentence["parts"])) for sentence in group["sentences"])


def _summary(week: WeekBuilder, language: str = "en") -> str:
    return " ".join("".join(plain(part) for part in sentence["parts"]) for sentence in _prose(week, language)["summary"])


def _chain(*kinds: str) -> WeekBuilder:
    """Pull requests 1, 2, 3 ..., each tied to the one before by a link of a kind."""
    week = WeekBuilder().pull(1, is_highlight=True, title="Deprecate YAML files", merged_at_utc="2026-04-20T01:00:00Z")
    for number, kind in enumerate(kinds, start=2):
        week.pull(number, title=f"Remove part {'i' * number}", merged_at_utc=f"2026-04-20T0{number}:00:00Z")
        week.add("derived_links", number=number, kind=kind, target_repo=REPO, target_number=number - 1, story="1")
    return week


def test_a_series_is_one_story_told_in_its_order() -> None:
    told = _first_group(_chain("series", "series"))
    assert told.startswith("These changes build on one another. First author-1 deprecates YAML files (#1). ")
    assert told.index("Then author-2 removes part ii (#2).") < told.index("Last, author-3 removes part iii (#3).")
    assert _first_group(_chain("series"), "zh").startswith("这些改动前后相承。先是 author-1 弃用 YAML files\uff08#1\uff09。")


def test_a_revert_and_a_reland_are_told_as_such() -> None:
    week = _chain("reverts")
    week.rows["derived_pull_requests"][0] |= {"reverted_by_number": 2, "reverted_after_hours": 1.0}
    told = _first_group(week)
    assert told.startswith(
        "What was merged did not stay. First author-1 deprecates YAML files (#1), which was reverted by #2 after 1 h."
    )
    assert "Last, author-2 takes back #1 (#2)." in told
    week.pull(3, title="Reland", merged_at_utc="2026-04-20T05:00:00Z")
    week.add("derived_links", number=3, kind="relands", target_repo=REPO, target_number=1, story="1")
    told = _first_group(week)
    assert told.startswith("A change was merged, taken back, and merged again.")
    assert "Last, author-3 brings back #1 (#3)." in told


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"title": "Support Moss-VL", "theme": "models"}, "New this week: Moss-VL (#2)"),
        ({"title": "Add a ROCm backend", "theme": "amd"}, "New this week: a ROCm backend (#2)"),
        ({"title": "Deprecate the old flag"}, "On the way out: #2 deprecates the old flag."),
        ({"title": "Drop the old path", "is_highlight": True, "rank": 9}, "On the way out: #2 drops the old path."),
        (
            {"claims": ["-50 % memory, less than before"]},
            "Measured by their authors: \u201c-50 % memory, less than before\u201d (#2).",
        ),
    ],
)
def test_news_are_new_support_departures_and_measured_gains(given: dict[str, Any], words: str) -> None:
    assert words in _summary(WeekBuilder().pull(1, is_highlight=True).pull(2, **given))


@pytest.mark.parametrize(
    "given",
    [
        {"title": "Support Moss-VL", "theme": "docs"},
        {"title": "Support Moss-VL", "theme": "models", "change_kind": "docs"},
        {"title": "Support Moss-VL", "theme": "models", "reverted_by_number": 9},
        {"title": "Add a test", "theme": "models"},
        {"title": "Drop an unused import"},
        {"claims": ["2x faster"], "reverted_by_number": 9},
    ],
)
def test_what_is_not_news_is_not_told_as_news(given: dict[str, Any]) -> None:
    told = _summary(WeekBuilder().pull(1, is_highlight=True).pull(2, **given))
    assert not any(words in told for words in ("New this week", "On the way out", "easured by"))


def test_a_settings_removal_is_told_with_its_names() -> None:
    week = WeekBuilder().pull(1, is_highlight=True).risk(1, "setting_removed")
    week.rows["derived_risks"][0]["measures_json"] = '{"settings":["--old","OLD_ENV"]}'
    line = _prose(week)["pulls"][0]["sentences"][0]
    assert "takes away or renames --old and OLD_ENV" in "".join(plain(part) for part in line["parts"])


def test_an_opening_names_what_titles_share() -> None:
    week = WeekBuilder()
    for number, name in enumerate(("GB200", "GB200", "H200"), start=1):
        week.pull(number, is_highlight=number == 1, title=f"Tune {name}", change_kind="docs" if number > 1 else "feature")
    assert _first_group(week).startswith(
        "3 pull requests by 3 authors went into this: 2 on documentation and 1 feature. More than one title names GB200. "
    )


def test_chinese_drops_the_article_of_an_object() -> None:
    week = WeekBuilder().pull(1, is_highlight=True, title="Remove the YAML file")
    assert "author-1 移除 YAML file" in _first_group(week, "zh")
    assert "removes the YAML file" in _first_group(week)
