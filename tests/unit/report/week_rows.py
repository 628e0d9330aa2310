"""Small weeks of stored rows, written by hand: what the tests of facts and prose stand on."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.report.facts_rows import Row, RulesAbout, WeekRows
from pipelines.tables import TABLES
from pipelines.weeks import parse_week

REPO = "acme/lattice"
WEEK = "2026-W17"
RULES = ("core_path_change", "missing_tests", "open_threads", "reverted", "own_rule")
_ZEROS: dict[str, Any] = {"int64": 0, "double": 0.0, "bool": False, "string": "", "timestamp[us, tz=UTC]": "2026-04-27T06:00:00Z"}


def row(table: str, **given: Any) -> Row:
    """A row of a table: zero, empty or null where nothing is given."""
    columns = TABLES[table].columns
    assert set(given) <= {column.name for column in columns}, sorted(given)
    blank = {c.name: None if c.nullable else _ZEROS.get(str(c.type), []) for c in columns}
    return {**blank, **given}


class WeekBuilder:
    """A week that grows pull request by pull request."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {name: [] for name in TABLES}
        self.history: dict[str, dict[str, list[Row]]] = {}
        self.counts: dict[str, Any] = {}
        self.fetch: dict[str, Any] = {}
        self.earlier_fetches: list[Row] = []

    def pull(self, number: int, *, theme: str = "scheduling", **given: Any) -> "WeekBuilder":
        """A pull request with its row in every table; ``given`` goes to the tables that have such a column."""
        files: Sequence[str] = given.pop("paths", ("lattice/engine.py",))
        base: dict[str, Any] = {
            "title": f"[engine] Change number {'x' * (number % 3 + 1)}",
            "author_login": f"author-{number % 4}",
            "merged_at_utc": f"2026-04-2{number % 6}T10:00:00Z",
            "base_ref": "main",
            "is_base_default": True,
            "author_kind": "person",
            "change_kind": "feature",
            "primary_module": "engine",
            "modules": ["engine"],
            "tests_state": "changed",
            "test_files_count": 2,
            "merge_hours": 20.5,
            "importance": 5.0,
            "rank": number,
            "base_points": 2.0,
            "size_points": 3.0,
            "added_lines_count": 40,
            "removed_lines_count": 4,
            "changed_files_count": len(files),
        } | given
        for table in ("raw_pull_requests", "derived_pull_requests", "derived_importance"):
            names = {column.name for column in TABLES[table].columns}
            self.rows[table].append(row(table, number=number, **{key: value for key, value in base.items() if key in names}))
        self.rows["derived_themes"].append(row("derived_themes", number=number, theme=theme, is_primary=True, weight=1.0))
        for path in files:
            self.rows["raw_files"].append(row("raw_files", number=number, path=path, change_type="modified"))
            made = row(
                "derived_files",
                number=number,
                path=path,
                module="engine",
                kind="source",
                change_type="modified",
                added_lines_count=40,
            )
            self.rows["derived_files"].append(made)
        return self

    def add(self, table: str, **given: Any) -> "WeekBuilder":
        """One more row of a table."""
        self.rows[table].append(row(table, **given))
        return self

    def risk(self, number: int, rule: str, severity: str = "medium", evidence: Sequence[str] = ()) -> "WeekBuilder":
        """A risk that fired."""
        return self.add(
            "derived_risks",
            number=number,
            rule=rule,
            severity=severity,
            confidence="high",
            reason="because",
            measures_json="{}",
            evidence=list(evidence),
        )

    def trend(self, name: str, count: int, past: Sequence[int], **given: Any) -> "WeekBuilder":
        """A theme's trend over as many weeks before as ``past`` names."""
        weeks = [str(parse_week(WEEK).shift(back - len(past))) for back in range(len(past))]
        return self.add(
            "derived_theme_trends",
            **{
                "dimension": "theme",
                "name": name,
                "pull_requests_count": count,
                "history_weeks": weeks,
                "history_counts": list(past),
            }
            | {"direction": "steady", "share": 0.5}
            | given,
        )

    def past(self, back: int, risks: Mapping[str, int] | None = None, **counts: Any) -> "WeekBuilder":
        """A stored week so many weeks before."""
        week = str(parse_week(WEEK).shift(-back))
        rules = [rule for rule, count in (risks or {}).items() for _ in range(count)]
        self.history[week] = {
            "derived_week": [row("derived_week", **counts)],
            "derived_risks": [row("derived_risks", number=index, rule=rule, severity="low") for index, rule in enumerate(rules)],
        }
        return self

    def build(self) -> WeekRows:
        """The rows, with a count row and a fetch row that fit them."""
        pulls = self.rows["raw_pull_requests"]
        counts = {
            "merged_count": len(pulls),
            "human_merged_count": len(pulls),
            "authors_count": len({p["author_login"] for p in pulls}),
        }
        counts |= {"highlights_count": sum(p["is_highlight"] for p in self.rows["derived_importance"])}
        window = parse_week(WEEK).window("Asia/Shanghai")
        fetch = {
            "fetch_number": len(self.earlier_fetches) + 1,
            "source": "github",
            "web_url": "https://github.com",
            "timezone": "Asia/Shanghai",
            "window_start_utc": window.start_utc.isoformat().replace("+00:00", "Z"),
            "window_end_utc": window.end_utc.isoformat().replace("+00:00", "Z"),
            "state": "complete",
            "enumerated_count": len(pulls),
            "read_count": len(pulls),
        } | self.fetch
        rows = {name: sorted(found, key=lambda r: [r[key] for key in TABLES[name].key]) for name, found in self.rows.items()}
        rows["derived_week"] = [row("derived_week", repository=REPO, **(counts | self.counts))]
        rows["raw_fetches"] = [*self.earlier_fetches, row("raw_fetches", **fetch)]
        return WeekRows(
            repo=REPO,
            week=parse_week(WEEK),
            rows=rows,
            history=dict(sorted(self.history.items())),
            about=RulesAbout(
                "rules-1",
                "settings-1",
                "0.1",
                lambda key, language: {"zh": "调度", "en": "Scheduling"}.get(language, key) if key == "scheduling" else key,
                RULES,
            ),
            raw_hashes={"raw_pull_requests": "a"},
            derived_hashes={"derived_week": "b"},
            history_hashes={},
        )


