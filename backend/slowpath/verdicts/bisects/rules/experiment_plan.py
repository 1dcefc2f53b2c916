"""The plan of an experiment: its builds and blocks, and which probes follow."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from slowpath.analysis.experiments.block_order import make_block_order
from slowpath.analysis.experiments.variant_effects import Block
from slowpath.analysis.experiments.variants import BASE, PARENT, PATCH, REVERT, Variant
from slowpath.verdicts.bisects.rules.bisect_states import LIVING, MOST_FAILURES, NO_BUILD, ProbeState
from slowpath.verdicts.bisects.rules.candidates import BuildInputs

VARIANT: Final = "variant"
"""Purpose of the probes of an experiment."""
DEFAULT_BLOCKS: Final = 6
MAX_BLOCKS: Final = 40
MAX_PATCHES: Final = 4
MAX_PATCH_BYTES: Final = 64 * 1024


@dataclass(frozen=True)
class ExperimentPlan:
    """An experiment as stored: what is built, and in which blocks."""

    base: BuildInputs
    parent: BuildInputs | None
    """The build before the culprit, measured for comparison."""
    culprit: str | None
    """SHA that `revert` reverts; None if it is not known or not in the main repository."""
    variants: tuple[Variant, ...]
    blocks: int
    seed: int
    patches: Mapping[str, str] = field(default_factory=dict)
    """Text by SHA-256."""

    @property
    def builds(self) -> list[str]:
        """Return the names of all builds, the base first."""
        return [BASE, *([PARENT] if self.parent else []), *(one.name for one in self.variants)]

    def inputs(self, name: str) -> BuildInputs:
        """Return what a build is built from, without the change of a variant."""
        return self.parent if name == PARENT and self.parent is not None else self.base

    def lease_variant(self, name: str) -> dict[str, Any] | None:
        """Return the change of a build as a lease states it; None for the unchanged commits."""
        variant = next((one for one in self.variants if one.name == name), None)
        if variant is None:
            return None
        return {
            "environment": dict(variant.environment), "pgo": variant.pgo,
            "reverts": self.culprit if variant.reverts else None, "patch": variant.patch,
        }  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Return the stored form."""
        return asdict(self)


def from_json(document: Mapping[str, Any]) -> ExperimentPlan:
    """Return a stored plan."""
    parent = document["parent"]
    return ExperimentPlan(
        BuildInputs(**document["base"]), None if parent is None else BuildInputs(**parent), document["culprit"],
        tuple(Variant(**one) for one in document["variants"]), int(document["blocks"]), int(document["seed"]), document["patches"],
    )  # fmt: skip


@dataclass(frozen=True)
class VariantProbe:
    """A probe of an experiment, and its result."""

    number: int
    build: str
    block: int
    state: str
    values: Mapping[str, float] | None
    """By measure; None without a result."""
    problem: str | None = None

    @property
    def has_result(self) -> bool:
        """Return whether it was measured, or its measurement failed."""
        return self.values is not None or self.problem is not None


@dataclass(frozen=True)
class ExperimentStep:
    """What to do next: probes to stop, builds to queue in a block, or the end."""

    stop: tuple[int, ...] = ()
    queue: tuple[str, ...] = ()
    block: int = 0
    is_finished: bool = False


def failed_builds(probes: Iterable[VariantProbe]) -> dict[str, str]:
    """Return the builds that cannot be measured with the reason: no build, or MOST_FAILURES probes in a row without a value."""
    failures: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    for one in probes:
        if one.state in NO_BUILD:
            reasons[one.build] = one.problem or "It does not build, or is not healthy."
        elif one.values is not None:
            failures[one.build] = 0
        elif one.problem is not None or one.state in {ProbeState.FAILED, ProbeState.LOST}:
            failures[one.build] += 1
            if failures[one.build] >= MOST_FAILURES:
                reasons[one.build] = one.problem or "Its probes failed."
    return reasons


def decide_next_step(plan: ExperimentPlan, probes: Sequence[VariantProbe]) -> ExperimentStep:
    """Return the next step: blocks follow each other, and a block is queued when no earlier probe waits for a runner."""
    stop = tuple(one.number for one in probes if one.has_result and one.state in LIVING)
    failed = failed_builds(probes)
    if BASE in failed:
        return ExperimentStep(stop, is_finished=True)
    counted = {
        (one.block, one.build)
        for one in probes
        if one.values is not None or (one.state in LIVING and not one.has_result)
    }
    for block in range(plan.blocks):
        order = make_block_order(plan.builds, block, plan.seed)
        missing = tuple(one for one in order if one not in failed and (block, one) not in counted)
        if missing:
            waits = any(one.state == ProbeState.QUEUED for one in probes)
            return ExperimentStep(stop) if waits else ExperimentStep(stop, missing, block)
    is_open = any(one.state in LIVING and not one.has_result for one in probes)
    return ExperimentStep(stop, is_finished=not is_open)


def blocks_of(plan: ExperimentPlan, probes: Sequence[VariantProbe]) -> list[Block]:
    """Return the measured values by block and build, without builds that failed."""
    failed = failed_builds(probes)
    blocks: list[dict[str, Mapping[str, float]]] = [{} for _ in range(plan.blocks)]
    for one in probes:
        if one.values is not None and one.build not in failed:
            blocks[one.block][one.build] = one.values
    return list(blocks)


def needed_kinds_of(plan: ExperimentPlan) -> list[str]:
    """Return what a runner must allow for any build of an experiment: the base is measured where the variants are."""
    return sorted(set().union(*(needed_kinds(plan.lease_variant(one)) for one in plan.builds)))


def needed_kinds(variant: Mapping[str, Any] | None) -> frozenset[str]:
    """Return what a runner must allow for the change of a lease: names of variables, `pgo`, `revert`, `patch`."""
    if variant is None:
        return frozenset()
    kinds = set(variant["environment"])
    kinds |= {name for name, value in (("pgo", variant["pgo"]), (REVERT, variant["reverts"]), (PATCH, variant["patch"])) if value}  # fmt: skip
    return frozenset(kinds)
