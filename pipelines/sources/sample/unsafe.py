"""A review with characters that break databases and files: a NUL, an escape sequence and a lone surrogate.

TOML can hold none of them, so they are written here. GitHub has sent each of them; the parser replaces them.
"""

from pipelines.sources.sample.talk import Review

UNSAFE_REVIEW = Review(
    "jkowalczyk92",
    "COMMENTED",
    "The job printed `ok\x00\x1b[31mred` and a cut emoji \ud83d at the end of the buffer; does the viewer survive both?",
)
#: A review without words, as most approvals are.
EMPTY_REVIEW = Review("bjorn-aasen", "APPROVED", "")
