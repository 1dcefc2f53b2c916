"""Paths of the project, and of the folders that the start creates (tools, data)."""

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
MODEL_CHECKER = MADE / "model-checker"
STAMPS = MADE / "stamps"
PACKAGES = MADE / "packages"
CACHE = MADE / "cache"
STEP_LOGS = MADE / "logs"


def data_folder() -> Path:
    """Return DATA_DIR, relative to the folder npm was called in, or the default inside the project."""
    configured = os.environ.get("DATA_DIR")
    if not configured:
        return MADE / "data"
    return (Path(os.environ.get("INIT_CWD", os.getcwd())) / configured).resolve()  # noqa: PTH109 - relative to the user's working directory
