"""Values that the services of the compiler's evidence return."""

from dataclasses import dataclass

from slowpath.core.ids import ArtifactId


@dataclass(frozen=True)
class CompilerAbsence:
    """Why a comparison has no part of the compiler, and what helps.

    `is_changing`: an executable is being decoded. `can_compute_again`: the comparison would have the part now.
    """

    reasons: tuple[str, ...]
    remedy: str
    is_changing: bool = False
    can_compute_again: bool = False


@dataclass(frozen=True)
class AssemblySources:
    """What an assembly depends on besides its executables.

    Profiles whose samples are added, by side, and names in base and candidate of functions that were renamed.
    """

    base_profiles: tuple[ArtifactId, ...]
    candidate_profiles: tuple[ArtifactId, ...]
    renames: tuple[tuple[str, str], ...]
