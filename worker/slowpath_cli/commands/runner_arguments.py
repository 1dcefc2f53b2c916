"""Arguments of `slowpath runner`; the command itself is loaded when it runs."""

import argparse

from slowpath_cli.core.renamed_options import accept_former_name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `slowpath runner`."""
    parser.usage = "slowpath runner --config FILE | slowpath runner --repo DIR [options] [-- DEPLOY [WORD...]]"
    parser.epilog = "SLOWPATH_URL is the server's address, SLOWPATH_TOKEN a token with the scope runner."
    parser.add_argument("--config", metavar="FILE", help="a TOML file; flags override its values")
    server = parser.add_argument("--server", metavar="URL", help="the server (default: $SLOWPATH_URL)")
    accept_former_name(parser, server, "--url")
    parser.add_argument("--name", metavar="NAME", help="the runner's name (default: the host name)")
    parser.add_argument("--slots", type=int, metavar="N", help="probes at the same time")
    parser.add_argument("--label", action="append", default=[], metavar="NAME=VALUE", help="a label that bisects can require; may be repeated")  # fmt: skip
    work_dir = parser.add_argument("--work-dir", metavar="DIR", help="folder of work trees and the state of runs")
    accept_former_name(parser, work_dir, "--work")
    parser.add_argument("--repo", metavar="DIR", help="the service's repository: a folder or a URL")
    parser.add_argument("--module-repo", action="append", default=[], metavar="MODULE=DIR", help="a dependency's repository; may be repeated")  # fmt: skip
    parser.add_argument("--directory", metavar="DIR", help="folder of go.mod in the repository")
    parser.add_argument(
        "--measure",
        metavar="COMMAND",
        help="command that takes one measurement; the last number it prints is the value",
    )
    pprof_url = parser.add_argument(
        "--pprof-url", metavar="URL", help="collect profiles from this address, in place of --measure"
    )
    accept_former_name(parser, pprof_url, "--pprof")
    health = parser.add_argument(
        "--health-check", metavar="URL", help="URL that responds with 2xx when the deployment is healthy"
    )
    accept_former_name(parser, health, "--health")
    parser.add_argument(
        "deploy", nargs="*", metavar="DEPLOY", help="the command that deploys and keeps running, after --"
    )
