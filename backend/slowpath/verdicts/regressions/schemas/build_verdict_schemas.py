"""Response bodies of build verdicts."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from slowpath.verdicts.regressions.read_models import AncestorAnswer, CombinedVerdict
from slowpath.verdicts.regressions.rules import BuildVerdictName, BuildVerdictState
from slowpath.verdicts.regressions.schemas.regression_schemas import BuildRef, RequiredEvidenceOut
from slowpath.verdicts.regressions.tables import BuildVerdict


class KindAnswerOut(BaseModel):
    """The verdict on one kind of artifact. `is_announced`: it changed, with the certainty that a failed check requires."""

    kind: str
    verdict: Literal["regressed", "improved", "mixed", "unchanged", "inconclusive"]
    is_announced: bool


class BuildComparisonOut(BaseModel):
    """The comparison of a build with an earlier one; the verdict already takes its answer into account.

    `state`: `pending`, `changed`, `unchanged` (no change larger than the ratio `bound`), `inconclusive`, `failed`, or why
    there is none: `first-build`, `no-match` (no build has the same kinds), `other-conditions`.
    """

    state: Literal[
        "pending", "changed", "unchanged", "inconclusive", "failed", "first-build", "no-match", "other-conditions"
    ]
    direction: Literal["worse", "better", "mixed"] | None
    base: BuildRef | None
    is_merge_base: bool
    comparison_id: UUID | None
    bound: float | None
    profiles_needed: int | None
    kinds_left_out: list[str]


class BuildVerdictOut(BaseModel):
    """The verdict on a build; `pending` and `evaluating` are interim.

    Other verdicts can change when more artifacts arrive.
    """

    build_id: UUID
    state: BuildVerdictName
    sentence: str
    required_evidence: RequiredEvidenceOut | None
    regression_ids: list[UUID]
    evaluated_at: datetime | None
    is_announced: bool
    kinds: list[KindAnswerOut]
    comparison: BuildComparisonOut | None


def make_build_verdict_out(verdict: CombinedVerdict) -> BuildVerdictOut:
    """Return the response body of a build verdict."""
    row = verdict.row
    return BuildVerdictOut.model_validate(
        {
            "build_id": row.build_id,
            "state": row.state,
            "sentence": row.sentence,
            "required_evidence": row.required_evidence,
            "regression_ids": row.regression_ids,
            "evaluated_at": None if row.state == BuildVerdictState.EVALUATING else row.evaluated_at,
            "is_announced": verdict.is_announced,
            "kinds": [vars(each) for each in verdict.kinds],
            "comparison": make_build_comparison_out(row, verdict.ancestor),
        }
    )


def make_build_comparison_out(row: BuildVerdict, ancestor: AncestorAnswer | None) -> BuildComparisonOut | None:
    """Return the response body of a build's comparison."""
    if ancestor is None:
        return None
    answer = ancestor.comparison
    return BuildComparisonOut(
        state=ancestor.state if ancestor.state != "compared" else answer.state if answer else "pending",
        direction=answer.direction if answer else None,
        base=BuildRef(build_id=row.compared_build_id, commit=ancestor.commit) if ancestor.commit else None,
        is_merge_base=ancestor.is_merge_base,
        comparison_id=row.comparison_id,
        bound=answer.bound if answer else None,
        profiles_needed=answer.profiles_needed if answer else None,
        kinds_left_out=list(ancestor.kinds_left_out),
    )
