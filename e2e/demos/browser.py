"""Playing and looking at pages through the headless browser of the journeys: the scripts are in `e2e/demos`."""

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
LOOK_SECONDS = 90


def look_at_page(person: DemoUser, comparison_id: str) -> str | None:
    """Sign in as a person in a browser, open a comparison, return its first finding's text; None without a browser."""
    path = f"/t/{person.team_slug}/comparisons/{comparison_id}"
    seen = in_browser(person, "compare.spec.ts", {"DEMO_PATH": path})
    return None if seen is None else str(seen["first"])


def in_browser(person: DemoUser, script: str, told: Mapping[str, str]) -> dict[str, Any] | None:
    """Play a script of `e2e/demos` as a person; returns what it has seen, None without a browser. Raises `DemoFailed`."""
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
            **told,
        }
        done = subprocess.run(
            [str(playwright), "test", "--config", "demos/playwright.config.ts", "--output", folder, script],
            cwd=E2E, env=environment, capture_output=True, text=True, timeout=LOOK_SECONDS, check=False,
        )  # fmt: skip
        if done.returncode != 0 or not seen.exists():
            raise DemoFailed(f"the page does not play along: {done.stdout.strip()[-1200:]}")
        found: dict[str, Any] = json.loads(seen.read_text(encoding="utf-8"))
        return found
