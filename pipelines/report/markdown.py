"""The report as Markdown for GitHub: the same sections as the page, escaped, without HTML."""

from collections.abc import Iterable

from pipelines.report.markdown_text import code, escape, table
from pipelines.report.model import Headed, Part, PullFacts, Report, RiskFlag, Sentence, ThemeFacts
from pipelines.report.prose.wording import wording_lines
from pipelines.report.words import Words

_KEY_ROWS = 20
_TREND_ROWS = 15


def render_markdown(report: Report, language: str) -> str:
    """The whole report in one language; ends with a line feed."""
    return _Page(report, language).text()


class _Page:
    def __init__(self, report: Report, language: str) -> None:
        self.report = report
        self.words = Words(language)
        self.prose = report["prose"][language]
        self.pulls = {pull["number"]: pull for pull in report["pull_requests"]}

    def text(self) -> str:
        """Every section in the order of the page."""
        sections = (
            self._head(),
            self._summary(),
            self._changes(),
            self._trends(),
            self._risks(),
            self._key_pulls(),
            self._follow_ups(),
            self._method(),
        )
        return "\n\n".join(block for section in sections for block in section if block) + "\n"

    def _section(self, name: str) -> str:
        return f"## {self.words.t(f'page.section.{name}')}"

    # ---- pieces

    def _part(self, part: Part) -> str:
        if "text" in part:
            return part["text"].replace("|", "\\|")
        if "pull" in part:
            return self.link(f"#{part['pull']}", part["pull"])
        if "title" in part:
            return self.link(part["shown"], part["title"])
        return code(part["shown"]) if "code" in part else escape(part["shown"])

    def link(self, text: str, number: int) -> str:
        """A link to a pull request of the repository."""
        shown = text if text == f"#{number}" else escape(text)
        return f"[{shown}]({self.report['repo_url']}/pull/{number})"

    def parts(self, parts: Iterable[Part]) -> str:
        """Parts of a sentence, one after the other."""
        return "".join(self._part(part) for part in parts)

    def sentence(self, sentence: Sentence) -> str:
        """One sentence."""
        return self.parts(sentence["parts"])

    def _bullets(self, sentences: Iterable[Sentence]) -> str:
        return "\n".join(f"- {self.sentence(sentence)}" for sentence in sentences)

    def _headed_bullets(self, headed: Iterable[Headed], mark: str = "-") -> str:
        lines = [
            f"{mark} **{self.parts(each['heading'])}**{self.words.t('page.colon')}{self._run(each['sentences'])}" for each in headed
        ]
        return "\n".join(lines)

    def _run(self, sentences: Iterable[Sentence]) -> str:
        """Sentences in one paragraph: Chinese sets no space after a full stop."""
        return ("" if self.words.language == "zh" else " ").join(self.sentence(sentence) for sentence in sentences)

    # ---- sections

    def _head(self) -> list[str]:
        report, t = self.report, self.words.t
        window, coverage = report["window"], report["coverage"]
        state = "partial" if coverage["state"] == "partial" else "revised" if coverage["revised"] else "complete"
        days = t("page.from_to", first=self.words.date(report["days"]["first"]), last=self.words.date(report["days"]["last"]))
        facts = (
            (t("page.days"), f"{days} ({window['timezone']})"),
            (t("page.data_as_of"), self.words.instant(report["data_as_of"], window["timezone"])),
            (t("page.coverage"), t("page.coverage_text", read=coverage["read"], n=coverage["enumerated"])),
            (t("page.state"), t(f"page.state.{state}")),
        )
        title = f"# {escape(report['repo'])} · {report['week']}"
        return [
            title,
            f"**{self.sentence(self.prose['headline'])}**",
            "\n".join(f"- {name}{t('page.colon')}{text}" for name, text in facts),
        ]

    def _summary(self) -> list[str]:
        return [self._section("summary"), self._bullets(self.prose["summary"])]

    def _changes(self) -> list[str]:
        made = [self._section("changes")]
        for group in self.prose["groups"]:
            made += [f"### {self.parts(group['heading'])}", self._bullets(group["sentences"])]
        return made if self.prose["groups"] else [*made, self.words.t("page.changes_empty")]

    def _trends(self) -> list[str]:
        t = self.words.t
        names = [
            t("page.col.theme"),
            t("page.col.count"),
            t("page.col.last_week"),
            t("page.col.usual"),
            t("page.col.share"),
            t("page.col.direction"),
        ]
        themes = table(names, (self._trend_row(theme, escape(self._title(theme))) for theme in self.report["themes"][:_TREND_ROWS]))
        names = [t("page.col.module"), *names[1:]]
        modules = table(
            names, (self._trend_row(row, code(row["key"], in_table=True)) for row in self.report["modules"][:_TREND_ROWS])
        )
        return [self._section("trends"), themes or t("page.themes_empty"), self._headed_bullets(self.prose["trends"]), modules]

    def _title(self, theme: ThemeFacts) -> str:
        return theme["title"].get(self.words.language) or theme["title"].get("en") or theme["key"]

    def _trend_row(self, row: ThemeFacts, name: str) -> list[str]:
        number = self.words.number
        direction = self.words.t(f"page.direction.{row['direction']}")
        return [
            name,
            number(row["count"]),
            number(row["last_week"]),
            number(row["median_4"]),
            self.words.percent(row["share"]),
            direction,
        ]

    def _risks(self) -> list[str]:
        report = self.report
        if not report["risks"]:
            return [
                self._section("risks"),
                self.words.t("page.risks_empty", rules=report["rules_looked"], n=report["counts"]["merged"]),
            ]
        note = self.words.t(
            "page.risks_note", fired=len(report["risks"]), rules=report["rules_looked"], n=report["counts"]["merged"]
        )
        return [self._section("risks"), note, self._headed_bullets(self.prose["risks"])]

    def _key_pulls(self) -> list[str]:
        t, highlights = self.words.t, self.report["highlights"][:_KEY_ROWS]
        if not highlights:
            return [self._section("pulls"), t("page.pulls_empty")] if not self.pulls else []
        caption = t("page.top_n", shown=len(highlights), n=self.report["counts"]["merged"])
        columns = ("importance", "pull", "area", "people", "size", "hours", "tests", "risks")
        rows = table([t(f"page.col.{name}") for name in columns], (self._pull_row(self.pulls[number]) for number in highlights))
        lines = {line["key"]: line for line in self.prose["pulls"]}
        told = [self._line(number, lines[str(number)]) for number in highlights if str(number) in lines]
        return [self._section("pulls"), f"**{caption}**", rows, "\n".join(told)]

    def _line(self, number: int, line: Headed) -> str:
        heading = f"{self.link(f'#{number}', number)} {self.parts(line['heading'])}"
        return f"- {heading}{self.words.t('page.colon')}{self._run(line['sentences'])}"

    def _pull_row(self, pull: PullFacts) -> list[str]:
        words = self.words
        number, people = pull["number"], [pull["author"], *(pull["reviewers"] or [])]
        return [
            words.number(pull["importance"]),
            f"{self.link(f'#{number}', number)} {self.link(pull['title'], number)}",
            code(pull["modules"][0], in_table=True) if pull["modules"] else "",
            words.listed([escape(login) for login in people[:4]]),
            words.lines(pull["added"], pull["removed"]),
            words.number(pull["merge_hours"]),
            words.t(f"page.tests.{pull['tests_state']}"),
            words.listed([self._flag(flag) for flag in pull["risks"]]),
        ]

    def _flag(self, flag: RiskFlag) -> str:
        key = f"rule.{flag['rule']}"
        title = self.words.t(key) if self.words.has(key) else escape(flag["rule"])
        return f"{title} ({self.words.t('term.severity.' + flag['severity'])})"

    def _follow_ups(self) -> list[str]:
        made = [
            self._section("follow_ups"),
            self._headed_bullets(self.prose["suggestions"], "1.") or self.words.t("page.follow_ups_empty"),
        ]
        earlier = self._headed_bullets(self.prose["earlier_suggestions"])
        return [*made, f"### {self.words.t('page.earlier')}", earlier] if earlier else made

    def _method(self) -> list[str]:
        report, t = self.report, self.words.t
        names = (("page.first_time", report["first_time_authors"]), ("page.reviewers", report["reviewers"]))
        credits_ = [f"- {t(key)}{t('page.colon')}{self._names(logins)}" for key, logins in names]
        stands_on, window = report["stands_on"], report["window"]
        week = t(
            "page.method.week",
            start=self.words.instant(window["start"], window["timezone"]),
            end=self.words.instant(window["end"], window["timezone"]),
            timezone=window["timezone"],
        )
        versions = t(
            "page.versions_text",
            program=stands_on["program_version"],
            rules=stands_on["rules_version"],
            schema=report["schema_version"],
        )
        wording = wording_lines(report["wording"], self.words) if "wording" in report else []
        search = f"[{t('page.search_link')}]({report['search_url']})"
        told = [*credits_, f"- {week}", f"- {t('page.method.null')}", f"- {search}", f"- {versions}"]
        return [self._section("method"), "\n".join([*told, *(f"- {escape(line)}" for line in wording)])]

    def _names(self, logins: list[str] | None) -> str:
        if logins is None:
            return self.words.t("page.unknown")
        return self.words.listed([escape(login) for login in logins]) or self.words.t("page.none")
