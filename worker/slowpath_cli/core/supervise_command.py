"""The hidden command by which the single file runs the supervisor of a deploying command: there is no other Python."""

import sys
from pathlib import Path
from typing import Final

SUPERVISE: Final = "supervise-command"


def supervisor_command(script: str) -> list[str]:
    """Return the command that runs the supervisor script with this Python, or with the single file."""
    if getattr(sys, "frozen", False):
        return [str(Path(sys.executable)), SUPERVISE]
    return [sys.executable, "-I", "-S", script]
