"""From facts to sentences: what to say is planned without words, then worded from a language's catalogue.

``plan_*`` modules choose facts and order them; ``realise`` looks words up and keeps every number tied to its fact.
A language is added by a catalogue alone: no sentence stands in code.
"""

from pipelines.report.prose.write import write_prose

__all__ = ["write_prose"]
