"""Contracts of the raw tables: what GitHub (or the sample) said, reshaped and nothing more.

``source`` names the GraphQL field. Null is "not known" (not asked, not readable), never "none".
"""

from pipelines.contracts.model import BOOL, FILE_HASHES, INSTANT, INT, INTS, TEXT, TEXTS, Table, col, maybe

_PULL = "PullRequest"
_ACTOR_TYPE = "User, Bot, Mannequin, Organization, EnterpriseUserAccount, or ghost where the account is deleted"

RAW_PULL_REQUESTS = Table(
    "raw_pull_requests",
    "One row per pull request merged in the week.",
    ("number",),
    (
        col("number", INT, "Number of the pull request in its repository.", f"{_PULL}.number"),
        col("node_id", TEXT, "Global id, stable when the repository is renamed.", f"{_PULL}.id"),
        col("title", TEXT, "Title as it stood when fetched.", f"{_PULL}.title"),
        maybe("body", TEXT, "Description in Markdown; empty where there is none, null where not known.", f"{_PULL}.body"),
        col("author_login", TEXT, "Author; 'ghost' where the account is deleted; without '[bot]'.", f"{_PULL}.author.login"),
        col("author_type", TEXT, f"Kind of account: {_ACTOR_TYPE}.", f"{_PULL}.author.__typename"),
        maybe("author_association", TEXT, "MEMBER, CONTRIBUTOR, FIRST_TIME_CONTRIBUTOR, NONE ...", f"{_PULL}.authorAssociation"),
        col("created_at_utc", INSTANT, "When it was opened.", f"{_PULL}.createdAt"),
        col("merged_at_utc", INSTANT, "When it was merged; a landed one: when it was closed.", f"{_PULL}.mergedAt"),
        maybe("updated_at_utc", INSTANT, "When anything of it last changed.", f"{_PULL}.updatedAt"),
        maybe("merged_by_login", TEXT, "Who pressed merge, which need not be the author.", f"{_PULL}.mergedBy.login"),
        maybe("merged_by_type", TEXT, f"Kind of account: {_ACTOR_TYPE}.", f"{_PULL}.mergedBy.__typename"),
        maybe("merge_commit_oid", TEXT, "The merge, squash or last rebased commit, by merge method.", f"{_PULL}.mergeCommit.oid"),
        col("merge_kind", TEXT, "'merged', or 'landed' where a landing bot closed it after pushing the commit.", f"{_PULL}.state"),
        col("base_ref", TEXT, "Branch it was merged into.", f"{_PULL}.baseRefName"),
        maybe("is_base_default", BOOL, "Whether that is the default branch.", f"{_PULL}.baseRefName, defaultBranchRef.name"),
        maybe("head_ref", TEXT, "Branch it came from.", f"{_PULL}.headRefName"),
        maybe("head_repository", TEXT, "OWNER/NAME it came from; null where that repository is gone.", f"{_PULL}.headRepository"),
        col("is_cross_repository", BOOL, "Whether it came from a fork.", f"{_PULL}.isCrossRepository"),
        col("is_draft", BOOL, "Whether it is marked as a draft.", f"{_PULL}.isDraft"),
        col("added_lines_count", INT, "Lines added, by GitHub's own count.", f"{_PULL}.additions", "lines"),
        col("removed_lines_count", INT, "Lines removed, by GitHub's own count.", f"{_PULL}.deletions", "lines"),
        col("changed_files_count", INT, "Files changed, by GitHub's own count.", f"{_PULL}.changedFiles", "files"),
        maybe("commits_count", INT, "Commits on the branch.", f"{_PULL}.commits.totalCount", "commits"),
        maybe("reviews_count", INT, "Reviews, by GitHub's own count.", f"{_PULL}.reviews.totalCount", "reviews"),
        maybe(
            "review_threads_count", INT, "Review threads, by GitHub's own count.", f"{_PULL}.reviewThreads.totalCount", "threads"
        ),
        maybe("comments_count", INT, "Conversation comments, by GitHub's own count.", f"{_PULL}.comments.totalCount", "comments"),
        maybe("labels", TEXTS, "Names of its labels, sorted; null where not known.", f"{_PULL}.labels"),
        maybe("milestone_title", TEXT, "Its milestone.", f"{_PULL}.milestone.title"),
        maybe("review_decision", TEXT, "APPROVED, CHANGES_REQUESTED, REVIEW_REQUIRED.", f"{_PULL}.reviewDecision"),
        maybe("checks_state", TEXT, "Roll-up of the head commit's checks: SUCCESS, FAILURE ...", "Commit.statusCheckRollup.state"),
        col("missing_parts", TEXTS, "Parts that could not be read to the end, sorted: files, reviews ...", "fetch"),
        col("replaced_characters_count", INT, "Unsafe characters replaced by U+FFFD in its texts.", "fetch", "characters"),
    ),
)