def typical_week() -> WeekBuilder:
    """Six pull requests: a revert and its target, two highlights, one with a claim, one in Chinese, one hostile."""
    made = WeekBuilder()
    made.pull(
        101,
        is_highlight=True,
        importance=9.1,
        rank=1,
        core_paths=["lattice/engine.py"],
        core_files_count=1,
        reviewers=["rev-a", "rev-b"],
    )
    made.pull(
        102,
        is_highlight=True,
        importance=8.0,
        rank=2,
        summary="Sweeps stop early, which saves 30 % of the time.",
        claims=["2.3x faster"],
        tests_state="none",
    )
    made.pull(
        103, theme="storage", title="修复 `x|y` 的 <b>路径</b> @someone #999", rank=3, change_kind="fix", open_threads_count=2
    )
    made.pull(104, theme="storage", rank=4, reverted_by_number=105, reverted_after_hours=1.65)
    made.pull(105, theme="storage", title='Revert "[engine] Change"', rank=5, change_kind="revert")
    made.pull(
        106,
        theme="other",
        rank=6,
        author_login="renovate",
        author_kind="bot",
        change_kind="dependency",
        tests_state="not_applicable",
    )
    made.add(
        "derived_links",
        number=105,
        kind="reverts",
        target_repo=REPO,
        target_number=104,
        hours_between=1.65,
        story="104",
        evidence="This reverts",
    )
    made.risk(101, "core_path_change", "high", ["file:lattice/engine.py"]).risk(102, "missing_tests").risk(
        104, "reverted", "high", ["pull:105"]
    )
    made.risk(103, "own_rule", "low")
    made.trend("scheduling", 2, [1, 1, 0, 1], median_4_weeks_count=1.0, change_count=1.0, direction="rising", movers=[101, 102])
    made.trend("storage", 3, [3, 3, 3, 3], median_4_weeks_count=3.0, change_count=0.0, movers=[103])
    made.counts |= {
        "merge_hours_median": 20.5,
        "merge_hours_n": 5,
        "without_tests_count": 1,
        "first_time_authors": ["author-1"],
        "reviewers_count": 2,
    }
    for back in (1, 2, 3):
        made.past(back, {"missing_tests": back}, merged_count=3 + back, merge_hours_median=10.0 * back)
    return made
