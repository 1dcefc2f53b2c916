"""What tools read from artifacts, comparisons and the source of functions. Members that tools do not read are ignored."""

from uuid import UUID

from pydantic import BaseModel

from slowpath.sharing.mcp_server.schemas.list_answers import ProblemRead


class ArtifactRead(BaseModel):
    """An artifact."""

    id: UUID
    name: str
    kind: str | None
    state: str


class Effect(BaseModel):
    """An effect with its interval."""

    ratio: float | None
    difference: float
    ci_low: float
    ci_high: float
    ci_of: str


class AttributedCaller(BaseModel):
    """A function that a cost is attributed to."""

    function: str
    difference: float


class Contribution(BaseModel):
    """A part of a finding."""

    subject: str
    share: float


class Finding(BaseModel):
    """One reported change."""

    kind: str
    profile_kind: str
    subject: str
    direction: str
    base: float
    candidate: float
    unit: str
    change: Effect
    normalization: str
    q_value: float | None
    attributed_callers: list[AttributedCaller]
    contributions: list[Contribution]
    is_significant: bool
    mechanism: str
    advice: str
    sentence: str


class Caveat(BaseModel):
    """Why a result may mislead."""

    id: str
    sentence: str


class CostShift(BaseModel):
    """A cost that changed its function."""

    sentence: str


class Headline(BaseModel):
    """The verdict as a sentence."""

    sentence: str
    conditions: list[str]
    minimum_detectable_effect: str | None


class ComparisonResult(BaseModel):
    """The result of a comparison."""

    verdict: str
    headline: Headline
    findings: list[Finding]
    cost_shifts: list[CostShift]
    caveats: list[Caveat]


class SideRead(BaseModel):
    """A side of a comparison."""

    label: str
    artifacts: int
    build_id: UUID | None
    left_out: str | None


class ViewRead(BaseModel):
    """A view of a comparison or of a profile set."""

    id: UUID
    kind: str
    sample_type: str
    granularity: str
    state: str
    nodes: int | None


class ComparisonRead(BaseModel):
    """A comparison."""

    id: UUID
    name: str
    state: str
    verdict: str | None
    base: SideRead
    candidate: SideRead
    problem: ProblemRead | None
    result: ComparisonResult | None
    views: list[ViewRead]


class SourceLine(BaseModel):
    """A line of a function with its cost."""

    number: int
    text: str
    self_value: float
    attributed_value: float | None
    total_value: float
    inlined: list[str]
    is_changed: bool


class FunctionSource(BaseModel):
    """The source of a function on one side."""

    commit: str | None
    path: str | None
    url: str | None
    lines: list[SourceLine]
    reason: str | None


class FunctionSources(BaseModel):
    """The source of a function on both sides."""

    base: FunctionSource
    candidate: FunctionSource
    comparison_url: str | None
