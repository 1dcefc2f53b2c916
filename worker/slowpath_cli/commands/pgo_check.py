"""What an exported PGO profile does to the hot paths of a program: it is built without and with the profile."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slowpath.analysis.comparison.compiler_findings import make_compiler_section
from slowpath.analysis.comparison.compiler_report import CompilerReport
from slowpath.analysis.comparison.stack_sizes import list_stack_warnings
from slowpath_cli.core.input_files import DECODE_BINARY, decode_profiles, resolved, run_helper
from slowpath_cli.local_bisect.compiler_decisions import local_compilation, run_go

MOST_PATHS: Final = 5


@dataclass(frozen=True)
class PgoCheck:
    """What the profile changes, as sentences, and whether a hot path needs a larger stack with it."""

    sentences: tuple[str, ...]
    needs_larger_stack: bool


def check_pgo(profile: Path, package: str, tags: str) -> PgoCheck:
    """Build a package in this folder without and with a profile, and compare the hot paths of the profile in both.

    Raises `InvalidRepository` for a build that fails, `InvalidInput`.
    """
    here, how = resolved("."), local_compilation()
    with tempfile.TemporaryDirectory(prefix="slowpath-") as name:
        folder = Path(name)
        programs = {"base": folder / "without", "candidate": folder / "with"}
        for side, pgo in (("base", "off"), ("candidate", str(profile.absolute()))):
            out = ["-o", str(programs[side])]
            run_go(here, how, "build", "-buildvcs=false", "-tags", tags, f"-pgo={pgo}", *out, "--", package)
        [stacks] = decode_profiles([str(profile)], folder / "stacks", DECODE_BINARY)
        arguments = ["compare-binaries", "--kind", "cpu"]
        for side, program in programs.items():
            arguments += [f"--{side}-binary", str(program), f"--{side}", str(stacks)]
        report: CompilerReport = json.loads(run_helper(DECODE_BINARY, arguments))
    section = make_compiler_section(report, ())
    crossed = [each.sentence for each in section.findings if each.kind == "edge-crossed"][:MOST_PATHS]
    warnings = list_stack_warnings(report)
    return PgoCheck(
        (section.pgo or "The builds are equal.", *crossed), any(each.kind == "crosses" for each in warnings)
    )
