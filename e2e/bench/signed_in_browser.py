"""Run a measurement in a browser in which a user of a running stack is signed in."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from bench.captures import ROOT
from support.demo_user import DemoUser


def measure_in_browser(person: DemoUser, script: str, path: str) -> dict[str, Any] | None:
    """Return what a script of this folder prints about a path below the team; None without Node.js or a browser."""
    browser = Path(os.environ.get("SLOWPATH_CHROMIUM") or ROOT / ".slowpath" / "browser" / "chromium")
    node = shutil.which("node")
    if node is None or not browser.exists():
        return None
    environment = {
        **os.environ,
        "BENCH_CHROMIUM": str(browser),
        "BENCH_EMAIL": person.email,
        "BENCH_PASSWORD": person.password,
        "BENCH_PATH": f"/t/{person.team_slug}/{path}",
    }
    command = [node, str(Path(__file__).with_name(script))]
    done = subprocess.run(command, env=environment, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"the browser: {done.stderr.strip()[-1500:]}")
    seen: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return seen
