"""Read the output of a git process, terminate it, and explain its failure."""

import os
import selectors
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from slowpath.adapters.git_remotes import ResolvedRemote
from slowpath.core.errors import InvalidRequest, UpstreamUnavailable

POLL_SECONDS: Final = 0.2
CHUNK_BYTES: Final = 1 << 16


class GitCommandError(InvalidRequest):
    """The repository is invalid, or access to it is denied."""

    slug = "repository-refused"
    title = "The repository cannot be read"


def read_output_chunks(child: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """Yield the output of a child process, and b"" after each `POLL_SECONDS` without output."""
    assert child.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(POLL_SECONDS):
                yield b""
                continue
            part = os.read(child.stdout.fileno(), CHUNK_BYTES)
            if not part:
                return
            yield part


def terminate(child: subprocess.Popen[bytes]) -> None:
    """Kill a child process and all processes it started."""
    if child.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()


def explain_failure(stderr: str, remote: ResolvedRemote | None) -> InvalidRequest | UpstreamUnavailable:
    """Return git's failure as an error. Only one line of its output is used, which may be untrusted text."""
    line = next((one for one in stderr.splitlines() if one.startswith(("fatal:", "error:"))), stderr.strip()[:200])
    line = "".join(one if one.isprintable() else " " for one in line)[:300]
    if "redirect" in stderr or "returned error: 30" in stderr:
        return GitCommandError(
            "The address redirects to another one, which is not followed.",
            slug="address-redirects",
            remedy="Use the address to which it redirects.",
        )
    if any(word in stderr for word in ("could not read Username", "Authentication failed", "error: 401", "error: 403")):
        return GitCommandError(
            "The repository denied access.", slug="repository-not-signed-in", remedy="Check the credentials."
        )
    if any(
        word in stderr
        for word in ("not found", "error: 404", "does not appear to be a git repository", "does not exist")
    ):
        return GitCommandError("No repository found at this address.", slug="repository-not-there")
    if remote is not None and any(
        word in stderr for word in ("unable to access", "early EOF", "hung up", "RPC failed", "timed out")
    ):
        return UpstreamUnavailable(f"The repository did not respond: {line}")
    return GitCommandError(f"Git cannot read the repository: {line}")
