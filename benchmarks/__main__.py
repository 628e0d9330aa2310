"""``make bench``: every benchmark, one after another, or those named: ``python -m benchmarks ingest reruns``.

Machines are noisy: compare the figures of one run with each other, as ratios.
"""

import importlib
import sys

BENCHMARKS = ("labels", "agreement", "derive_speed", "reruns", "four_ways", "pages", "prose", "ingest")


def main(names: list[str]) -> int:
    """Run the benchmarks; how many ended beyond a bound."""
    unknown = sorted(set(names) - set(BENCHMARKS))
    if unknown:
        print(f"benchmarks: no {', '.join(unknown)}. There are {', '.join(BENCHMARKS)}.", file=sys.stderr)
        return 2
    beyond = 0
    for name in names or BENCHMARKS:
        print(f"\n== {name} ==", flush=True)
        beyond += bool(importlib.import_module(f"benchmarks.{name}").main([]))
    print(f"\n{beyond} of {len(names or BENCHMARKS)} benchmarks ended beyond a bound")
    return int(bool(beyond))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
