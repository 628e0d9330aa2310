"""A report.json written by hand for the tests of the pages: any number of pull requests, any text in every place."""

from collections.abc import Sequence
from typing import Any, Literal

from pipelines.report.model import (
    SCHEMA_VERSION,
    Direction,
    Group,
    Headed,
    Part,
    Prose,
    PullDetail,
    PullFacts,
    Report,
    RiskFacts,
    RiskFlag,
    Sentence,
    Severity,
    SpanFacts,
    StandsOn,
    Suggestion,
    ThemeFacts,
    Tile,
)
from pipelines.weeks import parse_week

REPO = "acme/lattice"
WEEK = "2026-W17"
_SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")
_RULES = ("core_path_change", "missing_tests", "open_threads")
_TITLES = (
    "[Engine] Replace the block allocator with a slab that never moves live pages",
    "Fix off-by-one in the paged scheduler when a batch is empty",
    "docs: say how to run a node behind a proxy",
    "【调度】为空批次增加保护并补充单元测试",
    "Bump the linter to 4.2",
    "Add a `--dry-run` flag to the importer, with a table of what would change",
)
_MODULES = ("lattice/engine", "lattice/scheduler", "docs", "lattice/io/readers", "ci")
_THEMES = ("kernels", "scheduling", "documentation", "tooling")


def _pick(choices: Sequence[Any], index: int) -> Any:
    return choices[index % len(choices)]


def _weeks(week: str) -> list[str]:
    return [str(parse_week(week).shift(back)) for back in range(-12, 1)]


def _risk(number: int, rule: str, texts: Sequence[str]) -> RiskFlag:
    severity: Severity = _pick(_SEVERITIES, number)
    evidence = [f"file:{_pick(texts, number)}"] if texts else [f"file:lattice/engine/core_{number}.py"]
    return {
        "rule": rule,
        "severity": severity,
        "confidence": "high",
        "reason": _pick(texts, number + 1) if texts else "changes 2 core files",
        "measures": {"core_files_count": 2},
        "evidence": evidence,
    }


def _detail(number: int, texts: Sequence[str]) -> PullDetail:
    path = _pick(texts, number) if texts else f"lattice/engine/core_{number}.py"
    return {
        "file_rows": [
            {
                "path": f"{path}" if index == 0 else f"lattice/engine/part_{index}.py",
                "previous_path": "old/" + path if index == 0 else None,
                "change_type": "renamed" if index == 0 else "modified",
                "kind": ("source", "test", "docs")[index % 3],
                "module": _pick(texts, number + 2) if texts else "lattice/engine",
                "is_core": index == 0,
                "added": None if index == 4 else 10 * index,
                "removed": None if index == 4 else index,
            }
            for index in range(6)
        ],
        "threads": [
            {
                "thread_id": "T1",
                "path": path,
                "line": 12,
                "author": _pick(texts, number + 3) if texts else "rui",
                "by_bot": False,
                "excerpt": _pick(texts, number + 4) if texts else "Does this hold where the batch is empty?",
                "comments": 3,
            }
        ],
        "measures": {"approval_hours": 20.5, "human_reviews_count": 3, "resolved_threads_count": 2, "outdated_threads_count": 1},
        "described_tests": _pick(texts, number + 5) if texts else "Ran the scheduler's tests on two nodes.",
    }


