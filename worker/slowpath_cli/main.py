"""`slowpath`: dispatch to a command. Each command is one module, imported only when it runs.

A command module has `run(options) -> int`, which returns the exit code. Its arguments are declared by
`add_arguments(parser)` of the module NAME_arguments, so that help and wrong arguments do not wait for the imports of the
command; of `admin` and `mcp`, which need a server's packages, by the module itself. An internal error
exits with 70 (EX_SOFTWARE), so that a script never mistakes it for a verdict.
"""

import argparse
import gc
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import MutableMapping, Sequence
from functools import partial
from types import ModuleType

from slowpath_cli.core.supervise_command import SUPERVISE

VERSION = "0.1.0"
INTERNAL_ERROR = 70
INTERRUPTED = 130

# name -> (module, description). Only the named module is imported, when it runs: some take long to import.
COMMANDS: dict[str, tuple[str, str]] = {
    "admin": ("slowpath_cli.commands.admin", "administer a Slowpath server"),
    "compare": ("slowpath_cli.commands.compare", "compare two sets of profiles, without a server"),
    "compare-commits": (
        "slowpath_cli.commands.compare_commits",
        "measure two commits alternately with a script or Go benchmarks, and say whether one is slower",
    ),
    "compile-report": (
        "slowpath_cli.commands.compile_report",
        "build a package at two commits, and state what the compiler decided differently",
    ),
    "bisect": (
        "slowpath_cli.commands.bisect",
        "find the commit that made something slower, with as few measurements as possible",
    ),
    "experiment": (
        "slowpath_cli.commands.experiment",
        "measure what would fix a slow commit: GOGC, GOMEMLIMIT, PGO, a revert, a patch",
    ),
    "runner": ("slowpath_cli.commands.runner", "deploy and measure the probes of a server's bisects"),
    "collect": (
        "slowpath_cli.commands.collect",
        "record profiles and traces with their run metadata from a running process",
    ),
    "mcp": ("slowpath_cli.commands.mcp", "offer the tools of a server to an MCP client over stdio"),
    "pgo": ("slowpath_cli.commands.pgo", "write CPU profiles as default.pgo, by which go build optimizes"),
    "upload": ("slowpath_cli.commands.upload", "upload files with their run metadata to a server"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    # Otherwise OpenBLAS, which numpy loads, starts a busy-waiting thread for each core: a third of the time of importing
    # numpy. It must be set before numpy is imported. No command multiplies matrices large enough to need threads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Otherwise pydantic reads the metadata of all installed packages, to find plugins. There are none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if getattr(sys, "frozen", False):
        restore_library_path(os.environ)
    raw_arguments = list(sys.argv[1:] if arguments is None else arguments)
    if raw_arguments[:1] == [SUPERVISE]:
        return int(importlib.import_module("slowpath_cli.runner.core.command_supervisor").main(raw_arguments[1:]))
    named_command = next((word for word in raw_arguments if not word.startswith("-")), None)
    parser = make_parser(named_command)
    options = parser.parse_args(raw_arguments, argparse.Namespace(words=raw_arguments))
    if not hasattr(options, "run"):
        parser.print_help()
        return 2
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has exited. The interpreter must not flush again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - an internal error must not look like a verdict
        if os.environ.get("SLOWPATH_DEBUG"):
            traceback.print_exc()
        print(f"slowpath: internal error: {type(error).__name__}: {error}", file=sys.stderr)
        return INTERNAL_ERROR
    return code


def restore_library_path(environment: MutableMapping[str, str]) -> None:
    """Restore LD_LIBRARY_PATH: the single file sets it for its libraries, and programs that it starts must not load those."""
    original = environment.pop("LD_LIBRARY_PATH_ORIG", None)
    environment.pop("LD_LIBRARY_PATH", None)
    if original is not None:
        environment["LD_LIBRARY_PATH"] = original


def make_parser(named_command: str | None) -> argparse.ArgumentParser:
    """Return the parser of all commands; only the named one declares its arguments."""
    parser = argparse.ArgumentParser(prog="slowpath", description="Find out why a Go service got slower.")
    parser.add_argument("--version", action="version", version=f"slowpath {VERSION}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, (module, description) in COMMANDS.items():
        if importlib.util.find_spec(module) is None:
            continue  # the single file has only the commands that need no server
        command = commands.add_parser(name, help=description, description=f"{description[0].upper()}{description[1:]}.")
        if name == named_command:
            declared = f"{module}_arguments"
            source = declared if importlib.util.find_spec(declared) is not None else module
            _imported(source).add_arguments(command)
            command.set_defaults(run=partial(_run, module))
    return parser


def _run(module: str, options: argparse.Namespace) -> int:
    return int(_imported(module).run(options))


def _imported(module: str) -> ModuleType:
    """Import a module without garbage collection: imports create many objects and no garbage, and collecting took a sixth of the time."""
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()


if __name__ == "__main__":
    sys.exit(main())
