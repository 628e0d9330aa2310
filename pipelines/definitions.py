"""What Dagster loads; nothing else. The graphs are made in ``defs`` from ``pullweek.toml``."""

import dagster as dg

from pipelines.defs.build import build_definitions
from pipelines.settings import load_settings, settings_path


@dg.definitions
def defs() -> dg.Definitions:
    """Every repository of ``pullweek.toml``, or of the file that ``PULLWEEK_SETTINGS`` names."""
    return build_definitions(load_settings(settings_path()))
