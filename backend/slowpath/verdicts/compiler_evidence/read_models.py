"""Values that the services of the compiler's evidence return."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CompilerAbsence:
    """Why a comparison has no part of the compiler, and what helps.

    `is_changing`: an executable is being decoded. `can_compute_again`: the comparison would have the part now.
    """

    reasons: tuple[str, ...]
    remedy: str
    is_changing: bool = False
    can_compute_again: bool = False
