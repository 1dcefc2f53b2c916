"""Serves the web app on a socket that the start has opened.

So no other program can take the port in between, and connections wait, instead of being refused, while a crashed web
process is started again.

Run by the project's Python: `python -m bootstrap_parts.serve_web FILE_DESCRIPTOR`.
"""

from __future__ import annotations

import sys

from slowpath.platform.http import server


def main(descriptor: int) -> None:
    """Serve until told to stop."""
    server.main(["--fd", str(descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
