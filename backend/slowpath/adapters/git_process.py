"""A child that runs git: what it says as it comes, how it ends, and why it gave up."""

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
    """The repository is at fault, or does not let us in."""

    slug = "repository-refused"
    title = "The repository can not be read"


def read_output_chunks(child: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """Yield what a child says as it comes, and nothing (b"") whenever it has been silent for a moment."""
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
    """End a child and whatever it started."""
    if child.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()


def explain_failure(said: str, remote: ResolvedRemote | None) -> InvalidRequest | UpstreamUnavailable:
    """Return why git gave up. Of what it says only a line is told; it may hold the other side's words."""
    line = next((one for one in said.splitlines() if one.startswith(("fatal:", "error:"))), said.strip()[:200])
    line = "".join(one if one.isprintable() else " " for one in line)[:300]
    if "redirect" in said or "returned error: 30" in said:
        return GitCommandError(
            "The address redirects to another one, which is not followed.",
            slug="address-redirects",
            remedy="Give the address to which it redirects.",
        )
    if any(word in said for word in ("could not read Username", "Authentication failed", "error: 401", "error: 403")):
        return GitCommandError(
            "The repository does not let us in.", slug="repository-not-signed-in", remedy="Give other credentials."
        )
    if any(
        word in said for word in ("not found", "error: 404", "does not appear to be a git repository", "does not exist")
    ):
        return GitCommandError("There is no repository at this address.", slug="repository-not-there")
    if remote is not None and any(
        word in said for word in ("unable to access", "early EOF", "hung up", "RPC failed", "timed out")
    ):
        return UpstreamUnavailable(f"The repository did not answer: {line}")
    return GitCommandError(f"Git can not read the repository: {line}")
