"""Contract of the table that the report step writes where a language model words it: what the verifier refused.

It is made by the report, not by the rules, and stands on answers of a model: no derived table reads it.
"""

from pipelines.contracts.model import INT, TEXT, Table, col

_REWORD = "report/writer/reword.py"

DERIVED_PROSE_AUDIT = Table(
    "derived_prose_audit",
    "One row per sentence of a language model that the verifier refused.",
    ("language", "section", "item", "sentence", "attempt"),
    (
        col("language", TEXT, "Language of the report, zh or en.", _REWORD),
        col("section", TEXT, "Section of the report: summary, groups, trends, risks or pulls.", _REWORD),
        col("item", TEXT, "Group, theme, rule or number within the section; empty for the summary.", _REWORD),
        col("sentence", TEXT, "Id of the sentence within the item: s1, s2 ...; empty for an answer as a whole.", _REWORD),
        col("attempt", INT, "1 for the first answer, 2 for the one after the reason was given.", _REWORD, "answers"),
        col("text", TEXT, "What the model wrote: untrusted text, cut at 500 characters.", _REWORD),
        col("reason", TEXT, "Why it was refused.", "report/writer/verify.py"),
        col("outcome", TEXT, "mended: the second answer held; replaced: the rule's sentence stands.", _REWORD),
        col("model", TEXT, "Name of the model that was asked.", "pullweek.toml"),
        col("prompt_version", TEXT, "Version of the prompt.", "report/writer/request.py"),
    ),
)

PROSE_TABLES: tuple[Table, ...] = (DERIVED_PROSE_AUDIT,)
