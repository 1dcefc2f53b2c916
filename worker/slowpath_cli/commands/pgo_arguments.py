"""Arguments of `slowpath pgo`; the command itself is loaded when it runs."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `slowpath pgo`."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="CPU profiles, or folders of them")
    parser.add_argument("--profile-set", metavar="ID", help="a profile set on the server, instead of files")
    parser.add_argument("--out", metavar="FILE", default="default.pgo", help="the file (default: default.pgo)")
    parser.add_argument(
        "--check",
        metavar="PACKAGE",
        help="build this package, such as ./cmd/server, in this folder without and with the file, and state which hot paths "
        "come near a larger stack or need one",
    )
    parser.add_argument("--tags", default="", help="build tags of --check, separated by commas")
    parser.add_argument("--server", metavar="URL", help="the server (default: $SLOWPATH_URL)")
    parser.add_argument("--token", metavar="T", help="the API token (default: $SLOWPATH_TOKEN)")
