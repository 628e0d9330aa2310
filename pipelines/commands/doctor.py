"""``pullweek doctor [OWNER/NAME]``: whether fetching can work, and what to do where it cannot."""

import argparse
import dataclasses
import json
import os

from pipelines.commands.asking import asked_repository, open_warehouse
from pipelines.settings import load_settings, settings_path

_MARKS = {"good": "ok  ", "warning": "WARN", "bad": "BAD "}


def run(options: argparse.Namespace) -> int:
    """Print the findings; status 1 where one is bad."""
    from pipelines.sources.github.doctor import diagnose

    load_settings(settings_path())  # a malformed file ends the command with its own line
    warehouse = open_warehouse()
    timezone = asked_repository(options, warehouse).timezone if options.repo else "UTC"
    findings = diagnose(os.environ, options.repo, warehouse.root, timezone=timezone)
    if options.json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=1))
    else:
        for finding in findings:
            advice = f"\n       {finding.advice}" if finding.advice else ""
            print(f"{_MARKS[finding.state]} {finding.name}: {finding.said}{advice}")
    return int(any(finding.state == "bad" for finding in findings))
