import re
from pathlib import Path

PAGE = Path("docs/field-cases.md")


def test_every_case_names_a_test_that_exists() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if re.match(r"\| \d+\.", line)]
    assert [int(re.findall(r"\d+", row)[0]) for row in rows] == list(range(1, 19))
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        assert named, row
        for path, function in named:
            assert f"def {function}(" in Path(path).read_text(encoding="utf-8"), function
