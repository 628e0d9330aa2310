"""Contracts of the derived tables that speak of whole weeks: trends, counts, follow-ups."""

from pipelines.contracts.model import BOOL, FLOAT, INSTANT, INT, INTS, TEXT, TEXTS, Table, col, maybe

_PRS = "pull requests"

DERIVED_THEME_TRENDS = Table(
    "derived_theme_trends",
    "One row per theme or module of this week or the twelve before: this week against the weeks before.",
    ("dimension", "name"),
    (
        col("dimension", TEXT, "theme (by primary theme) or module (by primary module).", "rules/trends.py"),
        col("name", TEXT, "Key of the theme, or the module.", "rules/trends.py"),
        col("pull_requests_count", INT, "Pull requests of this week counted under it.", "rules/trends.py", _PRS),
        col("mentions_count", INT, "Pull requests of this week that have it at all, first or not.", "rules/trends.py", _PRS),
        col("share", FLOAT, "Of the week's pull requests, 0 to 1; 0 in an empty week.", "rules/trends.py"),
        maybe("last_week_count", INT, "The week before; null where not stored.", "rules/trends.py", _PRS),
        maybe(
            "median_4_weeks_count",
            FLOAT,
            "Median of the stored ones of the 4 weeks before; null with fewer than 2.",
            "rules/trends.py",
            _PRS,
        ),
        maybe(
            "median_12_weeks_count",
            FLOAT,
            "Median of the stored ones of the 12 weeks before; null with fewer than 4.",
            "rules/trends.py",
            _PRS,
        ),
        maybe("quartile_1_count", FLOAT, "Lower quartile of the stored ones of the 12 weeks before.", "rules/trends.py", _PRS),
        maybe("quartile_3_count", FLOAT, "Upper quartile of the stored ones of the 12 weeks before.", "rules/trends.py", _PRS),
        maybe("change_count", FLOAT, "This week less the 4 weeks' median.", "rules/trends.py", _PRS),
        col("direction", TEXT, "rising, steady, falling, new, or unknown where the history is too short.", "rules/trends.py"),
        maybe(
            "z_score", FLOAT, "Weighted log-odds of this week against the weeks before, in standard deviations.", "rules/trends.py"
        ),
        col("is_emerging", BOOL, "Whether the theme is a term that rises, not one of the lexicon.", "rules/trends.py"),
        col("history_weeks", TEXTS, "The weeks before that are stored, oldest first.", "rules/trends.py"),
        col("history_counts", INTS, "Pull requests in each of them, in the same order.", "rules/trends.py", _PRS),
        col("movers", INTS, "Pull requests of this week that stand for it, most important first, 5 at most.", "rules/trends.py"),
    ),
)

