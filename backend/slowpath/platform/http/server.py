"""Serve the web app: `python -m slowpath.platform.http.server --host 0.0.0.0 --port 8080 --workers 2`, or on a socket.

Several processes share one listening socket. Shared state is in PostgreSQL (sessions, events) and Valkey (rates); what a
process counts in memory protects only that process.
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
"""Longer than senders and proxies keep idle connections: a request on a connection that is being closed fails."""
STOP_SECONDS: Final = 5
"""Time for running requests to finish; event streams would otherwise never end."""
BACKLOG: Final = 4096
ANSWER_SECONDS: Final = 30
"""One of several processes that does not respond to its parent for this long is restarted."""


def configured(*, workers: int = 1, trusted: str = "", host: str = "127.0.0.1", port: int = 8080) -> uvicorn.Config:
    """Return the uvicorn configuration. `trusted` lists the proxies that forward the client's address."""
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
        # Callers are counted by address. Behind a proxy that is the proxy's, unless it is trusted to forward the client's.
        proxy_headers=bool(trusted),
        forwarded_allow_ips=trusted,
        log_config=None,
    )


def main(arguments: Sequence[str]) -> None:
    """Serve until a stop signal."""
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
