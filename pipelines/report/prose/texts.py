"""Texts of others made fit for a sentence: cut at a word, told from repetitions, paths and links shortened."""

import re

from pipelines.report.model import FileFacts, LinkFacts, PullFacts
from pipelines.report.prose.say import Code, Pull, Say, Slot

#: File names that say nothing without their folder.
_GENERIC_NAMES = frozenset(
    {"__init__", "__main__", "index", "main", "mod", "lib", "utils", "config", "common", "types", "base", "core", "README"}
)
#: A quotation is a sentence, not a paragraph: two lines of a page at most.
_QUOTE_CHARACTERS = 150
#: Of a quotation's words, so many in the title make it a repetition of the title.
_REPEATED_SHARE = 0.7
#: Signs that would stand doubled before our own, ASCII and full-width: . , ; :
_END_SIGNS = " .,;:\u3002\uff0c\uff1b\uff1a"
_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


def clip(text: str, limit: int = _QUOTE_CHARACTERS) -> str:
    """The text, cut at a word where it is longer than the limit, with an ellipsis in place of the rest."""
    if len(text) <= limit:
        return text.rstrip(_END_SIGNS)
    cut = text[:limit]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).rstrip(_END_SIGNS) + "…"


def repeats(text: str, title: str) -> bool:
    """Whether a text says little more than the title."""
    words, known = _WORD.findall(text.lower()), set(_WORD.findall(title.lower()))
    return not words or sum(word in known for word in words) / len(words) >= _REPEATED_SHARE


def short_path(path: str) -> str:
    """A file's name, with its folder where the name alone says nothing."""
    folder, _, name = path.rpartition("/")
    return f"{folder.rpartition('/')[2]}/{name}" if folder and name.partition(".")[0] in _GENERIC_NAMES else name


def rule_title(rule: str) -> Say:
    """The title of a risk rule; its id where it is a repository's own."""
    return Say(f"rule.{rule}", otherwise=Code(rule))


def link_target(pull: PullFacts, link: LinkFacts) -> Slot:
    """The other side of a link: linked where it lies in the same repository."""
    is_ours = pull["url"].endswith(f"/{link['repo']}/pull/{pull['number']}")
    return Pull(link["number"]) if is_ours else Code(f"{link['repo']}#{link['number']}")


def largest_source(pull: PullFacts) -> FileFacts | None:
    """The source file with most changed lines, of a highlight; None where no source file is known."""
    rows = [row for row in pull["detail"]["file_rows"] if row["kind"] == "source"] if "detail" in pull else []
    return max(rows, key=lambda row: ((row["added"] or 0) + (row["removed"] or 0), row["path"]), default=None)
