"""`slowpath admin`: administer a Slowpath server from the shell."""

import argparse
import os
import sys
from pathlib import Path

from slowpath_cli.commands import audit_admin, backups, blob_admin, encryption_admin, user_admin
from slowpath_cli.commands.example_seed import NAMES, SeedFailed, seed_example


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands of `slowpath admin`."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    seed = commands.add_parser("seed-example", help="create the example team on a running server")
    seed.add_argument("--url", default=os.environ.get("SLOWPATH_URL"), help="the server (default: $SLOWPATH_URL)")
    seed.add_argument("--only", action="append", choices=sorted(NAMES), help="create only this part; may be repeated")
    seed.add_argument(
        "--runner-dir",
        type=Path,
        metavar="DIR",
        help="write the repository of the service with builds to DIR/repositories, and the token of its runner to DIR",
    )
    seed.set_defaults(admin=_seed_example)
    user_admin.add_arguments(commands)
    audit_admin.add_arguments(commands)
    encryption_admin.add_arguments(commands)
    backups.add_arguments(commands)
    blob_admin.add_arguments(commands)


def run(options: argparse.Namespace) -> int:
    """Run one command and return its exit code."""
    code: int = options.admin(options)
    return code


def _seed_example(options: argparse.Namespace) -> int:
    if not options.url:
        print("slowpath: No server given. Set SLOWPATH_URL, or use --url.", file=sys.stderr)
        return 2
    try:
        account = seed_example(options.url, options.only or NAMES, options.runner_dir)
    except SeedFailed as error:
        print(f"slowpath: could not create the example: {error}", file=sys.stderr)
        return 1
    print(f"Sign in as {account.email} with the password {account.password}")
    return 0
