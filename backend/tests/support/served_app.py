"""The app on a port, for programs that send requests over HTTP."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from tests.support.app_under_test import AppUnderTest


@contextmanager
def served(app: AppUnderTest) -> Iterator[str]:
    """Serve the app meanwhile, and give its address."""
    server = uvicorn.Server(uvicorn.Config(app.app, port=0, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
