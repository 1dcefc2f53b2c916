"""`slowpath admin`: what whoever runs a Slowpath does from the shell."""

import argparse
import os
import sys

from slowpath_cli import exports, people
from slowpath_cli.seeding import NAMES, SeedFailed, seed_example


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands of `slowpath admin`."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    seed = commands.add_parser("seed-example", help="lay out the example team on a running server")
    seed.add_argument("--url", default=os.environ.get("SLOWPATH_URL"), help="the server (default: SLOWPATH_URL)")
    seed.add_argument("--only", action="append", choices=sorted(NAMES), help="not all of it; may be repeated")
    seed.set_defaults(admin=_seed_example)
    people.add_arguments(commands)
    exports.add_arguments(commands)


def run(options: argparse.Namespace) -> int:
    """Run one command; returns its exit code."""
    code: int = options.admin(options)
    return code


def _seed_example(options: argparse.Namespace) -> int:
    if not options.url:
        print("slowpath: name the server with --url or SLOWPATH_URL", file=sys.stderr)
        return 2
    try:
        account = seed_example(options.url, options.only or NAMES)
    except SeedFailed as error:
        print(f"slowpath: the example was not laid out: {error}", file=sys.stderr)
        return 1
    print(f"sign in as {account.email} with the password {account.password}")
    return 0
