"""A comparison as the JSON that people keep: `slowpath.comparison/1`.

Pure dict building; the command line and the web say the same because both say this.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from slowpath.analysis.findings import Doubt, Finding
from slowpath.analysis.profiles.artifact import ProfileArtifact
from slowpath.analysis.profiles.compare import KindResult, ProfileComparison
from slowpath.analysis.profiles.doubts import by_gravity
from slowpath.analysis.profiles.headline import headline_of
from slowpath.analysis.profiles.kind_comparison import TOTAL, KindComparison

FORMAT = "slowpath.comparison/1"


def to_json(comparison: ProfileComparison, more_doubts: Sequence[Doubt] = ()) -> dict[str, Any]:
    """The whole result as plain JSON values (no NaN, no infinity).

    `more_doubts` are those of the caller: files that were given and could not be read, for example.
    """
    return {
        "format": FORMAT,
        "verdict": comparison.verdict,
        "headline": _headline(comparison),
        "findings": [_finding(finding) for finding in comparison.findings],
        "sides": {"base": _side(comparison.base), "candidate": _side(comparison.candidate)},
        "detectable": [asdict(each) for each in comparison.detectable],
        "moves": [asdict(move) for move in comparison.moves],
        "doubts": [asdict(doubt) for doubt in by_gravity((*comparison.doubts, *more_doubts))],
        "kinds": [_kind(kind) for kind in comparison.kinds],
        "views": [view.describe() for view in comparison.views()],
    }


def _headline(comparison: ProfileComparison) -> dict[str, Any]:
    leading = next((kind for kind in comparison.kinds if kind.verdict == comparison.verdict), None)
    detectable = next((each.ratio for each in leading.detectable if each.subject == TOTAL), None) if leading else None
    headline = headline_of(
        comparison.verdict,
        leading.comparison if leading else None,
        leading.findings if leading else (),
        detectable,
    )
    return asdict(headline)


def _finding(finding: Finding) -> dict[str, Any]:
    return asdict(finding)


def _side(artifacts: Sequence[ProfileArtifact]) -> dict[str, Any]:
    runs = {artifact.facts.run for artifact in artifacts if artifact.facts.run is not None}
    return {
        "artifacts": [artifact.name for artifact in artifacts],
        "runs": len(runs) or len(artifacts),
        "facts": _common_facts(artifacts),
    }


def _common_facts(artifacts: Sequence[ProfileArtifact]) -> dict[str, Any]:
    """Counts are summed; other facts are given when all artifacts that know them agree."""
    common: dict[str, Any] = {}
    for facts in (artifact.facts.to_json() for artifact in artifacts):
        for name, fact in facts.items():
            common.setdefault(name, []).append(fact)
    summed = {"requests", "wall_ns", "cpu_ns"}
    return {
        name: sum(known) if name in summed else known[0]
        for name, known in common.items()
        if name in summed or all(fact == known[0] for fact in known)
    }


def _kind(result: KindResult) -> dict[str, Any]:
    comparison = result.comparison
    return {
        "kind": comparison.kind,
        "verdict": result.verdict,
        "sample_type": asdict(comparison.sets.sample_type),
        "default_basis": comparison.basis.id,
        "totals": {
            basis.id: {
                "unit": basis.unit,
                "base": _total(comparison, basis.id, 0),
                "candidate": _total(comparison, basis.id, 1),
            }
            for basis in comparison.bases
        },
    }


def _total(comparison: KindComparison, basis_id: str, side: int) -> float:
    basis = next(basis for basis in comparison.bases if basis.id == basis_id)
    totals = comparison.sets.totals()
    mask = comparison.sets.is_base if side == 0 else ~comparison.sets.is_base
    return float(totals[mask].sum() * comparison.scale(basis)[side])
