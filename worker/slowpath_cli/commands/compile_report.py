"""`slowpath compile-report`: build a package at two commits, and state what the compiler decided differently.

Exit codes: 0 written, 2 bad input (including a build that fails).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from slowpath.adapters.git_objects import CatFileReader
from slowpath.analysis.builds.compile_report import (
    FORMAT,
    FunctionDecisions,
    describe_reason,
    find_differences,
    parse_decisions,
)
from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.commands.server_arguments import server_of
from slowpath_cli.core.collect_errors import CollectError
from slowpath_cli.core.input_files import resolved
from slowpath_cli.local_bisect.local_repositories import DIES_WITH_US, InvalidRepository, LocalRepository

BAD_INPUT = 2
BUILD_SECONDS = 1800.0
LAST_CHARACTERS = 2000


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
        commits = [repository.resolve(each) for each in (options.base, options.candidate)]
        base, candidate = (
            _decisions(repository.tree(slot, commit) / options.directory.strip("/"), options)
            for slot, commit in enumerate(commits)
        )
    reasons = find_differences(base, candidate)
    if not options.out:
        print("\n".join(map(describe_reason, reasons)) or "The compiler decided the same in both commits.")
    return {
        "format": FORMAT,
        "package": options.package,
        "base_commit": commits[0],
        "candidate_commit": commits[1],
        "reasons": [asdict(each) for each in reasons],
    }


def _decisions(folder: Path, options: argparse.Namespace) -> dict[str, FunctionDecisions]:
    """Build the package in a work tree, and return what the compiler decided on the functions of its module."""
    module = _go(folder, "list", "-m", "-f", "{{.Path}}").stdout.split("\n")[0].strip()
    tags = ["-tags", options.tags]
    listed = _go(folder, "list", *tags, "-f", "{{.ImportPath}} {{.Name}}", "--", options.package).stdout.split()
    if len(listed) != 2:
        raise InvalidRepository(f"{options.package!r} names {len(listed) // 2} packages. Name one main package.")
    path, name = listed
    build = ["build", "-buildvcs=false", *tags, f"-gcflags={module}/...=-m=2", "-o", os.devnull]
    printed = _go(folder, *build, "--", options.package).stderr
    return parse_decisions(printed, path if name == "main" else "")


def _go(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the go command in a separate session, which ends with this process. Raises `InvalidRepository`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            [*DIES_WITH_US, "go", *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            encoding="utf-8", errors="replace", timeout=BUILD_SECONDS, check=False, start_new_session=True,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvalidRepository(f"go {words[0]} could not be run in {folder}: {error}") from error
    if done.returncode != 0:
        raise InvalidRepository(f"go {words[0]} failed in {folder}: {done.stderr.strip()[-LAST_CHARACTERS:]}")
    return done
