"""What the machine must offer: a Python, a Node, disk, a port, and a user that PostgreSQL agrees to run as."""

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
NOBODY = 65534


def check_node() -> str:
    """Return the version of Node, or say which one is wanted."""
    wanted = ".".join(map(str, NODE_AT_LEAST))
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        raise StartupError(f"Node {wanted} or newer is needed (with npm), and none is on the PATH.")
    found = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    if version_of(found) < NODE_AT_LEAST:
        raise StartupError(f"Node {wanted} or newer is needed; {node} is {found or 'not working'}.")
    return found.removeprefix("v")


def version_of(text: str) -> tuple[int, ...]:
    """Return the first dotted number of a text: `go1.26.8` -> (1, 26, 8); () when there is none."""
    match = re.search(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in match.group().split(".")) if match else ()


def check_disk(folder: Path, *, needed_bytes: int, purpose: str) -> None:
    """Refuse to begin what would fill the disk halfway."""
    existing = folder
    while not existing.exists():
        existing = existing.parent
    free_bytes = shutil.disk_usage(existing).free
    if free_bytes < needed_bytes:
        raise StartupError(
            f"The disk is too full: {purpose} needs {needed_bytes >> 20} MiB free under {folder}, "
            f"{free_bytes >> 20} MiB are. Free some, or put the data elsewhere with DATA_DIR."
        )


def make_folder(folder: Path) -> Path:
    """Make a folder that only we may read."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StartupError(
            f"The folder {folder} cannot be made: {error.strerror}. Choose another with DATA_DIR."
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StartupError(
            f"The folder {folder} belongs to someone else and cannot be written. Choose another with DATA_DIR."
        )
    return folder


def listen_on(port: int, host: str = "127.0.0.1") -> socket.socket:
    """Bind and listen; port 0 draws a free one. Keeping the socket closes the gap in which another could take it."""
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
    """Return a port that was free a moment ago. Another may take it: whoever uses it tries again on failure."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(frozen=True)
class RunAs:
    """How a program that refuses to run as root is started: a prefix of its command, or a user to become."""

    prefix: tuple[str, ...] = ()
    user: int | None = None


@cache
def unprivileged() -> RunAs:
    """Say how to run PostgreSQL: as we are, mapped to nobody in a user namespace, or as nobody.

    Mapping needs no change of owner and works beneath a 0700 home. It also helps a user without a passwd entry, whom
    initdb turns away.
    """
    if os.geteuid() != 0 and _has_passwd_entry(os.geteuid()):
        return RunAs()
    unshare = shutil.which("unshare")
    if unshare is not None:
        mapping = (unshare, "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}")
        if subprocess.run([*mapping, "true"], capture_output=True, check=False).returncode == 0:
            return RunAs(prefix=mapping)
    if os.geteuid() != 0:
        raise StartupError(
            f"User id {os.geteuid()} has no passwd entry, and PostgreSQL's initdb wants one. Start as another user."
        )
    return RunAs(user=NOBODY)


def _has_passwd_entry(user_id: int) -> bool:
    try:
        pwd.getpwuid(user_id)
    except KeyError:
        return False
    return True


def give_to(run_as: RunAs, folder: Path, *, ours: Collection[Path] = ()) -> None:
    """Hand a folder to the user that a program will run as, when that is another than ours.

    The folders above it must let that user through (not look inside); those that are `ours` are made to.
    """
    if run_as.user is None:
        return
    for parent in folder.resolve().parents:
        mode = parent.stat().st_mode
        if not mode & 0o001 and parent in ours:
            parent.chmod(mode & 0o777 | 0o011)
        elif not mode & 0o001:
            raise StartupError(
                f"PostgreSQL does not run as root, and user nobody cannot reach {folder} ({parent} is closed to others). "
                "Start as an ordinary user, or put the project and DATA_DIR elsewhere."
            )
    _own(folder, run_as.user)


def keep_owned(run_as: RunAs, folder: Path) -> None:
    """Set the owner of a folder right when root ran the program in another way before."""
    wanted = os.geteuid() if run_as.user is None else run_as.user
    if os.geteuid() == 0 and folder.stat().st_uid != wanted:
        _own(folder, wanted)


def _own(folder: Path, user: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, user, user, follow_symlinks=False)
