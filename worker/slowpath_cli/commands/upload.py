"""`slowpath upload`: upload files with their run metadata in one batch; repeated uploads create no copies.

`--build SERVICE@COMMIT` creates the service and the build if they are new. `--wait` waits until the files are decoded and
the build has a verdict; `--fail-on-regression` makes the verdict the exit code, `--gate KINDS` those of the named kinds.

Exit codes: 0 if all files were uploaded, 3 if some were, 2 if none was. With `--fail-on-regression` or `--gate`, if all were
uploaded: 1 if the build (or a named kind) regressed or is mixed, 3 if the verdict is inconclusive or missing (or a named kind
was not compared), 0 otherwise.
"""

import argparse
import hashlib
import json
import os
import sys
import uuid
from collections.abc import Sequence
from contextlib import ExitStack

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.pprof_client import printable
from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.collect.upload_items import UploadItem, find_items, read_facts
from slowpath_cli.commands.build_arguments import BuildArguments, parse_build_arguments
from slowpath_cli.commands.build_creation import find_or_create_build
from slowpath_cli.commands.build_gate import VerdictPoller
from slowpath_cli.commands.server_arguments import server_of
from slowpath_cli.core.collect_errors import CollectError, InvalidArgument
from slowpath_cli.core.input_files import resolved

WHOLE, NOTHING, PARTIAL = 0, 2, 3
_BATCHES = uuid.UUID("5b1f3c0e-6c0f-5d8e-9a55-7f0c9d1b2e47")


def run(options: argparse.Namespace) -> int:
    """Upload the files, print a line `ID NAME` for each, and return the exit code."""
    try:
        with ExitStack() as stack:
            fallback = read_facts(resolved(options.metadata)) if options.metadata else RunMetadata()
            items = find_items(options.files, fallback)
            address = options.server or server_of(os.environ)
            if not address:
                raise InvalidArgument("No server given. Set SLOWPATH_URL, or use --server.")
            server = stack.enter_context(UploadClient(address, options.token or os.environ.get("SLOWPATH_TOKEN", "")))
            build = parse_build_arguments(options, os.environ)
            server.check()
            return _upload(server, items, build, options)
    except CollectError as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return NOTHING


def _upload(
    server: UploadClient, items: Sequence[UploadItem], build: str | BuildArguments | None, options: argparse.Namespace
) -> int:
    build_id = find_or_create_build(server, build)
    if isinstance(build, BuildArguments):
        print(f"build {build_id} {build.service}@{build.commit}", flush=True)
    sent = _send(server, items, build_id)
    code = WHOLE if len(sent) == len(items) else PARTIAL if sent else NOTHING
    is_gate = options.fail_on_regression or options.gate is not None
    if code != WHOLE or not (options.wait or is_gate):
        return code
    result = VerdictPoller(server, options.wait_timeout).ended(sent, build_id)
    for unread in result.unread:
        print(printable(unread, 600), file=sys.stderr)
    print(printable(f"{result.state or 'no verdict'}: {result.sentence}", 2000))
    return result.exit_code(options.gate or ()) if is_gate else WHOLE


def _send(server: UploadClient, items: Sequence[UploadItem], build_id: str | None) -> list[str]:
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


def batch_of(items: Sequence[UploadItem]) -> str:
    """Return the batch ID of these files; the same files have the same ID."""
    digest = hashlib.sha256()
    for item in items:
        stat = item.path.stat()
        digest.update(
            json.dumps([item.name, stat.st_size, stat.st_mtime_ns, item.facts.to_json()], sort_keys=True).encode()
        )
    return str(uuid.uuid5(_BATCHES, digest.hexdigest()))
