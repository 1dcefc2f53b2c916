"""Check the health of a deployment."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import httpx

from slowpath_cli.runner.core import run_processes
from slowpath_cli.runner.core.placeholders import fill_placeholder, fill_placeholders
from slowpath_cli.runner.core.runner_config import HealthCheckConfig

TIMEOUT_SECONDS: Final = 10.0


def check_health(
    health: HealthCheckConfig, values: Mapping[str, str], environment: Mapping[str, str], cwd: Path
) -> str | None:
    """Check once; return None if healthy, else the reason. Raises `UnknownPlaceholder`."""
    if health.url is not None:
        return _request(fill_placeholder(health.url, values))
    words = fill_placeholders(health.command, values)
    return _run(words, {**environment, run_processes.ROLE: "measure"}, cwd)


def _request(url: str) -> str | None:
    try:
        with httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=False) as client, client.stream("GET", url) as response:
            return None if response.is_success else f"{url} responded with {response.status_code}"
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return f"{url} did not respond ({type(error).__name__}: {error})"


def _run(words: list[str], environment: Mapping[str, str], cwd: Path) -> str | None:
    try:
        done = subprocess.run(
            words, cwd=cwd, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            timeout=TIMEOUT_SECONDS, check=False,
        )  # fmt: skip
    except OSError as error:
        return f"{words[0]} cannot be run: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{words[0]} did not finish within {TIMEOUT_SECONDS:g} seconds"
    stderr_lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return (
        None
        if done.returncode == 0
        else f"{words[0]} exited with {done.returncode}{f': {stderr_lines[-1][:200]}' if stderr_lines else ''}"
    )
