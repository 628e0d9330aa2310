"""Imported for what it loads: in the process that others are forked from, all that the report of a week needs."""

import gc

import pipelines.defs.publishing
import pipelines.report.export
import pipelines.report.export_kernel
import pipelines.report.facts
import pipelines.report.publish  # noqa: F401  because: loading them is what this module is for
from pipelines.report.page import load_all
from pipelines.report.render import macros

load_all()
for _page in ("frame", "pages/all", "pages/index", "pages/pull"):
    macros(f"{_page}.html.j2")
# What is loaded stays; looked through for cycles, its pages would no longer be shared between the forked.
gc.freeze()
