"""`slowpath compile-report`: build a package at two commits, and state what the compiler decided differently.

Exit codes: 0 written, 2 bad input (including a build that fails).
"""

import argparse
import json
import os
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from slowpath.adapters.git_objects import CatFileReader
from slowpath.analysis.builds.compile_report import FORMAT, describe_reason
from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.commands.server_arguments import server_of
from slowpath_cli.core.collect_errors import CollectError
from slowpath_cli.core.input_files import resolved
from slowpath_cli.local_bisect.compiler_decisions import PackagePlace, compare_decisions
from slowpath_cli.local_bisect.local_repositories import InvalidRepository, LocalRepository

BAD_INPUT = 2


def run(options: argparse.Namespace) -> int:
    """Build both commits, write or print what differs, send it if asked, and return the exit code."""
    try:
        document = _compare(options)
        if options.upload:
            _upload(document, options)
    except (InvalidRepository, CollectError) as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return BAD_INPUT
    if options.out:
        resolved(options.out).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0


def _upload(document: dict[str, object], options: argparse.Namespace) -> None:
    address = options.server or server_of(os.environ)
    if not address:
        raise InvalidRepository("No server given. Set SLOWPATH_URL, or use --server.")
    with UploadClient(address, options.token or os.environ.get("SLOWPATH_TOKEN", "")) as server:
        server.once("POST", "compile-reports", json=document)


def _compare(options: argparse.Namespace) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="slowpath-") as folder:
        source = resolved(options.repo)
        repository = LocalRepository(str(source), source, Path(folder, "repository"), CatFileReader)
        base, candidate = (repository.resolve(each) for each in (options.base, options.candidate))
        place = PackagePlace(options.directory, options.tags, options.package)
        reasons = compare_decisions(repository, (base, candidate), place)
    if not options.out:
        print("\n".join(map(describe_reason, reasons)) or "The compiler decided the same in both commits.")
    return {
        "format": FORMAT,
        "package": options.package,
        "base_commit": base,
        "candidate_commit": candidate,
        "reasons": [asdict(each) for each in reasons],
    }
