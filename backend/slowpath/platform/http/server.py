"""Serves the web app: `python -m slowpath.platform.http.server --host 0.0.0.0 --port 8080 --workers 2`, or on an open socket.

Several processes share one listening socket. What they must agree on is in PostgreSQL (sessions, events) and Valkey
(rates); what each counts for itself is only what protects that process.
"""

import argparse
import logging
import os
import socket
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import uvicorn
from uvicorn.supervisors import Multiprocess

from slowpath.platform.http.connections import raise_descriptor_limit

APP: Final = "slowpath.app:create_app"
PROTOCOL: Final = "slowpath.platform.http.connections:BoundedProtocol"
METRICS_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
KEEP_ALIVE_SECONDS: Final = 75
"""Longer than senders and proxies keep an idle connection: who writes on one that is being closed is refused."""
STOP_SECONDS: Final = 5
"""Requests under way get this long; event streams would otherwise never end."""
BACKLOG: Final = 4096
ANSWER_SECONDS: Final = 30
"""A process of several that does not answer its parent for so long is started again."""


def configured(*, workers: int = 1, trusted: str = "", host: str = "127.0.0.1", port: int = 8080) -> uvicorn.Config:
    """Return how uvicorn serves the app. `trusted` names the proxies that tell the address of a client."""
    return uvicorn.Config(
        APP,
        factory=True,
        host=host,
        port=port,
        workers=workers,
        http=PROTOCOL,
        ws="none",
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
        timeout_worker_healthcheck=ANSWER_SECONDS,
        access_log=False,
        server_header=False,
        # Callers are counted by address. Behind a proxy that is the proxy's, unless it is trusted to name the client's.
        proxy_headers=bool(trusted),
        forwarded_allow_ips=trusted,
        log_config=None,
    )


def main(arguments: Sequence[str]) -> None:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser(prog="slowpath.platform.http.server", description="Serve the web app.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--fd", type=int, help="listen on this open socket instead of host and port")
    parser.add_argument("--workers", type=int, default=1, help="number of processes")
    options = parser.parse_args(arguments)
    raise_descriptor_limit()
    trusted = os.environ.get("FORWARDED_ALLOW_IPS") or os.environ.get("SLOWPATH_TRUSTED_PROXIES", "")
    config = configured(workers=options.workers, trusted=trusted, host=options.host, port=options.port)
    listener = config.bind_socket() if options.fd is None else socket.socket(fileno=options.fd)
    if options.workers == 1:
        uvicorn.Server(config).run(sockets=[listener])
        return
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    with tempfile.TemporaryDirectory(prefix="slowpath-metrics-") as folder:
        os.environ[METRICS_FOLDER] = str(Path(folder))
        Multiprocess(config, sockets=[listener]).run()


if __name__ == "__main__":
    main(sys.argv[1:])
