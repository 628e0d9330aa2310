"""Which asset is made of which, as Dagster shows it: what a rule reads, less what reaches it through another anyway.

A test runs the rules and holds what each step reads against this.
"""

from collections.abc import Mapping

REPORT = "weekly_report"

#: Asset -> the assets it is made of directly. Raw tables are looked at over the twelve weeks before, too.
MADE_OF: Mapping[str, tuple[str, ...]] = {
    "derived_core_paths": ("raw_files", "raw_pull_requests"),
    "derived_files": ("derived_core_paths",),
    "derived_links": ("raw_pull_requests", "raw_references"),
    "derived_pull_requests": ("derived_files", "derived_links", "raw_review_comments", "raw_review_threads", "raw_reviews"),
    "derived_themes": ("derived_files",),
    "derived_risks": ("derived_pull_requests",),
    "derived_importance": ("derived_risks",),
    "derived_theme_trends": ("derived_importance", "derived_themes"),
    "derived_week": ("derived_importance", "derived_themes", "raw_fetches"),
    "derived_follow_ups": ("derived_importance",),
    REPORT: ("derived_follow_ups", "derived_theme_trends", "derived_week"),
}


def all_made_of(name: str) -> set[str]:
    """Every asset that one is made of, directly or through others."""
    direct = MADE_OF.get(name, ())
    return {*direct, *(further for each in direct for further in all_made_of(each))}
