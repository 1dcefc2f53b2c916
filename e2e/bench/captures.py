"""Real captures for benchmarks: those of the project, and those of a corpus if available."""

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import compare_kind
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import DEFAULT_THRESHOLDS
from slowpath.analysis.kinds.profiles.sets.profile_sets import make_sets

ROOT = Path(__file__).resolve().parents[2]
DECODE = Path(os.environ.get("SLOWPATH_DECODE_BIN") or ROOT / "worker" / "decode" / "bin" / "slowpath-decode")
EXAMPLE = ROOT / "worker" / "example" / "artifacts"
QUOTER = ROOT / "worker" / "example" / "builds" / "artifacts"
OWN = Path(__file__).resolve().parent / "testdata"
# A/A captures in order of time, one folder per program (see `capture_aa`).
IN_TIME = OWN / "aa"
# Only the manifests there name reserved programs; all others were used while thresholds were tuned.


def corpus() -> Path | None:
    """Return the folder of real cases next to the project, or SLOWPATH_CORPUS."""
    folder = Path(os.environ.get("SLOWPATH_CORPUS") or ROOT.parent / "shared" / "corpus")
    return folder if (folder / "cases").is_dir() else None


@lru_cache(maxsize=64)
def cpu_profiles(folder: Path) -> tuple[ProfileArtifact, ...]:
    """Return all CPU profiles of a folder with their run metadata."""
    return tuple(decoded(path) for path in sorted(folder.glob("cpu.*.pb.gz")))


def decoded(path: Path) -> ProfileArtifact:
    """Return one decoded file with its run metadata."""
    with tempfile.NamedTemporaryFile(suffix=".col") as out:
        subprocess.run([str(DECODE), "profile", str(path), out.name], check=True, capture_output=True)
        table = ProfileTable.parse(Path(out.name).read_bytes())
    beside = (
        path.with_name(path.name + ".facts.json"),
        path.with_name(path.name.removesuffix(".pb.gz") + ".facts.json"),
    )
    sidecar = next((each for each in beside if each.is_file()), None)
    facts = RunMetadata.from_json(json.loads(sidecar.read_text())) if sidecar else RunMetadata()
    return ProfileArtifact(path.name, table, facts)


@dataclass(frozen=True)
class CapturePool:
    """Profiles of one binary in order of time, without build ID and commit, so that only the values matter.

    `half` and `fifth` are functions with about these shares, for injected effects. `lockstep`: the load is synchronized
    with the sampling clock; `quiet`: the load never changes; `reserved`: nothing may be tuned on it. `heavy`: share of
    heavy requests in the load of each profile; empty if it never changes.
    """

    name: str
    profiles: tuple[ProfileArtifact, ...]
    half: str
    fifth: str
    reserved: bool = False
    lockstep: bool = False
    quiet: bool = True
    heavy: tuple[float, ...] = ()

    def keeps_mix(self, begin: int, size: int) -> bool:
        """Return whether two consecutive sides of `size` profiles each from `begin` had the same mix of requests."""
        base, candidate = self.heavy[begin : begin + size], self.heavy[begin + size : begin + 2 * size]
        return sum(base) == sum(candidate)

    @property
    def spread(self) -> float:
        """Return the coefficient of variation of the CPU per request between runs, without sampling noise."""
        counts = np.array([float(a.table.values[0].sum()) for a in self.profiles])
        each = counts / np.array([a.facts.requests or np.nan for a in self.profiles])
        return float(np.sqrt(max(0.0, each.var(ddof=1) / each.mean() ** 2 - 1 / counts.mean())))


def anonymous(artifact: ProfileArtifact) -> ProfileArtifact:
    """Return a profile without build ID and commit."""
    facts = replace(artifact.facts, build_id=None, commit=None)
    return replace(artifact, table=replace(artifact.table, build_ids=()), facts=facts)


def _pool(name: str, profiles: Sequence[ProfileArtifact], half: str, fifth: str) -> CapturePool:
    ordered = sorted((anonymous(each) for each in profiles), key=lambda each: each.table.time_ns)
    return CapturePool(name, tuple(ordered), half, fifth)


def _heavy_shares(manifest: dict[str, Any]) -> tuple[float, ...]:
    """Return the share of heavy requests in the load of each profile, by its phase."""
    of_phase = {phase["name"]: float(phase["heavy"]) for phase in manifest["phases"]}
    return tuple(of_phase[profile["phase"]] for profile in manifest["profiles"])


def captured_in_time() -> list[CapturePool]:
    """Return every program captured over time by `capture_aa`."""
    return [captured(path.parent) for path in sorted(IN_TIME.glob("*/manifest.json"))]


