"""Contracts of the derived tables: what the rules make of the raw ones. Those of whole weeks stand in ``derived_weeks.py``.

``source`` names the rule's module in ``pipelines/rules``. Null is "not known", never "none".
Text for people is not stored here in two languages: a rule stores its id and its measures, the report words them.
"""

from pipelines.contracts.derived_weeks import DERIVED_FOLLOW_UPS, DERIVED_THEME_TRENDS, DERIVED_WEEK
from pipelines.contracts.model import BOOL, FLOAT, INT, TEXT, TEXTS, Table, col, maybe

_PRS = "pull requests"

DERIVED_FILES = Table(
    "derived_files",
    "One row per changed file of a pull request.",
    ("number", "path"),
    (
        col("number", INT, "Number of the pull request.", "raw_files"),
        col("path", TEXT, "Path after the change.", "raw_files"),
        col("module", TEXT, "Part of the repository it belongs to, found from the tree of paths.", "rules/modules.py"),
        col("kind", TEXT, "source, test, docs, tool (scripts, benchmarks), ci, config, dependency, build ...", "rules/files.py"),
        col("kind_rule", TEXT, "Id of the rule that decided the kind.", "rules/files.py"),
        maybe("language", TEXT, "Language by the file's ending, where it has one.", "rules/files.py"),
        col("change_type", TEXT, "added, modified, removed, renamed, copied, changed.", "raw_files"),
        col("is_rename_only", BOOL, "Whether it moved without a changed line.", "rules/files.py"),
        col("is_core", BOOL, "Whether it is one of this week's core paths.", "rules/core_paths.py"),
        maybe("added_lines_count", INT, "Lines added.", "raw_files", "lines"),
        maybe("removed_lines_count", INT, "Lines removed.", "raw_files", "lines"),
    ),
)

DERIVED_CORE_PATHS = Table(
    "derived_core_paths",
    "One row per file that counts as core in this week.",
    ("path",),
    (
        col("path", TEXT, "The file, under its newest name.", "raw_files"),
        col("rank", INT, "1 for the file with the highest score.", "rules/core_paths.py"),
        col("score", FLOAT, "What it is ranked by: people times weight, damped.", "rules/core_paths.py"),
        col("basis", TEXT, "history, configured, or breadth where the history is too short.", "rules/core_paths.py"),
        col(
            "people_count",
            INT,
            "Different people (bots apart) who changed it in the weeks before.",
            "rules/core_paths.py",
            "people",
        ),
        col("pull_requests_count", INT, "Pull requests that changed it in the weeks before.", "rules/core_paths.py", _PRS),
        col("changed_weeks_count", INT, "Weeks before in which it was changed.", "rules/core_paths.py", "weeks"),
        col("history_weeks_count", INT, "Weeks before that the warehouse holds, 12 at most.", "rules/core_paths.py", "weeks"),
        maybe(
            "importers_count",
            INT,
            "Files whose diffs of the weeks before import it; null without diffs.",
            "rules/imports.py",
            "files",
        ),
        col("weight", FLOAT, "0 to 1: files that everyone touches but nothing hangs on weigh less.", "rules/core_paths.py"),
        col("weight_rule", TEXT, "Id of the rule that set the weight.", "rules/core_paths.py"),
    ),
)

