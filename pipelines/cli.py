"""The command ``pullweek``: reads its line, calls one module of ``commands``, and ends with one clear line on failure.

Only argparse is imported here, so that help answers at once; a command imports what it needs when it runs.
"""

import argparse
import atexit
import gc
import importlib
import os
import sys
from collections.abc import Sequence

from pipelines.errors import PullweekError

EPILOG = """\
examples:
  pullweek demo                                          the embedded sample, no network
  pullweek report sgl-project/sglang last                the week that closed last
  pullweek report sgl-project/sglang 2026-W17 --history 12 --timezone Asia/Shanghai
  pullweek backfill sgl-project/sglang 2026-W05..2026-W17
  pullweek sql "select week, merged_count from derived_week order by week"

environment: GITHUB_TOKEN (several: comma between), GITHUB_API_URL (an enterprise host: https://HOST/api/v3),
PULLWEEK_WAREHOUSE (default ./warehouse), PULLWEEK_SETTINGS (default ./pullweek.toml)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit status: 0, 1 where it failed, 2 where it was called wrongly, 130 where interrupted."""
    options = _parser().parse_args(arguments)
    _look_for_cycles_less_often()
    try:
        status = importlib.import_module(f"pipelines.commands.{options.module}").run(options)
    except PullweekError as error:
        print(f"pullweek: {_one_line(str(error))}", file=sys.stderr)
        return error.exit_status
    except BrokenPipeError:  # the reader of our output went away, as head does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("pullweek: interrupted; what was fetched is kept, run it again to go on.", file=sys.stderr)
        return 130
    return int(status)


def _look_for_cycles_less_often() -> None:
    """Have the collector run seldom, and not at all at the end: what a command loads, it needs until it ends.

    It walked through modules and tables again and again: a fifth of a week's run, and a second after its last line.
    """
    gc.set_threshold(100_000, 20, 20)
    atexit.register(gc.freeze)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pullweek",
        description="A data warehouse of pull requests, and the weekly report read out of it.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_report(commands)
    _add_backfill(commands)
    _add_demo(commands)
    _add_reading(commands)
    _add_asking_why(commands)
    _add_keeping(commands)
    return parser


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, about: str, module: str = ""
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
    parser.set_defaults(module=module or name, command=name)
    parser.add_argument("--json", action="store_true", help="print the result as JSON, for a program to read")
    return parser


def _add_fetching(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("repo", metavar="OWNER/NAME")
    parser.add_argument(
        "--timezone", metavar="Z", help="IANA zone in which weeks begin (default: pullweek.toml, the stored weeks, UTC)"
    )
    parser.add_argument("--refresh", action="store_true", help="fetch again what is stored, and tell what changed")
    parser.add_argument(
        "--rerun", action="store_true", help="derive again what is current, and render what comes out different; fetches nothing"
    )
    parser.add_argument("--rerender", action="store_true", help="derive and render again what is current; fetches nothing")
    parser.add_argument(
        "--max-wait", type=float, default=3600.0, metavar="SECONDS", help="longest wait for GitHub's limits (default: 3600)"
    )


def _add_report(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = _command(commands, "report", "fetch one week, derive its tables and render its report")
    _add_fetching(parser)
    parser.add_argument(
        "week", nargs="?", default="last", metavar="WEEK", help="2026-W17, or last (the default): the week that closed last"
    )
    parser.add_argument("--history", type=int, default=0, metavar="N", help="fetch the missing ones of the N weeks before first")


def _add_backfill(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = _command(commands, "backfill", "report every week of a range, oldest first; a failing week stops no other")
    _add_fetching(parser)
    parser.add_argument("weeks", metavar="FROM..TO", help="2026-W05..2026-W17, both included")


def _add_demo(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    _command(commands, "demo", "report the embedded sample repository, acme/lattice, without any network")


def _add_reading(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    status = _command(commands, "status", "show which weeks are stored, whole, and reported")
    status.add_argument("repo", nargs="?", metavar="OWNER/NAME")
    sql = _command(commands, "sql", "query the tables with DuckDB")
    sql.add_argument("query", metavar="QUERY", help="as: select week, merged_count from derived_week order by week")
    sql.add_argument("--csv", action="store_true", help="print the rows as CSV")


def _add_asking_why(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    explain = _command(commands, "explain", "say why a pull request ranks, and which rules fired on it")
    explain.add_argument("pull", metavar="OWNER/NAME#NUMBER")
    rules = _command(commands, "rules", "list the risk rules, with their counts in a week")
    rules.add_argument("repo", nargs="?", metavar="OWNER/NAME")
    rules.add_argument("week", nargs="?", metavar="WEEK", help="2026-W17, or last (default: the newest stored)")
    diff = _command(commands, "diff", "say what a rerun of a stored week would change, and what did it")
    diff.add_argument("repo", metavar="OWNER/NAME")
    diff.add_argument("week", metavar="WEEK", help="2026-W17, or last")
    for parser in (rules, diff):
        parser.set_defaults(timezone=None)


def _add_keeping(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    doctor = _command(commands, "doctor", "check token, permissions, host, limits, clock and disk, and what a week would cost")
    doctor.add_argument("repo", nargs="?", metavar="OWNER/NAME")
    send = _command(commands, "send", "send a published week as mail or to a chat's webhook")
    send.add_argument("repo", metavar="OWNER/NAME")
    send.add_argument("week", nargs="?", default="last", metavar="WEEK", help="2026-W17, or last (the default)")
    send.add_argument(
        "--by", choices=("mail", "webhook"), default="mail", help="see docs/settings.md for the environment (default: mail)"
    )
    send.add_argument("--language", choices=("zh", "en"), default="en", help="default: en")
    for parser in (doctor, send):
        parser.set_defaults(timezone=None)
    gc = _command(commands, "gc", "show what in the warehouse nothing needs any more")
    gc.add_argument("--yes", action="store_true", help="remove it")
    _command(commands, "ui", "open Dagster on the same assets and the same runs, until interrupted")
    _command(commands, "docs", "print the reference page of the tables, made from their contracts")


if __name__ == "__main__":
    sys.exit(main())
