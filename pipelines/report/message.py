"""The week as a message: mail with HTML and plain text, and chat; executive summary, key changes and risks of the page."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from pipelines.report.model import Headed, Report
from pipelines.report.prose.realise import plain
from pipelines.report.render import render
from pipelines.report.rich import Html, Markdown, Plain, Rich, Slack, Writer
from pipelines.report.words import Words

ChatStyle = Literal["markdown", "slack", "discord"]
#: Characters a post may have: Discord refuses more than 2,000; Mattermost cuts at 16,383; Slack at 40,000.
CHAT_LIMITS: dict[ChatStyle, int] = {"markdown": 16_000, "slack": 39_000, "discord": 2_000}

_MARKS = ("- ", "\u2022 ")


@dataclass(frozen=True)
class Message:
    """One report as mail: subject in one line, HTML with inline styles only, and the same as plain text."""

    subject: str
    html: str
    text: str


def mail_message(report: Report, language: str, report_url: str = "") -> Message:
    """The report as mail in one language; ``report_url`` is where the full page can be read, where it is known."""
    subject = _Week(report, language, Plain()).subject
    return Message(subject, _html(report, language, report_url), _text(report, language, report_url))


def chat_message(report: Report, language: str, report_url: str = "", style: ChatStyle = "markdown") -> str:
    """The report as a post; what does not fit the limit of the style is left out by whole lines, and said so."""
    week = _Week(report, language, Slack() if style == "slack" else Markdown())
    rich = week.writer.rich
    read = rich.link(rich.ours(week.words.t("mail.read")), report_url) if report_url else ""
    lines = [rich.strong(rich.theirs(week.subject)), *week.lines("\u2022 " if style == "slack" else "- ")]
    return _fitted(lines, read, week.words.t("mail.more"), CHAT_LIMITS[style])


def _fitted(lines: list[str], read: str, more: str, limit: int) -> str:
    """As many whole lines as fit, then the link; where some did not fit it is said."""
    whole = "\n".join([*lines, *([read] if read else [])])
    if len(whole) <= limit:
        return whole
    last = f"{more} {read}".rstrip()
    kept, room = [], limit - len(last)
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    while kept and not kept[-1].startswith(_MARKS):  # a title without a line below it
        kept.pop()
    return "\n".join([*kept, last])


class _Week:
    """One report in one language and one format."""

    def __init__(self, report: Report, language: str, rich: Rich) -> None:
        self.report = report
        self.words = Words(language)
        self.prose = report["prose"][language]
        # Chinese sets no space after a full stop.
        self.writer = Writer(rich, report["repo_url"], "" if language == "zh" else " ")

    @property
    def subject(self) -> str:
        """Repository, week and headline in one line of plain text."""
        headline = "".join(plain(part) for part in self.prose["headline"]["parts"])
        return " ".join(self.words.t("mail.subject", repo=self.report["repo"], week=self.report["week"], headline=headline).split())

    @property
    def foot(self) -> str:
        """What made it, and as of when."""
        return self.words.t("mail.foot", when=self.words.instant(self.report["data_as_of"], self.report["window"]["timezone"]))

    @property
    def no_risks(self) -> str:
        """What is said where no rule fired."""
        return self.words.t("page.risks_empty", rules=self.report["rules_looked"], n=self.report["counts"]["merged"])

    def summary(self) -> list[str]:
        """Sentences of the executive summary."""
        return [self.writer.parts(sentence["parts"]) for sentence in self.prose["summary"]]

    def risks(self) -> list[str]:
        """A line a risk."""
        return [self.headed(risk) for risk in self.prose["risks"]]

    def headed(self, headed: Headed) -> str:
        """Heading and sentences in one line."""
        return f"{self.writer.heading(headed)}{self.words.t('page.colon')}{self.writer.run(headed['sentences'])}"

    def lines(self, mark: str) -> Iterator[str]:
        """Summary, key changes and risks as lines of text."""
        strong, title = self.writer.rich.strong, self.title
        yield from ("", strong(title("summary")), *(mark + line for line in self.summary()))
        changes = [mark + self.headed(group) for group in self.prose["groups"]]
        yield from ("", strong(title("changes")), *(changes or [self.words.t("page.changes_empty")]))
        risks = [mark + line for line in self.risks()]
        yield from ("", strong(title("risks")), *(risks or [self.no_risks]))
        yield from ("", self.foot)

    def title(self, name: str) -> str:
        """Title of a section."""
        return self.words.t(f"page.section.{name}")


def _text(report: Report, language: str, report_url: str) -> str:
    week = _Week(report, language, Plain())
    read = ["", f"{week.words.t('mail.read')}{week.words.t('page.colon')}{report_url}"] if report_url else []
    return "\n".join([week.subject, *week.lines("- "), *read]) + "\n"


def _html(report: Report, language: str, report_url: str) -> str:
    week = _Week(report, language, Html("color:#0a58ca"))
    writer, prose = week.writer, week.prose
    groups = [
        {
            "heading": Markup(writer.parts(group["heading"])),  # noqa: S704  # because: the writer escaped it
            "sentences": [Markup(writer.parts(sentence["parts"])) for sentence in group["sentences"]],  # noqa: S704  # because: same
        }
        for group in prose["groups"]
    ]
    made = render(
        "mail.html.j2",
        language=week.words.html_language,
        week=week,
        headline=Markup(writer.parts(prose["headline"]["parts"])),  # noqa: S704  # because: same
        summary=[Markup(line) for line in week.summary()],  # noqa: S704  # because: same
        groups=groups,
        risks=[Markup(line) for line in week.risks()],  # noqa: S704  # because: same
        report_url=report_url,
    )
    return str(made)  # not Markup, whose methods would escape what is added to it
