"""Arguments of `slowpath compile-report`; the command itself is loaded when it runs."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `slowpath compile-report`."""
    parser.add_argument("--repo", default=".", metavar="DIR", help="the repository (default: this folder)")
    parser.add_argument("--base", required=True, metavar="REV", help="commit, branch or tag of the base")
    parser.add_argument("--candidate", required=True, metavar="REV", help="commit, branch or tag of the candidate")
    parser.add_argument("--directory", default="", metavar="DIR", help="folder of go.mod in the repository")
    parser.add_argument("--tags", default="", help="build tags, separated by commas")
    parser.add_argument("--out", metavar="FILE", help="write the report as JSON (default: print its sentences)")
    parser.add_argument("--upload", action="store_true", help="send the report, so that comparisons show the reasons")
    parser.add_argument("--server", "--url", dest="server", metavar="URL", help="the server (default: $SLOWPATH_URL)")
    parser.add_argument("--token", metavar="T", help="the API token (default: $SLOWPATH_TOKEN)")
    parser.add_argument("package", metavar="PACKAGE", help="the package to build, such as ./cmd/server")
