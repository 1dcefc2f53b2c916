"""A comparison as the JSON that people keep: `slowpath.comparison/1`.

Pure dict building; the command line and the web say the same because both say this.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from slowpath.analysis.comparison.compare_sides import SideComparison
from slowpath.analysis.comparison.verdict_headline import make_headline
from slowpath.analysis.findings.findings import Caveat, Finding
from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.kinds.comparison_sides import ComparisonSide, NamedArtifact
from slowpath.analysis.kinds.profiles.compare_profiles import ProfileKindResult
from slowpath.analysis.kinds.profiles.profile_caveats import by_gravity
from slowpath.analysis.kinds.profiles.profile_kind_comparison import ProfileKindComparison

FORMAT = "slowpath.comparison/1"


def to_json(comparison: SideComparison, more_doubts: Sequence[Caveat] = ()) -> dict[str, Any]:
    """The whole result as plain JSON values (no NaN, no infinity).

    `more_doubts` are those of the caller: files that were given and could not be read, for example.
    """
    profiles = comparison.profiles
    return {
        "format": FORMAT,
        "verdict": comparison.verdict,
        "headline": asdict(make_headline(comparison)),
        "findings": [_finding(finding) for finding in comparison.findings],
        "sides": {"base": _side(comparison.base), "candidate": _side(comparison.candidate)},
        "detectable": [asdict(each) for each in comparison.detectable],
        "moves": [asdict(move) for move in comparison.moves],
        "doubts": [asdict(doubt) for doubt in by_gravity((*comparison.doubts, *more_doubts))],
        "kinds": [_kind(kind) for kind in profiles.kinds] if profiles else [],
        "parts": [{"part": name, "verdict": part.verdict} for name, part in comparison.parts.items()],
        "views": [view.describe() for view in profiles.views()] if profiles else [],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return asdict(finding)


def _side(side: ComparisonSide) -> dict[str, Any]:
    artifacts = side.artifacts()
    runs = {artifact.facts.run for artifact in artifacts if artifact.facts.run is not None}
    return {
        "artifacts": [artifact.name for artifact in artifacts],
        "runs": len(runs) or len(artifacts),
        "facts": _common_facts(artifacts),
        "window": _window(side.latency) if side.latency else None,
    }


def _window(window: LatencyWindow) -> dict[str, Any]:
    """Which time of which service, and what is known of it."""
    return {
        "service": window.service,
        "environment": window.environment,
        "from_ms": window.from_ms,
        "to_ms": window.to_ms,
        "known_ms": window.known_ms,
        "requests": window.requests,
        "instances": window.instances,
    }


def _common_facts(artifacts: Sequence[NamedArtifact]) -> dict[str, Any]:
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


def _kind(result: ProfileKindResult) -> dict[str, Any]:
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


def _total(comparison: ProfileKindComparison, basis_id: str, side: int) -> float:
    basis = next(basis for basis in comparison.bases if basis.id == basis_id)
    totals = comparison.sets.totals()
    mask = comparison.sets.is_base if side == 0 else ~comparison.sets.is_base
    return float(totals[mask].sum() * comparison.scale(basis)[side])
