"""Response bodies of lists of builds."""

from typing import Annotated

from pydantic import BaseModel, Field

from slowpath.analysis.kinds.registry import StoredKindId
from slowpath.evidence.artifacts.service.build_evidence import EvidenceCounts
from slowpath.inventory.catalog.schemas.catalog_entries import BuildOut
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.regressions.read_models import CombinedVerdict
from slowpath.verdicts.regressions.schemas.build_verdict_schemas import BuildVerdictOut, make_build_verdict_out


class KindCountOut(BaseModel):
    """Number of decoded artifacts of one kind."""

    kind: StoredKindId
    count: int


class ListedBuildOut(BuildOut):
    """A build as listed, with its decoded artifacts by kind and its verdict; null before it is evaluated."""

    dependencies: Annotated[dict[str, str] | None, Field(description="Null in lists: `GET /builds/ID` has them")]
    evidence: list[KindCountOut]
    waiting_artifacts: int
    verdict: BuildVerdictOut | None


def make_listed_build_out(row: Build, counts: EvidenceCounts, verdict: CombinedVerdict | None) -> ListedBuildOut:
    """Return the response body of a listed build."""
    listed = {name: getattr(row, name) for name in BuildOut.model_fields if name != "dependencies"}
    return ListedBuildOut.model_validate(
        {
            **listed,
            "dependencies": None,
            "evidence": [{"kind": kind, "count": count} for kind, count in counts.kinds.items()],
            "waiting_artifacts": counts.waiting,
            "verdict": make_build_verdict_out(verdict) if verdict else None,
        }
    )
