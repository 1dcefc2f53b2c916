"""What is known of an exported PGO profile before it is used: the hot paths of the program, and what an earlier one did.

No build with the exported profile exists on the server, and none is made: `slowpath pgo --check` does that where the source is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from slowpath.analysis.comparison.compiler_report import CompilerReport, StackSizesReport
from slowpath.analysis.comparison.stack_sizes import NEAR_BYTES, HotPath, describe_pgo, make_hot_paths
from slowpath.analysis.findings.wording import pluralize
from slowpath.analysis.formats.go_function_names import short

NOT_CHECKED: Final = (
    "The stack sizes were not checked: no executable of these profiles, and none of their service, is stored. "
    "Check where the source is, with the command below."
)
NOT_BUILT: Final = (
    "No build with this profile was made: it changes what is inlined, and so the frames of these paths. "
    "The command below builds the program without and with it, and compares both."
)
COMMAND: Final = "slowpath pgo --profile-set {set_id} --server {server} --out default.pgo --check ./cmd/PROGRAM"


@dataclass(frozen=True)
class CheckedProgram:
    """The executable whose hot paths were read. `is_of_profiles`: the profiles are of it or of its build."""

    name: str
    go_version: str
    arch: str
    build_id: str
    pgo: str | None
    is_of_profiles: bool


@dataclass(frozen=True)
class PgoExportCheck:
    """What an export was checked against, and what that showed; `command` checks it where the source is.

    `near`: hot paths with at most 64 bytes left before the next stack size. `earlier_effect`: what an earlier PGO profile did to
    the hot paths, from two executables of one build; null without such a pair.
    """

    format: Literal["slowpath.pgo_check/1"]
    checked: CheckedProgram | None
    hot_path_count: int
    near: tuple[HotPath, ...]
    earlier_effect: str | None
    sentences: tuple[str, ...]
    command: str


def make_pgo_check(
    checked: CheckedProgram | None,
    report: StackSizesReport | None,
    earlier: CompilerReport | None,
    *,
    set_id: str,
    server: str,
) -> PgoExportCheck:
    """Return the check of an export: `report` of the program's hot paths, `earlier` of a build without and with PGO."""
    command = COMMAND.format(set_id=set_id, server=server)
    if checked is None or report is None:
        return PgoExportCheck("slowpath.pgo_check/1", None, 0, (), None, (NOT_CHECKED,), command)
    paths = make_hot_paths(report["paths"])
    near = tuple(path for path in paths if path.base.free_bytes <= NEAR_BYTES)
    effect = describe_pgo(earlier) if earlier is not None and earlier["only_pgo"] else None
    sentences = [_describe_program(checked), *_describe_paths(paths, near)]
    sentences += [f"An earlier PGO profile of this build: {effect}"] if effect else []
    return PgoExportCheck("slowpath.pgo_check/1", checked, len(paths), near, effect, (*sentences, NOT_BUILT), command)


def _describe_program(checked: CheckedProgram) -> str:
    built = "with a PGO profile" if checked.pgo else "without a PGO profile"
    whose = (
        "" if checked.is_of_profiles else " It is the newest executable of the service, not the one of these profiles."
    )
    return f"Checked against {checked.name} ({checked.go_version}, {checked.arch}, built {built}).{whose}"


def _describe_paths(paths: Sequence[HotPath], near: Sequence[HotPath]) -> list[str]:
    if not paths:
        return ["No path of a goroutine has 1% of the samples."]
    if not near:
        least = min(path.base.free_bytes for path in paths)
        near_none = f"None of its {pluralize(len(paths), 'hot path')} is within {NEAR_BYTES} B of the next stack size"
        return [f"{near_none}; the nearest has {least:,} B left."]
    return [
        f"The hot path to {short(path.stack[-1])} ({path.base_share:.1%} of the samples) needs {path.base.highest_bytes:,} B of "
        f"{path.base.limit_bytes:,}: {path.base.free_bytes:,} B are left before each goroutine on it needs more than "
        f"{path.base.stack_bytes // 1024} KiB."
        for path in near
    ]
