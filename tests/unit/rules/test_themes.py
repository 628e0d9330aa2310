import random
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.rules import emerging, themes
from pipelines.rules.lexicon import Lexicon, lexicon_file, lexicon_of
from pipelines.rules.theme_titles import read_title
from pipelines.rules.words import phrases_of, words_of
from pipelines.settings import RuleSettings, ThemeSettings
from tests.unit.rules.small_weeks import EMPTY, inputs_of, pull, raw_week, weeks_from

WEEK = "2026-W10"
#: Titles that make a repository one for machine learning.
ML = [pull(900 + n, f"Support cuda graph on gpu {n}") for n in range(3)]


def found(pulls: list[dict[str, Any]], own: RuleSettings | None = None) -> pd.DataFrame:
    return themes.derive(inputs_of(WEEK, raw_week(WEEK, pulls), settings=own), {})


def first(pulls: list[dict[str, Any]], number: int = 1, own: RuleSettings | None = None) -> str:
    frame = found(pulls, own)
    return str(frame.loc[(frame["number"] == number) & frame["is_primary"], "theme"].item())


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return lexicon_of({}, frozenset({"ml"}))


@pytest.mark.parametrize(
    ("title", "theme"),
    [
        ("[AMD] Fix padding", "amd"),
        ("[AMD] Fix MoE padding", "moe"),
        ("chore: bump frobnicator to 1.4", "dependencies"),
        ("Bump version to v2.0", "release"),
        ("bump widgets-core to 2.0", "release"),
        ("feat(router): weigh workers", "gateway"),
        ("[diffusion] CI: shorten the run", "diffusion"),
        ("Fix chunked prefill in the scheduler", "scheduling"),
        ("[JIT Kernel] Add top-k", "jit-kernels"),
        ("docs: speak of the cache", "docs"),
        ("[Perf] Fuse norm in attention", "attention"),
        ("[Refactor] Tidy up hicache", "kv-offload"),
        ("Fix Qwen3 MoE double reduce", "moe"),
        ("[PD][AMD] Transfer state", "disaggregation"),
        ('Revert "[LoRA] Support adapters"', "lora"),
        ("Support DeepSeekV5 loading order", "model-deepseek"),
    ],
)
def test_titles_name_their_theme(title: str, theme: str) -> None:
    assert first([*ML, pull(1, title)]) == theme


def test_words_of_machine_learning_mean_nothing_elsewhere() -> None:
    assert first([*ML, pull(1, "Add spec for eagle")]) == "spec-decoding"
    assert first([pull(1, "Add spec for eagle"), pull(2, "Fix login page")]) == "other"


@pytest.mark.parametrize(
    ("paths", "theme"),
    [
        (["docs/a.md", "README.md"], "docs"),
        ([".github/workflows/x.yml"], "ci"),
        (["tests/test_a.py"], "tests"),
        (["requirements.txt"], "dependencies"),
        (["lattice/scheduler/queue.py"], "scheduling"),
        (["a.py", "b.py", "c.py", "docs/a.md"], "other"),
        ([], "other"),
    ],
)
def test_paths_tell_where_the_title_does_not(paths: list[str], theme: str) -> None:
    assert first([pull(1, "Do it", files=paths)]) == theme


def test_a_documentation_file_beside_code_makes_no_documentation() -> None:
    frame = found([pull(1, "Do it", files=["src/a.py", "docs/a.md"])])
    assert "docs" not in set(frame["theme"])


def test_labels_speak_and_unknown_labels_do_not_harm() -> None:
    assert first([pull(1, "Do it", labels=["Security", "good first issue"])]) == "security"
    assert first([pull(1, "Do it", labels=None)]) == "other"


@pytest.mark.parametrize(
    "label", ["run-ci", "Run CI", "rerun tests", "skip-docs", "no-tests", "release-note-none", "release-notes"]
)
def test_a_label_that_only_steers_a_bot_makes_no_theme(label: str) -> None:
    assert first([pull(1, "Do it", labels=[label])]) == "other"


def test_a_repository_may_give_a_steering_label_a_theme_of_its_own() -> None:
    own = RuleSettings(themes={"drills": ThemeSettings(labels=("run-drill", "needs: drill"))})
    frame = found([pull(1, "Do it", labels=["needs: drill"])], own)
    assert frame.loc[frame["is_primary"], "theme"].tolist() == ["drills"]


