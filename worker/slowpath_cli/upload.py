"""`slowpath upload`: files with their facts to a server, in one batch; doing it again after a break makes no copies.

With `--build SERVICE@COMMIT` service and build are made if they are new. `--wait` waits until the files are read and the
build is judged; `--gate` makes that the exit code.

Exit codes: 0 all files, 3 some of them, 2 none. With `--gate`, when all were sent: 1 if the build is slower, 3 if nobody
can say (yet), 0 otherwise.
"""

import argparse
import hashlib
import json
import os
import sys
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from slowpath.analysis.facts import Facts
from slowpath_cli.building import NamedBuild, add_build_arguments, build_meant
from slowpath_cli.collect import add_server_arguments, resolved, server_of
from slowpath_cli.collecting.errors import BadRequest, CollectError
from slowpath_cli.collecting.fetch import printable
from slowpath_cli.collecting.server import Server
from slowpath_cli.collecting.sink import SIDECAR
from slowpath_cli.judging import Waiting

WHOLE, NOTHING, PARTIAL = 0, 2, 3
MAX_SIDECAR_BYTES = 256 * 1024
_BATCHES = uuid.UUID("5b1f3c0e-6c0f-5d8e-9a55-7f0c9d1b2e47")


@dataclass(frozen=True)
class Item:
    """A file to upload, under a name, with what is known of it."""

    path: Path
    name: str
    facts: Facts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What may stand after `slowpath upload`."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="files or folders; FILE.facts.json beside a file is sent with it"
    )
    add_server_arguments(parser)
    parser.add_argument("--facts", metavar="FILE", help="facts of files that have no FILE.facts.json")
    add_build_arguments(parser)
    judged = parser.add_argument_group("the judgement")
    judged.add_argument("--wait", action="store_true", help="until the files are read and the build is judged; says it")
    judged.add_argument("--gate", action="store_true", help="--wait, and exit with 1 if the build is slower")
    judged.add_argument("--timeout", type=float, default=900.0, metavar="S", help="wait at most so long (default 900)")


def run(options: argparse.Namespace) -> int:
    """Upload; prints `id name` a line; returns the exit code."""
    try:
        with ExitStack() as stack:
            fallback = read_facts(resolved(options.facts)) if options.facts else Facts()
            items = find_items(options.files, fallback)
            address = options.server or server_of(os.environ)
            if not address:
                raise BadRequest("Where to? Give --url, or set SLOWPATH_URL.")
            server = stack.enter_context(Server(address, options.token or os.environ.get("SLOWPATH_TOKEN", "")))
            meant = build_meant(options, os.environ)
            server.check()
            return _upload(server, items, meant, options)
    except CollectError as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return NOTHING


def _upload(server: Server, items: Sequence[Item], meant: str | NamedBuild | None, options: argparse.Namespace) -> int:
    build_id = meant
    if isinstance(meant, NamedBuild):
        build_id = str(server.tell_build(meant.service, meant.commit, meant.facts)["id"])
        print(f"build {build_id} {meant.service}@{meant.commit}", flush=True)
    assert not isinstance(build_id, NamedBuild)
    sent = _send(server, items, build_id)
    code = WHOLE if len(sent) == len(items) else PARTIAL if sent else NOTHING
    if code != WHOLE or not (options.wait or options.gate):
        return code
    ended = Waiting(server, options.timeout).ended(sent, build_id)
    for unread in ended.unread:
        print(printable(unread, 600), file=sys.stderr)
    print(printable(f"{ended.state or 'not judged'}: {ended.sentence}", 2000))
    return ended.gate if options.gate else WHOLE


def _send(server: Server, items: Sequence[Item], build_id: str | None) -> list[str]:
    batch = batch_of(items)
    sent = []
    for item in items:
        try:
            artifact_id = server.put_file(item.path, item.name, item.facts.to_json(), batch=batch, build_id=build_id)
        except CollectError as error:
            print(f"{item.name}: {error}", file=sys.stderr)
        except OSError as error:
            print(f"{item.name}: {error.strerror}", file=sys.stderr)
        else:
            sent.append(artifact_id)
            print(f"{artifact_id} {item.name}", flush=True)
    print(f"{len(sent)} of {len(items)} files: {server.origin} (batch {batch})", file=sys.stderr)
    return sent


def find_items(texts: Sequence[str], fallback: Facts) -> list[Item]:
    """The files meant, folders taken apart, each with its facts. Raises `BadRequest`."""
    items = []
    for text in texts:
        path = resolved(text)
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*") if each.is_file() and not each.name.startswith("."))
            items += [
                _item(each, str(each.relative_to(path)), fallback) for each in inside if not each.name.endswith(SIDECAR)
            ]
        elif path.is_file():
            items.append(_item(path, path.name, fallback))
        else:
            raise BadRequest(f"{text}: there is no such file or folder.")
    if not items:
        raise BadRequest("there is no file to upload in what was given.")
    return items


def _item(path: Path, name: str, fallback: Facts) -> Item:
    sidecar = path.with_name(path.name + SIDECAR)
    return Item(path, name, read_facts(sidecar) if sidecar.is_file() else fallback)


def read_facts(path: Path) -> Facts:
    """Facts from a file. Raises `BadRequest` naming the file and the field."""
    try:
        size = path.stat().st_size
        if size > MAX_SIDECAR_BYTES:
            raise BadRequest(f"{path} has {size:,} bytes, facts have at most {MAX_SIDECAR_BYTES:,}.")
        return Facts.from_json(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise BadRequest(f"{path}: {error.strerror}.") from error
    except ValueError as error:
        raise BadRequest(f"{path} holds no facts: {error}.") from error


def batch_of(items: Sequence[Item]) -> str:
    """The batch of these files: the same command again means the same batch."""
    digest = hashlib.sha256()
    for item in items:
        stat = item.path.stat()
        digest.update(
            json.dumps([item.name, stat.st_size, stat.st_mtime_ns, item.facts.to_json()], sort_keys=True).encode()
        )
    return str(uuid.uuid5(_BATCHES, digest.hexdigest()))
