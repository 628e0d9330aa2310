"""A report that says anything its own facts do not hold is refused, whatever it is."""

import copy
import re
from collections.abc import Callable
from typing import Any

import pytest

from pipelines.errors import ReportError
from pipelines.report.check import check_report, linkable, own_texts, problems, schema
from pipelines.report.facts import report_from_rows
from pipelines.report.model import Report
from tests.unit.report.week_rows import typical_week


@pytest.fixture(scope="module")
def sound() -> Report:
    return report_from_rows(typical_week().build())


def _parts(report: Any, kind: str) -> list[Any]:
    """Every part of a kind in the English sentences."""
    prose = report["prose"]["en"]
    sentences = [prose["headline"], *prose["summary"]]
    for name in ("groups", "trends", "risks", "pulls"):
        sentences += [sentence for headed in prose[name] for sentence in headed["sentences"]]
    return [part for sentence in sentences for part in sentence["parts"] if kind in part]


def _change_number(report: Any) -> None:
    part = _parts(report, "fact")[0]
    part["shown"] = part["shown"] + "1"


def _say_number_in_words(report: Any) -> None:
    _parts(report, "text")[0]["text"] += "12"


def _say_full_width_number(report: Any) -> None:
    _parts(report, "text")[0]["text"] += "\uff11"


def _link_elsewhere(report: Any) -> None:
    part = _parts(report, "pull")[0]
    part.update(pull=4711, shown="#4711")


def _show_other_number(report: Any) -> None:
    _parts(report, "pull")[0]["shown"] = "#1"


def _other_title(report: Any) -> None:
    _parts(report, "title")[0]["shown"] = "Something better"


def _invent_quote(report: Any) -> None:
    _parts(report, "quote")[0].update(quote="Sweeps stop late", shown="Sweeps stop late")


def _swap_quote(report: Any) -> None:
    """What another pull request says is not what this one says."""
    report["pull_requests"][1]["summary"], report["pull_requests"][0]["summary"] = None, report["pull_requests"][1]["summary"]
    report["pull_requests"][1]["claims"] = []


def _lose_path(report: Any) -> None:
    part = _parts(report, "fact")[0]
    part["fact"] = "counts.nothing"


def _two_kinds(report: Any) -> None:
    _parts(report, "pull")[0]["text"] = "see "


def _other_theme(report: Any) -> None:
    _parts(report, "theme")[0]["theme"] = "quantum"


def _forget_fact(report: Any) -> None:
    report["prose"]["en"]["summary"][0]["facts"].pop()


def _forget_pull(report: Any) -> None:
    sentence = next(each for each in report["prose"]["en"]["summary"] if each["pull_requests"])
    sentence["pull_requests"] = []


def _unfounded_sentence(report: Any) -> None:
    report["prose"]["en"]["summary"][0] = {"parts": [{"text": "All is well."}], "facts": [], "pull_requests": [], "source": "rule"}


def _six_sentences(report: Any) -> None:
    report["prose"]["zh"]["summary"] *= 2


def _miscount(report: Any) -> None:
    report["counts"]["merged"] += 1


def _repeat_pull(report: Any) -> None:
    report["pull_requests"].append(report["pull_requests"][-1])


def _miscount_risk(report: Any) -> None:
    report["risks"][0]["count"] += 1


def _wrong_highlight(report: Any) -> None:
    report["highlights"].append(103)


def _eight_groups(report: Any) -> None:
    report["groups"] *= 3


def _wrong_type(report: Any) -> None:
    report["pull_requests"][0]["importance"] = "9"


def _missing_key(report: Any) -> None:
    del report["coverage"]["state"]


def _other_version(report: Any) -> None:
    report["schema_version"] = 99


def _other_name(report: Any) -> None:
    _parts(report, "name")[0]["shown"] = "somebody"


def _other_code(report: Any) -> None:
    _parts(report, "code")[0]["shown"] = "secret.py"


def _invent_file(report: Any) -> None:
    _parts(report, "code")[0].update(code="secret.py", shown="secret.py")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_change_number, r"shows '61' for counts\.merged, which is 6"),
        (_say_number_in_words, r"a number stands in the words"),
        (_say_full_width_number, r"a number stands in the words"),
        (_link_elsewhere, r"links pull request 4711"),
        (_show_other_number, r"links pull request \d+ as '#1'"),
        (_other_title, r"titles pull request \d+ as 'Something better'"),
        (_invent_quote, r"quotes 'Sweeps stop late', which no pull request it names says"),
        (_swap_quote, r"which no pull request it names says"),
        (_lose_path, r"no value at counts\.nothing"),
        (_two_kinds, r"a part has the keys"),
        (_other_theme, r"names the theme 'quantum'"),
        (_forget_fact, r"its facts are not those of its parts"),
        (_forget_pull, r"its pull requests are not those of its parts"),
        (_unfounded_sentence, r"summary\[0\]: stands on no fact and no pull request"),
        (_six_sentences, r"sentences, 5 at most"),
        (_miscount, r"counts\.merged is 7, and 6 pull requests are listed"),
        (_repeat_pull, r"not sorted by number, or one stands twice"),
        (_miscount_risk, r"counts 2 and does not list as many"),
        (_wrong_highlight, r"highlights are not the pull requests marked so"),
        (_eight_groups, r"9 groups of key changes, 7 at most"),
        (_wrong_type, r"pull_requests\.0\.importance: Input should be a valid number"),
        (_missing_key, r"coverage\.state: Field required"),
        (_other_version, r"schema_version is 99"),
        (_other_name, r"shows the name .* as 'somebody'"),
        (_other_code, r"as 'secret\.py'"),
        (_invent_file, r"names 'secret\.py', which none of its facts holds"),
    ],
)
def test_a_spoilt_report_is_refused(sound: Report, spoil: Callable[[Any], None], message: str) -> None:
    report = copy.deepcopy(sound)
    spoil(report)
    assert any(re.search(message, problem) for problem in problems(report)), list(problems(report))
    with pytest.raises(ReportError, match=r"report acme/lattice 2026-W17: \d+ problems: .*Nothing was published"):
        check_report(report)


def test_a_sound_report_passes(sound: Report) -> None:
    check_report(sound)


def test_links_may_lead_to_what_the_data_names(sound: Report) -> None:
    assert linkable(sound) == {101, 102, 103, 104, 105, 106}
    report = copy.deepcopy(sound)
    report["pull_requests"][0]["reverted_by"] = 200
    assert 200 in linkable(report)


def test_its_own_texts_are_all_that_it_says_of_itself(sound: Report) -> None:
    assert own_texts(sound["pull_requests"][1])[1:] == ("Sweeps stop early, which saves 30 % of the time.", "2.3x faster")


def test_the_schema_can_be_published() -> None:
    assert schema().json_schema()["title"] == "Report"