def test_every_pull_request_has_exactly_one_first_theme_and_no_theme_twice() -> None:
    frame = found([*ML, pull(1, "[AMD][MoE] Fix CI of attention kernels", files=["docs/a.md"]), pull(2, "?")])
    assert (frame.groupby("number")["is_primary"].sum() == 1).all()
    assert not frame.duplicated(["number", "theme"]).any()
    top = frame.sort_values("weight").groupby("number").tail(1)
    assert top["is_primary"].all()


def test_a_tag_that_comes_back_becomes_a_theme_of_its_own_and_keeps_it() -> None:
    pulls = [pull(n, f"[Planner] Step {n}") for n in (1, 2)]
    assert first(pulls) == "other"
    assert first([*pulls, pull(3, "[planner] Third")]) == "planner"
    past = raw_week("2026-W09", [pull(n, f"[Planner] Step {n}") for n in (11, 12, 13)])
    made = themes.derive(inputs_of("2026-W09", past), {})
    before = {"2026-W09": {**EMPTY, **past, "derived_themes": made}}
    frame = themes.derive(inputs_of(WEEK, raw_week(WEEK, [pull(1, "[Planner] Alone")]), before), {})
    assert frame["theme"].tolist() == ["planner"]


@pytest.mark.parametrize("tag", ["WIP", "codex", "1/N", "Widgets", "fix", "a tag that is a sentence by itself"])
def test_tags_that_name_nothing_become_no_themes(tag: str) -> None:
    assert set(found([pull(n, f"[{tag}] Step {n}") for n in range(1, 6)])["theme"]) == {"other"}


def test_a_repository_extends_the_lexicon_and_adds_to_it() -> None:
    own = RuleSettings(
        themes={
            "solver": ThemeSettings(title_en="Solvers", title_zh="求解器", words=("multigrid",), paths=("lattice/solve/**",)),
            "security": ThemeSettings(words=("gatehouse",)),
        }
    )
    assert first([pull(1, "[CLI] Tune multigrid")], own=own) == "cli"
    assert first([pull(1, "Tune multigrid of the scheduler")], own=own) == "solver"
    assert first([pull(1, "Do it", files=["lattice/solve/a.py"])], own=own) == "solver"
    assert first([pull(1, "Open the gatehouse")], own=own) == "security"
    assert [themes.titles("solver", language, own) for language in ("en", "zh")] == ["Solvers", "求解器"]
    assert themes.titles("security", "zh", own) == "安全"


def test_titles_of_themes_in_both_languages() -> None:
    assert (themes.titles("moe", "en"), themes.titles("moe", "zh")) == ("Mixture of experts", "混合专家\uff08MoE\uff09")
    assert (themes.titles("other", "en"), themes.titles("other", "zh")) == ("Other", "其他")
    assert themes.titles("deepseek-v4", "zh") == "deepseek v4"


def _history(weeks: list[str], titles: list[str]) -> dict[str, dict[str, pd.DataFrame]]:
    return {
        week: {**EMPTY, **raw_week(week, [pull(1000 * at + n, title) for n, title in enumerate(titles)])}
        for at, week in enumerate(weeks, start=1)
    }


_NEW = [pull(n, f"Support Helios-4 part {chr(97 + n)}", author_login=f"p{n % 3}") for n in range(1, 7)]
_PLAIN = [f"Touch thing {chr(97 + n)} of widget" for n in range(20)]


def test_a_name_that_rises_becomes_a_theme_and_a_plain_word_does_not() -> None:
    before = _history(weeks_from("2026-W04", 6), _PLAIN)
    week = [*_NEW, *(pull(50 + n, f"Load it {chr(97 + n)}", author_login=f"p{n}") for n in range(6))]
    frame = themes.derive(inputs_of(WEEK, raw_week(WEEK, week), before), {})
    rising = frame[frame["is_emerging"]]
    assert (set(rising["theme"]), set(rising["number"]), set(rising["rule"])) == ({"helios4"}, {1, 2, 3, 4, 5, 6}, {"emerging"})


@pytest.mark.parametrize(
    "said",
    ["Fix helios_4 loading {}", "Update HELIOS-4.json {}", 'Revert "Support Helios-4 part {}"'],
    ids=["symbol", "file", "revert"],
)
def test_the_name_of_code_and_a_revert_do_not_make_a_term_rise(said: str) -> None:
    before = _history(weeks_from("2026-W04", 6), _PLAIN)
    week = [pull(n, said.format(chr(97 + n)), author_login=f"p{n % 3}") for n in range(1, 7)]
    assert not themes.derive(inputs_of(WEEK, raw_week(WEEK, week), before), {})["is_emerging"].any()


