"""The commands of bootstrap.py: parse the arguments, run the command, and report errors as one line and an exit code."""

from __future__ import annotations

import argparse
import errno
import os
import shlex
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

from bootstrap_parts import long_proofs, package_cli, start_stack, suite_runner
from bootstrap_parts.child_processes import marked
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.install_steps import EVERYTHING, LOCKS, MODELS_LOCK, PACKAGE_LOCK, find_uv, set_up
from bootstrap_parts.machine_checks import listen_on
from bootstrap_parts.project_paths import DECODE_BINARY, ROOT, VENV_PYTHON, data_folder
from bootstrap_parts.setup_steps import SetupContext
from bootstrap_parts.stack import Stack, become_python, outside_parts
from bootstrap_parts.stop_signals import StopRequested, stop_signals

_STOPPED_EXIT_CODE = 130


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    console = ConsoleOutput()
    try:
        with stop_signals():
            run: Callable[[argparse.Namespace, ConsoleOutput], int] = options.run
            return run(options, console)
    except StartupError as error:
        console.trouble(str(error))
        return error.exit_code
    except StopRequested:
        return _STOPPED_EXIT_CODE
    except OSError as error:
        full = "The disk is full. Free some space, or choose another data folder with DATA_DIR."
        console.trouble(
            full if error.errno == errno.ENOSPC else f"{error.strerror or error}: {error.filename or 'unknown file'}"
        )
        return 1


def _setup(_options: argparse.Namespace, console: ConsoleOutput) -> int:
    with marked() as mark:
        set_up(console, mark, "test", EVERYTHING)
    return 0


def _run_with_services(options: argparse.Namespace, console: ConsoleOutput) -> int:
    """Run a command with temporary services. Messages go to stderr, because stdout is the command's."""
    command = _after_dashes(options.command)
    if not command:
        raise StartupError("No command given. Write it after `--`.", exit_code=2)
    console.to_stderr, console.quiet = True, not options.verbose
    return run_beside(command, console, whole=options.whole, durable=options.durable)


def run_beside(command: Sequence[str], console: ConsoleOutput, *, whole: bool, durable: bool = False) -> int:
    """Start PostgreSQL and Valkey (`whole`: also web, worker and relay), run a command, and stop everything.

    `durable`: PostgreSQL writes commits to the disk as in production, otherwise only to the memory of the kernel.
    """
    with tempfile.TemporaryDirectory(prefix="slowpath-", ignore_cleanup_errors=True) as folder, marked(folder) as mark:
        set_up(
            ConsoleOutput(to_stderr=True),
            mark,
            "test",
            ("python", "node", "frontend", "decode") if whole else ("python", "node"),
        )
        stack = Stack(Path(folder), mark, console, hasty=not durable)
        try:
            stack.start_stores()
            if not whole:
                return stack.run_beside(list(command))
            with listen_on(0) as listener:
                address = f"http://127.0.0.1:{listener.getsockname()[1]}"
                stack.start_processes(listener, address)
                stack.environment["SLOWPATH_URL"] = address
                return stack.run_beside(list(command))
        finally:
            stack.supervisor.stop()


def _run(options: argparse.Namespace, _voice: ConsoleOutput) -> int:
    with marked() as mark:
        set_up(ConsoleOutput(to_stderr=True), mark, "test")
    become_python(_after_dashes(options.command), _tool_environment())


def _slowpath(options: argparse.Namespace, _voice: ConsoleOutput) -> int:
    with marked() as mark:
        set_up(ConsoleOutput(to_stderr=True), mark, "start", ("python", "decode"))
    become_python(["-m", "slowpath_cli.main", *options.command], _tool_environment())


def _named(options: argparse.Namespace, console: ConsoleOutput) -> int:
    """Run a command of [tool.slowpath.demo] or [tool.slowpath.bench] in pyproject.toml, with additional arguments."""
    commands = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["slowpath"][options.table]
    entry = commands.get(options.name)
    if entry is None:
        raise StartupError(
            f"Unknown {options.table} {options.name}; choose from {', '.join(sorted(commands)) or 'none'}.",
            exit_code=2,
        )
    command = [part.format(python=VENV_PYTHON) for part in shlex.split(entry["command"])] + options.command
    if entry.get("needs", "nothing") == "nothing":
        with marked() as mark:
            set_up(ConsoleOutput(to_stderr=True), mark, "test", EVERYTHING)
        os.execvpe(command[0], command, _tool_environment())
    console.to_stderr = console.quiet = True
    return run_beside(command, console, whole=entry["needs"] == "stack")


def _tool_environment() -> dict[str, str]:
    """Return the environment of a CLI: the settings of a running Slowpath, overridden by this environment."""
    return {
        "SLOWPATH_DECODE_BIN": str(DECODE_BINARY),
        **start_stack.environment_of_the_running(data_folder()),
        **os.environ,
    }


