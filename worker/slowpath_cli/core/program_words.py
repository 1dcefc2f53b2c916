"""How the user starts the command line, for the commands that it prints."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

PROGRAM: Final = "SLOWPATH_PROGRAM"
"""How the single file was started; it sets this itself."""


def program_words(environ: Mapping[str, str]) -> list[str]:
    """Return the words before the arguments: npm in a checkout, else the single file or the installed command."""
    checkout = environ.get("npm_package_json")
    if environ.get("npm_lifecycle_event") == "slowpath" and checkout:
        folder = str(Path(checkout).parent)
        prefix = [] if environ.get("INIT_CWD") == folder else ["--prefix", folder]
        return ["npm", *prefix, "run", "--silent", "slowpath", "--"]
    if getattr(sys, "frozen", False):  # the file unpacks itself: what runs is not what the user started
        return [environ.get(PROGRAM) or sys.argv[0]]
    return ["slowpath"]