def test_nothing_rises_against_too_few_weeks_or_by_one_author() -> None:
    short = _history(weeks_from("2026-W07", 3), _PLAIN)
    assert not themes.derive(inputs_of(WEEK, raw_week(WEEK, _NEW), short), {})["is_emerging"].any()
    long = _history(weeks_from("2026-W04", 6), _PLAIN)
    alone = [pull_request | {"author_login": "ann"} for pull_request in _NEW]
    assert not themes.derive(inputs_of(WEEK, raw_week(WEEK, alone), long), {})["is_emerging"].any()


def test_a_term_that_rose_keeps_its_name_while_it_is_used() -> None:
    before = _history(weeks_from("2026-W04", 6), _PLAIN)
    raw = raw_week(WEEK, _NEW)
    before[WEEK] = {**EMPTY, **raw, "derived_themes": themes.derive(inputs_of(WEEK, raw, before), {})}
    used = raw_week("2026-W11", [pull(71, "Tune Helios-4"), pull(72, "Fix Helios-4"), pull(73, "Load")])
    frame = themes.derive(inputs_of("2026-W11", used, before), {})
    assert set(frame.loc[frame["is_emerging"], "theme"]) == {"helios4"}
    gone = raw_week("2026-W11", [pull(71, "Tune Helios-4"), pull(73, "Load")])
    assert not themes.derive(inputs_of("2026-W11", gone, before), {})["is_emerging"].any()


@given(now=st.integers(0, 20), total=st.integers(50, 300), before=st.integers(0, 200), total_before=st.integers(600, 4000))
@settings(deadline=None)
def test_log_odds_grow_with_the_count_and_have_its_sign(now: int, total: int, before: int, total_before: int) -> None:
    z = emerging.log_odds(now, total, before, total_before)
    assert emerging.log_odds(now + 1, total, before, total_before) > z
    if now / total > before / total_before:
        assert z > 0
    if now / total < before / total_before:
        assert z < 0


def test_log_odds_of_nothing_are_nothing() -> None:
    assert emerging.log_odds(3, 5, 0, 0) == emerging.log_odds(0, 5, 0, 9) == emerging.log_odds(0, 0, 5, 9) == 0.0


def test_words_have_one_spelling() -> None:
    assert words_of("LTX-2.3") == words_of("LTX 2.3") == words_of("ltx2.3") == ("ltx2.3",)
    assert "deepseek v4" in phrases_of("DeepSeek-V4 docs") & phrases_of("deepseekv4: docs")
    assert phrases_of("Fix #123 at https://x.y/z") == frozenset()


def test_the_lexicon_holds_together(lexicon: Lexicon) -> None:
    assert len(lexicon.themes) > 50
    standings = {"area", "model", "hardware", "nature", "last"}
    for key, theme in lexicon_file().themes.items():
        assert theme.title_en, key
        assert theme.title_zh, key
        assert theme.standing in standings, key
        assert theme.domain in {"", *lexicon_file().domains}, key
        assert len(set(theme.words)) == len(theme.words), key
    assert themes.OTHER not in lexicon.themes


def test_longer_phrases_come_before_shorter_ones(lexicon: Lexicon) -> None:
    told = [(one.theme, one.text) for one in read_title(lexicon, "Capture cuda graph for lora adapters").evidence]
    assert told == [("compilation", "cuda graph"), ("lora", "lora"), ("lora", "adapters")]


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=200))
def test_any_title_is_read(lexicon: Lexicon, title: str) -> None:
    assert all(one.theme in lexicon.themes for one in read_title(lexicon, title).evidence)


@settings(deadline=None, max_examples=10)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(shuffler: random.Random) -> None:
    raw = raw_week(
        WEEK, [*ML, *_NEW, pull(60, "[Planner] x", files=["b.py", "docs/a.md"]), pull(61, "[Planner] y"), pull(62, "[Planner] z")]
    )
    before = _history(weeks_from("2026-W04", 5), _PLAIN)
    mixed = {}
    for name, frame in raw.items():
        order = list(range(len(frame)))
        shuffler.shuffle(order)
        mixed[name] = frame.iloc[order].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        themes.derive(inputs_of(WEEK, mixed, before), {}), themes.derive(inputs_of(WEEK, raw, before), {})
    )


def test_an_empty_week_has_no_themes() -> None:
    assert found([]).empty


def test_a_label_of_what_a_change_also_touches_is_less_than_its_title() -> None:
    assert first([*ML, pull(1, "Support GGUF quantization", labels=["tests"])]) == "quantization"
    assert first([pull(1, "Make things better", labels=["tests"])]) == "tests"
