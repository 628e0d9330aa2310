"""What a language model did to the report, told for its method section."""

from pipelines.report.model import Wording
from pipelines.report.words import Words


def wording_lines(wording: Wording, words: Words) -> list[str]:
    """That it worded the report or why it did not, how many sentences held, and what it took."""
    model = wording["model"]
    lines = [words.t(f"page.wording.{wording['state']}", model=model, reason=wording["reason"])]
    if wording["state"] == "used":
        lines.append(words.t("page.wording.sentences", **{name: wording[name] for name in ("written", "mended", "refused")}))
    taken = {name: wording[name] for name in ("answers", "input_tokens", "output_tokens", "seconds")}
    lines.append(words.t("page.wording.taken", **taken, prompt=wording["prompt_version"]))
    if wording["cost"] is not None:
        lines.append(words.t("page.wording.cost", cost=words.number(wording["cost"], 4)))
    return lines