DERIVED_PULL_REQUESTS = Table(
    "derived_pull_requests",
    "One row per pull request merged in the week, with its measures.",
    ("number",),
    (
        col("number", INT, "Number of the pull request.", "raw_pull_requests"),
        col("author_kind", TEXT, "person, bot, suspected_bot or ghost.", "rules/people.py"),
        col(
            "change_kind",
            TEXT,
            "feature, fix, performance, refactor, docs, test, ci, dependency, chore, revert.",
            "rules/change_kind.py",
        ),
        col("change_kind_rule", TEXT, "Id of the rule that decided it.", "rules/change_kind.py"),
        col("primary_module", TEXT, "Module with most changed source lines; empty where no file is known.", "rules/modules.py"),
        col("modules", TEXTS, "Modules changed, largest first.", "rules/modules.py"),
        col("files_count", INT, "Files changed that are known by name.", "rules/measures.py", "files"),
        col("source_files_count", INT, "Source files changed, renames without a changed line apart.", "rules/measures.py", "files"),
        col(
            "test_files_count",
            INT,
            "Test files added or changed; deleted and merely moved ones apart.",
            "rules/measures.py",
            "files",
        ),
        col("removed_test_files_count", INT, "Test files deleted.", "rules/measures.py", "files"),
        col("moved_test_files_count", INT, "Test files moved without a changed line.", "rules/measures.py", "files"),
        col("docs_files_count", INT, "Documentation files changed.", "rules/measures.py", "files"),
        col("core_files_count", INT, "Core files changed.", "rules/measures.py", "files"),
        col("core_paths", TEXTS, "Core files changed, sorted.", "rules/measures.py"),
        col("source_added_lines_count", INT, "Lines added to source files.", "rules/measures.py", "lines"),
        col("source_removed_lines_count", INT, "Lines removed from source files.", "rules/measures.py", "lines"),
        col("test_added_lines_count", INT, "Lines added to test files.", "rules/measures.py", "lines"),
        col("test_removed_lines_count", INT, "Lines removed from test files.", "rules/measures.py", "lines"),
        col("docs_lines_count", INT, "Lines added to or removed from documentation.", "rules/measures.py", "lines"),
        col(
            "other_lines_count",
            INT,
            "Lines added or removed elsewhere: config, CI, generated, data ...",
            "rules/measures.py",
            "lines",
        ),
        col(
            "tests_state",
            TEXT,
            "changed, moved_only, removed_only, none, not_applicable (no source changed), unknown.",
            "rules/measures.py",
        ),
        maybe(
            "described_tests",
            TEXT,
            "Sentence of the description that says what was tested; null where none.",
            "rules/description.py",
        ),
        maybe("summary", TEXT, "First telling sentence of the description, plain text; null where none.", "rules/description.py"),
        col("claims", TEXTS, "Measured improvements claimed in title or description, verbatim and short.", "rules/description.py"),
        col("merge_hours", FLOAT, "From opening to merge.", "rules/flow.py", "hours"),
        maybe(
            "first_review_hours",
            FLOAT,
            "From opening to the first review by a person other than the author.",
            "rules/flow.py",
            "hours",
        ),
        maybe("approval_hours", FLOAT, "From opening to the first approval by a person.", "rules/flow.py", "hours"),
        maybe("reviewers", TEXTS, "People who reviewed, the author apart, sorted; null where not known.", "rules/flow.py"),
        maybe("approvers", TEXTS, "People whose last verdict is an approval, sorted; null where not known.", "rules/flow.py"),
        maybe("human_reviews_count", INT, "Reviews by people other than the author.", "rules/flow.py", "reviews"),
        maybe("bot_reviews_count", INT, "Reviews by bots.", "rules/flow.py", "reviews"),
        maybe("open_threads_count", INT, "Threads begun by people, neither resolved nor outdated.", "rules/threads.py", "threads"),
        maybe(
            "open_bot_threads_count", INT, "Threads begun by bots, neither resolved nor outdated.", "rules/threads.py", "threads"
        ),
        maybe("outdated_threads_count", INT, "Threads not resolved whose code changed since.", "rules/threads.py", "threads"),
        maybe("resolved_threads_count", INT, "Threads resolved.", "rules/threads.py", "threads"),
        maybe("changes_requested_by", TEXTS, "People whose last verdict asks for changes, sorted.", "rules/flow.py"),
        maybe("is_approved", BOOL, "Whether a person other than the author approved.", "rules/flow.py"),
        maybe("is_self_merged", BOOL, "Whether the author merged it and nobody else approved.", "rules/flow.py"),
        maybe(
            "is_first_contribution",
            BOOL,
            "Whether it is the author's first to this repository, as far as is known.",
            "rules/people.py",
        ),
        col("is_backport", BOOL, "Whether it brings an earlier change to another branch.", "rules/links.py"),
        maybe("reverted_by_number", INT, "Pull request known to revert this one.", "rules/links.py"),
        maybe("reverted_after_hours", FLOAT, "From its merge to that of the revert.", "rules/links.py", "hours"),
        col("unknown_parts", TEXTS, "Parts of it that were not read, so that rules on them are unknown.", "raw_pull_requests"),
    ),
)

DERIVED_LINKS = Table(
    "derived_links",
    "One row per link from a pull request to another, by kind.",
    ("number", "kind", "target_repo", "target_number"),
    (
        col("number", INT, "The later pull request: the one that reverts, follows, fixes ...", "rules/links.py"),
        col("kind", TEXT, "reverts, relands, fixes, follows, series, backports, closes.", "rules/links.py"),
        col("target_repo", TEXT, "OWNER/NAME of the other side.", "rules/links.py"),
        col("target_number", INT, "Pull request (closes: issue) on the other side.", "rules/links.py"),
        col("rule", TEXT, "Id of the rule that found it.", "rules/links.py"),
        col("found_in", TEXT, "title, body, branch, commit, reference or closing.", "rules/links.py"),
        col("evidence", TEXT, "The words or event it was found by, short.", "rules/links.py"),
        maybe("target_title", TEXT, "Title of the other side, where known.", "rules/links.py"),
        maybe("target_week", TEXT, "Week the other side was merged in, where the warehouse holds it.", "rules/links.py"),
        maybe("hours_between", FLOAT, "From the other side's merge to this one's.", "rules/links.py", "hours"),
        maybe("position", INT, "Place in a series: 2 for [2/3].", "rules/links.py"),
        maybe("story", TEXT, "Key of the chain of links both belong to: the lowest number in it.", "rules/links.py"),
    ),
)

