"""Bodies of the protocol of runners, and of callbacks of deployments."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StrictBool, StringConstraints, model_validator

from slowpath.analysis.builds.compile_report import MOST_REASONS
from slowpath.analysis.experiments.output_measures import MAX_MEASURES
from slowpath.platform.http.request_types import JsonFloat, JsonInt, JsonTime
from slowpath.verdicts.bisects.rules.bisect_states import (
    MOST_SLOTS,
    MOST_WAIT_SECONDS,
    MOST_WINDOWS,
    CallbackName,
    CommandName,
    EndingName,
    PhaseName,
    ProbeStateName,
    PurposeName,
)
from slowpath.verdicts.bisects.schemas.bisect_field_types import (
    BisectRequest,
    Finite,
    LogTail,
    MeasureName,
    RunnerInstance,
    RunnerLabels,
    RunnerName,
    ServiceRef,
    SignatureOut,
    VariantKind,
    VerdictName,
    Words,
)
from slowpath.verdicts.compiler_evidence.schemas import CompilerReasonIn

MAX_KINDS = 16


class RunnerIn(BisectRequest):
    """The registration of a runner."""

    slots: Annotated[JsonInt, Field(ge=1, le=MOST_SLOTS)] = 1
    labels: RunnerLabels = {}  # noqa: RUF012 - pydantic copies it
    version: Annotated[str, StringConstraints(max_length=60, pattern=r"^[^\x00]*$")] = ""
    instance: RunnerInstance = ""
    """Identifies the process: constant for a work folder."""
    host: Annotated[str, StringConstraints(max_length=255, pattern=r"^[^\x00]*$")] = ""
    """Host name of its machine."""
    variants: Annotated[list[VariantKind], Field(max_length=MAX_KINDS)] = []  # noqa: RUF012 - pydantic copies it
    """Kinds of variants of experiments that its configuration allows."""
    can_compile: StrictBool = False
    """Whether it makes compile reports of culprits."""
    measurement_seconds: Annotated[JsonFloat, Field(gt=0, le=86_400)] | None = None
    """How long its command takes for a measurement; null if the bisect decides or it is unknown."""


class RunnerShutdownIn(BisectRequest):
    """The process of a runner that has shut down."""

    instance: RunnerInstance = ""


class LeaseRequestIn(BisectRequest):
    """Free slots of a runner, and how long to wait for work."""

    instance: RunnerInstance = ""
    free_slots: Annotated[list[Annotated[int, Field(ge=0, lt=MOST_SLOTS)]], Field(min_length=1, max_length=MOST_SLOTS)]
    wait_seconds: Annotated[JsonFloat, Field(ge=0, le=MOST_WAIT_SECONDS)] = 0.0

    @model_validator(mode="after")
    def _require_unique_slots(self) -> "LeaseRequestIn":
        if len(set(self.free_slots)) != len(self.free_slots):
            raise ValueError("a slot is listed twice")
        return self


class BuildTarget(BaseModel):
    """What to build: a commit, with modules overridden by commits or versions.

    The version of golang.org/toolchain selects the Go release; `settings` has its `go` line, GODEBUG and GOEXPERIMENT.
    """

    commit: str
    modules: dict[str, str]
    versions: dict[str, str]
    settings: dict[str, str] = {}


class VariantChange(BaseModel):
    """How a variant of an experiment changes the build."""

    environment: dict[str, str]
    """Environment variables of all commands."""
    pgo: str | None
    """Value of the build option `-pgo`."""
    reverts: str | None
    """SHA of the commit that is reverted."""
    patch: str | None
    """SHA-256 of the patch: `GET /probes/{run_id}/patch`."""


class CompileTarget(BaseModel):
    """What to compile instead of a deployment: the package in the base and in the lease's build."""

    base: BuildTarget
    package: str
    """Folder of the main package below the module; "" is the module's folder."""
    tags: list[str]


class CompiledExecutablesIn(BisectRequest):
    """The artifacts that a runner uploaded of the two builds of a lease, for its run."""

    base: UUID
    candidate: UUID


