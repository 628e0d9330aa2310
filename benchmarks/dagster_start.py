"""What Dagster itself costs: an asset that makes nothing, of one partition, for Dagster's own command to materialise."""

import dagster as dg


@dg.asset(partitions_def=dg.StaticPartitionsDefinition(["one"]))
def nothing() -> None:
    """Made of nothing, in no time."""


defs = dg.Definitions([nothing])
