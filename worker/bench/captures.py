"""Real captures to measure on: the project's own, and those of a corpus where there is one."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from slowpath.analysis.facts import Facts
from slowpath.analysis.profiles.artifact import ProfileArtifact
from slowpath.analysis.profiles.profile_table import ProfileTable

ROOT = Path(__file__).resolve().parents[2]
DECODE = Path(os.environ.get("SLOWPATH_DECODE_BIN") or ROOT / "worker" / "decode" / "bin" / "slowpath-decode")
EXAMPLE = ROOT / "worker" / "example" / "artifacts"
OWN = Path(__file__).resolve().parent / "testdata"


def corpus() -> Path | None:
    """The folder of real cases beside the project, or where SLOWPATH_CORPUS says."""
    folder = Path(os.environ.get("SLOWPATH_CORPUS") or ROOT.parent / "shared" / "corpus")
    return folder if (folder / "cases").is_dir() else None


@lru_cache(maxsize=64)
def cpu_profiles(folder: Path) -> tuple[ProfileArtifact, ...]:
    """All CPU profiles of a folder, with their facts."""
    return tuple(decoded(path) for path in sorted(folder.glob("cpu.*.pb.gz")))


def decoded(path: Path) -> ProfileArtifact:
    """One file, decoded, with the facts beside it."""
    with tempfile.NamedTemporaryFile(suffix=".col") as out:
        subprocess.run([str(DECODE), "profile", str(path), out.name], check=True, capture_output=True)
        table = ProfileTable.parse(Path(out.name).read_bytes())
    sidecar = path.with_name(path.name + ".facts.json")
    facts = Facts.from_json(json.loads(sidecar.read_text())) if sidecar.is_file() else Facts()
    return ProfileArtifact(path.name, table, facts)


@dataclass(frozen=True)
class Pool:
    """Profiles of one binary from fresh processes, and functions to put effects into: (key, about which share)."""

    name: str
    profiles: tuple[ProfileArtifact, ...]
    half: str
    fifth: str

    @property
    def spread(self) -> float:
        """How much CPU per request differs between the runs: its coefficient of variation, free of sampling noise."""
        counts = np.array([float(a.table.values[0].sum()) for a in self.profiles])
        each = counts / np.array([a.facts.requests or np.nan for a in self.profiles])
        return float(np.sqrt(max(0.0, each.var(ddof=1) / each.mean() ** 2 - 1 / counts.mean())))


@dataclass(frozen=True)
class Case:
    """Two variants of a program of which the answer is known."""

    name: str
    base: tuple[ProfileArtifact, ...]
    candidate: tuple[ProfileArtifact, ...]
    verdict: str
    where: tuple[str, ...]
    must_not_flag: tuple[str, ...]


def pools() -> list[Pool]:
    """Sets of one binary, three captures of each: our own, one of the corpus where there is one, and the example's."""
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
            found.append(Pool(name, profiles, half, fifth))
    half, fifth = "ingester/downsample.(*Appender).appendMatched", "ingester/ident.cloneBytes"
    return [*found, Pool("example", cpu_profiles(EXAMPLE / "helper"), half, fifth)]


def _case(name: str) -> Path | None:
    """Our own folder of that name, so that the same is measured everywhere; else the corpus's."""
    folder = corpus()
    places = [OWN / name, *([folder / "cases" / name] if folder else [])]
    return next((place for place in places if place.is_dir()), None)


def cases() -> list[Case]:
    """Pairs whose truth is written down beside them, and those of the example."""
    found = [
        Case("inlined->helper", cpu_profiles(EXAMPLE / "inlined"), cpu_profiles(EXAMPLE / "helper"), "regressed", ("stack-growth", "ingester/ident.cloneBytes"), ()),
        Case("helper->pool", cpu_profiles(EXAMPLE / "helper"), cpu_profiles(EXAMPLE / "pool"), "improved", ("stack-growth", "ingester/ident.cloneBytes"), ()),
    ]  # fmt: skip
    folder = corpus()
    paths = {path.parent.name: path for path in sorted(folder.glob("cases/*/truth.json"))} if folder else {}
    paths |= {path.parent.name: path for path in OWN.glob("*/truth.json")}
    for _, path in sorted(paths.items()):
        truth = json.loads(path.read_text())
        found += [
            Case(
                f"{path.parent.name} {pair['base']}->{pair['candidate']}",
                cpu_profiles(path.parent / pair["base"]),
                cpu_profiles(path.parent / pair["candidate"]),
                "regressed",
                tuple(pair["where"]),
                tuple(pair["must_not_flag"]),
            )
            for pair in truth["pairs"]
        ]
    return found
