"""Fuzz every Python parser of outside input: each input gets a value or a named error within five seconds.

`python -m proofs.parser_fuzz --seconds N --seed N`. Forms, cursors, facts, names and columns; the decoder's own parsers
are fuzzed in Go.
"""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import numpy as np
from fastapi import Request
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from slowpath.analysis.formats.column_file import ColumnFileError, pack_strings, read_columns, write_columns
from slowpath.analysis.kinds.profiles.views.stored_view import StoredView, lines_of
from slowpath.app import build_schema_app
from slowpath.core.errors import InvalidRequest
from slowpath.evidence.artifacts.endpoints import build_uploads, upload_bodies
from slowpath.evidence.artifacts.rules import clean_name
from slowpath.evidence.profiles.errors import InvalidPattern
from slowpath.evidence.profiles.service.stored_views import FrameSearchPattern, compile_pattern
from slowpath.inventory.catalog.rules import make_slug, read_go_mod
from slowpath.platform.accounts.rules.request_origin import is_same_origin
from slowpath.platform.http.pagination import position
from tests.support.app_under_test import settings_for

LONGEST = timedelta(seconds=5)
EXAMPLES_A_TURN = 500
APP = build_schema_app()
APP.state.settings = settings_for("postgresql://nobody@127.0.0.1:1/nothing")
TEXT = st.text(alphabet=st.characters(codec=None), max_size=300)
PIECES = st.sampled_from(
    [
        b"--b\r\n",
        b"--b--\r\n",
        b"\r\n",
        b"\r\n\r\n",
        b'Content-Disposition: form-data; name="file"; filename="a"\r\n',
        b'Content-Disposition: form-data; name="run_metadata"\r\n',
        b"Content-Disposition: form-data; name*=utf-8''%ff\r\n",
        b"Content-Type: text/plain; charset=nonsense\r\n",
        b"Content-Transfer-Encoding: base64\r\n",
        b"\x00" * 50,
    ]
)
COLUMNS = write_columns(
    {"format": "slowpath.lines", "format_version": 1},
    {"function": np.zeros(3, np.uint32), "line": np.arange(3, dtype=np.int32), **pack_strings(["", "main.main"])},
)


def forms(pieces: list[bytes], boundary: str) -> None:
    """Take a multipart body apart."""
    asyncio.run(_form(pieces, boundary))


async def _form(pieces: list[bytes], boundary: str) -> None:
    left = list(pieces)

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": left.pop(0) if left else b"", "more_body": bool(left)}

    content_type = f"multipart/form-data; boundary={boundary}".encode("latin-1")
    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"content-type", content_type)], "app": APP}
    with suppress(InvalidRequest):
        async with upload_bodies.read_multipart_form(Request(scope, receive)) as form:
            form.labels("name")


def texts(text: str) -> None:
    """Read a text as whatever a text may be."""
    clean_name(text).encode()
    make_slug(text)
    read_go_mod(text)
    for read in (upload_bodies.parse_run_metadata, build_uploads._parse_build_metadata, position):
        with suppress(InvalidRequest):
            read(text)
    with suppress(ValueError):
        is_same_origin(text, "http://127.0.0.1:8080")


def patterns(text: str, regex: bool, name: str) -> None:
    """Search by a pattern."""
    with suppress(InvalidPattern):
        compile_pattern(FrameSearchPattern(text.encode("utf-8", "replace").decode(), regex, case=False))(
            name.encode("utf-8", "replace").decode()
        )


def columns(damages: list[tuple[int, bytes]], cut: int) -> None:
    """Read damaged columns."""
    content = bytearray(COLUMNS)
    for place, damage in damages:
        content[place : place + len(damage)] = damage
    content = content[: len(content) - cut]
    with suppress(ColumnFileError):
        read_columns(bytes(content), "slowpath.lines")
    with suppress(ColumnFileError):
        lines_of(bytes(content), "main.main")
    with suppress(ColumnFileError):
        StoredView.parse(bytes(content))


PARSERS: tuple[tuple[Callable[..., None], tuple[st.SearchStrategy[Any], ...]], ...] = (
    (
        forms,
        (
            st.lists(st.one_of(PIECES, st.binary(max_size=60)), max_size=12),
            st.sampled_from(["b", "", "b; charset=x", "é"]),
        ),
    ),
    (texts, (TEXT,)),
    (patterns, (TEXT, st.booleans(), TEXT)),
    (
        columns,
        (
            st.lists(st.tuples(st.integers(0, len(COLUMNS)), st.binary(min_size=1, max_size=8)), max_size=4),
            st.integers(0, 64),
        ),
    ),
)


def main() -> int:
    """Go round the parsers until the time is over; 0 if nothing was found."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    asked = options.parse_args()
    begun, turn, failed = time.monotonic(), 0, set[str]()
    phases = [Phase.explicit, Phase.generate, Phase.shrink]
    while time.monotonic() - begun < asked.seconds and len(failed) < len(PARSERS):
        for parser, drawn in PARSERS:
            if parser.__name__ in failed:
                continue
            run = settings(
                max_examples=EXAMPLES_A_TURN,
                deadline=LONGEST,
                database=None,
                phases=phases,
                suppress_health_check=list(HealthCheck),
            )(seed(asked.seed + turn)(given(*drawn)(parser)))
            try:
                run()
            except Exception as error:  # noqa: BLE001 - whatever it is, it should not be
                failed.add(parser.__name__)
                sys.stdout.write(
                    f"{parser.__name__}, seed {asked.seed + turn}: {error!r}\n{getattr(error, '__notes__', '')}\n"
                )
        turn += 1
    sys.stdout.write(f"{turn * EXAMPLES_A_TURN} inputs a parser, seed {asked.seed}\n")
    sys.stdout.write(f"{len(PARSERS) - len(failed)} passed, {len(failed)} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
