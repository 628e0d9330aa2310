"""Sentences of which ``invent.py`` makes descriptions, reviews and comments; all of them invented for the stand-in."""

#: Descriptions; ``{title}``, ``{files}``, ``{added}`` and the like are filled in.
BODIES = (
    "",
    "{title}.",
    (
        "## Motivation\n\n"
        "{title}.\n\n"
        "## Modifications\n\n"
        "{files}\n\n"
        "## Checklist\n\n"
        "- [x] Formatted\n- [ ] Unit tests added\n- [x] Docs updated"
    ),
    (
        "<!-- Describe the reason for this change -->\n\n"
        "## Motivation\n\n"
        "See the title.\n\n"
        "## Modifications\n\n"
        "{files}\nand {more} more.\n\n"
        "Fixes #{issue}"
    ),
    (
        "## Summary\n{title}\n\n"
        "+{added} / -{removed} lines.\n\n"
        "### Test plan\nRan the unit tests of the touched modules locally.\n\n"
        "Fixes #{issue}"
    ),
    (
        "## What\n{title}\n\n"
        "## Benchmarks\n\n"
        "| case | before | after |\n|---|---|---|\n| latency, ms | {before} | {after} |\n| memory, MB | {after} | {after} |\n"
    ),
    "This touches\n{files}\n\nNo change of behaviour is meant.",
    "Follow-up of #{issue}.\n\n{title}. Split off so that it can be reviewed by itself.",
    "### Problem\nSeen in the nightly run.\n\n### Change\n{title}\n\n### Risk\nLow: {added} lines added, {removed} removed.",
)

REVIEW_BODIES = (
    "",
    "Looks good, one question inline.",
    "LGTM once the tests are green.",
    "Could you add a test for the empty case?",
    "I do not follow why the default changes here. Please say so in the description.",
    "Thanks! The naming is much clearer now.",
    "Please rebase, the base moved under this.",
)

THREAD_COMMENTS = (
    "Is this branch still reachable?",
    "nit: this name shadows the module.",
    "Done.",
    "Please keep the old argument for one release.",
    "Good catch, fixed in the last commit.",
    "What happens when the list is empty?",
    "```suggestion\n    return value\n```",
    "This allocates on each step; can it be hoisted?",
)

COMMENTS = (
    "/rerun-failed-ci",
    "The failing job is not related to this change.",
    "Measured it on my machine, same result.",
    "Could a maintainer have a look, please?",
    "Thank you for the quick turn-around!",
    "Rebased on the default branch.",
    "Should this also go into the release branch?",
)
