from hypothesis import given
from hypothesis import strategies as st

from pipelines.rules.description import read

BODY = """<!-- Thank you for your contribution! Please say what this is about and why. -->
## Motivation

Requests of one user wait behind long ones. They need not.

## Modifications
- [x] I have read the guide of this project
* Queue by user, then by age.

## Test plan

Ran the unit tests and a day of replayed traffic.

```
throughput improved 900% in this log
```
| before | after |
| 1 ms | 2 ms, 50% slower |

Throughput is 12.5% higher with [the benchmark](https://example.org/40%faster).
"""


def test_the_summary_is_the_first_telling_sentence() -> None:
    assert read("t", BODY).summary == "Requests of one user wait behind long ones."


def test_what_was_tested_stands_under_its_heading() -> None:
    assert read("t", BODY).tests == "Ran the unit tests and a day of replayed traffic."


def test_claims_come_from_prose_and_titles_not_from_logs_and_tables() -> None:
    assert read("Speed up decoding by 3x", BODY).claims == (
        "Speed up decoding by 3x",
        "Throughput is 12.5% higher with the benchmark.",
    )


def test_an_amount_far_from_a_gain_is_no_claim() -> None:
    assert (
        read(
            "t", "We run 20% of all requests on the old machines of the other team, where nothing that we know of is faster."
        ).claims
        == ()
    )


def test_tested_is_found_in_prose() -> None:
    assert (
        read("t", "Handles empty names. Tested on two machines with the old data.").tests
        == "Tested on two machines with the old data."
    )


def test_an_untouched_template_says_nothing() -> None:
    body = "## Motivation\n\n<!-- Why? -->\n\n## Test plan\n\nN/A\n\n- [ ] I have run the tests of this project\n"
    assert read("t", body) == read("t", "") == read("t", None)
    assert read("t", None).summary is None


def test_long_sentences_are_cut_between_words() -> None:
    summary = read("t", "word " * 200).summary
    assert summary is not None
    assert len(summary) <= 300
    assert summary.endswith("word…")


def test_scripts_without_blanks_are_read() -> None:
    body = "\u4fee\u590d\u8c03\u5ea6\u5668\u7684\u6b7b\u9501\u95ee\u9898\u3002\u8fd8\u6709\u522b\u7684\u3002"
    assert read("t", body).summary == "\u4fee\u590d\u8c03\u5ea6\u5668\u7684\u6b7b\u9501\u95ee\u9898\u3002"


def test_mark_up_does_not_stay() -> None:
    body = 'See <b onclick="x()">the **bold** plan</b> of ![img](http://x/y.png) `code` for the change'
    assert read("t", body).summary == "See the bold plan of code for the change"


@given(st.text(max_size=400))
def test_any_text_is_read(body: str) -> None:
    described = read("title", body)
    assert described.summary is None or 0 < len(described.summary) <= 300
    assert all(len(claim) <= 120 for claim in described.claims)
