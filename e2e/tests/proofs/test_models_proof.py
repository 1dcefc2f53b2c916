"""What the proof `models` accepts of TLC: a variant must violate the property that it names, and every action must occur."""

from pathlib import Path

import pytest

from proofs.models_proof import HOLDS, MODELS, NEVER_ENDS, UNSAFE, ModelResult, fault_of

RAN = "<Send line 64, col 1 to line 64, col 7 of module JobLeases>: 6:9\n421,371 states generated, 79,651 distinct states found\n"
UNUSED = RAN + "<GiveUp line 146, col 1 to line 146, col 9 of module JobLeases>: 0:0\n"


@pytest.mark.parametrize(
    ("code", "output", "fault"),
    [
        (HOLDS, RAN, None),
        (HOLDS, UNUSED, "these actions never occur: GiveUp"),
        (UNSAFE, RAN, "does not hold (exit code 12)"),
    ],
)
def test_a_model_holds_and_uses_every_action(code: int, output: str, fault: str | None) -> None:
    checked = ModelResult(code, output)
    assert fault_of(MODELS / "JobLeases.cfg", checked) == fault
    assert checked.states == 79_651


@pytest.mark.parametrize(
    ("name", "code", "output", "fault"),
    [
        ("JobLeases.unfenced", UNSAFE, "Error: Invariant NoEffectTwice is violated.", None),
        ("JobLeases.unfenced", HOLDS, RAN, "does not violate NoEffectTwice (exit code 0)"),
        (
            "JobLeases.unfenced",
            UNSAFE,
            "Error: Invariant OneHolder is violated.",
            "does not violate NoEffectTwice (exit code 12)",
        ),
        ("JobLeases.sent-once", NEVER_ENDS, "Error: Temporal properties were violated.", None),
        ("JobLeases.sent-once", 255, "", "does not violate OrphansAreTakenUp (exit code 255)"),
    ],
)
def test_a_variant_violates_the_property_it_names(name: str, code: int, output: str, fault: str | None) -> None:
    assert fault_of(MODELS / f"{name}.cfg", ModelResult(code, output)) == fault


def test_each_variant_switches_off_one_rule_and_names_one_property() -> None:
    for variant in sorted(MODELS.glob("*.*.cfg")):
        text = variant.read_text()
        assert text.count("= FALSE") == 1, variant.name
        assert text.count("\nINVARIANT ") + text.count("\nPROPERTY ") == 1, variant.name
        assert Path(MODELS / f"{variant.name.split('.')[0]}.tla").exists()
