"""Any two readable sets of profiles can be compared: zeros, one sample, negative values, huge values, nothing in common."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.units import Nanoseconds
from tests.analysis.kinds.profiles.generated_profiles import SECOND, artifact
from tests.analysis.kinds.profiles.test_verdict_corpus import DECODE, EXAMPLE, decoded
from tests.analysis.kinds.profiles.whole_answers import assert_compares, emptied, zeroed

SMALL_FILES = Path(__file__).parent / "testdata"

NAMES = ("main.main", "a/x.Serve", "a/x.Work", "b/y.Work", "runtime.mallocgc", "runtime.gcBgMarkWorker", "sort.Sort")
TYPES = {
    "cpu": (("samples", "count"), ("cpu", "nanoseconds")),
    "heap": (("inuse_objects", "count"), ("inuse_space", "bytes")),
    "allocs": (("alloc_objects", "count"), ("alloc_space", "bytes")),
    "mutex": (("contentions", "count"), ("delay", "nanoseconds")),
    "other": (("things", "widgets"), ("more", "")),
}
VALUES = (0, 1, -1, -7, 3, 100, 10**9, 10**18, -(10**18))


@st.composite
def profiles(draw: st.DrawFn, kind: str) -> ProfileArtifact:
    """A profile that a decoder could have written, however strange."""
    names = draw(st.sampled_from([NAMES, NAMES[:1], NAMES[3:]]))
    samples = draw(
        st.lists(st.tuples(st.lists(st.sampled_from(names), max_size=5), st.sampled_from(VALUES)), max_size=5)
    )
    types = draw(st.sampled_from([TYPES[kind], TYPES[kind][1:], TYPES[kind][::-1]]))
    known = draw(st.booleans())
    facts = RunMetadata(
        run=draw(st.sampled_from([None, "1", "2"])),
        requests=draw(st.sampled_from([None, 0, 1_000])),
        wall_ns=Nanoseconds(10 * SECOND) if known else None,
        cpu_ns=Nanoseconds(draw(st.sampled_from([0, SECOND]))) if known else None,
    )
    return artifact(
        samples,
        f"{kind}.pb.gz",
        facts,
        kind=kind,
        types=types,
        ticks=[draw(st.sampled_from([0, 1])) for _ in types],
        duration_ns=draw(st.sampled_from([0, 1, 10 * SECOND])),
        time_ns=draw(st.sampled_from([0, 1, SECOND])),
        period=draw(st.sampled_from([0, 1, 524_288])),
    )


@st.composite
def sides(draw: st.DrawFn) -> tuple[list[ProfileArtifact], list[ProfileArtifact]]:
    """Two sets; usually of one kind."""
    kinds = draw(st.lists(st.sampled_from(sorted(TYPES)), min_size=1, max_size=2))
    counts = [draw(st.integers(1, 4)), draw(st.integers(1, 4))]
    base, candidate = ([draw(profiles(kind)) for kind in kinds for _ in range(count)] for count in counts)
    return base, candidate


@pytest.mark.processes
@settings(derandomize=True)
@given(drawn=sides())
def test_any_two_sets_can_be_compared(
    drawn: tuple[list[ProfileArtifact], list[ProfileArtifact]],
) -> None:
    assert_compares(*drawn)


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_a_profile_against_itself_a_zero_and_an_empty_one(kind: str) -> None:
    one = artifact([(("main.main", "a/x.Work"), 40), (("main.main",), 3)], kind=kind, types=TYPES[kind], ticks=[1, 512])
    for other in (one, zeroed(one), emptied(one)):
        assert_compares([one], [other])
        assert_compares([other], [one])
        assert_compares([other], [other])
        assert_compares([one] * 4, [other] * 4, views=False)
        assert_compares([other] * 4, [one] * 4, views=False)


def test_a_heap_with_nothing_in_use_is_compared() -> None:
    """A Go heap profile before the first collection: shares of nothing."""
    types = TYPES["heap"]
    used = artifact([(("main.main", "a/x.Keep"), 100)], kind="heap", types=types, ticks=[1, 4096], duration_ns=0)
    comparison = assert_compares([used] * 4, [zeroed(used)] * 4)
    assert comparison.verdict == "inconclusive"


@pytest.mark.processes
def test_small_real_files_can_be_compared_with_each_other(tmp_path: Path) -> None:
    paths = [path for path in sorted(SMALL_FILES.iterdir()) if path.name != "README.md"]
    paths += [min((EXAMPLE / variant).glob("cpu.*.pb.gz")) for variant in ("inlined", "pool")]
    assert_all_compare([decoded(path, tmp_path / "out") for path in paths])


@pytest.mark.corpus
def test_every_file_of_the_corpus_can_be_compared_with_every_other(tmp_path: Path) -> None:
    """Documents of all pairs of a kind; all views of each file with itself, an empty, a zero, and its neighbour."""
    given = os.environ.get("SLOWPATH_CORPUS")
    if not given:
        pytest.skip("SLOWPATH_CORPUS is not set")
    artifacts = list(readable(Path(given), tmp_path / "out"))
    assert len(artifacts) > 60
    assert_all_compare(artifacts)


def readable(corpus: Path, out: Path) -> Iterator[ProfileArtifact]:
    """Every profile that the decoder reads; of long series of captures the first two of each kind."""
    captures = sorted((corpus / "cases").glob("*/*/*.0[01].pb.gz"))
    others = [path for folder in ("pprof", "continuous") for path in sorted((corpus / folder).rglob("*"))]
    for path in (*others, *captures):
        if path.is_file():
            done = subprocess.run([str(DECODE), "profile", str(path), str(out)], capture_output=True, check=False)
            if done.returncode == 0:
                yield decoded(path, out)


def assert_all_compare(artifacts: Sequence[ProfileArtifact]) -> None:
    """Documents of each with each of its kind; all views with itself, its neighbour, an empty and a zero one."""
    for kind in dict.fromkeys(each.table.kind for each in artifacts):
        mine = [each for each in artifacts if each.table.kind == kind]
        for number, one in enumerate(mine):
            for other in (zeroed(one), emptied(one)):
                assert_compares([one], [other])
                assert_compares([other], [one])
            for place, other in enumerate(mine):
                assert_compares([one], [other], views=place in {number, number + 1})
