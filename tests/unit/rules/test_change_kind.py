import pytest

from pipelines.rules.change_kind import RETIRES, kind_of_change

SOURCE = frozenset({"source"})


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("feat(cache): hold two copies", "feature"),
        ("fix!: refuse empty names", "fix"),
        ("[Bugfix] Adding twice", "fix"),
        ("[AMD][Perf] new kernel", "performance"),
        ("Support tables and fix a crash", "feature"),
        ("Fix adding of tables", "fix"),
        ("Speed up the scheduler", "performance"),
        ("Reduce the memory of the pool", "performance"),
        ("Refactor support of tables", "refactor"),
        ("Unifying two caches", "refactor"),
        ("Deprecate the old path", "refactor"),
        ('Revert "Support tables"', "revert"),
        ('[Cache] Revert "Support tables (#12)"', "revert"),
        ('Reland "Support tables"', "feature"),
        ('Revert "Revert "Support tables""', "feature"),
        ("Pinned staging buffers", "feature"),
    ],
)
def test_a_title_tells_the_kind_by_its_first_word_or_tag(title: str, kind: str) -> None:
    assert kind_of_change(title, SOURCE, 100, 0).kind == kind


@pytest.mark.parametrize(
    ("kinds", "kind"),
    [
        ({"docs"}, "docs"),
        ({"docs", "asset"}, "docs"),
        ({"test", "data"}, "test"),
        ({"ci", "docs"}, "ci"),
        ({"dependency"}, "dependency"),
    ],
)
def test_files_of_one_kind_outweigh_a_title(kinds: set[str], kind: str) -> None:
    assert kind_of_change("Add a great feature", frozenset(kinds), 0, 0).kind == kind


def test_a_feature_needs_source() -> None:
    assert kind_of_change("Add documentation site", frozenset({"docs", "dependency", "config"}), 0, 0).kind == "docs"


def test_a_version_bump_is_told_by_its_title_and_its_few_lines() -> None:
    kinds = frozenset({"dependency", "source"})
    assert kind_of_change("chore: bump engine to v0.5.2", kinds, 2, 2).rule == "version_bump"
    assert kind_of_change("Upgrade engine to v2 and rewrite the loader", kinds, 400, 200).rule != "version_bump"


def test_without_a_word_lines_tell() -> None:
    assert kind_of_change("ministral3", SOURCE, 200, 3).kind == "feature"
    assert kind_of_change("ministral3", SOURCE, 200, 180).kind == "refactor"
    assert kind_of_change("ministral3", frozenset({"config"}), 0, 0).kind == "chore"


def test_no_known_file_leaves_the_title() -> None:
    assert kind_of_change("Fix a crash", frozenset(), 0, 0).kind == "fix"


@pytest.mark.parametrize(
    ("title", "retires"), [("Remove the old loader", True), ("[MoE] deprecate x", True), ("Add removable disks", False)]
)
def test_words_that_retire(title: str, *, retires: bool) -> None:
    assert bool(RETIRES.search(title)) is retires