def pull(number: int, rank: int, count: int, texts: Sequence[str] = (), highlights: int = 10) -> PullFacts:
    """One pull request; ``texts`` fill every place where text of others can stand."""
    rules = [_RULES[i] for i in range(3) if (number >> i) & 1]
    made: PullFacts = {
        "number": number,
        "title": _pick(texts, rank) if texts else _pick(_TITLES, rank),
        "url": f"https://github.com/{REPO}/pull/{number}",
        "author": _pick(texts, rank + 7) if texts else _pick(("ines", "rui", "tomasz", "renovate"), rank),
        "author_kind": "bot" if rank % 4 == 3 else "person",
        "merged_at": f"2026-04-{20 + rank % 7:02d}T0{rank % 10}:15:00Z",
        "base_ref": "main",
        "is_base_default": True,
        "change_kind": _pick(("feature", "fix", "docs", "dependency"), rank),
        "importance": round(9.4 - 8.0 * rank / max(1, count), 1),
        "rank": rank,
        "is_highlight": rank <= highlights,
        "components": [
            {"name": "base_points", "points": 1.0},
            {"name": "size_points", "points": 3.25},
            {"name": "core_points", "points": 2.0},
            {"name": "tests_points", "points": -0.5},
        ],
        "themes": [_pick(_THEMES, rank), *([_pick(texts, rank + 8)] if texts else [])],
        "modules": [_pick(texts, rank + 9) if texts else _pick(_MODULES, rank)],
        "labels": [_pick(texts, rank + 10)] if texts else ["bug"],
        "risks": [_risk(number, rule, texts) for rule in rules],
        "reviewers": None if rank % 11 == 5 else [_pick(texts, rank + 11) if texts else "maya", "oskar"],
        "approvers": ["maya"],
        "added": 12 * rank + 3,
        "removed": rank,
        "files": 1 + rank % 9,
        "source_lines": (rank * 37) % 900,
        "tests_state": _pick(("changed", "none", "not_applicable", "moved_only"), rank),
        "merge_hours": 1.5 * rank,
        "first_review_hours": None if rank % 5 == 0 else 0.5 * rank,
        "open_threads": None if rank % 6 == 0 else rank % 3,
        "summary": _pick(texts, rank + 12) if texts else "The allocator moved pages that were still read.",
        "claims": [_pick(texts, rank + 13)] if texts else [],
        "reverted_by": number + 1 if rank == 2 else None,
        "reverted_after_hours": 1.7 if rank == 2 else None,
        "links": [
            {
                "kind": "fixes",
                "direction": "from",
                "repo": REPO,
                "number": number + 1,
                "title": _pick(texts, rank + 14) if texts else "Fix it for good",
                "week": WEEK,
                "hours": 30.5,
                "evidence": _pick(texts, rank + 15) if texts else "Fixes #1",
                "story": None,
            }
        ],
        "unknown_parts": [],
    }
    if made["is_highlight"]:
        made["detail"] = _detail(number, texts)
    return made


def _theme(key: str, index: int, pulls: Sequence[PullFacts], week: str, dimension: Literal["theme", "module"]) -> ThemeFacts:
    counted = [p for p in pulls if (p["modules"] if dimension == "module" else p["themes"])[0] == key]
    directions: tuple[Direction, ...] = ("rising", "steady", "falling", "new", "unknown")
    count = len(counted)
    return {
        "dimension": dimension,
        "key": key,
        "title": {
            "en": key.capitalize(),
            "zh": {"kernels": "内核", "scheduling": "调度", "documentation": "文档", "tooling": "工具"}.get(key, key),
        },
        "count": count,
        "mentions": count + 1,
        "share": count / len(pulls) if pulls else 0.0,
        "last_week": None if index == 4 else count + index - 1,
        "median_4": count + 0.5,
        "median_12": None if index == 4 else count - 0.5,
        "quartile_1": count - 1.0,
        "quartile_3": count + 2.0,
        "change": -0.5,
        "direction": directions[index % 5],
        "z_score": 1.2,
        "is_emerging": index == 3,
        "weeks": _weeks(week),
        "series": [None, None, *[max(0, count + (i * 5) % 4 - 2) for i in range(10)], count],
        "movers": [p["number"] for p in counted[:5]],
    }


def _tile(key: str, value: float, unit: str, good: Literal["up", "down", "neutral"], week: str) -> Tile:
    series: list[float | int | None] = [None, *[round(value * (0.8 + (i * 7 % 5) / 10), 1) for i in range(11)], value]
    return {
        "key": key,
        "value": value,
        "unit": unit,
        "comparator": 20,
        "change": value - 20,
        "good": good,
        "weeks": _weeks(week),
        "series": series,
    }


def _shown(part: Part) -> Part:
    """The part with its plain text, as the prose of the program has it."""
    if "text" in part or "shown" in part:
        return part
    if "pull" in part:
        return {**part, "shown": f"#{part['pull']}"}
    (value,) = part.values()
    return {**part, "shown": str(value)}


def sentence(*parts: Part) -> Sentence:
    """A sentence of parts."""
    return {
        "parts": [_shown(part) for part in parts],
        "pull_requests": sorted({part["pull"] for part in parts if "pull" in part}),
        "facts": sorted(part["fact"] for part in parts if "fact" in part),
        "source": "rule",
    }


def _headed(key: str, heading: str, number: int | None, words: str) -> Headed:
    tail: list[Part] = [{"text": " ("}, {"pull": number}, {"text": ")."}] if number else []
    return {"key": key, "heading": [{"text": heading}], "sentences": [sentence({"text": words}, *tail)]}


