"""The process from which those that publish are forked: it loads all they need once, while the command loads Dagster.

Cheap to import, so that a command can have the loading begin before it does anything else.
"""

import multiprocessing
import os
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext

# Deriving a week, which one process does, takes a third of what its pages take: more than four never had work.
_MOST_PROCESSES = 4


def processes_count(weeks_count: int) -> int:
    """How many processes publish beside this one; none on a single processor, where they would only wait for each other."""
    processors = len(os.sched_getaffinity(0))
    return min(processors, _MOST_PROCESSES, weeks_count) if processors > 1 else 0


def begin_loading() -> ForkServerContext:
    """Start the server, if it does not run yet, and return at once; its imports go on beside."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pipelines.defs.preloaded"])
    forkserver.ensure_running()
    return context