RAW_FILES = Table(
    "raw_files",
    "One row per changed file of a pull request.",
    ("number", "path"),
    (
        col("number", INT, "Number of the pull request.", f"{_PULL}.number"),
        col("path", TEXT, "Path after the change.", "PullRequestChangedFile.path"),
        maybe("previous_path", TEXT, "Path before a rename; null where not renamed or not known.", "REST files.previous_filename"),
        col("change_type", TEXT, "added, modified, removed, renamed, copied, changed.", "PullRequestChangedFile.changeType"),
        maybe("added_lines_count", INT, "Lines added; null for a binary file where the source tells.", "additions", "lines"),
        maybe("removed_lines_count", INT, "Lines removed; null for a binary file where the source tells.", "deletions", "lines"),
        maybe("patch", TEXT, "Unified diff of the file, where it was asked for.", "REST files.patch"),
    ),
)

RAW_REVIEWS = Table(
    "raw_reviews",
    "One row per submitted review; pending ones are left out.",
    ("number", "review_id"),
    (
        col("number", INT, "Number of the pull request.", f"{_PULL}.number"),
        col("review_id", TEXT, "Global id of the review.", "PullRequestReview.id"),
        col("author_login", TEXT, "Reviewer; 'ghost' where the account is deleted.", "PullRequestReview.author.login"),
        col("author_type", TEXT, f"Kind of account: {_ACTOR_TYPE}.", "PullRequestReview.author.__typename"),
        maybe("author_association", TEXT, "The reviewer's relation to the repository.", "PullRequestReview.authorAssociation"),
        col("state", TEXT, "APPROVED, CHANGES_REQUESTED, COMMENTED or DISMISSED.", "PullRequestReview.state"),
        col("submitted_at_utc", INSTANT, "When it was submitted.", "PullRequestReview.submittedAt"),
        col("body", TEXT, "Its text; may be empty.", "PullRequestReview.body"),
        maybe("commit_oid", TEXT, "Commit that was reviewed.", "PullRequestReview.commit.oid"),
        col("is_minimized", BOOL, "Whether it was hidden by a moderator.", "PullRequestReview.isMinimized"),
    ),
)

RAW_REVIEW_THREADS = Table(
    "raw_review_threads",
    "One row per review thread.",
    ("number", "thread_id"),
    (
        col("number", INT, "Number of the pull request.", f"{_PULL}.number"),
        col("thread_id", TEXT, "Global id of the thread.", "PullRequestReviewThread.id"),
        col("path", TEXT, "File it is about.", "PullRequestReviewThread.path"),
        maybe("line", INT, "Line after the change; null where outdated or about the whole file.", "PullRequestReviewThread.line"),
        maybe("original_line", INT, "Line as it was when the thread began.", "PullRequestReviewThread.originalLine"),
        maybe("is_resolved", BOOL, "Whether it was marked as resolved; null where not readable.", "isResolved"),
        maybe("is_outdated", BOOL, "Whether the code under it changed since; null where not readable.", "isOutdated"),
        maybe("resolved_by_login", TEXT, "Who resolved it.", "PullRequestReviewThread.resolvedBy.login"),
        col(
            "comments_count", INT, "Its comments, by GitHub's own count.", "PullRequestReviewThread.comments.totalCount", "comments"
        ),
    ),
)

RAW_REVIEW_COMMENTS = Table(
    "raw_review_comments",
    "One row per comment in a review thread.",
    ("number", "comment_id"),
    (
        col("number", INT, "Number of the pull request.", f"{_PULL}.number"),
        col("comment_id", TEXT, "Global id of the comment.", "PullRequestReviewComment.id"),
        col("thread_id", TEXT, "Thread it stands in.", "PullRequestReviewThread.id"),
        maybe("review_id", TEXT, "Review it was submitted with.", "PullRequestReviewComment.pullRequestReview.id"),
        maybe("reply_to_id", TEXT, "Comment it answers; null for the first of a thread.", "PullRequestReviewComment.replyTo.id"),
        col("author_login", TEXT, "Who wrote it; 'ghost' where the account is deleted.", "author.login"),
        col("author_type", TEXT, f"Kind of account: {_ACTOR_TYPE}.", "author.__typename"),
        col("created_at_utc", INSTANT, "When it was written.", "PullRequestReviewComment.createdAt"),
        col("body", TEXT, "Its text in Markdown.", "PullRequestReviewComment.body"),
        col("is_minimized", BOOL, "Whether it was hidden by a moderator.", "PullRequestReviewComment.isMinimized"),
    ),
)

RAW_COMMENTS = Table(
    "raw_comments",
    "One row per comment in the conversation of a pull request.",
    ("number", "comment_id"),
    (
        col("number", INT, "Number of the pull request.", f"{_PULL}.number"),
        col("comment_id", TEXT, "Global id of the comment.", "IssueComment.id"),
        col("author_login", TEXT, "Who wrote it; 'ghost' where the account is deleted.", "IssueComment.author.login"),
        col("author_type", TEXT, f"Kind of account: {_ACTOR_TYPE}.", "IssueComment.author.__typename"),
        col("created_at_utc", INSTANT, "When it was written.", "IssueComment.createdAt"),
        col("body", TEXT, "Its text in Markdown.", "IssueComment.body"),
        col("is_minimized", BOOL, "Whether it was hidden by a moderator.", "IssueComment.isMinimized"),
    ),
)

