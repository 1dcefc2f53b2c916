"""Serves the web app on a socket that the start has opened.

So no other program can take the port in between, and connections wait, instead of being refused, while a crashed web
process is started again.

Run by the project's Python: `python -m bootstrap_parts.serve FILE_DESCRIPTOR`.
"""

from __future__ import annotations

import os
import socket
import sys

import uvicorn


def main(descriptor: int) -> None:
    """Serve until told to stop. Requests under way get five seconds; event streams would otherwise never end."""
    trusted = os.environ.get("SLOWPATH_TRUSTED_PROXIES", "")
    config = uvicorn.Config(
        "slowpath.app:create_app",
        factory=True,
        timeout_graceful_shutdown=5,
        # Longer than senders and proxies keep a connection that is idle: who writes on one that is being closed is refused.
        timeout_keep_alive=75,
        access_log=False,
        server_header=False,
        # Who asks is counted by address. Behind a proxy that is the proxy's, unless its word is taken, and only its.
        proxy_headers=bool(trusted),
        forwarded_allow_ips=trusted,
        log_config=None,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