DERIVED_THEMES = Table(
    "derived_themes",
    "One row per pull request and theme.",
    ("number", "theme"),
    (
        col("number", INT, "Number of the pull request.", "raw_pull_requests"),
        col("theme", TEXT, "Key of the theme, the same from week to week; 'other' where none fits.", "rules/themes.py"),
        col("is_primary", BOOL, "Whether it is the one theme the pull request is counted under first.", "rules/themes.py"),
        col("is_emerging", BOOL, "Whether the theme is a term that rises, not one of the lexicon.", "rules/emerging.py"),
        col("rule", TEXT, "tag, scope, label, path, word, emerging or none.", "rules/themes.py"),
        col("evidence", TEXT, "What matched, as it stands in the title, label or path.", "rules/themes.py"),
        col("weight", FLOAT, "Strength of the match; the primary theme has the greatest.", "rules/themes.py"),
    ),
)

DERIVED_RISKS = Table(
    "derived_risks",
    "One row per pull request and risk rule that fired.",
    ("number", "rule"),
    (
        col("number", INT, "Number of the pull request.", "raw_pull_requests"),
        col("rule", TEXT, "Id of the rule, as core_path_change.", "rules/risks"),
        col("severity", TEXT, "low, medium or high.", "rules/risks"),
        col("confidence", TEXT, "low, medium or high: how seldom the rule is wrong where it fires like this.", "rules/risks"),
        col("reason", TEXT, "In English words, made only of measures and evidence.", "rules/risks"),
        col(
            "measures_json",
            TEXT,
            "The measures it stands on, as a JSON object with sorted keys, for other languages.",
            "rules/risks",
        ),
        col("evidence", TEXTS, "Rows it stands on: 'file:PATH', 'thread:ID', 'review:ID', 'pull:NUMBER', sorted.", "rules/risks"),
    ),
)

DERIVED_IMPORTANCE = Table(
    "derived_importance",
    "One row per pull request: its importance and the components it is the sum of.",
    ("number",),
    (
        col("number", INT, "Number of the pull request.", "raw_pull_requests"),
        col(
            "importance",
            FLOAT,
            "1.0 to 10.0, one decimal: base and components, held to the scale.",
            "rules/importance.py",
            "points",
        ),
        col("rank", INT, "1 for the most important of the week; ties by score, then by number.", "rules/importance.py"),
        col("is_highlight", BOOL, "Whether it is one of the week's highlights.", "rules/importance.py"),
        col("score", FLOAT, "The sum before it is held to the scale and rounded.", "rules/importance.py", "points"),
        col("base_points", FLOAT, "Where every pull request starts.", "rules/importance.py", "points"),
        col("size_points", FLOAT, "Size of the source change, damped.", "rules/importance.py", "points"),
        col("breadth_points", FLOAT, "Modules and directories of source changed.", "rules/importance.py", "points"),
        col("core_points", FLOAT, "Core files changed.", "rules/importance.py", "points"),
        col(
            "kind_points", FLOAT, "Kind of change: feature, removal, interface, documentation ...", "rules/importance.py", "points"
        ),
        col("tests_points", FLOAT, "Tests that came with it.", "rules/importance.py", "points"),
        col("review_points", FLOAT, "Attention in review; 0 where not known.", "rules/importance.py", "points"),
        col("links_points", FLOAT, "Issues closed, series and stories it belongs to.", "rules/importance.py", "points"),
        col("labels_points", FLOAT, "Labels that maintainers set: breaking, high priority ...", "rules/importance.py", "points"),
        col("revert_points", FLOAT, "Taken off where it was reverted, given to what relands.", "rules/importance.py", "points"),
        col(
            "mechanical_points",
            FLOAT,
            "Taken off from bots, version bumps, renamings, sweeps (one small edit in many files) and backports.",
            "rules/importance.py",
            "points",
        ),
    ),
)

DERIVED_TABLES = (
    DERIVED_FILES,
    DERIVED_CORE_PATHS,
    DERIVED_PULL_REQUESTS,
    DERIVED_LINKS,
    DERIVED_THEMES,
    DERIVED_RISKS,
    DERIVED_IMPORTANCE,
    DERIVED_THEME_TRENDS,
    DERIVED_WEEK,
    DERIVED_FOLLOW_UPS,
)
