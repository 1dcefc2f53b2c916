"""Whether what was deployed answers."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import httpx

from slowpath_cli.runner.core import run_processes
from slowpath_cli.runner.core.placeholders import fill_placeholder, fill_placeholders
from slowpath_cli.runner.core.runner_config import HealthCheckConfig

ASK_SECONDS: Final = 10.0


def check_health(
    health: HealthCheckConfig, values: Mapping[str, str], environment: Mapping[str, str], cwd: Path
) -> str | None:
    """Ask once; nothing when it is healthy, else why not. Raises `UnknownPlaceholder`."""
    if health.url is not None:
        return _asked(fill_placeholder(health.url, values))
    words = fill_placeholders(health.command, values)
    return _run(words, {**environment, run_processes.ROLE: "measure"}, cwd)


def _asked(url: str) -> str | None:
    try:
        with httpx.Client(timeout=ASK_SECONDS, trust_env=False) as client, client.stream("GET", url) as response:
            return None if response.is_success else f"{url} answers {response.status_code}"
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return f"{url} does not answer ({type(error).__name__}: {error})"


def _run(words: list[str], environment: Mapping[str, str], cwd: Path) -> str | None:
    try:
        done = subprocess.run(
            words, cwd=cwd, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            timeout=ASK_SECONDS, check=False,
        )  # fmt: skip
    except OSError as error:
        return f"{words[0]} cannot be run: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{words[0]} did not end within {ASK_SECONDS:g} seconds"
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return (
        None
        if done.returncode == 0
        else f"{words[0]} ended with {done.returncode}{f': {said[-1][:200]}' if said else ''}"
    )
