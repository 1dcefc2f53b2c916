"""Arguments of `slowpath collect`; the command itself is loaded when it runs."""

import argparse

from slowpath_cli.collect.collect_plan import DEFAULT_SNAPSHOTS, SNAPSHOT_KINDS
from slowpath_cli.commands.server_arguments import add_server_arguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `slowpath collect`."""
    parser.add_argument("url", metavar="URL", help="host:port of the process, or the URL of its /debug/pprof")
    what = parser.add_argument_group("recordings")
    what.add_argument("--profiles", type=int, default=10, metavar="N", help="number of CPU profiles (default: 10)")
    what.add_argument("--seconds", type=float, default=5.0, metavar="S", help="seconds per CPU profile (default: 5)")
    what.add_argument("--trace", type=int, default=0, metavar="N", help="number of execution traces (default: 0)")
    what.add_argument("--trace-seconds", type=float, default=1.0, metavar="S", help="seconds per trace (default: 1)")
    what.add_argument(
        "--snapshots",
        metavar="KINDS",
        help=f"any of {', '.join(SNAPSHOT_KINDS)}, separated by commas; heap, allocs, mutex and block are taken at the "
        f"start and at the end, allocs and mutex also between the CPU profiles; "
        f"'' for none (default: {','.join(DEFAULT_SNAPSHOTS)}, and mutex and block if the process records them)",
    )
    what.add_argument(
        "--binary",
        metavar="PATH",
        help="also the executable of the process; 'auto': the one that it runs, on this machine",
    )
    facts = parser.add_argument_group("run metadata")
    facts.add_argument(
        "--metrics", metavar="URL", help="URL of the process's metrics (default: /metrics of URL's host)"
    )
    facts.add_argument(
        "--requests-metric",
        metavar="NAME{label=value}",
        help="counter of served requests: a metric with or without labels, or a regular expression over name{labels}; 'none' to "
        "count no requests. Common names are detected; metrics, health, debug and admin handlers are never counted",
    )
    facts.add_argument(
        "--fact",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a value of the run metadata, such as commit=...; may be repeated",
    )
    facts.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="'Name: value'",
        help="a header of the requests to the process; may be repeated",
    )
    where = parser.add_argument_group("destination")
    where.add_argument("--out", metavar="DIR", help="output folder (default: slowpath-HOST-TIME)")
    add_server_arguments(where)
    second = parser.add_argument_group(
        "two sides",
        "URL is the base, URL2 the candidate. Recordings alternate between them, which prevents drift of the machine's speed or "
        "load from appearing as a difference. Recommended if both builds can run at the same time.",
    )
    second.add_argument("--against", metavar="URL2", help="a second process, recorded in turns with the first")
    second.add_argument("--against-out", metavar="DIR", help="its output folder (default: base and candidate in --out)")
    second.add_argument("--against-metrics", metavar="URL", help="URL of its metrics")
    second.add_argument(
        "--against-fact",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a value of its run metadata (--fact applies to the first process)",
    )
    second.add_argument("--against-binary", metavar="PATH", help="its executable, as --binary")
    second.add_argument("--against-build", metavar="ID", help="the build of its files, as --build")
