"""Page sizes and seconds of publishing for weeks of 40 to 2,000 pull requests, on an invented report and a warm kernel."""

import sys
import tempfile
import time
from pathlib import Path

from pipelines.report.export_kernel import Kernel
from pipelines.report.publish import publish_report
from pipelines.warehouse import Warehouse
from tests.report_fixture import make_report

COUNTS = (40, 240, 400, 2000)
# From the specification of the page: bytes of the week's page up to so many pull requests.
BOUNDS = ((100, 100_000), (400, 250_000))


def main(_arguments: list[str]) -> int:
    """Publish and print; 1 where a page is larger than its bound."""
    beyond = 0
    print(f"{'pull requests':>13} {'seconds':>8} {'page KB':>8} {'all KB':>8} {'files':>6}")
    with tempfile.TemporaryDirectory() as folder, Kernel() as kernel:
        publish_report(Warehouse(Path(folder) / "warm"), make_report(COUNTS[0]), kernel)  # imports are not what is measured
        for count in COUNTS:
            began = time.monotonic()
            paths = publish_report(Warehouse(Path(folder) / str(count)), make_report(count), kernel)
            seconds = time.monotonic() - began
            page = max(path.stat().st_size for path in paths if path.name in {"report.zh.html", "report.en.html"})
            everything = max(path.stat().st_size for path in paths if path.name in {"all.zh.html", "all.en.html"})
            print(f"{count:13d} {seconds:8.2f} {page / 1000:8.1f} {everything / 1000:8.1f} {len(paths):6d}")
            bound = next((most for pulls, most in BOUNDS if count <= pulls), None)
            beyond += bound is not None and page > bound
    print(f"{'BEYOND' if beyond else 'holds '} a page of up to 100 pull requests in 100 KB, of up to 400 in 250 KB")
    return int(bool(beyond))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