def captured(folder: Path) -> CapturePool:
    """Return the captures of one program in a folder of `capture_aa`; functions for effects are chosen by their share."""
    manifest = json.loads((folder / "manifest.json").read_text())
    profiles = [decoded(each) for each in sorted(folder.glob("*.pb.gz"))]
    half, fifth = (function_near(profiles, share) for share in (0.5, 0.2))
    return replace(
        _pool(str(manifest["program"]), profiles, half, fifth),
        reserved=bool(manifest["reserved"]),
        lockstep=bool(manifest["lockstep"]),
        quiet=bool(manifest["quiet"]),
        heavy=_heavy_shares(manifest),
    )


def function_near(profiles: Sequence[ProfileArtifact], share: float) -> str:
    """Return the user function whose total is nearest to this share."""
    some = list(profiles[:8])
    sets = make_sets(some, some[:1], some[0].table.sample_types[some[0].table.default_sample_type])
    if sets is None:
        raise ValueError("profiles of different sample types")
    comparison = compare_kind("cpu", sets, DEFAULT_THRESHOLDS)
    totals = comparison.functions.rows.sum(axis=1) / comparison.sets.totals().sum()
    distance = np.where(comparison.tellable, np.abs(totals - share), np.inf)
    return comparison.labels[int(np.argmin(distance))].key


@dataclass(frozen=True)
class CaptureCase:
    """Two variants of a program with a known result."""

    name: str
    base: tuple[ProfileArtifact, ...]
    candidate: tuple[ProfileArtifact, ...]
    verdict: str
    where: tuple[str, ...]
    must_not_flag: tuple[str, ...]


def pools() -> list[CapturePool]:
    """Return sets of one binary: the project's captures, one of the corpus, the examples', and those over time."""
    named = {
        "dd-mapchan": (
            "example.com/agentlite/internal/concentrator.(*Concentrator).add",
            "example.com/agentlite/internal/receiver.(*Receiver).decode",
        ),
        "inject": ("example.com/priced/internal/pricing.(*Model).Score", "example.com/priced/internal/orders.Decode"),
        "tso-sched": ("example.com/txn/internal/txn.(*Session).Run", "example.com/txn/internal/txn.(*Session).execute"),
    }
    found = []
    for name, (half, fifth) in named.items():
        case = _case(name)
        profiles = tuple(p for variant in ("base", "aa1", "aa2") for p in cpu_profiles(case / variant)) if case else ()
        if profiles:
            found.append(_pool(name, profiles, half, fifth))
    half, fifth = "ingester/downsample.(*Appender).appendMatched", "ingester/ident.cloneBytes"
    found.append(_pool("example", cpu_profiles(EXAMPLE / "helper"), half, fifth))
    quoter = cpu_profiles(QUOTER / "base")
    varied = _pool("quoter", quoter, function_near(quoter, 0.5), function_near(quoter, 0.2))
    found.append(replace(varied, quiet=False))
    return [*found, *captured_in_time()]


def _case(name: str) -> Path | None:
    """Return the project's folder of that name, so that all machines measure the same; else the corpus's."""
    folder = corpus()
    places = [OWN / name, *([folder / "cases" / name] if folder else [])]
    return next((place for place in places if place.is_dir()), None)


def cases() -> list[CaptureCase]:
    """Return pairs with documented results, and those of the example."""
    found = [
        CaptureCase("inlined->helper", cpu_profiles(EXAMPLE / "inlined"), cpu_profiles(EXAMPLE / "helper"), "regressed", ("stack-growth", "ingester/ident.cloneBytes"), ()),
        CaptureCase("helper->pool", cpu_profiles(EXAMPLE / "helper"), cpu_profiles(EXAMPLE / "pool"), "improved", ("stack-growth", "ingester/ident.cloneBytes"), ()),
    ]  # fmt: skip
    folder = corpus()
    paths = {path.parent.name: path for path in sorted(folder.glob("cases/*/truth.json"))} if folder else {}
    paths |= {path.parent.name: path for path in OWN.glob("*/truth.json")}
    for _, path in sorted(paths.items()):
        expected = json.loads(path.read_text())
        found += [
            CaptureCase(
                f"{path.parent.name} {pair['base']}->{pair['candidate']}",
                cpu_profiles(path.parent / pair["base"]),
                cpu_profiles(path.parent / pair["candidate"]),
                "regressed",
                tuple(pair["where"]),
                tuple(pair["must_not_flag"]),
            )
            for pair in expected["pairs"]
        ]
    return found
