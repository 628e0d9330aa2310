"""What titles say is found behind their tags, verb by verb, and stays verbatim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.report.facts_titles import written
from pipelines.report.prose.titles import Deed, bare, deeds, shared_names


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("[NPU][2/N] Support GGUF for Ascend (#123)", (Deed("support", "GGUF for Ascend"),)),
        ("feat(solver)!: added a cache.", (Deed("add", "a cache"),)),
        ("【调度】 [x] fix: Do not lose the last commit", (Deed("do_not", "lose the last commit"),)),
        ("Fuse gate+cumsum and reuse chunk index", (Deed("fuse", "gate+cumsum"), Deed("reuse", "chunk index"))),
        ("Deprecate a; fold b into c", (Deed("deprecate", "a"), Deed("fold", "b into c"))),
        ("Add tests and docs for load", (Deed("add", "tests and docs for load"),)),
        ("Native gRPC server: proto + crate", ()),
        ("docs: upgrade guide for 1.5", ()),
        ("Fix", ()),
        ("修复 路径", ()),
    ],
)
def test_deeds_are_the_verbs_of_a_title_with_their_objects(title: str, said: tuple[Deed, ...]) -> None:
    assert deeds(title) == said


@given(st.text(max_size=80))
def test_whatever_a_title_holds_its_words_stay_verbatim(title: str) -> None:
    assert bare(title) in title
    assert all(deed.what in title for deed in deeds(title))


def test_a_title_of_tags_alone_stays_whole() -> None:
    assert (bare("[CI]"), bare("  [a] x ")) == ("[CI]", "[a] x")


def test_names_that_titles_share_are_told_most_frequent_first() -> None:
    titles = ["[Docs] Add GB200 to DeepSeek-V4", "Tune H200 and GB200", "docs for H200, GB200 by CI", "CI on B300"]
    assert shared_names(titles, "deepseek v4", 2, 4) == ("GB200", "H200")
    assert shared_names(titles, "gb-200", 2, 4) == ("H200",)


def test_a_theme_is_written_as_most_titles_write_it() -> None:
    titles = ("Add DeepSeek-V4", "DeepSeek V4: x", "fix deepseek_v4", "DeepSeek-V4 again", "no deepseek-v4-pro")
    assert written("deepseek v4", titles) == "DeepSeek-V4"
    assert written("solver", ("[solver] x", "resolver Solvers")) == "solver"
