"""Go's own fuzzing of every parser of the decoder, each for its share of the time; found inputs are stored in testdata.

`python -m proofs.decoder_fuzz --seconds N`. Go's fuzzing draws its own random numbers; what it finds it writes down as
a file, which is how a failure is repeated.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECODE = ROOT / "worker" / "decode"
TARGETS = (
    ("./internal/pprofread", "FuzzReadProfile", 4),
    ("./internal/sniff", "FuzzDetect", 2),
    ("./internal/slowcol", "FuzzRead", 1),
    ("./internal/profilefile", "FuzzRead", 1),
    ("./internal/symbolkey", "FuzzKey", 1),
    ("./internal/growthlog", "FuzzReadGrowth", 2),
    ("./internal/benchfile", "FuzzReadBench", 2),
    ("./internal/tracedecode", "FuzzRead", 3),
    ("./internal/traceexcerpt", "FuzzExcerpt", 1),
    ("./internal/spanread", "FuzzReadSpans", 3),
    ("./internal/jsonstream", "FuzzRead", 1),
    ("./internal/gobuildinfo", "FuzzRead", 1),
    ("./internal/gobinary", "FuzzReadProgram", 3),
)
"""Package, target, weight: the reader of profiles meets strangers' bytes first."""
BUILD_SECONDS = 180.0


def go_command() -> str:
    """Return the Go of this machine, or the one the set-up brought."""
    return shutil.which("go") or str(ROOT / ".slowpath" / "tools" / "bin" / "go")


def fuzz(package: str, target: str, seconds: int) -> bool:
    """Fuzz one target; return the failures. Minimising a found input is bounded: it may take longer than finding it."""
    ended = subprocess.run(
        [
            go_command(),
            "test",
            package,
            "-run=^$",
            f"-fuzz=^{target}$",
            f"-fuzztime={seconds}s",
            "-fuzzminimizetime=20x",
            "-parallel=2",
        ],
        cwd=DECODE,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=seconds + BUILD_SECONDS,
        check=False,
    )
    ok = ended.returncode == 0 or _ran_out_of_time(ended.stdout)
    listed = [line for line in ended.stdout.splitlines() if line.startswith(("fuzz: elapsed", "---", "    "))]
    print(f"{target} in {package}: {'ok' if ok else 'FAILED'}; {listed[-1] if listed else ''}")
    if not ok:
        print(ended.stdout[-4000:], ended.stderr[-2000:])
    return ok


def _ran_out_of_time(output: str) -> bool:
    """Return whether nothing was found: Go's fuzzing sometimes calls the end of its own time a failure."""
    return "context deadline exceeded" in output and "Failing input written" not in output and "panic" not in output


def main() -> int:
    """Share the time between the targets."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    shares = sum(weight for _, _, weight in TARGETS)
    passed = [
        fuzz(package, target, max(5, int(options.seconds * weight / shares))) for package, target, weight in TARGETS
    ]
    print(f"{sum(passed)} passed, {len(passed) - sum(passed)} failed")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
