"""Arguments of commands that use a server."""

import argparse
from collections.abc import Mapping


def add_server_arguments(parser: "argparse.ArgumentParser | argparse._ArgumentGroup") -> None:
    """Declare the arguments of a server; prefer $SLOWPATH_TOKEN, which is not in the process list."""
    parser.add_argument("--server", "--url", dest="server", metavar="URL", help="the server (default $SLOWPATH_URL)")
    parser.add_argument("--token", metavar="T", help="its token (default $SLOWPATH_TOKEN)")
    parser.add_argument("--build", metavar="ID", help="the build the files belong to: its id, or SERVICE@COMMIT")


def server_of(environ: Mapping[str, str]) -> str | None:
    """Return the server's address from SLOWPATH_URL, or from its former name SLOWPATH_SERVER."""
    return environ.get("SLOWPATH_URL") or environ.get("SLOWPATH_SERVER")
