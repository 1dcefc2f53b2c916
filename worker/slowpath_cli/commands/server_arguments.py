"""Arguments of commands that use a server."""

import argparse
from collections.abc import Mapping


def add_server_arguments(parser: "argparse.ArgumentParser | argparse._ArgumentGroup") -> None:
    """Declare the arguments of a server. $SLOWPATH_TOKEN is safer than --token: the process list does not show it."""
    parser.add_argument("--server", "--url", dest="server", metavar="URL", help="the server (default: $SLOWPATH_URL)")
    parser.add_argument("--token", metavar="T", help="the API token (default: $SLOWPATH_TOKEN)")
    parser.add_argument("--build", metavar="ID", help="the build of the files: its ID, or SERVICE@COMMIT")


def server_of(environ: Mapping[str, str]) -> str | None:
    """Return the server's address from SLOWPATH_URL, or from the former name SLOWPATH_SERVER."""
    return environ.get("SLOWPATH_URL") or environ.get("SLOWPATH_SERVER")