def _prose(language: str, report: dict[str, Any], pulls: Sequence[PullFacts], texts: Sequence[str]) -> Prose:
    zh = language == "zh"
    first = pulls[0]["number"] if pulls else None
    quoted: Part = {"quote": (pulls[0]["summary"] or "") if pulls else ""}
    named: Part = {"name": _pick(texts, 1) if texts else "ines"}
    coded: Part = {"code": pulls[0]["detail"]["file_rows"][1]["path"] if pulls else ""}
    merged: Part = {"fact": "counts.merged", "shown": f"{len(pulls):,}"}
    lead = [
        {"text": "本周合并了 " if zh else "In this week "},
        merged,
        {"text": " 个 PR。" if zh else " pull requests were merged."},
    ]
    told: list[Sentence] = []
    if first is not None:
        told = [
            sentence(
                {"text": "其中 " if zh else "Of these "},
                {"pull": first},
                {"text": " 即 " if zh else ": "},
                {"title": first, "shown": pulls[0]["title"]},
            ),
            sentence(
                {"text": "据其描述 " if zh else "By its description it "},
                quoted,
                {"text": " 见 " if zh else " ("},
                {"pull": first},
                {"text": "。" if zh else ")."},
            ),
            sentence(
                named,
                {"text": " 修改了 " if zh else " changed "},
                coded,
                {"text": " 见 " if zh else " ("},
                {"pull": first},
                {"text": "。" if zh else ")."},
            ),
        ]
    risks = [
        _headed(r["rule"], "核心路径变更" if zh else r["rule"].replace("_", " "), first, "需要留意" if zh else "Look at these")
        for r in report["risks"]
    ]
    return {
        "headline": sentence(*lead),  # type: ignore[arg-type]  # because: mypy widens dicts in a list
        "summary": told,
        "groups": [
            _headed(g["key"], "分配器" if zh else "The allocator", first, "页面不再移动" if zh else "Pages no longer move")
            for g in report["groups"]
        ],
        "trends": [_headed(t["key"], t["key"], first, "由此推动" if zh else "Moved by the allocator") for t in report["themes"]],
        "risks": risks,
        "pulls": [
            _headed(str(p["number"]), p["change_kind"], None, "替换分配器。" if zh else "Replaces the allocator.")
            for p in pulls
            if p["is_highlight"]
        ],
        "suggestions": [
            _headed(s["id"], "补充测试" if zh else "Add tests", first, "附近有测试即完成" if zh else "Done when tests stand near")
            for s in report["suggestions"]
        ],
        "earlier_suggestions": [
            _headed(s["id"], "补充测试" if zh else "Add tests", None, "") for s in report["earlier_suggestions"]
        ],
    }


def _span(median: float | None) -> SpanFacts:
    return {"n": 12, "median": median, "quartile_1": median, "quartile_3": median, "usual": 19.0}


def _suggestion(key: str, numbers: list[int], state: Literal["open", "done", "moot"], week: str) -> Suggestion:
    return {
        "id": key,
        "kind": "add_tests",
        "created_week": week,
        "severity": "medium",
        "rank": 1,
        "pull_requests": numbers,
        "subject": "lattice/engine",
        "measures": {},
        "evidence": [],
        "done_when": "tests_near",
        "done_when_facts": {},
        "state": state,
        "closed_by": numbers[0] if state == "done" and numbers else None,
        "closed_week": week if state == "done" else None,
    }


def _risk_facts(rule: str, pulls: Sequence[PullFacts]) -> RiskFacts:
    hit = [p for p in pulls if any(risk["rule"] == rule for risk in p["risks"])]
    severities = [risk["severity"] for p in hit for risk in p["risks"] if risk["rule"] == rule]
    return {
        "rule": rule,
        "count": len(hit),
        "severity": min(severities, key=_SEVERITIES.index, default="low"),
        "confidence": "high",
        "by_severity": {level: severities.count(level) for level in _SEVERITIES},
        "usual": None if rule == "open_threads" else 4.0,
        "weeks_known": 2 if rule == "open_threads" else 12,
        "pull_requests": [p["number"] for p in hit],
        "looked_at": len(pulls),
        "unknown": 1,
    }


