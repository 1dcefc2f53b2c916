"""The commands of bootstrap.py: reads the arguments, does it, and turns trouble into one line and an exit code."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from bootstrap_parts.children import Mark
from bootstrap_parts.install import set_up
from bootstrap_parts.machine import listen_on
from bootstrap_parts.say import Stopped, Trouble, Voice
from bootstrap_parts.stack import Stack

_STOPPED_EXIT_CODE = 130


def main(arguments: list[str]) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    voice = Voice()
    try:
        with _stop_signals():
            run: Callable[[argparse.Namespace, Voice], int] = options.run
            return run(options, voice)
    except Trouble as trouble:
        voice.trouble(str(trouble))
        return trouble.exit_code
    except Stopped:
        return _STOPPED_EXIT_CODE


@contextmanager
def _stop_signals() -> Iterator[None]:
    """Turn the first Ctrl-C, SIGTERM or SIGHUP into `Stopped`; ignore more of them while we clean up.

    Both the terminal and npm pass Ctrl-C on, so it arrives twice.
    """

    def on_signal(number: int, _frame: FrameType | None) -> None:
        for caught in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(caught, signal.SIG_IGN)
        raise Stopped(number)

    for caught in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(caught, on_signal)
    yield


@contextmanager
def marked() -> Iterator[Mark]:
    """Take a mark; whatever happens, nothing that carries it is left when the block ends."""
    mark = Mark.take()
    try:
        yield mark
    finally:
        mark.release()


def _services(options: argparse.Namespace, voice: Voice) -> int:
    return _beside(options, voice, whole=False)


def _stack(options: argparse.Namespace, voice: Voice) -> int:
    return _beside(options, voice, whole=True)


def _beside(options: argparse.Namespace, voice: Voice, *, whole: bool) -> int:
    """Run a command beside temporary services. What we say goes to stderr: stdout is the command's."""
    command = [part for part in options.command if part != "--"] if options.command[:1] == ["--"] else options.command
    if not command:
        raise Trouble("What should run beside the services? Write it after `--`.", exit_code=2)
    voice.to_stderr, voice.quiet = True, not options.verbose
    with marked() as mark, tempfile.TemporaryDirectory(prefix="slowpath-", ignore_cleanup_errors=True) as folder:
        set_up(Voice(to_stderr=True), mark, "test", ("python", "node", "frontend", "decode") if whole else ("python", "node"))
        stack = Stack(Path(folder), mark, voice, hasty=True)
        try:
            stack.start_stores()
            if whole:
                with listen_on(0) as listener:
                    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
                    stack.start_processes(listener, address)
                    stack.environment["SLOWPATH_URL"] = address
                    return stack.run_beside(command)
            return stack.run_beside(command)
        finally:
            stack.supervisor.stop()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bootstrap.py", description="Starts, tests and stops Slowpath.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, help_text in (
        ("services", _services, "run a command beside a temporary PostgreSQL and Valkey"),
        ("stack", _stack, "run a command beside a whole temporary Slowpath"),
    ):
        beside = commands.add_parser(name, help=help_text)
        beside.add_argument("--verbose", action="store_true", help="say what is started")
        beside.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND...")
        beside.set_defaults(run=run)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
