"""Generated profiles for benchmarks: one program, many draws; the same arguments give the same bytes."""

import subprocess
from pathlib import Path

from bench.captures import DECODE, ROOT

FOLDER = ROOT / ".slowpath" / "bench"
SLOWER_PERCENT = 20


def generated(samples: int, draw: int, *, pooled: bool, slower: int = 0, depth: int = 60) -> Path:
    """Return a gzip CPU profile with this number of stacks, 30 to 60 frames deep; `pooled` draws have the same stacks."""
    kind = "pool" if pooled else "free"
    path = FOLDER / f"set-{samples}-{kind}-{depth}-{slower}-{draw}.pb.gz"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        numbers = {"samples": samples, "draw": draw, "slower": slower, "depth": depth}
        flags = [word for name, value in numbers.items() for word in (f"-{name}", str(value))]
        subprocess.run([str(DECODE), "generate", *flags, *(["-pool"] if pooled else []), str(part)], check=True)
        part.rename(path)
    return path


def sides(samples: int, count: int, *, pooled: bool) -> tuple[list[Path], list[Path]]:
    """Return two sets of profiles; some functions of the second are 20% slower."""
    base = [generated(samples, number, pooled=pooled) for number in range(1, count + 1)]
    candidate = [
        generated(samples, 100 + number, pooled=pooled, slower=SLOWER_PERCENT) for number in range(1, count + 1)
    ]
    return base, candidate
