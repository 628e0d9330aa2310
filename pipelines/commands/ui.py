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
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    command = [str(Path(sys.executable).parent / "dagster"), "dev", "-w", str(WORKSPACE)]
    # In a session of its own, so that it is interrupted once: by us, whether we were stopped by a key or by a signal.
    with subprocess.Popen(command, env=environment, start_new_session=True) as child:  # noqa: S603  because: the line is ours
        try:
            return child.wait()
        except KeyboardInterrupt:
            child.send_signal(signal.SIGINT)
            return child.wait()
