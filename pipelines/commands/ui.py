"""``pullweek ui``: Dagster's pages on the assets, runs and schedules of this warehouse."""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

from pipelines.commands.asking import open_warehouse

WORKSPACE = Path(__file__).resolve().parents[2] / "workspace.yaml"


def run(_options: argparse.Namespace) -> int:
    """Run ``dagster dev`` until it is interrupted; its exit status."""
    from pipelines.defs.launch import prepared_home

    warehouse = open_warehouse()
    environment = os.environ | {"DAGSTER_HOME": str(prepared_home(warehouse)), "PULLWEEK_WAREHOUSE": str(warehouse.root)}
    # A child of a script inherits an ignored interrupt, and dagster dev then never stops.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    command = [str(Path(sys.executable).parent / "dagster"), "dev", "-w", str(WORKSPACE)]
    with subprocess.Popen(command, env=environment) as child:  # noqa: S603  because: every part of the line is ours
        try:
            return child.wait()
        except KeyboardInterrupt:
            return child.wait()