def _migrate(options: argparse.Namespace, console: ConsoleOutput) -> int:
    """Migrate the database of DATABASE_URL or the embedded one; with arguments, run Alembic on a temporary one."""
    if options.command:
        return run_beside([str(VENV_PYTHON), "-m", "alembic", *options.command], console, whole=False)
    data = data_folder()
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with start_stack.locked(data), marked() as mark:
        set_up(console, mark, "start", ("python", "node"))
        stack = Stack(data, mark, console, outside={"BROKER_URL": "unused", **outside_parts()})
        try:
            stack.start_stores()
        finally:
            stack.supervisor.stop()
    return 0


def _api(options: argparse.Namespace, console: ConsoleOutput) -> int:
    """Generate the API client again, also if nothing changed; with --release, record the API as released."""
    arguments = ["--force", *(["--release"] if options.release else [])]
    with marked() as mark:
        set_up(console, mark, "test", ("python", "node"))
        SetupContext(mark).run(
            ["npm", "run", "--silent", "api", "--workspace", "frontend", "--", *arguments],
            log="api",
            environment={"SLOWPATH_PYTHON": str(VENV_PYTHON)},
        )
    console.line("The API is recorded as released" if options.release else "The API client is up to date")
    return 0


def _lock(_options: argparse.Namespace, console: ConsoleOutput) -> int:
    """Update the lock files from pyproject.toml and the package.json files, without registry addresses."""
    with marked() as mark:
        set_up(console, mark, "start", ("tools",))
        context = SetupContext(mark)
        uv = find_uv()
        common = [
            "pip",
            "compile",
            "--quiet",
            "--universal",
            "--python-version",
            "3.11",
            "--generate-hashes",
            "--no-header",
            "--no-annotate",
        ]
        for lock, groups in (
            (LOCKS["test"], ("dev", "embedded")),
            (LOCKS["start"], ("embedded",)),
            (ROOT / "requirements.lock", ()),
        ):
            chosen = [part for group in groups for part in ("--group", group)]
            bound = [] if lock == LOCKS["test"] else ["--constraint", str(LOCKS["test"])]
            context.run([str(uv), *common, "pyproject.toml", *chosen, *bound, "--output-file", str(lock)], log="lock")
        models = ["--no-deps", "--group", "models", "--output-file", str(MODELS_LOCK)]
        context.run([str(uv), *common, *models], log="lock")
        package = ["--group", "package", "--constraint", str(LOCKS["test"]), "--output-file", str(PACKAGE_LOCK)]
        context.run([str(uv), *common, *package], log="lock")
        context.run([shutil.which("npm") or "npm", "install", "--package-lock-only"], log="lock")
    return 0


def _after_dashes(command: list[str]) -> list[str]:
    return command[1:] if command[:1] == ["--"] else command


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bootstrap.py", description="Start, test and stop Slowpath.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, help_text in (
        ("up", start_stack.up, "set up, start everything, serve until Ctrl-C"),
        ("dev", start_stack.dev, "the same, with hot reload"),
    ):
        start = commands.add_parser(name, help=help_text)
        start.add_argument("--empty", action="store_true", help="do not create the example team")
        start.set_defaults(run=run)
    commands.add_parser("setup", help="set up, start nothing").set_defaults(run=_setup)
    for name, help_text in (
        ("services", "run a command with a temporary PostgreSQL and Valkey"),
        ("stack", "run a command with a complete temporary Slowpath"),
    ):
        beside = commands.add_parser(name, help=help_text)
        beside.add_argument("--verbose", action="store_true", help="print the start of each service")
        beside.add_argument("--durable", action="store_true", help="PostgreSQL syncs commits to the disk")
        beside.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND...")
        beside.set_defaults(run=_run_with_services, whole=name == "stack")
    for name, passed_on, help_text in (
        ("run", _run, "run the project's Python"),
        ("slowpath", _slowpath, "run Slowpath's CLI"),
        ("migrate", _migrate, "migrate a database, or run Alembic on a temporary one"),
    ):
        passing = commands.add_parser(name, help=help_text, prefix_chars="\0", add_help=False)
        passing.add_argument("command", nargs=argparse.REMAINDER)
        passing.set_defaults(run=passed_on)
    for name in ("demo", "bench"):
        named = commands.add_parser(
            name, help=f"run a command of [tool.slowpath.{name}] in pyproject.toml", prefix_chars="\0", add_help=False
        )
        named.add_argument("name")
        named.add_argument("command", nargs=argparse.REMAINDER)
        named.set_defaults(run=_named, table=name)
    api = commands.add_parser("api", help="regenerate the API client from the running code")
    api.add_argument("--release", action="store_true", help="also record the API as the last released one")
    api.set_defaults(run=_api)
    package = commands.add_parser("package", help="build the command line as a single file and as a wheel")
    package.add_argument("--file-only", action="store_true", help="build the single file only")
    package.set_defaults(run=package_cli.package)
    commands.add_parser("lock", help="update the lock files").set_defaults(run=_lock)
    suite_runner.add_commands(commands)
    long_proofs.add_commands(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
