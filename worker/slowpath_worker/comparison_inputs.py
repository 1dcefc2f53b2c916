"""Find the artifacts of a comparison's sides in the database, and open them for the analysis."""

import mmap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slowpath.analysis.comparison.side_labels import NoMatchingSample, select_side
from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.artifact_kind import ArtifactKind
from slowpath.analysis.kinds.comparison_sides import ComparisonSide as ComparedSide
from slowpath.analysis.kinds.comparison_sides import NamedArtifact, of_type
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.registry import PROFILE
from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import NotFound
from slowpath.core.ids import ArtifactId, BlobKey, ComparisonId
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.kind_registry import STORED_KINDS, columns_keys
from slowpath.evidence.metrics.service.latency_ranges import latency_between
from slowpath.evidence.metrics.service.live_samples import LiveReads
from slowpath.verdicts.comparisons.errors import LabelsNotFound, NothingToCompare
from slowpath.verdicts.comparisons.rules import LabelMatchers, Side
from slowpath.verdicts.comparisons.service import comparisons
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.job_context import JobContext, Postponed


@dataclass(frozen=True)
class StoredColumns:
    """Columns of an artifact on a side, with its name, ID and run metadata, and their blob key."""

    side: Side
    artifact_id: ArtifactId
    name: str
    facts: RunMetadata
    key: BlobKey


@dataclass
class StoredSides:
    """All columns of both sides by the id of their kind. Profiles include the stacks of growth logs, spans and traces.

    `labels`: which samples belong to a side; such a side has only profiles.
    """

    columns: Mapping[str, Sequence[StoredColumns]] = field(default_factory=dict)
    latency: dict[Side, LatencyWindow] = field(default_factory=dict)
    labels: Mapping[Side, LabelMatchers] = field(default_factory=dict)

    def sides(self) -> set[Side]:
        """Return the sides with at least one artifact."""
        return {each.side for of_kind in self.columns.values() for each in of_kind}


@dataclass(frozen=True)
class LoadedSides:
    """Both sides as inputs of the analysis, and the helper's comparisons of their columns by the id of the kind."""

    base: ComparedSide
    candidate: ComparedSide
    helper_outputs: Mapping[str, Mapping[str, Any]]


def find_side_columns(session: ReadSession, comparison_id: ComparisonId) -> StoredSides:
    """Return the blob keys of all columns. Raises `Postponed` while artifacts are decoded, `NothingToCompare`."""
    comparison = comparisons.get_comparison(session, comparison_id)
    stored = _stored(session, comparison_id, comparisons.get_label_matchers(comparison))
    windows = comparisons.get_time_ranges(comparison)
    for side in Side:
        if side not in stored.sides() and side not in windows:
            raise NothingToCompare(
                f"No artifact of the {side} could be decoded.", remedy="See the errors of the artifacts, or add others."
            )
    return stored


def windows_of(session: ReadSession, comparison_id: ComparisonId, live: LiveReads) -> dict[Side, LatencyWindow]:
    """Return the latency in the time ranges of both sides; those of a deleted service are omitted."""
    found = {}
    for side, window in comparisons.get_time_ranges(comparisons.get_comparison(session, comparison_id)).items():
        with suppress(NotFound):
            found[side] = latency_between(
                session, window.service_id, window.environment_id, window.from_ms, window.to_ms, live
            )
    return found


def _stored(session: ReadSession, comparison_id: ComparisonId, labels: Mapping[Side, LabelMatchers]) -> StoredSides:
    side_artifacts = comparisons.list_side_artifacts(session, comparison_id)
    if any(each.artifact.state in (ArtifactState.RECEIVED, ArtifactState.DECODING) for each in side_artifacts):
        raise Postponed
    keys = columns_keys(session, [ArtifactId(each.artifact.id) for each in side_artifacts])
    compared = [kind_id for kind_id, stored in STORED_KINDS.items() if stored.kind.read_artifact is not None]
    columns: dict[str, list[StoredColumns]] = {kind_id: [] for kind_id in compared}
    for each in side_artifacts:
        artifact_id, facts = ArtifactId(each.artifact.id), RunMetadata.from_json(each.artifact.run_metadata)
        for kind, key in keys[artifact_id]:
            if kind.id in columns and (kind is PROFILE or each.side not in labels):
                columns[kind.id].append(StoredColumns(each.side, artifact_id, each.artifact.name, facts, key))
    return StoredSides(columns, labels=labels)


@contextmanager
def open_sides(context: JobContext, stored: StoredSides) -> Iterator[LoadedSides]:
    """Open both sides with their columns mapped into memory; they were validated when they were decoded.

    Raises `LabelsNotFound`.
    """
    with ExitStack() as stack:
        artifacts = {
            (kind_id, side): _artifacts(context, STORED_KINDS[kind_id].kind, side, of_kind, stack)
            for kind_id, of_kind in stored.columns.items()
            for side in Side
        }

        def loaded(side: Side) -> ComparedSide:
            side_as_recorded = ComparedSide(
                profiles=of_type(ProfileArtifact, artifacts.get((PROFILE.id, side), ())),
                others={kind_id: artifacts[kind_id, side] for kind_id in stored.columns if kind_id != PROFILE.id},
                latency=stored.latency.get(side),
            )
            try:
                return select_side(side_as_recorded, side.value, stored.labels.get(side, ()))
            except NoMatchingSample as error:
                raise LabelsNotFound(str(error), remedy="Choose one of the values that the side has.") from error

        outputs = _helper_outputs(context, stored, stack)
        yield LoadedSides(loaded(Side.BASE), loaded(Side.CANDIDATE), outputs)


def _artifacts(
    context: JobContext, kind: ArtifactKind, side: Side, stored: Sequence[StoredColumns], stack: ExitStack
) -> list[NamedArtifact]:
    assert kind.read_artifact is not None
    artifacts = []
    for number, each in enumerate(stored):
        if each.side == side:
            context.progress(f"loading {len(stored)} {kind.noun_plural}", 0.1 * number / len(stored))
            columns = _mapped(context, each, stack)
            source = DecodedColumns(each.name, columns, each.facts, str(each.artifact_id), is_validated=True)
            artifacts.append(kind.read_artifact(source))
    return artifacts


def _mapped(context: JobContext, each: StoredColumns, stack: ExitStack) -> memoryview:
    path = stack.enter_context(context.blobs.local(each.key))
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _helper_outputs(context: JobContext, stored: StoredSides, stack: ExitStack) -> dict[str, Mapping[str, Any]]:
    """Run the helper's comparison of each kind that requires one and is on both sides."""
    outputs: dict[str, Mapping[str, Any]] = {}
    for kind_id, of_kind in stored.columns.items():
        kind = STORED_KINDS[kind_id].kind
        if kind.compare_command is None or {each.side for each in of_kind} != set(Side):
            continue
        paths: dict[Side, list[Path]] = {side: [] for side in Side}
        for each in of_kind:
            paths[each.side].append(stack.enter_context(context.blobs.local(each.key)))
        context.progress(f"comparing {kind.verdict_noun}", 0.1)
        helper = DecodeHelper(context.settings, context.check)
        outputs[kind_id] = helper.compare_columns(kind.compare_command, paths[Side.BASE], paths[Side.CANDIDATE])
    return outputs
