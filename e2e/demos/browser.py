"""Run the scripts of `e2e/demos` in the headless browser of the journeys."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.demo_user import DemoFailed, DemoUser

ROOT = Path(__file__).resolve().parents[2]
E2E = ROOT / "e2e"
TIMEOUT_SECONDS = 90


def look_at_page(person: DemoUser, comparison_id: str) -> str | None:
    """Open a comparison in a browser and return the text of its first finding; None without a browser."""
    path = f"/t/{person.team_slug}/comparisons/{comparison_id}"
    seen = in_browser(person, "compare.spec.ts", {"DEMO_PATH": path})
    return None if seen is None else str(seen["first"])


def in_browser(person: DemoUser, script: str, variables: Mapping[str, str]) -> dict[str, Any] | None:
    """Run a script of `e2e/demos` and return its result; None without a browser. Raises `DemoFailed`."""
    playwright = ROOT / "node_modules" / ".bin" / "playwright"
    browser = Path(os.environ.get("SLOWPATH_CHROMIUM") or ROOT / ".slowpath" / "browser" / "chromium")
    if not playwright.exists() or not browser.exists() or shutil.which("node") is None:
        return None
    with tempfile.TemporaryDirectory(prefix="slowpath-demo-") as folder:
        seen = Path(folder, "seen.json")
        environment = {
            **os.environ,
            "SLOWPATH_URL": person.url,
            "DEMO_EMAIL": person.email,
            "DEMO_PASSWORD": person.password,
            "DEMO_SEEN": str(seen),
            **variables,
        }
        done = subprocess.run(
            [str(playwright), "test", "--config", "demos/playwright.config.ts", "--output", folder, script],
            cwd=E2E, env=environment, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False,
        )  # fmt: skip
        if done.returncode != 0 or not seen.exists():
            raise DemoFailed(f"the browser script failed: {done.stdout.strip()[-1200:]}")
        found: dict[str, Any] = json.loads(seen.read_text(encoding="utf-8"))
        return found
