"""What runners and what they deploy tell, and are told."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field, StringConstraints, model_validator

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
    RunnerInstance,
    RunnerLabels,
    RunnerName,
    ServiceRef,
    SignatureOut,
    VerdictName,
    Words,
)


class RunnerIn(BisectRequest):
    """What a runner tells of itself."""

    slots: Annotated[int, Field(ge=1, le=MOST_SLOTS)] = 1
    labels: RunnerLabels = {}  # noqa: RUF012 - pydantic copies it
    version: Annotated[str, StringConstraints(max_length=60, pattern=r"^[^\x00]*$")] = ""
    instance: RunnerInstance = ""
    """Which process of this name it is; the same as long as its work folder is."""
    host: Annotated[str, StringConstraints(max_length=255, pattern=r"^[^\x00]*$")] = ""
    """The machine it runs on, as that calls itself."""


class RunnerShutdownIn(BisectRequest):
    """Process of a runner that has stopped."""

    instance: RunnerInstance = ""


class LeaseRequestIn(BisectRequest):
    """Which slots of a runner are free, and how long it waits for something to do."""

    instance: RunnerInstance = ""
    free_slots: Annotated[list[Annotated[int, Field(ge=0, lt=MOST_SLOTS)]], Field(min_length=1, max_length=MOST_SLOTS)]
    wait_seconds: Annotated[float, Field(ge=0, le=MOST_WAIT_SECONDS)] = 0.0

    @model_validator(mode="after")
    def _each_once(self) -> "LeaseRequestIn":
        if len(set(self.free_slots)) != len(self.free_slots):
            raise ValueError("a slot is named twice")
        return self


class BuildTarget(BaseModel):
    """What to build: a commit, with modules replaced by commits of theirs or by versions."""

    commit: str
    modules: dict[str, str]
    versions: dict[str, str]


class LeaseRepository(BaseModel):
    """Where a repository lies, as the team told it."""

    url: str | None
    name: str


class CallbackTarget(BaseModel):
    """Where the deploy itself may tell how it fares. The address holds the secret; `token` is that secret alone."""

    url: str
    token: str


class LeaseOut(BaseModel):
    """A deploy that is this runner's now."""

    run_id: UUID
    bisect_id: UUID
    bisect_number: int
    number: int
    purpose: PurposeName
    slot: int
    service: ServiceRef
    build: BuildTarget
    repositories: dict[str, LeaseRepository]
    """By module; "" is the main one."""
    signature: SignatureOut
    measurements_requested: int
    measurements_taken: int
    measurement_seconds: float
    warm_up_seconds: float
    deployment_seconds: float
    lease_seconds: float
    callback: CallbackTarget


class LeasesOut(BaseModel):
    """What to deploy; nothing after the wait."""

    leases: list[LeaseOut]


class ActiveProbeOut(LeaseOut):
    """What the server believes a runner runs, and what is to become of it."""

    state: ProbeStateName
    command: CommandName


class HeartbeatIn(BisectRequest):
    """That a deploy is still looked after."""

    runner: RunnerName
    instance: RunnerInstance = ""
    phase: PhaseName
    log_tail: LogTail = ""


class ProbeCallbackOut(BaseModel):
    """What the deploy itself said last."""

    state: CallbackName
    detail: str
    at: datetime


class HeartbeatOut(BaseModel):
    """What is to be done: measure while windows are wanted, wait for others, or tear down."""

    command: CommandName
    measurements_requested: int
    measurements_taken: int
    measurement_seconds: float
    """Of the next window: it may have changed since the lease."""
    lease_seconds: float
    callback: ProbeCallbackOut | None


class ProbeMeasurementIn(BisectRequest):
    """One measurement: a number, a verdict, artifacts that hold the signature, or that the board is to be asked what was pushed.

    Told again, the first stays.
    """

    index: Annotated[int, Field(ge=0, lt=MOST_WINDOWS)]
    value: Finite | None = None
    verdict: VerdictName | None = None
    problem: Words | None = None
    """Why there is no number."""
    artifact_ids: Annotated[list[UUID], Field(max_length=40)] = []  # noqa: RUF012 - pydantic copies it
    is_on_dashboard: bool = False
    """Of a search on latency: what the deploy pushed between the two times says the value."""
    started_at: AwareDatetime
    ended_at: AwareDatetime

    @model_validator(mode="after")
    def _tells_something(self) -> "ProbeMeasurementIn":
        told = (
            self.value is not None
            or self.verdict is not None
            or self.problem
            or self.artifact_ids
            or self.is_on_dashboard
        )
        if not told:
            raise ValueError("give a value, a verdict, artifact_ids, board, or the problem why there is none")
        return self


class ProbeResultIn(BisectRequest):
    """How a deploy ended; from then on nothing of it runs any more."""

    outcome: EndingName
    log_tail: LogTail = ""


class ProbeCallbackIn(BisectRequest):
    """How a deploy fares, told by the deploy itself."""

    state: CallbackName
    detail: Annotated[str, StringConstraints(max_length=1024)] = ""
