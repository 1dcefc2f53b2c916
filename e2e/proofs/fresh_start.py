"""A long proof: what a person does who has just cloned Slowpath, with a clean HOME and nothing cached.

Clones the committed state into a temporary folder, starts it with the example, starts it again (in a quarter of the time at most), and
expects that nothing is left running. Downloads all packages anew. Ends with the line of numbers.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bootstrap_parts.machine_checks import free_port
from bootstrap_parts.project_paths import ROOT
from tests.bootstrap.start_process import answers, environment_of, wait_until_gone

FIRST_SECONDS = 600.0
SECOND_SHARE = 0.25
"""The second start takes at most this part of the first: seconds depend on the machine."""


def main() -> int:
    """Play it; returns the exit code."""
    results: list[tuple[str, bool]] = []

    def claim(text: str, *, holds: bool) -> None:
        results.append((text, holds))
        print(f"{'ok' if holds else 'FAILED'}: {text}", flush=True)

    with tempfile.TemporaryDirectory(prefix="slowpath-fresh-", ignore_cleanup_errors=True) as folder:
        clone, home = Path(folder) / "clone", Path(folder) / "home"
        home.mkdir()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        _play(clone, home, claim)
    failed = sum(not holds for _, holds in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return int(failed > 0)


def _play(clone: Path, home: Path, claim: Callable[..., None]) -> None:
    data = clone / ".slowpath" / "data"
    first_seconds, lines, code = _start_and_stop(clone, home, FIRST_SECONDS)
    claim(f"the first start is ready ({first_seconds:.0f} s)", holds=code == 0)
    claim("it has laid out the example and says how to sign in", holds=any("Sign in as" in line for line in lines))
    claim("nothing is left running", holds=wait_until_gone(data, 2) == [])
    second_seconds, lines, code = _start_and_stop(clone, home, 120.0)
    claim(
        f"the second start takes a quarter of the first at most ({second_seconds:.1f} s)",
        holds=code == 0 and second_seconds < first_seconds * SECOND_SHARE,
    )
    claim("it still says how to sign in", holds=any("Sign in as" in line for line in lines))
    dirty = subprocess.run(
        ["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True
    ).stdout
    claim(f"the clone is clean {dirty.strip()}", holds=not dirty)


def _start_and_stop(clone: Path, home: Path, patience_seconds: float) -> tuple[float, list[str], int]:
    """Start, wait for the address, stop; returns the seconds to readiness, the output, and 0 if all went well."""
    port, output = free_port(), home.parent / "said"
    environment = {**environment_of(clone, port), "HOME": str(home)}
    del environment["DATA_DIR"]
    begun = time.monotonic()
    with output.open("w") as file:
        process = subprocess.Popen(
            ["npm", "start"],
            cwd=clone,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        while not answers(f"http://127.0.0.1:{port}") or "is ready after" not in output.read_text():
            if process.poll() is not None or time.monotonic() - begun > patience_seconds:
                break
            time.sleep(0.05)
        seconds = time.monotonic() - begun
        if process.poll() is None:
            os.kill(process.pid, signal.SIGINT)
        code = process.wait(60)
    lines = output.read_text().splitlines()
    print("\n".join(lines), flush=True)
    return seconds, lines, code


if __name__ == "__main__":
    sys.exit(main())
