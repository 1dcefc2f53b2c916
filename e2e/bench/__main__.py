"""`npm run bench [-- --only NAME] [--json] [--markdown]`: run benchmarks and check their goals."""

import argparse
import importlib
import json
import sys
from collections.abc import Iterator

from bench.benchmark_results import BenchmarkResult, markdown_table

# name -> module with `run() -> Iterator[Result]`, one benchmark per feature.
BENCHMARKS = {
    "verdicts": "bench.verdict_accuracy",
    "directions": "bench.opposite_verdicts",
    "compare": "bench.compare_speed",
    "flame": "bench.flame_graph_page",
    "stored-comparison": "bench.stored_comparison",
    "page": "bench.page_latency",
    "profile": "bench.profile_opening",
    "linear-scaling": "bench.linear_scaling",
    "memory": "bench.memory_footprint",
    "traces": "bench.trace_reading",
    "dashboard": "bench.dashboard_server",
    "roll-ups": "bench.metric_scale",
    "scale": "bench.process_scaling",
    "change-points": "bench.change_detection_accuracy",
    "inbox": "bench.production_messages",
    "deployment-checks": "bench.deployment_check_accuracy",
    "dashboard-page": "bench.dashboard_page",
    "metrics": "bench.metric_ingest",
    "series": "bench.series_accuracy",
    "series-more": "bench.series_accuracy_long",
    "series-million": "bench.million_series",
    "series-real": "bench.series_real_captures",
    "ci": "bench.ci_latency",
    "bisect-cost": "bench.bisect_cost",
    "bisect-single": "bench.bisect_single_measurements",
    "bisect-verdicts": "bench.bisect_verdicts",
    "builds": "bench.build_evaluation_latency",
    "second-build": "bench.second_build",
    "sources": "bench.source_search_latency",
    "labels": "bench.label_accuracy",
    "snapshots": "bench.snapshot_accuracy",
    "stack-sizes": "bench.stack_sizes",
    "executables": "bench.executables",
}


def main() -> int:
    """Run benchmarks. Exit code 0: all goals are met, except open ones; 1: some are not; 2: unknown benchmark."""
    parser = argparse.ArgumentParser(prog="bench", description="Every claim of speed and accuracy, measured.")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}; may be repeated"
    )
    parser.add_argument("--json", action="store_true", help="one JSON line a result")
    parser.add_argument("--markdown", action="store_true", help="a table of all results in the end")
    options = parser.parse_args()
    only = options.only or []
    unknown = sorted(set(only) - set(BENCHMARKS))
    if unknown:
        print(f"bench: there is no {unknown[0]}; there is {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    met, printed = True, []
    for name in only or BENCHMARKS:
        results: Iterator[BenchmarkResult] = importlib.import_module(BENCHMARKS[name]).run()
        for result in results:
            print(json.dumps(result.to_json(), ensure_ascii=False) if options.json else result.format(), flush=True)
            met &= result.met is not False or result.is_open
            printed.append(result)
    if options.markdown:
        print(f"\n{markdown_table(printed)}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
