"""What the decode helper states of two binaries: `compare-binaries`, as it prints it."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

CompilerKind = Literal[
    "edge-crossed",
    "inlining-lost",
    "call-new",
    "heap-allocation-new",
    "write-barrier-new",
    "bounds-checks",
    "frame-grew",
    "stack-check",
    "inlining-gained",
    "frame-shrank",
    "code-size",
]
InstanceChangeKind = Literal["added", "removed", "changed"]
CompilerSide = Literal["base", "candidate"]
CompilerGrade = Literal["binary", "predicted", "possible", "information"]


class ReportedBuild(TypedDict):
    """What identifies a build."""

    go: str
    arch: str
    build_id: str
    pgo: str | None
    pgo_sha256: NotRequired[str | None]


class ReportedDifference(TypedDict):
    """A setting that may change all code."""

    setting: str
    base: str
    candidate: str


class ReportedFrame(TypedDict):
    """A function with a frame on a path; `depth` (bytes) is at its first instruction."""

    function: str
    depth: int
    frame: int
    check: bool
    wrapper: bool


class ReportedRuntimeCall(TypedDict):
    """The hot call into the runtime along a path that reaches deepest."""

    function: str
    need: list[int]


class ReportedSide(TypedDict):
    """A path on one build, in bytes; `depth` is the lowest and highest of the last function.

    `need`: how deep its stack checks reach; `limit`: the depth from which a call does not fit the final size.
    """

    depth: list[int]
    need: list[int]
    limit: int
    start: int
    final: int
    distance: int
    frames: list[ReportedFrame]
    runtime: NotRequired[ReportedRuntimeCall]


class ReportedPath(TypedDict):
    """A stack on both builds, root first, and its share of the values of its side."""

    stack: list[str]
    share: float
    base: ReportedSide
    candidate: ReportedSide


class ReportedHotPath(TypedDict):
    """A hot stack on one build or both, root first, and its shares of the values of base and candidate."""

    stack: list[str]
    shares: list[float]
    unfollowed: NotRequired[str]
    base: ReportedSide
    candidate: ReportedSide | None


class StackSizesReport(TypedDict):
    """The output of `stack-sizes`."""

    version: int
    build: ReportedBuild
    paths: list[ReportedHotPath]


class ReportedValues(TypedDict):
    """What a finding counts on one side."""

    inlined: NotRequired[int]
    called: NotRequired[int]
    bytes: NotRequired[int]
    check: NotRequired[bool]


class ReportedEdge(TypedDict):
    """A stack size that a path needs in the candidate and not in the base, in bytes."""

    exact: bool
    start: int
    starts: list[int]
    depth: int
    base_need: list[int]
    candidate_need: list[int]
    base_distance: int
    candidate_distance: int
    path: int
    paths: int


class ReportedFinding(TypedDict):
    """One statement; lines are of the function's file, or of the callee's.

    `callee_frame`: in the build that calls it. `arguments`: of an instance of a generic function.
    """

    kind: CompilerKind
    grade: CompilerGrade
    builds_differ: bool
    function: str
    arguments: NotRequired[str]
    callee: NotRequired[str]
    file: NotRequired[str]
    line: NotRequired[int]
    start_line: NotRequired[int]
    callee_frame: NotRequired[int]
    callee_file: NotRequired[str]
    callee_line: NotRequired[int]
    base: NotRequired[ReportedValues]
    candidate: NotRequired[ReportedValues]
    edge: NotRequired[ReportedEdge]


class ReportedInstanceCode(TypedDict):
    """The code of an instance of a generic function; `size` and `frame` in bytes."""

    size: int
    frame: int
    inlined: int


class ReportedInstance(TypedDict):
    """An instance of a generic function that one build has, or whose code differs."""

    change: InstanceChangeKind
    function: str
    arguments: str
    on_stack: bool
    base: ReportedInstanceCode | None
    candidate: ReportedInstanceCode | None


class ReportedUnread(TypedDict):
    """Stacks that could not be followed beyond the caller of a function."""

    side: str
    function: str
    stacks: int


class CompilerReport(TypedDict):
    """The whole output. `other_builds`: sides whose profiles have another build ID than the program.

    `addressed`: sides whose stacks are followed by addresses of their profiles.
    """

    version: int
    base: ReportedBuild
    candidate: ReportedBuild
    differences: list[ReportedDifference]
    unread: list[ReportedUnread]
    paths: list[ReportedPath]
    findings: list[ReportedFinding]
    omitted: int
    hot_paths: list[ReportedHotPath]
    only_pgo: bool
    other_builds: list[CompilerSide]
    addressed: list[CompilerSide]
    instances: list[ReportedInstance]
    omitted_instances: int
