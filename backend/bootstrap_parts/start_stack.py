"""`npm start`: from a clone to a served Slowpath, and back to nothing running; `npm run dev` is its reloading twin."""

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

from bootstrap_parts import orphan_guard
from bootstrap_parts.child_processes import ProcessMark, clean_environment, die_with_npm, last_line, marked, spawn
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.install_steps import set_up
from bootstrap_parts.machine_checks import check_disk, listen_on, make_folder
from bootstrap_parts.project_paths import FRONTEND, NODE_MODULES, ROOT, VENV_PYTHON, data_folder
from bootstrap_parts.stack import Stack, answers, outside_parts
from bootstrap_parts.stop_signals import StopRequested, undisturbed
from bootstrap_parts.supervisor import Service

_DEFAULT_PORT = 8080
_NEEDED_NEW_BYTES = 256 << 20  # a new cluster with its first WAL segments takes 60 MiB; the rest is room to work
_NEEDED_AGAIN_BYTES = 64 << 20  # two WAL segments, the broker's file, logs
_SEED_SECONDS = 600.0  # in the worst case; a quiet machine takes ten


def up(options: argparse.Namespace, voice: ConsoleOutput) -> int:
    """Start everything and serve until told to stop."""
    die_with_npm()
    outside, data, port = outside_parts(), make_folder(data_folder()), asked_port()
    with locked(data), listen_on(port) as listener, marked() as mark:
        address = f"http://127.0.0.1:{port}"
        _enter(data, mark, address)
        voice.line("Slowpath is starting")
        set_up(voice, mark, "start")
        known = (data / "postgres").exists()
        check_disk(data, needed_bytes=_NEEDED_AGAIN_BYTES if known else _NEEDED_NEW_BYTES, purpose="a start")
        stack = Stack(data, mark, voice, outside=outside)
        try:
            stack.start_stores()
            stack.start_processes(listener, address)
            _seed(stack, address, wanted=not options.empty)
            _announce(stack, address)
            stack.supervisor.watch(until=lambda: False)
        except StopRequested:
            voice.line("  stopping")
        finally:
            stack.supervisor.stop()
        voice.line("Slowpath has stopped")
    return 0


def dev(options: argparse.Namespace, voice: ConsoleOutput) -> int:
    """Start everything with hot reload: Vite on the port people open, the API behind it, the worker started anew on change."""
    die_with_npm()
    outside, data, port = outside_parts(), make_folder(data_folder()), asked_port()
    with locked(data), marked() as mark:
        listen_on(port).close()  # Vite opens its port itself; this asks early whether it can
        address = f"http://127.0.0.1:{port}"
        _enter(data, mark, address)
        voice.line("Slowpath is starting, with reload")
        set_up(voice, mark, "test")
        stack = Stack(data, mark, voice, outside=outside)
        try:
            stack.start_stores()
            with listen_on(0) as drawn:
                api_port: int = drawn.getsockname()[1]
            stack.start_reloading_processes(api_port, address)
            with voice.timed("Vite"):
                stack.supervisor.start(_vite(stack, port, api_port))
            _seed(stack, address, wanted=not options.empty)
            _announce(stack, address)
            stack.supervisor.watch(until=lambda: False)
        except StopRequested:
            voice.line("  stopping")
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


def asked_port() -> int:
    """Return the port asked for by PORT."""
    text = os.environ.get("PORT") or str(_DEFAULT_PORT)
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise StartupError(f"PORT={text} is not a port: give a number from 1 to 65535.")
    return int(text)


@contextmanager
def locked(data: Path) -> Iterator[None]:
    """Hold the data folder. The lock is the kernel's and ends with us, however we end."""
    with (data / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            run = _read_run(data)
            where = f" (process {run['pid']}, {run['address']})" if run else ""
            raise StartupError(
                f"Slowpath already runs on {data}{where}. Stop it first, or choose another folder with DATA_DIR."
            ) from error
        yield


def _read_run(data: Path) -> dict[str, str]:
    try:
        run = json.loads((data / "run.json").read_text())
        return {name: str(run[name]) for name in ("pid", "address", "mark")}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _enter(data: Path, mark: ProcessMark, address: str) -> None:
    """Take the folder over from an earlier run that may have been killed: end what it left, then write our own name."""
    earlier = _read_run(data)
    if earlier:
        orphan_guard.clear_away(earlier["mark"], patience_seconds=10.0)
    (data / "run.json").write_text(json.dumps({"pid": os.getpid(), "mark": mark.text, "address": address}))


def environment_of_the_running(data: Path) -> dict[str, str]:
    """Return the settings of the Slowpath that runs on a data folder; nothing when none does."""
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


def _seed(stack: Stack, address: str, *, wanted: bool) -> None:
    """Lay out the example team, once for a data folder. What the command prints tells people how to sign in."""
    told, log = stack.data / "example.txt", stack.logs / "seed.log"
    if told.exists():
        return
    if not wanted:
        told.touch()
        return
    begun = time.monotonic()
    environment = {**clean_environment(), **stack.environment, "SLOWPATH_URL": address}
    fresh = told.with_suffix(".new")
    with fresh.open("wb") as output, log.open("ab") as errors:
        with undisturbed():
            process = subprocess.Popen(
                [str(VENV_PYTHON), "-m", "slowpath_cli.main", "admin", "seed-example"],
                cwd=ROOT,
                env={**environment, orphan_guard.MARK_NAME: stack.mark.text},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
        stack.supervisor.watch(until=lambda: process.poll() is not None or time.monotonic() - begun > _SEED_SECONDS)
        late = process.poll() is None
        if late:
            process.kill()
    if process.wait() != 0:
        why = f"it took more than {_SEED_SECONDS:.0f} s" if late else last_line(log) or "no reason given"
        stack.voice.line(f"  the example could not be laid out ({why}); the rest works, and the next start tries again")
        return
    fresh.replace(told)
    stack.voice.step("example team", time.monotonic() - begun)


def _announce(stack: Stack, address: str) -> None:
    """Say how to sign in and, last, where."""
    stack.environment["SLOWPATH_URL"] = address
    stack.tell_others()
    told = stack.data / "example.txt"
    for line in told.read_text(errors="replace").splitlines() if told.exists() else []:
        stack.voice.line(f"  {line}")
    stack.voice.line(f"  logs: {stack.logs}")
    stack.voice.line(
        f"Slowpath is ready after {time.monotonic() - stack.voice.started:.1f} s, Ctrl-C stops it: {address}"
    )
