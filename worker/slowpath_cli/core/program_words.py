"""How the user starts the command line, for the commands that it prints."""

import sys
from collections.abc import Mapping
from pathlib import Path


def program_words(environ: Mapping[str, str]) -> list[str]:
    """Return the words before the arguments: npm in a checkout, else the single file or the installed command."""
    checkout = environ.get("npm_package_json")
    if environ.get("npm_lifecycle_event") == "slowpath" and checkout:
        folder = str(Path(checkout).parent)
        prefix = [] if environ.get("INIT_CWD") == folder else ["--prefix", folder]
        return ["npm", *prefix, "run", "--silent", "slowpath", "--"]
    return [sys.argv[0]] if getattr(sys, "frozen", False) else ["slowpath"]