class CompilerDecisionsIn(BisectRequest):
    """What the compiler decided differently in the two builds of a lease, and their executables if they were uploaded."""

    reasons: Annotated[list[CompilerReasonIn], Field(max_length=MOST_REASONS)]
    executables: CompiledExecutablesIn | None = None


class ProbePatchOut(BaseModel):
    """The patch of a variant; empty without one."""

    content: str


class LeaseRepository(BaseModel):
    """URL and name of a repository."""

    url: str | None
    name: str


class CallbackTarget(BaseModel):
    """Address where the deployment can report its state.

    The URL contains the secret; `token` is the secret alone.
    """

    url: str
    token: str


class LeaseOut(BaseModel):
    """A probe leased to this runner."""

    run_id: UUID
    bisect_id: UUID
    bisect_number: int
    number: int
    purpose: PurposeName
    slot: int
    service: ServiceRef
    build: BuildTarget
    repositories: dict[str, LeaseRepository]
    """By module; "" is the main repository."""
    signature: SignatureOut
    measurements_requested: int
    measurements_taken: int
    measurement_seconds: float
    warm_up_seconds: float
    deployment_seconds: float
    lease_seconds: float
    callback: CallbackTarget
    variant: VariantChange | None
    """Of an experiment; null: the unchanged commit."""
    compile: CompileTarget | None
    """Of the purpose `compile`: nothing is deployed or measured."""


class LeasesOut(BaseModel):
    """Probes to deploy; empty after the wait."""

    leases: list[LeaseOut]


class ActiveProbeOut(LeaseOut):
    """An unfinished probe of a runner, and its command."""

    state: ProbeStateName
    command: CommandName


class HeartbeatIn(BisectRequest):
    """The heartbeat of a probe."""

    runner: RunnerName
    instance: RunnerInstance = ""
    phase: PhaseName
    log_tail: LogTail = ""


class ProbeCallbackOut(BaseModel):
    """The last callback of the deployment."""

    state: CallbackName
    detail: str
    at: datetime


class HeartbeatOut(BaseModel):
    """The next command: measure while measurements are requested, wait for other probes, or tear down."""

    command: CommandName
    measurements_requested: int
    measurements_taken: int
    measurement_seconds: float
    """Length of the next measurement; it may have changed since the lease."""
    lease_seconds: float
    callback: ProbeCallbackOut | None


class ProbeMeasurementIn(BisectRequest):
    """One measurement: a value, a verdict, artifacts, or a reference to dashboard metrics.

    The artifacts contain the signature. A repeated index changes nothing.
    """

    index: Annotated[JsonInt, Field(ge=0, lt=MOST_WINDOWS)]
    value: Finite | None = None
    measures: Annotated[dict[MeasureName, Finite], Field(max_length=MAX_MEASURES)] = {}  # noqa: RUF012 - pydantic copies it
    """Further values by name, for experiments."""
    verdict: VerdictName | None = None
    problem: Words | None = None
    """Why there is no value."""
    artifact_ids: Annotated[list[UUID], Field(max_length=40)] = []  # noqa: RUF012 - pydantic copies it
    is_on_dashboard: StrictBool = False
    """Of a latency signature: read the value from samples pushed between both times."""
    started_at: JsonTime
    ended_at: JsonTime

    @model_validator(mode="after")
    def _require_content(self) -> "ProbeMeasurementIn":
        has_content = (
            self.value is not None
            or self.verdict is not None
            or self.problem
            or self.artifact_ids
            or self.is_on_dashboard
        )
        if not has_content:
            raise ValueError("give a value, a verdict, artifact_ids, is_on_dashboard, or the problem why there is none")
        return self


class ProbeResultIn(BisectRequest):
    """The outcome of a probe; nothing of it is deployed any more."""

    outcome: EndingName
    log_tail: LogTail = ""


class ProbeCallbackIn(BisectRequest):
    """The state that a deployment reports."""

    state: CallbackName
    detail: Annotated[str, StringConstraints(max_length=1024)] = ""
