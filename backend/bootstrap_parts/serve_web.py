"""Serve the web application on a socket that the start has opened.

Other programs cannot take the port, and connections wait instead of failing while a crashed web process is restarted.

Run by the project's Python: `python -m bootstrap_parts.serve_web FILE_DESCRIPTOR`.
"""

from __future__ import annotations

import sys

from slowpath.platform.http import server


def main(descriptor: int) -> None:
    """Serve until a stop signal."""
    server.main(["--fd", str(descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
