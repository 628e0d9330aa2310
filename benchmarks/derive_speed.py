"""How long the derived tables of many weeks take: seconds by number of weeks, of one week alone, and the peak of memory.

The bounds are seconds of the processor, in one process, since wall seconds tell what else the machine does.
What is measured includes joining the weeks before and holding every
table against its contract, as the pipeline does; reading the shared files is left out.
"""

import gc
import resource
import sys
import time
from collections.abc import Callable

from benchmarks.shared_data import derive_all, is_there, raw_weeks

_RUNS = (10, 20, 40)
ALL_WEEKS_SECONDS, ONE_WEEK_SECONDS, PEAK_MEGABYTES = 20.0, 1.0, 600.0


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds of some work."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def main(_arguments: list[str]) -> int:
    """Print the figures; 1 where one is beyond its bound."""
    if not is_there():
        print("skipped: ../shared/data/sglang is not there")
        return 0
    raw = raw_weeks()
    weeks = sorted(raw)
    gc.freeze()  # the shared files in memory are no work of the rules, and no pipeline holds a year of them
    derive_all(weeks[:1], raw=raw)  # what is made once a process: tables of the lexicon, compiled patterns
    print(f"{'weeks':>6s} {'wall s':>8s} {'cpu s':>8s} {'s a week':>9s}")
    processor = 0.0
    for count in (*_RUNS, len(weeks)):
        wall, processor = _timed(lambda count=count: derive_all(weeks[-count:], raw=raw))  # type: ignore[misc]  # because: a lambda's default has no type
        print(f"{count:6d} {wall:8.2f} {processor:8.2f} {processor / count:9.3f}")
    _, one = _timed(lambda: derive_all(weeks[-1:], raw=raw))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"one week alone {one:.2f} s, peak memory {peak:.0f} MB")
    return int(processor > ALL_WEEKS_SECONDS or one > ONE_WEEK_SECONDS or peak > PEAK_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
