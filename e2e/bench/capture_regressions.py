"""Capture public regressions: `python -m bench.capture_regressions --regression NAME --out FOLDER`.

Builds a server with a public module at the version before a documented regression and at the version with it (see
`public_regressions`), runs both, and records CPU profiles of them in turns; only the profiled one gets requests. Writes
`FOLDER/NAME/good/cpu.NN.pb.gz` with `.facts.json` files, the same in `bad`, and `manifest.json`.
"""

import argparse
import contextlib
import json
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

from bench.aa_load import RunningProgram, build_load, build_program, running
from bench.aa_programs import STEADY
from bench.capture_aa import SETTLE_SECONDS, captured_profile
from bench.public_regressions import PUBLIC_REGRESSIONS, PublicRegression

PROFILES = 8
SECONDS = 4.0
WARM_SECONDS = 2.0
IDLE = replace(STEADY[0], rate=0.0)


def main() -> int:
    """Build and capture; return the exit code."""
    parser = argparse.ArgumentParser(prog="capture_regressions", description="Capture public regressions under load.")
    parser.add_argument("--regression", action="append", required=True, choices=sorted(PUBLIC_REGRESSIONS))
    parser.add_argument(
        "--out", type=Path, required=True, help="folder to fill; a folder per regression, new each time"
    )
    parser.add_argument("--profiles", type=int, default=PROFILES, help="of each version (default %(default)d)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="length of a profile (default %(default)g)")
    parser.add_argument("--install", type=Path, default=Path("/srv/aa"), help="where the binaries go")
    options = parser.parse_args()
    go = shutil.which("go") or "/usr/local/go/bin/go"
    options.install.mkdir(parents=True, exist_ok=True)
    load = options.install / "load"
    build_load(go, load)
    for name in options.regression:
        regression = PUBLIC_REGRESSIONS[name]
        binaries = {"good": options.install / f"{name}-good", "bad": options.install / f"{name}-bad"}
        build_program(go, regression.good, binaries["good"])
        build_program(go, regression.bad, binaries["bad"])
        capture(regression, binaries, load, options.out / name, profiles=options.profiles, seconds=options.seconds)
    return 0


def capture(
    regression: PublicRegression, binaries: dict[str, Path], load: Path, folder: Path, *, profiles: int, seconds: float
) -> None:
    """Fill a folder with profiles of both versions, recorded in turns."""
    folder.mkdir(parents=True)
    with contextlib.ExitStack() as stack:
        servers = {
            side: stack.enter_context(running(regression.good, binary, load, 0)) for side, binary in binaries.items()
        }
        for server in servers.values():
            server.enter(STEADY[0])
            time.sleep(WARM_SECONDS)
            server.enter(IDLE)
        for number in range(profiles):
            for side in ("good", "bad") if number % 2 == 0 else ("bad", "good"):
                _capture_side(
                    servers[side], folder / side / f"cpu.{number:02d}.pb.gz", f"{regression.name}/{side}", seconds
                )
    _write_manifest(regression, folder, seconds)


def _capture_side(server: RunningProgram, path: Path, run: str, seconds: float) -> None:
    server.enter(STEADY[0])
    time.sleep(SETTLE_SECONDS)
    captured = captured_profile(server, seconds)
    server.enter(IDLE)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(captured.body)
    facts = json.dumps(replace(captured.facts, run=run).to_json(), indent=1) + "\n"
    path.with_name(f"{path.name}.facts.json").write_text(facts, encoding="utf-8")
    requests, cpu_ns = captured.facts.requests or 0, captured.facts.cpu_ns or 0
    print(f"{run} {path.name} {requests} requests, {cpu_ns / 1000 / max(requests, 1):.0f} us each", flush=True)


def _write_manifest(regression: PublicRegression, folder: Path, seconds: float) -> None:
    manifest = {
        "module": regression.good.module,
        "licence": regression.good.licence,
        "good": regression.good.version,
        "bad": regression.bad_version,
        "guilty": regression.guilty,
        "documented": regression.documented,
        "cause": regression.cause,
        "rate": regression.good.rate,
        "seconds": seconds,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
