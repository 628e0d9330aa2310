"""A stand-in for GitHub: a real HTTP server on loopback with GitHub's GraphQL schema, cut down, and the REST calls in use.

``from tests.github_standin import StandIn, from_sample`` in tests; ``python -m tests.github_standin --help`` by hand.
"""

from tests.github_standin.dataset import Dataset, blank, from_parquet, from_records, from_sample
from tests.github_standin.server import StandIn

__all__ = ["Dataset", "StandIn", "blank", "from_parquet", "from_records", "from_sample"]
