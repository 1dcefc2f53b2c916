"""The compiler's part of `slowpath compare`: what it did differently in the programs of both sides."""

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from slowpath.analysis.builds.compile_report import FORMAT, CompilerReason, fold_type_arguments
from slowpath.analysis.comparison.comparison_document import ComparisonDocument
from slowpath.analysis.comparison.compiler_findings import (
    CompilerSection,
    make_compiler_section,
    profile_kind_of,
    regressed_functions,
)
from slowpath.analysis.comparison.compiler_report import CompilerReport
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.pgo_profile import add_pgo_profile
from slowpath_cli.core.input_files import InvalidInput, decode_profiles, list_profiles, read_facts, resolved, run_helper
from slowpath_cli.core.sidecars import find_sidecar

MOST_REPORT_BYTES: Final = 8 << 20
MOST_RECORDED: Final = 20
"""Profiles of a side whose addresses are used."""
_REASONS: Final = TypeAdapter(tuple[CompilerReason, ...])


def read_reasons(options: argparse.Namespace) -> Sequence[CompilerReason]:
    """Return the decisions of the report, none without one. Raises `InvalidInput`."""
    if not options.compile_report:
        return ()
    path = resolved(options.compile_report)
    try:
        if path.stat().st_size > MOST_REPORT_BYTES:
            raise InvalidInput(f"{path} has more than {MOST_REPORT_BYTES:,} bytes, the limit of a compile report.")
        document = json.loads(path.read_text("utf-8"))
        if document["format"] != FORMAT:
            raise InvalidInput(
                f"{path} is not a report of `slowpath compile-report`: its format is {document['format']!r}."
            )
        return _REASONS.validate_python(document["reasons"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} is not a report of `slowpath compile-report`: {type(error).__name__}.") from error


def select_reasons(reasons: Sequence[CompilerReason], section: CompilerSection | None) -> list[CompilerReason]:
    """Return the decisions on the functions that the section names, and those on whole builds; without a section, all."""
    if section is None:
        return list(reasons)
    named = {fold_type_arguments(name) for each in section.findings for name in (each.function, each.callee or "")}
    return [each for each in reasons if not each.function or fold_type_arguments(each.function) in named]


def compare_binaries(options: argparse.Namespace, document: ComparisonDocument, helper: Path) -> CompilerSection | None:
    """Compare the programs on the stacks of the profiles, if both are given. Raises `InvalidInput`."""
    binaries = {side: getattr(options, f"{side}_binary") for side in ("base", "candidate")}
    if not any(binaries.values()):
        return None
    if not all(binaries.values()):
        raise InvalidInput("--base-binary and --candidate-binary are needed together")
    kind = profile_kind_of(document.findings, [each.kind for each in document.profile_kinds])
    arguments = ["compare-binaries", "--kind", kind]
    for side, text in binaries.items():
        path = resolved(text)
        if not path.is_file():
            raise InvalidInput(f"{text}: no such file")
        arguments += [f"--{side}-binary", str(path), *_pgo_argument(side, path)]
    for function in regressed_functions(document.findings):
        arguments += [f"--function={function}"]
    with tempfile.TemporaryDirectory(prefix="slowpath-") as folder:
        for side in binaries:
            for path in decode_profiles(getattr(options, side), Path(folder, side), helper):
                arguments += [f"--{side}", str(path)]
            recorded = list_profiles(getattr(options, side), helper)[:MOST_RECORDED]
            arguments += [f"--{side}-addresses={path}" for path in recorded]
        report: CompilerReport = json.loads(run_helper(helper, arguments))
    return make_compiler_section(report, document.findings)


def _pgo_argument(side: str, program: Path) -> list[str]:
    """Return the argument with the digest of a program's PGO profile: of its run metadata, else of the file itself."""
    sidecar = find_sidecar(program)
    sha256 = add_pgo_profile(read_facts(sidecar) if sidecar is not None else RunMetadata(), program).pgo_sha256
    return [f"--{side}-pgo-sha256={sha256}"] if sha256 else []
