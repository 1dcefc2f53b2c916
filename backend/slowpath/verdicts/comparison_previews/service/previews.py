"""State what the sides of a comparison contain, and what it could conclude, before it is created."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import numpy as np

from slowpath.analysis.comparison.expected_effects import Conclusion, EvidenceSide, conclude
from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.metrics.changes.compare_latency import compare_latency
from slowpath.analysis.kinds.profiles.caveats.profile_caveats import by_gravity
from slowpath.analysis.kinds.profiles.caveats.profile_side_caveats import find_condition_caveats
from slowpath.analysis.kinds.profiles.decoded.recorded_profile import StoredRecording, StoredTable
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import DEFAULT_THRESHOLDS
from slowpath.analysis.kinds.registry import BENCHMARK, CPU_PROFILE, PROFILE, STACK_GROWTH, compared_ids, kind_of
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ServiceId
from slowpath.evidence.metrics.service.latency_ranges import latency_between
from slowpath.evidence.metrics.service.live_samples import LiveReads
from slowpath.verdicts.comparison_previews import queries
from slowpath.verdicts.comparison_previews.read_models import ComparisonPreview, KindPreview, SidePreview
from slowpath.verdicts.comparison_previews.rules import find_label_pair
from slowpath.verdicts.comparison_previews.service.side_dispersion import SideDispersions
from slowpath.verdicts.comparison_previews.wording import (
    conclude_latency,
    describe_overlap,
    describe_preview,
)
from slowpath.verdicts.comparisons.read_models import ResolvedSource
from slowpath.verdicts.comparisons.rules import LabelMatchers, Side
from slowpath.verdicts.comparisons.rules.side_sources import SideEvidence, SideSource
from slowpath.verdicts.comparisons.service.comparisons import validate_time_range
from slowpath.verdicts.comparisons.service.side_sources import describe_left_out, resolve_source
from slowpath.verdicts.regressions.service.measured_dispersion import list_dispersions

NOT_CONDITIONS = ("run", "requests", "wall_ns", "cpu_ns", "started_at_ms", "ended_at_ms")
"""Run metadata that differs between runs under equal conditions."""
MOST_CONDITIONS = 20


def preview_comparison(
    session: ReadSession,
    base: SideSource | None,
    candidate: SideSource | None,
    now: datetime,
    live: LiveReads,
    *,
    dispersions: SideDispersions,
) -> ComparisonPreview:
    """Return what both sides contain and what can be concluded; a side that is not chosen yet is None.

    Raises what `resolve_source` does, and `InvalidTimeRange`.
    """
    base_side, candidate_side = (
        _resolve(session, side, source, now) for side, source in ((Side.BASE, base), (Side.CANDIDATE, candidate))
    )
    caveats: list[Caveat] = []
    conclusions: list[Conclusion] = []
    if base_side is not None and candidate_side is not None:
        caveats = _find_caveats(session, base_side, candidate_side)
        is_explained = any(each.explains_effect for each in caveats)
        conclusions = _conclude(session, base_side, candidate_side, dispersions, is_explained=is_explained)
        of_latency, latency = _compare_latency(session, base_side, candidate_side, live)
        caveats, conclusions = [*caveats, *of_latency], [*conclusions, *latency]
    overlap = _find_overlap(base_side, candidate_side, has_labels=_labels_differ(base, candidate))
    can_compare = overlap is None and any(each.state != "not-compared" for each in conclusions)
    return ComparisonPreview(
        _make_side(base_side) if base_side else None,
        _make_side(candidate_side) if candidate_side else None,
        caveats=by_gravity(caveats),
        conclusions=conclusions,
        headline=overlap or describe_preview((base is not None, candidate is not None), conclusions),
        can_compare=can_compare,
    )


def _find_overlap(base: ResolvedSource | None, candidate: ResolvedSource | None, *, has_labels: bool) -> str | None:
    if base is None or candidate is None:
        return None
    shared = set(base.artifact_ids) & set(candidate.artifact_ids)
    return describe_overlap(0 if has_labels else len(shared), base.time_range, candidate.time_range)


def _labels_differ(base: SideSource | None, candidate: SideSource | None) -> bool:
    """Return whether both sides select different samples of equal artifacts."""
    return base is not None and candidate is not None and base.labels != candidate.labels


def _resolve(session: ReadSession, side: Side, source: SideSource | None, now: datetime) -> ResolvedSource | None:
    if source is None:
        return None
    resolved = resolve_source(session, source, now)
    validate_time_range(session, side, resolved.time_range)
    return resolved


def _make_side(resolved: ResolvedSource) -> SidePreview:
    conditions = {_conditions_of(each): None for each in resolved.evidence}
    cpu_summaries = [each.summary for each in resolved.evidence if each.kind == CPU_PROFILE]
    return SidePreview(
        resolved=resolved,
        kinds=[_make_kind(kind, each) for kind, each in _by_kind(resolved.evidence).items()],
        conditions=list(conditions)[:MOST_CONDITIONS],
        left_out=describe_left_out(resolved.left_out),
        label_pair=None if resolved.labels else find_label_pair(cpu_summaries),
    )


def _conditions_of(each: SideEvidence) -> RunMetadata:
    known = RunMetadata.from_json(each.run_metadata).to_json()
    return RunMetadata.from_json({name: value for name, value in known.items() if name not in NOT_CONDITIONS})


def _by_kind(evidence: Iterable[SideEvidence]) -> dict[str | None, list[SideEvidence]]:
    """Return the artifacts by kind in display order; those that are not decoded yet are last."""
    found: dict[str | None, list[SideEvidence]] = {kind: [] for kind in (*compared_ids(), None)}
    for each in evidence:
        found[each.kind].append(each)
    return {kind: mine for kind, mine in found.items() if mine}


def _make_kind(stored_id: str | None, evidence: Sequence[SideEvidence]) -> KindPreview:
    samples = _total_samples(stored_id, evidence)
    durations = [int(each.summary["duration_ns"]) for each in evidence if each.summary.get("duration_ns")]
    times = [each.recorded_ms for each in evidence]
    return KindPreview(stored_id, len(evidence), samples, min(times), max(times), sum(durations) or None)


def _total_samples(stored_id: str | None, evidence: Sequence[SideEvidence]) -> int | None:
    kind = kind_of(stored_id)
    counts = [each.summary.get(kind.samples_field) for each in evidence] if kind else []
    known = [int(count) for count in counts if count is not None]
    return sum(known) if known else None


def _find_caveats(session: ReadSession, base: ResolvedSource, candidate: ResolvedSource) -> list[Caveat]:
    """Compare the conditions of profiles if both sides have some, as a comparison does, else of all artifacts."""
    profiles = [[each for each in side.evidence if kind_of(each.kind) is PROFILE] for side in (base, candidate)]
    compared = profiles if all(profiles) else [list(base.evidence), list(candidate.evidence)]
    binaries = queries.select_binaries(session, [each.artifact_id for side in compared for each in side])
    recordings = [
        [_make_recording(each, side.labels, binaries) for each in evidence]
        for side, evidence in zip((base, candidate), compared, strict=True)
    ]
    return find_condition_caveats(recordings[0], recordings[1], DEFAULT_THRESHOLDS.saturated_at)


def _make_recording(
    each: SideEvidence, labels: LabelMatchers, binaries: Mapping[UUID, tuple[str, ...]]
) -> StoredRecording:
    table = StoredTable(int(each.summary.get("duration_ns") or 0), binaries.get(each.artifact_id, ()))
    return StoredRecording(RunMetadata.from_json(each.run_metadata), table, labels)


def _conclude(
    session: ReadSession,
    base: ResolvedSource,
    candidate: ResolvedSource,
    dispersions: SideDispersions,
    *,
    is_explained: bool,
) -> list[Conclusion]:
    sides = [_by_kind(side.evidence) for side in (base, candidate)]
    kinds = [kind for kind in compared_ids() if any(kind in side for side in sides)]
    history = list_dispersions(session, _services_of(base, candidate), kinds)
    found = (
        conclude(
            kind,
            _make_evidence_side(kind, sides[0].get(kind, ())),
            _make_evidence_side(kind, sides[1].get(kind, ())),
            history.get(kind) or dispersions.find(session, kind, [side.get(kind, ()) for side in sides]),
            is_explained=is_explained,
        )
        for kind in kinds
    )
    return [each for each in found if each is not None]


def _services_of(*sides: ResolvedSource) -> list[ServiceId]:
    found: dict[ServiceId, None] = {}
    for side in sides:
        if side.build is not None:
            found[ServiceId(side.build.service_id)] = None
        if side.time_range is not None:
            found[side.time_range.service_id] = None
    return list(found)


def _make_evidence_side(stored_id: str, evidence: Sequence[SideEvidence]) -> EvidenceSide:
    """Count replicates: runs, if several are known, else artifacts; of benchmarks, values of one benchmark."""
    count, samples, kind = len(evidence), _total_samples(stored_id, evidence), kind_of(stored_id)
    if kind is BENCHMARK:
        names = max((int(each.summary.get("benchmarks") or 0) for each in evidence), default=0)
        return EvidenceSide(count, (samples or 0) // names if names else 0)
    runs = {RunMetadata.from_json(each.run_metadata).run for each in evidence}
    replicates = len(runs) if None not in runs and len(runs) > 1 else count
    if stored_id == CPU_PROFILE:
        return EvidenceSide(count, replicates, _count_ticks(evidence))
    return EvidenceSide(count, replicates, samples if kind is STACK_GROWTH else None)


def _count_ticks(evidence: Sequence[SideEvidence]) -> float | None:
    """Return the ticks of CPU profiles from the process's CPU time, or None unless all state it."""
    ticks = [_ticks_of(each) for each in evidence]
    known = [each for each in ticks if each is not None]
    return sum(known) if known and len(known) == len(ticks) else None


def _ticks_of(each: SideEvidence) -> float | None:
    metadata = RunMetadata.from_json(each.run_metadata)
    period, duration_ns = each.summary.get("period"), each.summary.get("duration_ns")
    if not period or not duration_ns or not metadata.cpu_ns or not metadata.wall_ns:
        return None
    return float(metadata.cpu_ns) * float(duration_ns) / float(metadata.wall_ns) / float(period)


def _compare_latency(
    session: ReadSession, base: ResolvedSource, candidate: ResolvedSource, live: LiveReads
) -> tuple[Sequence[Caveat], Sequence[Conclusion]]:
    """Return caveats and conclusion of the metrics of both time ranges, none if no side has metrics."""
    first, second = (_read_latency(session, side, live) for side in (base, candidate))
    if not any(window is not None and window.latency is not None for window in (first, second)):
        return (), ()
    compared = compare_latency(first, second, np.random.default_rng(0)) if first and second else None
    return compared.caveats if compared else (), [conclude_latency(first, second, compared)]


def _read_latency(session: ReadSession, side: ResolvedSource, live: LiveReads) -> LatencyWindow | None:
    window = side.time_range
    if window is None:
        return None
    return latency_between(session, window.service_id, window.environment_id, window.from_ms, window.to_ms, live)
