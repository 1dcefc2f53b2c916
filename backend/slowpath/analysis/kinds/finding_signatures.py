"""Name the signature of a finding: what `slowpath bisect --signature` and a bisect measure of each build."""

from typing import Final

from slowpath.analysis.findings.build_measurements import TOTAL
from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.kinds.registry import (
    BENCHMARK,
    CPU_PROFILE,
    EXECUTION_TRACE,
    PROFILE,
    STACK_GROWTH,
    measured_kinds,
)

QUANTILES: Final = {0.5: "p50", 0.99: "p99"}
"""Quantiles of scheduler latency that are measured of builds."""


def find_signature(finding: Finding) -> tuple[str, str] | None:
    """Return the kind and subject of the measurement that a finding is of; None if builds are not measured by it."""
    kind, subject = finding.kind, finding.subject
    of_kind = measured_kinds()
    if kind in of_kind[CPU_PROFILE]:
        return _find_profile_signature(finding)
    if kind in of_kind[EXECUTION_TRACE.id]:
        name = QUANTILES.get(finding.quantile or 0.0)
        return (kind, f"{subject} {name}") if name else None
    if kind == BENCHMARK.id:
        return kind, _benchmark_subject(subject)
    return (kind, subject) if kind in of_kind[STACK_GROWTH.id] else None


def format_signature(finding: Finding) -> str | None:
    """Return `KIND:SUBJECT` as `--signature` accepts it; None if builds are not measured by it."""
    found = find_signature(finding)
    return None if found is None else ":".join(found)


def _find_profile_signature(finding: Finding) -> tuple[str, str] | None:
    """Return the signature of a finding on a profile: of other kinds than CPU, functions and the total are measured."""
    stored = f"{PROFILE.id}.{finding.profile_kind}"
    if stored == CPU_PROFILE:
        return finding.kind, finding.subject
    is_measured = finding.kind == "profile.function" or finding.subject == TOTAL
    return (stored, finding.subject) if is_measured and stored in measured_kinds() else None


def _benchmark_subject(subject: str) -> str:
    """Return `NAME UNIT` of `PACKAGE.NAME|UNIT`: before the first slash, names of benchmarks are Go identifiers."""
    name, _, unit = subject.rpartition("|")
    function, slash, case = name.partition("/")
    return f"{function.rpartition('.')[2]}{slash}{case} {unit}"
