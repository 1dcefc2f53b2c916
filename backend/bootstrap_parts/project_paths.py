"""Where things are: the project's own folders, and the two that the start makes (tools, data)."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BACKEND = ROOT / "backend"
WORKER = ROOT / "worker"
FRONTEND = ROOT / "frontend"
E2E = ROOT / "e2e"
DECODE = WORKER / "decode"
DECODE_BINARY = DECODE / "bin" / "slowpath-decode"
FRONTEND_DIST = FRONTEND / "dist"
API_CLIENT = FRONTEND / "src" / "api" / "generated"
NODE_MODULES = ROOT / "node_modules"

MADE = ROOT / ".slowpath"
VENV = MADE / "venv"
VENV_PYTHON = VENV / "bin" / "python"
TOOLS = MADE / "tools"
BROWSER = MADE / "browser"
STAMPS = MADE / "stamps"
CACHE = MADE / "cache"
STEP_LOGS = MADE / "logs"


def data_folder() -> Path:
    """Return DATA_DIR, or the default inside the project. Relative paths resolve against the folder npm was called in."""
    asked = os.environ.get("DATA_DIR")
    if not asked:
        return MADE / "data"
    return (Path(os.environ.get("INIT_CWD", os.getcwd())) / asked).resolve()  # noqa: PTH109 - getcwd is what a shell user means
