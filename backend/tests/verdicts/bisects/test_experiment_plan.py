"""Which probes of an experiment follow, and what a runner must allow."""

from dataclasses import replace

from slowpath.analysis.experiments.variants import BASE, PARENT, parse_variant
from slowpath.verdicts.bisects.rules import experiment_plan
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.rules.experiment_plan import (
    ExperimentPlan,
    VariantProbe,
    blocks_of,
    decide_next_step,
    failed_builds,
    needed_kinds,
    needed_kinds_of,
)

PLAN = ExperimentPlan(
    BuildInputs("b" * 40), BuildInputs("a" * 40), "c" * 40, (parse_variant("GOGC=200 revert"), parse_variant("pgo=off")), 3, 7, {}
)  # fmt: skip


def run(broken: str | None = None, problem: str | None = None) -> tuple[list[VariantProbe], int]:
    """Carry out an experiment whose builds are measured at once; return its probes and the steps."""
    probes: list[VariantProbe] = []
    for steps in range(60):
        step = decide_next_step(PLAN, probes)
        if step.is_finished:
            return probes, steps
        for name in step.queue:
            state = "unbuildable" if name == broken and problem is None else "done"
            fails = name == broken
            values = None if fails else {"CPU": 1.0}
            probes.append(VariantProbe(len(probes) + 1, name, step.block, state, values, problem if fails else None))
    raise AssertionError("it does not end")


def test_every_block_has_every_build_in_an_order_of_its_own() -> None:
    probes, _ = run()
    orders = [[one.build for one in probes if one.block == block] for block in range(3)]
    assert [sorted(one) for one in orders] == 3 * [sorted([BASE, PARENT, "GOGC=200 revert", "pgo=off"])]
    assert len({tuple(one) for one in orders}) > 1
    assert len(blocks_of(PLAN, probes)) == 3


def test_a_build_that_fails_is_left_out_and_the_base_ends_it() -> None:
    probes, _ = run("pgo=off")
    assert [one.build for one in probes].count("pgo=off") == 1
    assert failed_builds(probes) == {"pgo=off": "It does not build, or is not healthy."}
    assert all("pgo=off" not in one for one in blocks_of(PLAN, probes))
    probes, _ = run("pgo=off", "no number")
    assert [one.build for one in probes].count("pgo=off") == 3
    assert failed_builds(probes) == {"pgo=off": "no number"}
    probes, _ = run(BASE)
    assert len(probes) == 4


def test_a_block_waits_for_a_runner_and_lost_probes_are_repeated() -> None:
    first = decide_next_step(PLAN, [])
    queued = [VariantProbe(at, name, 0, "queued", None) for at, name in enumerate(first.queue, 1)]
    assert decide_next_step(PLAN, queued).queue == ()
    leased = [replace(one, state="soaking") for one in queued]
    assert decide_next_step(PLAN, leased).block == 1  # the next block fills free slots
    lost = [replace(leased[0], state="lost"), *leased[1:]]
    assert decide_next_step(PLAN, lost).queue == (first.queue[0],)
    measured = [replace(one, values={"CPU": 1.0}) for one in leased]
    assert decide_next_step(PLAN, measured).stop == (1, 2, 3, 4)


def test_failures_count_in_a_row() -> None:
    states = ("lost", "failed", "done", "failed", "lost")
    probes = [
        VariantProbe(at, BASE, 0, state, {"CPU": 1.0} if state == "done" else None) for at, state in enumerate(states)
    ]
    assert failed_builds(probes) == {}
    assert BASE in failed_builds([*probes, VariantProbe(9, BASE, 0, "lost", None)])


def test_a_plan_is_stored_and_states_what_a_runner_must_allow() -> None:
    assert experiment_plan.from_json(PLAN.to_json()) == PLAN
    assert needed_kinds(PLAN.lease_variant("GOGC=200 revert")) == {"GOGC", "revert"}
    assert needed_kinds(PLAN.lease_variant("pgo=off")) == {"pgo"}
    assert needed_kinds(PLAN.lease_variant(BASE)) == frozenset()
    assert needed_kinds_of(PLAN) == ["GOGC", "pgo", "revert"]
    assert PLAN.inputs(PARENT) == BuildInputs("a" * 40)
