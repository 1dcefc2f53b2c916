"""`npm start` sets up and serves Slowpath until it is stopped; `npm run dev` does the same with hot reload."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bootstrap_parts import example_runner, orphan_guard
from bootstrap_parts.background_package import build_single_file, needed_build
from bootstrap_parts.child_processes import ProcessMark, clean_environment, die_with_npm, last_line, marked, spawn
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.install_steps import set_up
from bootstrap_parts.machine_checks import check_disk, listen_on, make_folder
from bootstrap_parts.project_paths import FRONTEND, NODE_MODULES, ROOT, VENV_PYTHON, data_folder
from bootstrap_parts.stack import Stack, answers, outside_parts
from bootstrap_parts.stop_signals import StopRequested, undisturbed
from bootstrap_parts.supervisor import Service

_DEFAULT_PORT = 8080
_NEEDED_NEW_BYTES = 256 << 20  # a new cluster with its first WAL segments takes 60 MiB; the rest is reserve
_NEEDED_RESTART_BYTES = 64 << 20  # two WAL segments, the broker's file, logs
_SEED_SECONDS = 600.0  # limit; an idle machine takes ten seconds


def up(options: argparse.Namespace, console: ConsoleOutput) -> int:
    """Start everything and serve until a stop signal."""
    die_with_npm()
    outside, data, port = outside_parts(), make_folder(data_folder()), requested_port()
    with locked(data), listen_on(port) as listener, marked() as mark:
        address = f"http://127.0.0.1:{port}"
        _take_over(data, mark, address)
        console.line("Slowpath is starting")
        set_up(console, mark, "start")
        has_database = (data / "postgres").exists()
        check_disk(data, needed_bytes=_NEEDED_RESTART_BYTES if has_database else _NEEDED_NEW_BYTES, purpose="a start")
        stack = Stack(data, mark, console, outside=outside)
        try:
            stack.start_stores()
            example_runner.allow_repositories(stack)
            stack.start_processes(listener, address)
            _seed(stack, address, requested=not options.empty)
            example_runner.start_runner(stack, address)
            _announce(stack, address)
            build_single_file(stack, address, needed_build())
            stack.supervisor.watch(until=lambda: False)
        except StopRequested:
            console.line("  stopping")
        finally:
            stack.supervisor.stop()
        console.line("Slowpath has stopped")
    return 0


def dev(options: argparse.Namespace, console: ConsoleOutput) -> int:
    """Start everything with hot reload: Vite on the public port, the API behind it, the worker restarted on change."""
    die_with_npm()
    outside, data, port = outside_parts(), make_folder(data_folder()), requested_port()
    with locked(data), marked() as mark:
        listen_on(port).close()  # Vite opens the port; this checks it before the setup
        address = f"http://127.0.0.1:{port}"
        _take_over(data, mark, address)
        console.line("Slowpath is starting, with reload")
        set_up(console, mark, "test")
        stack = Stack(data, mark, console, outside=outside)
        try:
            stack.start_stores()
            example_runner.allow_repositories(stack)
            with listen_on(0) as drawn:
                api_port: int = drawn.getsockname()[1]
            stack.start_reloading_processes(api_port, address)
            with console.timed("Vite"):
                stack.supervisor.start(_vite(stack, port, api_port))
            _seed(stack, address, requested=not options.empty)
            example_runner.start_runner(stack, address)
            _announce(stack, address)
            stack.supervisor.watch(until=lambda: False)
        except StopRequested:
            console.line("  stopping")
        finally:
            stack.supervisor.stop()
    return 0


def _vite(stack: Stack, port: int, api_port: int) -> Service:
    command = [
        "node",
        str(NODE_MODULES / "vite" / "bin" / "vite.js"),
        "--port",
        str(port),
        "--strictPort",
        "--host",
        "127.0.0.1",
    ]
    environment = {**clean_environment(), "SLOWPATH_API": f"http://127.0.0.1:{api_port}"}
    return Service(
        "vite",
        lambda: spawn(
            "vite", command, mark=stack.mark, environment=environment, log=stack.logs / "vite.log", folder=FRONTEND
        ),
        is_ready=answers(port, "/"),
    )


def requested_port() -> int:
    """Return the port of the environment variable PORT. Raises `StartupError`."""
    text = os.environ.get("PORT") or str(_DEFAULT_PORT)
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise StartupError(f"PORT={text} is not a port. Use a number from 1 to 65535.")
    return int(text)


@contextmanager
def locked(data: Path) -> Iterator[None]:
    """Lock the data folder; the kernel releases the lock when the process ends. Raises `StartupError`."""
    with (data / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            run = _read_run(data)
            where = f" (process {run['pid']}, {run['address']})" if run else ""
            raise StartupError(
                f"Slowpath is already running on {data}{where}. Stop it first, or choose another folder with DATA_DIR."
            ) from error
        yield


def _read_run(data: Path) -> dict[str, str]:
    try:
        run = json.loads((data / "run.json").read_text())
        return {name: str(run[name]) for name in ("pid", "address", "mark")}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _take_over(data: Path, mark: ProcessMark, address: str) -> None:
    """Kill the remaining processes of an earlier run, and record this run in the data folder."""
    earlier = _read_run(data)
    if earlier:
        orphan_guard.clear_away(earlier["mark"], patience_seconds=10.0)
    (data / "run.json").write_text(json.dumps({"pid": os.getpid(), "mark": mark.text, "address": address}))


def environment_of_the_running(data: Path) -> dict[str, str]:
    """Return the environment of the Slowpath running on a data folder; empty if none is running."""
    try:
        with locked(data):
            return {}
    except StartupError:
        pass
    except OSError:
        return {}
    try:
        return {str(name): str(value) for name, value in json.loads((data / "environment.json").read_text()).items()}
    except (OSError, ValueError):
        return {}


def _seed(stack: Stack, address: str, *, requested: bool) -> None:
    """Create the example team, once per data folder; the command's output has the credentials."""
    credentials, log = stack.data / "example.txt", stack.logs / "seed.log"
    if credentials.exists():
        return
    if not requested:
        credentials.touch()
        return
    started_at = time.monotonic()
    environment = {**clean_environment(), **stack.environment, "SLOWPATH_URL": address}
    seed = [str(VENV_PYTHON), "-m", "slowpath_cli.main", "admin", "seed-example"]
    unfinished = credentials.with_suffix(".new")
    with unfinished.open("wb") as output, log.open("ab") as errors:
        with undisturbed():
            process = subprocess.Popen(
                [*seed, "--runner-dir", str(example_runner.runner_folder(stack.data))],
                cwd=ROOT,
                env={**environment, orphan_guard.MARK_NAME: stack.mark.text},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
        stack.supervisor.watch(
            until=lambda: process.poll() is not None or time.monotonic() - started_at > _SEED_SECONDS
        )
        is_late = process.poll() is None
        if is_late:
            process.kill()
    if process.wait() != 0:
        reason = f"it took longer than {_SEED_SECONDS:.0f} s" if is_late else last_line(log) or "no reason given"
        stack.console.line(
            f"  could not create the example team ({reason}); Slowpath works, and the next start retries"
        )
        return
    unfinished.replace(credentials)
    stack.console.step("example team", time.monotonic() - started_at)


def _announce(stack: Stack, address: str) -> None:
    """Print the credentials and the address."""
    stack.environment["SLOWPATH_URL"] = address
    stack.write_environment_file()
    credentials = stack.data / "example.txt"
    for line in credentials.read_text(errors="replace").splitlines() if credentials.exists() else []:
        stack.console.line(f"  {line}")
    stack.console.line(f"  logs: {stack.logs}")
    stack.console.line(
        f"Slowpath is ready after {time.monotonic() - stack.console.started:.1f} s, stop with Ctrl-C: {address}"
    )