DERIVED_WEEK = Table(
    "derived_week",
    "One row per repository-week: the counts of the executive summary.",
    ("repository",),
    (
        col("repository", TEXT, "OWNER/NAME.", "raw_fetches"),
        col("merged_count", INT, "Pull requests merged in the week.", "rules/week.py", _PRS),
        col("human_merged_count", INT, "Of these by people (ghosts too), bots and suspects apart.", "rules/week.py", _PRS),
        col("bot_merged_count", INT, "Of these by bots and suspected bots.", "rules/week.py", _PRS),
        maybe("opened_count", INT, "Pull requests opened in the week.", "raw_fetches", _PRS),
        col("other_branch_count", INT, "Merged into branches other than the default.", "rules/week.py", _PRS),
        col("authors_count", INT, "Different people who authored.", "rules/week.py", "people"),
        maybe(
            "reviewers_count", INT, "Different people who reviewed; null where reviews are not known.", "rules/week.py", "people"
        ),
        maybe("first_time_authors", TEXTS, "First-time contributors, sorted; null where not known.", "rules/week.py"),
        col("added_lines_count", INT, "Lines added, by GitHub's counts.", "rules/week.py", "lines"),
        col("removed_lines_count", INT, "Lines removed, by GitHub's counts.", "rules/week.py", "lines"),
        col("source_lines_count", INT, "Source lines added or removed.", "rules/week.py", "lines"),
        col("files_count", INT, "Different files changed.", "rules/week.py", "files"),
        col("highlights_count", INT, "Highlights.", "rules/week.py", _PRS),
        maybe("mean_importance", FLOAT, "Mean importance; null in an empty week.", "rules/week.py", "points"),
        col("source_changes_count", INT, "Pull requests that change source.", "rules/week.py", _PRS),
        col("without_tests_count", INT, "Of these without a changed test file.", "rules/week.py", _PRS),
        col("core_changes_count", INT, "Pull requests that change a core file.", "rules/week.py", _PRS),
        col("reverts_count", INT, "Pull requests that revert another.", "rules/week.py", _PRS),
        maybe("open_threads_count", INT, "People's threads open at merge; null where not known.", "rules/week.py", "threads"),
        maybe("with_open_threads_count", INT, "Pull requests merged with such threads.", "rules/week.py", _PRS),
        maybe("unapproved_count", INT, "People's pull requests merged without a person's approval.", "rules/week.py", _PRS),
        col("merge_hours_n", INT, "People's pull requests the merge hours are of.", "rules/week.py", _PRS),
        maybe("merge_hours_median", FLOAT, "Opening to merge, people's pull requests.", "rules/week.py", "hours"),
        maybe("merge_hours_quartile_1", FLOAT, "Its lower quartile.", "rules/week.py", "hours"),
        maybe("merge_hours_quartile_3", FLOAT, "Its upper quartile.", "rules/week.py", "hours"),
        maybe("first_review_hours_n", INT, "People's pull requests with a person's review.", "rules/week.py", _PRS),
        maybe("first_review_hours_median", FLOAT, "Opening to first human review.", "rules/week.py", "hours"),
        maybe("first_review_hours_quartile_1", FLOAT, "Its lower quartile.", "rules/week.py", "hours"),
        maybe("first_review_hours_quartile_3", FLOAT, "Its upper quartile.", "rules/week.py", "hours"),
        maybe("approval_hours_n", INT, "People's pull requests with a person's approval.", "rules/week.py", _PRS),
        maybe("approval_hours_median", FLOAT, "Opening to first approval.", "rules/week.py", "hours"),
        maybe("approval_hours_quartile_1", FLOAT, "Its lower quartile.", "rules/week.py", "hours"),
        maybe("approval_hours_quartile_3", FLOAT, "Its upper quartile.", "rules/week.py", "hours"),
        maybe("reviews_per_reviewer_median", FLOAT, "Human reviews a reviewer.", "rules/week.py", "reviews"),
        maybe("reviews_per_reviewer_max", INT, "Most reviews by one person, who is not named.", "rules/week.py", "reviews"),
        col("without_theme_count", INT, "Pull requests no theme fits.", "rules/week.py", _PRS),
        col("history_weeks_count", INT, "Weeks before that the warehouse holds, 12 at most.", "rules/week.py", "weeks"),
        col("data_as_of_utc", INSTANT, "When the week's last fetch ended.", "raw_fetches"),
    ),
)

DERIVED_FOLLOW_UPS = Table(
    "derived_follow_ups",
    "One row per suggestion: this week's, and those of the four weeks before with what became of them.",
    ("follow_up_id",),
    (
        col("follow_up_id", TEXT, "Kind, week and subject: the same whenever it is made again.", "rules/follow_ups.py"),
        col(
            "kind",
            TEXT,
            "add_tests, resolve_threads, reland, document_setting, watch_fix, spread_knowledge ...",
            "rules/follow_ups.py",
        ),
        col("created_week", TEXT, "Week it was first suggested in.", "rules/follow_ups.py"),
        col("severity", TEXT, "low, medium or high.", "rules/follow_ups.py"),
        col("rank", INT, "1 for the one to do first; this week's before earlier ones.", "rules/follow_ups.py"),
        col("pull_requests", INTS, "Pull requests it is about, sorted.", "rules/follow_ups.py"),
        col("subject", TEXT, "Module, path, setting or theme it is about.", "rules/follow_ups.py"),
        col("measures_json", TEXT, "The measures it stands on, as a JSON object with sorted keys.", "rules/follow_ups.py"),
        col("evidence", TEXTS, "Rows it stands on, as in derived_risks.", "rules/follow_ups.py"),
        col("done_when", TEXT, "Rule that a later week checks: tests_near, threads_resolved, relanded ...", "rules/follow_ups.py"),
        col("done_when_json", TEXT, "What that rule looks for, as a JSON object with sorted keys.", "rules/follow_ups.py"),
        col("state", TEXT, "open, done or moot, as of this week.", "rules/follow_ups.py"),
        maybe("closed_by_number", INT, "Pull request that did it or made it moot.", "rules/follow_ups.py"),
        maybe("closed_week", TEXT, "Week in which that happened.", "rules/follow_ups.py"),
    ),
)
