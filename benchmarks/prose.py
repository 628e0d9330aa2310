"""Prose: whether the verifier refuses what is false and lets stand what is true, and how the default prose reads.

The sentences are those of the embedded sample's six weeks in both languages, and of week 17 of the shared history where
that lies beside the project; readability stands beside the published example's where that is there too.
"""

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from benchmarks import shared_data
from benchmarks.prose_cases import Case, false_cases, true_cases
from pipelines.defs.steps import about_rules, derive_week, fetch_week
from pipelines.report.facts import build_report
from pipelines.report.model import Report
from pipelines.report.writer.evidence import Evidence
from pipelines.report.writer.request import items, text_of
from pipelines.report.writer.verify import RefusedError, verified
from pipelines.settings import RepositorySettings
from pipelines.sources.sample import SampleSource
from pipelines.tables import TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import HISTORY_WEEKS, parse_week, week_range

SEED = 7
#: The bounds of issue 7: of the false so many refused at least, of the true so many at most, and so many of each to judge by.
LEAST_FALSE_REFUSED, MOST_TRUE_REFUSED, LEAST_CASES = 0.99, 0.02, 300
LANGUAGES = ("en", "zh")
EXAMPLE = Path(__file__).resolve().parents[2] / "shared" / "examples" / "weekly-report-2026-W17.zh.txt"
_FIRST, _LAST = "2026-W12", "2026-W17"
_EVIDENCE = re.compile(r"#\d+|\d")


@dataclass(frozen=True)
class Judged:
    """One sentence and what the verifier made of it."""

    case: Case
    is_true: bool
    reason: str | None  # None where it stands

    @property
    def is_wrong(self) -> bool:
        """Whether the verifier erred."""
        return self.is_true == (self.reason is not None)


@dataclass(frozen=True)
class Readability:
    """How a run of sentences reads: lengths in words, Chinese signs counted as one each."""

    sentences: int
    mean_length: float
    longest: int
    repeated_openings: float  # share that begins as one of the two before it
    with_evidence: float  # share with a number or a pull request


def sample_reports(weeks: Iterable[str] = ()) -> list[Report]:
    """The reports of the embedded sample, its last week last; all six weeks where none is named."""
    entry = RepositorySettings(name="acme/lattice", source="sample")
    wanted = set(weeks)
    with tempfile.TemporaryDirectory() as folder:
        warehouse = Warehouse(Path(folder))
        all_weeks = list(week_range(parse_week(_FIRST), parse_week(_LAST)))
        for week in all_weeks:
            fetch_week(warehouse, SampleSource, entry, week, lambda *_: None, refresh=False)
            derive_week(warehouse, entry, week)
        about = about_rules(entry)
        return [build_report(warehouse, entry.name, week, about) for week in all_weeks if not wanted or str(week) in wanted]


def shared_reports() -> list[Report]:
    """The report of week 17 of the shared history, on the twelve weeks before; none where that does not lie beside the project."""
    if not shared_data.is_there():
        return []
    last = parse_week(_LAST)
    weeks = list(week_range(last.shift(-HISTORY_WEEKS), last))
    raw = shared_data.raw_weeks()
    made = shared_data.derive_all([str(week) for week in weeks], raw=raw)
    with tempfile.TemporaryDirectory() as folder:
        warehouse = Warehouse(Path(folder))
        for week in weeks:
            for name, frame in {**raw[str(week)], **made[str(week)]}.items():
                warehouse.write(TABLES[name], shared_data.REPO, week, frame)
        entry = RepositorySettings(name=shared_data.REPO, timezone=shared_data.TIMEZONE)
        return [build_report(warehouse, shared_data.REPO, last, about_rules(entry))]


def judge(reports: Iterable[Report], seed: int = SEED) -> Iterator[Judged]:
    """Every true and every false sentence on the reports, judged."""
    for report in reports:
        for language in LANGUAGES:
            evidence = Evidence(report, language)
            for case in true_cases(report, language):
                yield Judged(case, True, _reason(case, evidence))
            for case in false_cases(report, language, seed):
                yield Judged(case, False, _reason(case, evidence))


def _reason(case: Case, evidence: Evidence) -> str | None:
    try:
        verified(case.draft, evidence)
    except RefusedError as refusal:
        return str(refusal)
    return None


def shares(judged: Iterable[Judged]) -> tuple[float, float, int, int]:
    """Share of the false refused, share of the true refused, and how many there were of each."""
    counts = Counter((one.is_true, one.reason is not None) for one in judged)
    false, true = counts[False, True] + counts[False, False], counts[True, True] + counts[True, False]
    return counts[False, True] / max(false, 1), counts[True, True] / max(true, 1), false, true


def readability(sentences: list[str]) -> Readability:
    """The figures of a run of sentences."""
    lengths = [len(re.findall(r"[\u3400-\u9fff]|[A-Za-z0-9_./#%+-]+", text)) for text in sentences]
    openings = [_opening(text) for text in sentences]
    repeated = sum(opening in openings[max(0, index - 2) : index] for index, opening in enumerate(openings))
    evident = sum(_EVIDENCE.search(text) is not None for text in sentences)
    count = max(len(sentences), 1)
    return Readability(len(sentences), round(mean(lengths or [0]), 1), max(lengths, default=0), repeated / count, evident / count)


def _opening(text: str) -> str:
    """The first three words, or four Chinese signs."""
    return text[:4] if re.match(r"[\u3400-\u9fff]", text) else " ".join(text.split()[:3])


def told(report: Report, language: str) -> list[str]:
    """The sentences of summary, key changes, trends, risks and key pull requests, cut at full stops."""
    texts = [text_of(sentence) for item in items(report, language) for sentence in item.sentences]
    return [part for text in texts for part in _cut(text)]


def _cut(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.])\s+(?=[A-Z#])|(?<=\u3002)", text) if part.strip()]


def example_sentences() -> list[str]:
    """The published example's sentences; none where it does not lie beside the project."""
    if not EXAMPLE.exists():
        return []
    lines = [line.strip(" \u2022") for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
    return [part for line in lines for part in _cut(line) if part.endswith("\u3002")]


def main(_: list[str]) -> int:
    """Print the figures; 1 where a bound is not held."""
    sample, shared = sample_reports(), shared_reports()
    if not shared:
        print("week 17 of ../shared/data/sglang: not there, skipped")
    reports = [*sample, *shared]
    judged = list(judge(reports))
    false_refused, true_refused, false, true = shares(judged)
    for kind in sorted({one.case.kind for one in judged}):
        of_kind = [one for one in judged if one.case.kind == kind]
        print(f"{kind:24} {sum(one.reason is not None for one in of_kind):6} of {len(of_kind):6} refused")
    print(f"false: {false} sentences, {false_refused:.2%} refused (at least {LEAST_FALSE_REFUSED:.0%})")
    print(f"true:  {true} sentences, {true_refused:.2%} refused (at most {MOST_TRUE_REFUSED:.0%})")
    for one in [one for one in judged if one.is_wrong][:10]:
        print(f"  wrong: {one.case.kind}: {one.case.draft.text[:140]} ({one.reason})")
    read = [*sample[-1:], *shared]
    runs = {f"{report['repo']} {report['week']} {language}": told(report, language) for report in read for language in LANGUAGES}
    runs |= {"published example zh": example_sentences()}
    for name, sentences in runs.items():
        print(f"{name}: {readability(sentences)}" if sentences else f"{name}: not beside the project, skipped")
    held = false_refused >= LEAST_FALSE_REFUSED and true_refused <= MOST_TRUE_REFUSED and min(false, true) >= LEAST_CASES
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
