"""Mutex and block profiles are taken without a request for them if the process records them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from slowpath_cli.main import main
from tests.collect.pprof_servers import Answering, Asked, Handler, Reply

pytestmark = pytest.mark.processes

Serve = Callable[[Handler], Answering]
MUTEX = b"--- mutex:\ncycles/second=2596081335\nsampling period=%d\n"
BLOCK = b"--- contention:\ncycles/second=2596081335\n"
EVENT = b"235677282 9 @ 0x497a30 0x497a2f 0x69c345\n#\t0x497a2f\tsync.(*Mutex).Lock+0xf\t/go/src/sync/mutex.go:46\n"
"""Written by net/http/pprof of Go 1.26."""


def process(mutex: bytes | None, block: bytes | None) -> Handler:
    """Return a process whose mutex and block profiles have these texts; None: it does not offer one."""

    def handler(asked: Asked) -> Reply:
        texts = {"/debug/pprof/mutex?debug=1": mutex, "/debug/pprof/block?debug=1": block}
        if asked.path in texts:
            text = texts[asked.path]
            return Reply(status=404) if text is None else Reply(body=text)
        return Reply(body=b"\x1f\x8b and more" if asked.path.startswith("/debug/pprof/") else b"# nothing\n")

    return handler


RECORDED = process(MUTEX % 5, BLOCK + EVENT)


@pytest.mark.parametrize(
    ("handlers", "arguments", "expected"),
    [
        ([RECORDED], [], {"heap", "allocs", "goroutine", "mutex", "block"}),
        ([process(MUTEX % 0, BLOCK)], [], {"heap", "allocs", "goroutine"}),
        ([process(None, None)], [], {"heap", "allocs", "goroutine"}),
        ([process(MUTEX % 1, None)], [], {"heap", "allocs", "goroutine", "mutex"}),
        ([RECORDED], ["--snapshots", "heap"], {"heap"}),
        ([RECORDED, process(MUTEX % 0, BLOCK + EVENT)], [], {"heap", "allocs", "goroutine", "block"}),
    ],
)
def test_a_process_that_records_waiting_is_asked_for_it(
    serve: Serve, tmp_path: Path, handlers: list[Handler], arguments: list[str], expected: set[str]
) -> None:
    addresses = [serve(handler).address for handler in handlers]
    against = ["--against", addresses[1]] if len(addresses) > 1 else []
    out = tmp_path / "out"
    main(["collect", addresses[0], *against, "--profiles", "0", "--out", str(out), *arguments])
    names = {path.name.partition(".")[0] for path in out.rglob("*.pb.gz")}
    assert names == expected
