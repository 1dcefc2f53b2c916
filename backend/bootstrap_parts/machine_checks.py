"""Check the machine: Node, disk space, a free port, and a user that PostgreSQL accepts."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import socket
import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bootstrap_parts.console import StartupError

NODE_AT_LEAST = (20, 19)
GO_AT_LEAST = (1, 26)
UNPRIVILEGED_USER = 65534


def check_node() -> str:
    """Return the version of Node. Raises `StartupError` if it is missing or too old."""
    minimum = ".".join(map(str, NODE_AT_LEAST))
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        raise StartupError(f"Node {minimum} or newer (with npm) is required, but not on the PATH.")
    found = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    if version_of(found) < NODE_AT_LEAST:
        raise StartupError(f"Node {minimum} or newer is required; {node} is {found or 'not working'}.")
    return found.removeprefix("v")


def version_of(text: str) -> tuple[int, ...]:
    """Return the first version in a text: `go1.26.8` -> (1, 26, 8); () without one."""
    match = re.search(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in match.group().split(".")) if match else ()


def check_disk(folder: Path, *, needed_bytes: int, purpose: str) -> None:
    """Check the free disk space. Raises `StartupError`."""
    existing = folder
    while not existing.exists():
        existing = existing.parent
    free_bytes = shutil.disk_usage(existing).free
    if free_bytes < needed_bytes:
        raise StartupError(
            f"Not enough disk space: {purpose} needs {needed_bytes >> 20} MiB under {folder}, {free_bytes >> 20} MiB are free. "
            "Free some space, or choose another data folder with DATA_DIR."
        )


def make_folder(folder: Path) -> Path:
    """Create a folder that only this user can read. Raises `StartupError`."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StartupError(
            f"The folder {folder} cannot be created: {error.strerror}. Choose another with DATA_DIR."
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StartupError(f"The folder {folder} is not writable for this user. Choose another with DATA_DIR.")
    return folder


def listen_on(port: int, host: str = "127.0.0.1") -> socket.socket:
    """Listen on a port (0 for a free one); the open socket prevents other programs from taking it."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(512)
    except OSError as error:
        listener.close()
        raise StartupError(
            f"Port {port} cannot be used: {error.strerror}. Choose another: PORT={_other(port)} npm start"
        ) from error
    return listener


def _other(port: int) -> int:
    return port + 1 if port < 65535 else 8000


def free_port() -> int:
    """Return a free port. Another program may take it, so callers retry after a failure."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(frozen=True)
class RunAs:
    """How to start a program that refuses to run as root: a command prefix, or another user."""

    prefix: tuple[str, ...] = ()
    user: int | None = None


@cache
def unprivileged() -> RunAs:
    """Return how to run PostgreSQL: as this user, mapped to `nobody` in a user namespace, or as user `nobody`.

    The mapping needs no change of owner and works below a home folder with mode 0700. It also supports users without a
    passwd entry, which initdb rejects.
    """
    if os.geteuid() != 0 and _has_passwd_entry(os.geteuid()):
        return RunAs()
    unshare = shutil.which("unshare")
    if unshare is not None:
        mapping = (unshare, "--user", f"--map-user={UNPRIVILEGED_USER}", f"--map-group={UNPRIVILEGED_USER}")
        if subprocess.run([*mapping, "true"], capture_output=True, check=False).returncode == 0:
            return RunAs(prefix=mapping)
    if os.geteuid() != 0:
        raise StartupError(
            f"User ID {os.geteuid()} has no passwd entry, which PostgreSQL's initdb requires. Start as another user."
        )
    return RunAs(user=UNPRIVILEGED_USER)


def _has_passwd_entry(user_id: int) -> bool:
    try:
        pwd.getpwuid(user_id)
    except KeyError:
        return False
    return True


def give_to(run_as: RunAs, folder: Path, *, ours: Collection[Path] = ()) -> None:
    """Make the user that a program runs as the owner of a folder, if it is another user.

    The parent folders must allow traversal; those in `ours` are changed accordingly. Raises `StartupError`.
    """
    if run_as.user is None:
        return
    for parent in folder.resolve().parents:
        mode = parent.stat().st_mode
        if not mode & 0o001 and parent in ours:
            parent.chmod(mode & 0o777 | 0o011)
        elif not mode & 0o001:
            raise StartupError(
                f"PostgreSQL does not run as root, and the user `nobody` cannot access {folder} (permissions of {parent}). "
                "Start as a regular user, or move the project and DATA_DIR."
            )
    _own(folder, run_as.user)


def keep_owned(run_as: RunAs, folder: Path) -> None:
    """Correct the owner of a folder if root ran the program as a different user before."""
    owner = os.geteuid() if run_as.user is None else run_as.user
    if os.geteuid() == 0 and folder.stat().st_uid != owner:
        _own(folder, owner)


def _own(folder: Path, user: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, user, user, follow_symlinks=False)
