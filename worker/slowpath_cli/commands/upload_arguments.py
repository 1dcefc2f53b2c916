"""Arguments of `slowpath upload`; the command itself is loaded when it runs."""

import argparse

from slowpath_cli.commands.build_arguments import add_build_arguments
from slowpath_cli.commands.server_arguments import add_server_arguments
from slowpath_cli.commands.verdict_gates import BUILD_GATE_KINDS, build_gate_kinds
from slowpath_cli.core.renamed_options import accept_former_name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `slowpath upload`."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="files or folders; FILE.metadata.json beside a file is uploaded with it",
    )
    add_server_arguments(parser)
    metadata = parser.add_argument(
        "--metadata", metavar="FILE", help="run metadata of files without FILE.metadata.json"
    )
    accept_former_name(parser, metadata, "--facts")
    add_build_arguments(parser)
    verdict = parser.add_argument_group("verdict")
    verdict.add_argument("--wait", action="store_true", help="wait until the build has a verdict, and print it")
    verdict.add_argument(
        "--fail-on-regression", action="store_true", help="like --wait, and exit with 1 if the build regressed"
    )
    verdict.add_argument(
        "--gate",
        type=build_gate_kinds,
        nargs="?",
        const=(),
        metavar="KINDS",
        help="like --fail-on-regression for the named kinds, separated by commas: "
        f"{', '.join(BUILD_GATE_KINDS)} (default: the verdict on the build)",
    )
    timeout = verdict.add_argument(
        "--wait-timeout", type=float, default=900.0, metavar="S", help="seconds to wait (default: 900)"
    )
    accept_former_name(verdict, timeout, "--timeout")