def make_report(
    count: int = 40,
    *,
    week: str = WEEK,
    repo: str = REPO,
    texts: Sequence[str] = (),
    state: Literal["complete", "partial"] = "complete",
) -> Report:
    """A report of ``count`` pull requests in both languages; none is a week in which nothing was merged."""
    pulls = [pull(800 + i, i, count, texts) for i in range(1, count + 1)]
    modules = sorted({p["modules"][0] for p in pulls})
    groups: list[Group] = [
        {
            "key": f"group-{i}",
            "rule": ("series", "theme", "revert")[i % 3],
            "kinds": {"feature": 2, "fix": 1},
            "modules": ["lattice/engine"],
            "theme": "kernels" if i % 3 == 1 else None,
            "pull_requests": [p["number"] for p in pulls[i * 3 : i * 3 + 3]],
            "people": 1,
            "told": [p["number"] for p in pulls[i * 3 : i * 3 + 2]],
            "count": 3,
            "highlights": 1,
            "salience": 12.5,
            "authors": [texts[i % len(texts)] if texts else "ines"],
            "reviewers": ["maya", "oskar"],
            "added": 1200,
            "removed": 90,
            "with_tests": 2,
            "without_tests": 1,
            "mean_importance": 7.25,
        }
        for i in range(4 if count >= 12 else 0)
    ]
    stands: StandsOn = {"raw": {}, "derived": {}, "history": {}, "rules_version": "1", "settings": "", "program_version": "0.1.0"}
    themes = [_theme(key, i, pulls, week, "theme") for i, key in enumerate(_THEMES)]
    report: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "repo": repo,
        "repo_url": f"https://github.com/{repo}",
        "week": week,
        "window": {"start": "2026-04-20T00:00:00Z", "end": "2026-04-27T00:00:00Z", "timezone": "UTC"},
        "days": {"first": str(parse_week(week).monday), "last": str(parse_week(week).sunday)},
        "data_as_of": "2026-04-27T06:00:00Z",
        "previous_week": str(parse_week(week).shift(-1)),
        "next_week": None,
        "coverage": {
            "state": state,
            "revised": state == "partial",
            "enumerated": count,
            "read": count,
            "missing_numbers": [790] if state == "partial" else [],
            "cut_parts": ["812:files"] if state == "partial" else [],
            "differences": [],
            "added_numbers": [],
            "changed_numbers": [],
            "removed_numbers": [],
            "history_weeks": 12,
            "fetches": 1,
            "source": "sample",
            "notes": [texts[0]] if texts else [],
        },
        "counts": {"merged": count, "opened": 51, "highlights": min(10, count)},
        "tiles": [
            _tile("merged_count", count, "pull requests", "neutral", week),
            _tile("merge_hours_median", 20.1, "hours", "down", week),
            _tile("without_tests_count", 26, "pull requests", "down", week),
            _tile("reviewers_count", 31, "people", "up", week),
        ],
        "usual": {"merged": 20.0},
        "flow": {
            "merge_hours": _span(20.1),
            "first_review_hours": _span(3.4),
            "approval_hours": _span(None),
            "reviews_per_reviewer_median": 2.0,
            "reviews_per_reviewer_max": 9,
        },
        "highlights": [p["number"] for p in pulls if p["is_highlight"]],
        "groups": groups,
        "pull_requests": pulls,
        "themes": themes,
        "theme_titles": {**{theme["key"]: theme["title"] for theme in themes}, **{key: {"en": key, "zh": key} for key in texts}},
        "modules": [_theme(key, i, pulls, week, "module") for i, key in enumerate(modules)],
        "risks": [_risk_facts(rule, pulls) for rule in _RULES] if pulls else [],
        "rules_looked": 12,
        "quiet_rules": ["migration"],
        "core_paths": [{"path": _pick(texts, 3) if texts else "lattice/engine/core.py", "rank": 1, "basis": "history"}],
        "suggestions": [_suggestion("s1", [p["number"] for p in pulls[:2]], "open", week)] if pulls else [],
        "earlier_suggestions": [_suggestion("e1", [801], "done", week), _suggestion("e2", [], "open", week)] if pulls else [],
        "first_time_authors": [_pick(texts, 4)] if texts else ["noor"],
        "reviewers": [_pick(texts, 5), "maya"] if texts else ["maya", "oskar"],
        "exclusions": {"bots": 3},
        "search_url": f"https://github.com/{repo}/pulls?q=is%3Apr+is%3Amerged",
        "stands_on": stands,
    }
    report["prose"] = {language: _prose(language, report, pulls, texts) for language in ("zh", "en")}
    return report  # type: ignore[return-value]  # because: built piece by piece, and held to the model by the pieces
