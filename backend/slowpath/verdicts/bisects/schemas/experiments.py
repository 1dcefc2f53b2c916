"""Bodies of experiments."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints, model_validator

from slowpath.analysis.experiments.variant_effects import LEAST_BLOCKS, Verdict
from slowpath.analysis.experiments.variants import MAX_NAME, MAX_VARIANTS
from slowpath.platform.http.request_types import JsonInt
from slowpath.verdicts.bisects.rules.experiment_plan import DEFAULT_BLOCKS, MAX_BLOCKS, MAX_PATCH_BYTES, MAX_PATCHES
from slowpath.verdicts.bisects.schemas.bisect_field_types import BisectRequest, VariantKind
from slowpath.verdicts.bisects.schemas.bisect_requests import SignatureIn

VariantText = Annotated[
    str, StringConstraints(min_length=1, max_length=MAX_NAME, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_=.,+ -]*$")
]
PatchName = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$")]
PatchText = Annotated[str, StringConstraints(min_length=1, max_length=MAX_PATCH_BYTES, pattern=r"^[^\x00]*$")]
ExperimentState = Literal["running", "paused", "measured", "cancelled", "failed"]


class ExperimentIn(BisectRequest):
    """Variants of the bad commit of a bisect, and how often each is measured."""

    variants: Annotated[list[VariantText], Field(min_length=1, max_length=MAX_VARIANTS)]
    """Words as of `slowpath experiment`: `GOGC=200`, `pgo=off`, `revert`, `patch=NAME`."""
    blocks: Annotated[JsonInt, Field(ge=LEAST_BLOCKS, le=MAX_BLOCKS)] = DEFAULT_BLOCKS
    patches: Annotated[dict[PatchName, PatchText], Field(max_length=MAX_PATCHES)] = {}  # noqa: RUF012 - pydantic copies it
    """Unified diffs by name."""


class SubjectExperimentIn(ExperimentIn):
    """Variants of the bad commit of a regression, or of the commit of a build: exactly one of both."""

    regression_id: UUID | None = None
    build_id: UUID | None = None
    signature: SignatureIn | None = None
    """What decides which variant is best; the best criterion of the proposal of a bisect without it."""

    @model_validator(mode="after")
    def _has_one_subject(self) -> Self:
        if (self.regression_id is None) == (self.build_id is None):
            raise ValueError("give either regression_id or build_id")
        return self


class IncreaseShareOut(BaseModel):
    """A share of the increase since the culprit's parent, with its 95% confidence interval."""

    share: float
    low: float
    high: float


class VariantEffectOut(BaseModel):
    """The effect of a variant on a measure, relative to the unchanged commit: -0.2 is 20% less."""

    variant: str
    """`parent`: the build before the culprit, or the good build of a regression."""
    measure: str
    verdict: Verdict
    blocks: int
    value: float | None
    effect: float | None
    low: float | None
    high: float | None
    detectable: float | None
    """Smallest effect that would have been seen with a probability of 80%."""
    removes: IncreaseShareOut | None


class MeasureOut(BaseModel):
    """A measure, and its mean for the unchanged commit."""

    name: str
    base: float | None
    is_larger_better: bool


class VariantFailureOut(BaseModel):
    """Why a variant was not measured."""

    variant: str
    reason: str


class ExperimentOut(BaseModel):
    """An experiment: progress, and the effects measured so far."""

    id: UUID
    number: int
    state: ExperimentState
    pause_reason: str | None
    problem: str | None
    """Why it failed."""
    variants: list[str]
    needs: list[VariantKind]
    """Kinds of variants that a runner has to allow."""
    has_runner: bool
    """Whether a connected runner allows all of them."""
    blocks: int
    runs: int
    """Measured runs."""
    expected_runs: int
    measure: str
    """The measure that decides which variant is best: the criterion of the bisect."""
    unit: str
    measures: list[MeasureOut]
    effects: list[VariantEffectOut]
    failures: list[VariantFailureOut]
    best: str | None
    sentence: str
    created_by: str | None
    created_at: datetime
    finished_at: datetime | None
