"""`slowpath`: a small dispatcher. Each command lives in a module of its own, imported only when it is asked for.

A command module offers `add_arguments(parser)` and `run(options) -> int`. Exit codes are the command's; a failure
that is ours, not the user's, is 70 (EX_SOFTWARE), so that a script never mistakes it for a verdict.
"""

import argparse
import importlib
import os
import sys
import traceback
from collections.abc import Sequence

OUR_FAULT = 70
INTERRUPTED = 130

# name -> (module, what it does). Importing all of them would make the quickest command pay for the slowest.
COMMANDS: dict[str, tuple[str, str]] = {
    "admin": ("slowpath_cli.admin", "look after a Slowpath from the shell"),
    "compare": ("slowpath_cli.compare", "compare two sets of profiles, without a server"),
    "bisect": (
        "slowpath_cli.bisect",
        "find the commit that made something slower, by measuring as few builds as can be",
    ),
    "runner": ("slowpath_cli.runner.command", "deploy and measure what bisects of a server ask for"),
    "collect": ("slowpath_cli.collect", "record a set of profiles with its facts from a running process"),
    "upload": ("slowpath_cli.upload", "send files with their facts to a server"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    # Else OpenBLAS, which numpy loads, starts a thread for each core, which waits busily: a third of what importing numpy
    # costs. It must be set before numpy is imported. Nothing here multiplies matrices large enough to gain by threads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = list(sys.argv[1:] if arguments is None else arguments)
    asked = next((word for word in words if not word.startswith("-")), None)
    parser = _parser(asked)
    options = parser.parse_args(words, argparse.Namespace(words=words))
    if not hasattr(options, "run"):
        parser.print_help()
        return 2
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has gone; nothing more is wanted. The interpreter must not flush again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - whatever it is, it is ours, and must not look like a verdict
        if os.environ.get("SLOWPATH_DEBUG"):
            traceback.print_exc()
        print(f"slowpath: a failure of ours: {type(error).__name__}: {error}", file=sys.stderr)
        return OUR_FAULT
    return code


def _parser(asked: str | None) -> argparse.ArgumentParser:
    """The parser of all commands; only the one asked for has its arguments filled in."""
    parser = argparse.ArgumentParser(prog="slowpath", description="Finds out why a Go service got slower.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, (module, description) in COMMANDS.items():
        command = commands.add_parser(name, help=description, description=description.capitalize() + ".")
        if name == asked:
            loaded = importlib.import_module(module)
            loaded.add_arguments(command)
            command.set_defaults(run=loaded.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
