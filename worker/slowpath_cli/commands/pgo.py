"""`slowpath pgo`: write CPU profiles as one `default.pgo`, by which `go build` optimizes.

The profiles are files, or those of a profile set on a server (`--profile-set`, the ID in the address of its page).
Exit codes: 0 if the file was written, 1 if a hot path needs a larger stack with it (`--check`), 2 if it was not written or
not checked.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Final
from urllib.parse import quote

from slowpath.analysis.kinds.profiles.decoded.profile_header import parse_profile_header
from slowpath.analysis.kinds.profiles.decoded.profile_table import read_profile_columns
from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.commands.pgo_check import check_pgo
from slowpath_cli.commands.server_arguments import server_of
from slowpath_cli.core.collect_errors import CollectError, InvalidArgument
from slowpath_cli.core.input_files import DECODE_BINARY, InvalidInput, decode_profiles, resolved, run_helper
from slowpath_cli.local_bisect.local_repositories import InvalidRepository

WRITTEN, NEEDS_LARGER_STACK, FAILED = 0, 1, 2
CPU: Final = "cpu"
POLL_SECONDS, MOST_SECONDS = 0.5, 300.0
UNDER_WAY = frozenset({"waiting", "running"})


def run(options: argparse.Namespace) -> int:
    """Write the file, and return the exit code."""
    out = resolved(options.out)
    try:
        if bool(options.files) == bool(options.profile_set):
            raise InvalidArgument("Name either files or --profile-set.")
        if options.files:
            _merge(options.files, out)
        else:
            _download(options, out)
        print(f"{out}: {out.stat().st_size:,} bytes. Build with: go build -pgo={options.out}")
        if not options.check:
            return WRITTEN
        checked = check_pgo(out, options.check, options.tags)
    except (CollectError, InvalidInput, InvalidRepository, OSError) as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return FAILED
    print("\n".join(checked.sentences))
    return NEEDS_LARGER_STACK if checked.needs_larger_stack else WRITTEN


def _merge(files: list[str], out: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="slowpath-") as folder:
        decoded = decode_profiles(files, Path(folder), DECODE_BINARY)
        columns = [path for path in decoded if _kind_of(path) == CPU]
        if not columns:
            raise InvalidInput("none of the files is a CPU profile")
        run_helper(DECODE_BINARY, ["export", "--out", str(out), *map(str, columns)])


def _kind_of(path: Path) -> str:
    return parse_profile_header(read_profile_columns(path.read_bytes()).header).kind


def _download(options: argparse.Namespace, out: Path) -> None:
    address = options.server or server_of(os.environ)
    if not address:
        raise InvalidArgument("No server given. Set SLOWPATH_URL, or use --server.")
    with UploadClient(address, options.token or os.environ.get("SLOWPATH_TOKEN", "")) as server:
        exports = f"profile-sets/{quote(options.profile_set, safe='')}/exports"
        export = server.once("POST", exports, json={"format": "pgo", "kind": CPU})
        path = f"{exports}/{export['id']}"
        until = time.monotonic() + MOST_SECONDS
        while export["state"] in UNDER_WAY and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
            export = server.once("GET", path)
        if export["state"] != "done":
            detail = (export.get("problem") or {}).get("detail") or f"The export is {export['state']}."
            raise InvalidArgument(str(detail))
        server.download(f"{path}/content", out)