RAW_REFERENCES = Table(
    "raw_references",
    "One row per event that ties a pull request to another, to an issue or to a commit.",
    ("number", "reference_id"),
    (
        col("number", INT, "Number of the pull request.", f"{_PULL}.number"),
        col("reference_id", TEXT, "Made of kind, target and instant, and so the same at every fetch.", "parse"),
        col(
            "kind",
            TEXT,
            "closes, cross_referenced, connected, referenced, review_dismissed, base_changed, merge_queue.",
            "timelineItems",
        ),
        maybe("created_at_utc", INSTANT, "When the event happened.", "createdAt"),
        maybe("actor_login", TEXT, "Who caused it.", "actor.login"),
        maybe("target_repo", TEXT, "OWNER/NAME of the other side.", "source.repository.nameWithOwner"),
        maybe("target_number", INT, "Number of the pull request or issue on the other side.", "source.number"),
        maybe("target_type", TEXT, "pull_request, issue, commit, review or branch.", "source.__typename"),
        maybe("target_title", TEXT, "Title of the other side, or the head line of a commit.", "source.title"),
        maybe("target_state", TEXT, "OPEN, CLOSED or MERGED; of a dismissed review its state before.", "source.state"),
        maybe("target_merged_at_utc", INSTANT, "When the other side was merged.", "source.mergedAt"),
        maybe("target_oid", TEXT, "Commit, review id or branch on the other side.", "commit.oid"),
        maybe("will_close_target", BOOL, "Whether merging closes the target.", "CrossReferencedEvent.willCloseTarget"),
    ),
)

RAW_FETCHES = Table(
    "raw_fetches",
    "One row per fetch of the repository-week, oldest first; the last one made the files beside it.",
    ("fetch_number",),
    (
        col("fetch_number", INT, "1 for the first fetch of the week, 2 for the next ...", "fetch"),
        col("source", TEXT, "github or sample.", "fetch"),
        col("web_url", TEXT, "Root of the web pages, https://github.com or an enterprise host's own.", "GITHUB_API_URL"),
        col("repository_id", TEXT, "Global id of the repository: stays when it is renamed.", "Repository.id"),
        col("repository_name", TEXT, "OWNER/NAME as the source resolved it.", "Repository.nameWithOwner"),
        maybe("default_branch", TEXT, "Default branch when fetched.", "Repository.defaultBranchRef.name"),
        col("timezone", TEXT, "IANA zone in which the week begins and ends.", "settings"),
        col("window_start_utc", INSTANT, "First instant of the week.", "weeks"),
        col("window_end_utc", INSTANT, "First instant after the week.", "weeks"),
        col("state", TEXT, "complete, or partial where anything is missing or cut.", "fetch"),
        col("enumerated_by", TEXT, "How the week's pull requests were found: updated, search+history, sample.", "fetch"),
        col("enumerated_count", INT, "Pull requests found to belong to the week.", "fetch", "pull requests"),
        col("read_count", INT, "Pull requests read and stored.", "fetch", "pull requests"),
        col("missing_numbers", INTS, "Pull requests found but not read, sorted.", "fetch"),
        col("cut_parts", TEXTS, "Parts not read to the end, sorted: '812:files'.", "fetch"),
        col("enumeration_differences", TEXTS, "Where two ways of finding disagreed: '812: in search only'.", "fetch"),
        col("added_numbers", INTS, "Pull requests that the fetch before did not hold.", "fetch"),
        col("changed_numbers", INTS, "Pull requests whose rows differ from the fetch before.", "fetch"),
        col("removed_numbers", INTS, "Pull requests of the fetch before that are gone.", "fetch"),
        maybe("opened_count", INT, "Pull requests opened in the window, merged or not.", "search", "pull requests"),
        col("requests_count", INT, "HTTP requests made.", "fetch", "requests"),
        col("points_spent", INT, "GraphQL points spent.", "rateLimit.cost", "points"),
        col("replaced_characters_count", INT, "Unsafe characters replaced in texts.", "fetch", "characters"),
        col("started_at_utc", INSTANT, "When the fetch began.", "clock"),
        col("finished_at_utc", INSTANT, "When it ended: the report's 'data as of'.", "clock"),
        col("files", FILE_HASHES, "Each raw file of this fetch with its rows and content hash.", "warehouse"),
        col("notes", TEXTS, "What else a reader should know.", "fetch"),
    ),
)

RAW_TABLES = (
    RAW_PULL_REQUESTS,
    RAW_FILES,
    RAW_REVIEWS,
    RAW_REVIEW_THREADS,
    RAW_REVIEW_COMMENTS,
    RAW_COMMENTS,
    RAW_REFERENCES,
    RAW_FETCHES,
)
