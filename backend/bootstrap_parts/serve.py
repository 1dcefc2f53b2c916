"""Serves the web app on a socket that the start has opened.

So no other program can take the port in between, and connections wait, instead of being refused, while a crashed web
process is started again.

Run by the project's Python: `python -m bootstrap_parts.serve FILE_DESCRIPTOR`.
"""

from __future__ import annotations

import socket
import sys

import uvicorn


def main(descriptor: int) -> None:
    """Serve until told to stop. Requests under way get five seconds; event streams would otherwise never end."""
    config = uvicorn.Config(
        "slowpath.app:create_app",
        factory=True,
        timeout_graceful_shutdown=5,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        log_config=None,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
