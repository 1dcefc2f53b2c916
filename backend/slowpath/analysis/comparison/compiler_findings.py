"""What the compiler did differently, attached to the findings of the profiles that it explains."""

from collections.abc import Sequence
from dataclasses import dataclass

from slowpath.analysis.comparison.compiler_report import (
    CompilerGrade,
    CompilerKind,
    CompilerReport,
    CompilerSide,
    InstanceChangeKind,
    ReportedBuild,
    ReportedFinding,
    ReportedInstance,
    ReportedPath,
    ReportedSide,
)
from slowpath.analysis.comparison.compiler_wording import advise, describe_edge, describe_finding, describe_pgo_paths
from slowpath.analysis.comparison.stack_sizes import HotPath, describe_pgo, make_hot_paths
from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.kinds.registry import STACK_GROWTH

GROWTH = "stack-growth"
CATEGORIES: dict[CompilerKind, tuple[str, ...]] = {
    "heap-allocation-new": ("allocation", "gc-assist", "gc-mark", "gc-sweep"),
    "write-barrier-new": ("gc-write-barrier",),
}
"""Runtime categories that a kind may explain, besides the function's own cost."""


@dataclass(frozen=True)
class CompilerBuild:
    """What identifies a build; `pgo` is the path of its profile, `pgo_sha256` the digest of the profile if it is known."""

    go_version: str
    arch: str
    build_id: str
    pgo: str | None
    pgo_sha256: str | None = None


@dataclass(frozen=True)
class BuildDifference:
    """A setting that may change all code, and lowers what the findings prove."""

    setting: str
    base: str
    candidate: str


@dataclass(frozen=True)
class PathFrame:
    """A function with a frame on a path, in bytes; `is_wrapper`: made by the compiler, and not in profiles."""

    function: str
    depth_bytes: int
    frame_bytes: int
    is_wrapper: bool


@dataclass(frozen=True)
class PathSide:
    """A path on one build; the depth of its last function is an interval where names are ambiguous."""

    lowest_depth_bytes: int
    highest_depth_bytes: int
    stack_bytes: int
    free_bytes: int
    frames: tuple[PathFrame, ...]


@dataclass(frozen=True)
class StackPath:
    """The stack of a goroutine on both builds, root first."""

    stack: tuple[str, ...]
    share: float
    base: PathSide
    candidate: PathSide


@dataclass(frozen=True)
class CompilerFinding:
    """One statement on the compiler's work.

    `explains` is the index of the finding of the comparison that it belongs to. `is_cause`: that finding is significant, for
    the worse, and in the category of the statement. `is_exact`: a prediction without an ambiguous frame. `edge_bytes` is the
    depth from which a call does not fit. `path` is an index in the paths of the document.
    """

    kind: CompilerKind
    grade: CompilerGrade
    is_exact: bool
    function: str
    callee: str | None
    file: str | None
    line: int | None
    sentence: str
    advice: str
    explains: int | None
    is_cause: bool
    path: int | None
    edge_bytes: int | None


@dataclass(frozen=True)
class InstanceCode:
    """The code of an instance, and the number of calls that are inlined in it."""

    size_bytes: int
    frame_bytes: int
    inlined: int


@dataclass(frozen=True)
class InstanceChange:
    """An instance of a generic function that one build has, or whose code differs; it proves nothing about cost.

    `is_on_stack`: its function is on a stack that was followed.
    """

    change: InstanceChangeKind
    function: str
    type_arguments: str
    is_on_stack: bool
    base: InstanceCode | None
    candidate: InstanceCode | None


@dataclass(frozen=True)
class CompilerSection:
    """The compiler's part of a comparison. `hot_paths`: the hottest first; results of earlier versions have none."""

    base: CompilerBuild
    candidate: CompilerBuild
    differences: tuple[BuildDifference, ...]
    findings: tuple[CompilerFinding, ...]
    paths: tuple[StackPath, ...]
    hot_paths: tuple[HotPath, ...] = ()
    pgo: str | None = None
    """What PGO did, if the builds differ only in it."""
    other_builds: tuple[CompilerSide, ...] = ()
    """Sides whose profiles have another build ID than the executable."""
    addressed: tuple[CompilerSide, ...] = ()
    """Sides whose stacks are followed by the addresses in their profiles."""
    pgo_comparison: str | None = None
    """What of the PGO profiles could not be compared; of builds with equal or no `-pgo`, and unknown content."""
    instances: tuple[InstanceChange, ...] = ()
    """Instances of generic functions that differ, those on stacks first; results of earlier versions have none."""
    omitted_instances: int = 0


def regressed_functions(findings: Sequence[Finding]) -> list[str]:
    """Return the keys of functions whose cost rose: subjects and attributed callers of significant findings."""
    keys: list[str] = []
    for finding in findings:
        if finding.direction == "worse" and finding.is_significant:
            keys += [finding.subject] if finding.kind == "profile.function" else []
            keys += [caller.function for caller in finding.attributed_callers]
    return list(dict.fromkeys(keys))


def profile_kind_of(findings: Sequence[Finding], kinds: Sequence[str]) -> str:
    """Return the kind of profile whose stacks are followed: that of the first regression, else the first kind."""
    worse = [each.profile_kind for each in findings if each.direction == "worse" and each.is_significant]
    return next((kind for kind in worse if kind in kinds), kinds[0] if kinds else "cpu")


