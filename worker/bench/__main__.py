"""`npm run bench [-- --only NAME] [--json]`: run benchmarks and say whether their goals are met."""

import argparse
import importlib
import json
import sys
from collections.abc import Iterator

from bench.results import Result

# name -> module with `run() -> Iterator[Result]`. A benchmark belongs to the claims of one part of the product.
BENCHMARKS = {
    "verdicts": "bench.verdicts",
    "compare": "bench.compare_speed",
    "flame": "bench.flame",
    "stored": "bench.stored",
    "page": "bench.page",
    "linear": "bench.linear",
    "memory": "bench.memory",
    "traces": "bench.traces",
    "board": "bench.board",
    "changes": "bench.changes",
    "deploys": "bench.deploys",
    "board-page": "bench.board_page",
    "metrics": "bench.metrics",
    "series": "bench.series",
    "series-more": "bench.series_more",
    "series-real": "bench.series_real",
    "ci": "bench.ci",
    "bisect": "bench.bisecting",
    "builds": "bench.builds",
}


def main() -> int:
    """Exit code 0: all goals that were measured are met but for the open ones; 1: some are not; 2: no such benchmark."""
    parser = argparse.ArgumentParser(prog="bench", description="Every claim of speed and accuracy, measured.")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}; may be repeated"
    )
    parser.add_argument("--json", action="store_true", help="one JSON line a result")
    options = parser.parse_args()
    unknown = sorted(set(options.only or []) - set(BENCHMARKS))
    if unknown:
        print(f"bench: there is no {unknown[0]}; there is {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    met = True
    for name in options.only or BENCHMARKS:
        results: Iterator[Result] = importlib.import_module(BENCHMARKS[name]).run()
        for result in results:
            print(json.dumps(result.to_json(), ensure_ascii=False) if options.json else result.told(), flush=True)
            met &= result.met is not False or result.is_open
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
