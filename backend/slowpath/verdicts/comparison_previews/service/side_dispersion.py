"""How much the replicates on the sides of a comparison vary, where no measured build shows it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from slowpath.analysis.comparison.expected_effects import Dispersion, noise_model
from slowpath.analysis.findings.build_measurements import KindMeasurement
from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.registry import kind_of, measured_kinds
from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import NotFound, Unavailable
from slowpath.core.ids import BlobKey
from slowpath.core.ports import BlobStore
from slowpath.verdicts.comparison_previews import queries
from slowpath.verdicts.comparisons.rules.side_sources import SideEvidence
from slowpath.verdicts.regressions.service.measured_dispersion import pool_dispersions

MOST_ARTIFACTS: Final = 10
"""Of a side and kind: the first."""
MOST_BYTES: Final = 16 << 20
"""Decoded columns of a kind that one preview reads."""
MOST_FUNCTIONS: Final = 16
"""Only the total is used."""


@dataclass
class SideDispersions:
    """Reads the artifacts of one preview, each kind once."""

    blobs: BlobStore
    _known: dict[str, Dispersion | None] = field(default_factory=dict)

    def find(self, session: ReadSession, stored_id: str, sides: Sequence[Sequence[SideEvidence]]) -> Dispersion | None:
        """Return the dispersion of the total between replicates, pooled over the sides.

        None for kinds that have a prior, without a side of two replicates, and if the artifacts are too large to be read here.
        """
        if stored_id not in self._known:
            self._known[stored_id] = self._measure(session, stored_id, sides)
        return self._known[stored_id]

    def _measure(
        self, session: ReadSession, stored_id: str, sides: Sequence[Sequence[SideEvidence]]
    ) -> Dispersion | None:
        model = noise_model(stored_id)
        if model is None or model.prior_cv is not None or not measured_kinds().get(stored_id):
            return None
        read = [side[:MOST_ARTIFACTS] for side in sides]
        columns = queries.select_columns(session, [each.artifact_id for side in read for each in side])
        if sum(size for _, size in columns.values()) > MOST_BYTES:
            return None
        sized = [
            [(each, columns[each.artifact_id][0]) for each in side if each.artifact_id in columns] for side in read
        ]
        try:
            found = [self._measure_side(stored_id, side) for side in sized]
        except (NotFound, Unavailable):  # deleted meanwhile, or the store does not respond
            return None
        return pool_dispersions([each for each in found if each is not None])

    def _measure_side(self, stored_id: str, side: Sequence[tuple[SideEvidence, BlobKey]]) -> KindMeasurement | None:
        kind = kind_of(stored_id)
        if not side or kind is None or kind.read_artifact is None or kind.measure_build is None:
            return None
        artifacts = [
            kind.read_artifact(
                DecodedColumns(
                    each.name,
                    memoryview(self.blobs.read(key)),
                    RunMetadata.from_json(each.run_metadata),
                    is_validated=True,
                )
            )
            for each, key in side
        ]
        wanted = measured_kinds()[stored_id][0]
        measured = kind.measure_build(stored_id, artifacts, MOST_FUNCTIONS)
        return next((one for one in measured if one.kind == wanted), None)