def make_compiler_section(report: CompilerReport, findings: Sequence[Finding]) -> CompilerSection:
    """Build the section; without a regression, only stacks that are predicted to grow are listed."""
    has_regression = bool(regressed_functions(findings))
    listed = {"edge-crossed", "inlining-gained"} if report["only_pgo"] else {"edge-crossed"}
    reported = [each for each in report["findings"] if has_regression or each["kind"] in listed]
    stated = tuple(_make_finding(each, report, findings) for each in reported)
    return CompilerSection(
        base=_make_build(report["base"]),
        candidate=_make_build(report["candidate"]),
        differences=tuple(
            BuildDifference(each["setting"], each["base"], each["candidate"]) for each in report["differences"]
        ),
        findings=tuple(sorted(stated, key=lambda each: (not each.is_cause, each.explains is None))),
        paths=tuple(_make_path(each) for each in report["paths"]),
        hot_paths=make_hot_paths(report["hot_paths"]),
        pgo=describe_pgo(report) if report["only_pgo"] else None,
        other_builds=tuple(report["other_builds"]),
        addressed=tuple(report["addressed"]),
        instances=tuple(_make_instance(each) for each in report["instances"]),
        omitted_instances=report["omitted_instances"],
        pgo_comparison=describe_pgo_paths(report["base"], report["candidate"]),
    )


def _make_finding(reported: ReportedFinding, report: CompilerReport, findings: Sequence[Finding]) -> CompilerFinding:
    edge = reported.get("edge")
    if edge is None:
        sentence, advice = describe_finding(reported), ""
    else:
        path = report["paths"][edge["path"]]
        on_path = [each for each in report["findings"] if _is_on(each, path)]
        sentence = describe_edge(edge, path, on_path, possible=reported["grade"] == "possible")
        advice = advise(edge, path, on_path)
    explained = _explained(reported, report, findings)
    return CompilerFinding(
        kind=reported["kind"],
        grade=reported["grade"],
        is_exact=edge is not None and edge["exact"],
        function=reported["function"],
        callee=reported.get("callee"),
        file=reported.get("file") or None,
        line=reported.get("line") or reported.get("start_line") or None,
        sentence=sentence,
        advice=advice,
        explains=explained,
        is_cause=explained is not None
        and reported["grade"] in {"binary", "predicted"}
        and not reported["builds_differ"],
        path=edge["path"] if edge else None,
        edge_bytes=edge["depth"] if edge else None,
    )


def _is_on(reported: ReportedFinding, path: ReportedPath) -> bool:
    return any(frame["function"] == reported["function"] for frame in path["candidate"]["frames"])


def _explained(reported: ReportedFinding, report: CompilerReport, findings: Sequence[Finding]) -> int | None:
    """Return the index of the significant finding for the worse that a statement explains."""
    crossing = [each for each in report["findings"] if each["kind"] == "edge-crossed" and "edge" in each]
    is_on_crossing = reported["kind"] == "edge-crossed" or (
        reported["kind"] in {"inlining-lost", "call-new", "frame-grew"}
        and any(_is_on(reported, report["paths"][each["edge"]["path"]]) for each in crossing)
    )
    for number, finding in enumerate(findings):
        if finding.direction != "worse" or not finding.is_significant:
            continue
        is_growth = finding.subject == GROWTH or finding.profile_kind == STACK_GROWTH.id
        if is_growth and is_on_crossing:
            return number
        callers = {caller.function for caller in finding.attributed_callers}
        if finding.subject in CATEGORIES.get(reported["kind"], ()) and reported["function"] in callers:
            return number
        if finding.kind == "profile.function" and _is_about(reported, finding.subject):
            return number
    return None


def _is_about(reported: ReportedFinding, subject: str) -> bool:
    is_neutral = reported["kind"] in {"edge-crossed", "frame-shrank", "inlining-gained"}
    return not is_neutral and subject in {reported["function"], reported.get("callee")}


def _make_build(build: ReportedBuild) -> CompilerBuild:
    return CompilerBuild(build["go"], build["arch"], build["build_id"], build["pgo"], build.get("pgo_sha256"))


def _make_instance(reported: ReportedInstance) -> InstanceChange:
    base, candidate = (
        InstanceCode(side["size"], side["frame"], side["inlined"]) if side is not None else None
        for side in (reported["base"], reported["candidate"])
    )
    return InstanceChange(
        reported["change"], reported["function"], reported["arguments"], reported["on_stack"], base, candidate
    )


def _make_path(path: ReportedPath) -> StackPath:
    return StackPath(tuple(path["stack"]), path["share"], _make_side(path["base"]), _make_side(path["candidate"]))


def _make_side(side: ReportedSide) -> PathSide:
    low, high = side["depth"]
    return PathSide(
        lowest_depth_bytes=low,
        highest_depth_bytes=high,
        stack_bytes=side["final"],
        free_bytes=side["distance"],
        frames=tuple(
            PathFrame(frame["function"], frame["depth"], frame["frame"], frame["wrapper"]) for frame in side["frames"]
        ),
    )
