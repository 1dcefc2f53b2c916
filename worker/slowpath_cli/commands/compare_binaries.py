"""The compiler's part of `slowpath compare`: what it did differently in the programs of both sides."""

import argparse
import json
import tempfile
from pathlib import Path

from slowpath.analysis.comparison.comparison_document import ComparisonDocument
from slowpath.analysis.comparison.compiler_findings import (
    CompilerSection,
    make_compiler_section,
    profile_kind_of,
    regressed_functions,
)
from slowpath.analysis.comparison.compiler_report import CompilerReport
from slowpath_cli.core.input_files import InvalidInput, decode_profiles, resolved, run_helper


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
        arguments += [f"--{side}-binary", str(path)]
    for function in regressed_functions(document.findings):
        arguments += [f"--function={function}"]
    with tempfile.TemporaryDirectory(prefix="slowpath-") as folder:
        for side in binaries:
            for path in decode_profiles(getattr(options, side), Path(folder, side), helper):
                arguments += [f"--{side}", str(path)]
        report: CompilerReport = json.loads(run_helper(helper, arguments))
    return make_compiler_section(report, document.findings)
