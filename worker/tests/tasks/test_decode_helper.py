"""The Go helper from Python: its output for valid files, and the cause of each failure."""

import gzip
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from slowpath.analysis.kinds.profiles.decoded.profile_table import read_profile_columns
from slowpath.core.errors import Unavailable
from slowpath.core.settings import MIB, Settings
from slowpath_worker.decode_helper import ArtifactLimitExceeded, DecodeHelper, InvalidArtifact
from slowpath_worker.decode_limits import (
    BASE_CPU_SECONDS,
    BASE_MEMORY_BYTES,
    MAX_MEMORY_BYTES,
    DecodeLimits,
    claimed_unpacked_bytes,
    cpu_seconds,
    trace_limits,
)
from tests.tasks.conftest import PROFILES

GOOD = PROFILES / "go-cpu-1.26.pb.gz"
AMPLE = DecodeLimits(BASE_MEMORY_BYTES * 8, 20, 64 * MIB)


def nothing() -> None:
    """Let the helper go on."""


def helper_of(settings: Settings, script: str, folder: Path) -> DecodeHelper:
    """Return a helper that is a shell script: for ends that no file can bring about at will."""
    path = folder / "helper"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return DecodeHelper(settings.model_copy(update={"decode_bin": path}), nothing)


@pytest.fixture
def helper(settings: Settings) -> DecodeHelper:
    return DecodeHelper(settings, nothing)


@pytest.mark.parametrize("profile", sorted(PROFILES.iterdir()), ids=lambda path: path.name)
def test_every_profile_becomes_columns(helper: DecodeHelper, profile: Path, tmp_path: Path) -> None:
    found = helper.sniff(profile)
    helper.profile(profile, profile.name, tmp_path / "out", AMPLE)

    header = read_profile_columns((tmp_path / "out").read_bytes()).header
    assert found["kind"] == "pprof"
    assert header["counts"]["samples"] > 0
    assert header["sample_types"]


@pytest.mark.parametrize(
    ("content", "slug"),
    [
        (b"", "empty-file"),
        (GOOD.read_bytes()[:500], "truncated-gzip"),
        (gzip.compress(b"", mtime=0), "empty-file"),
        (b"PK\x03\x04 a zip", "not-a-profile"),
        (b"hello, this is no profile", "not-a-profile"),
        (b"<html><body>502 Bad Gateway</body></html>", "not-a-profile"),
        (bytes(1000), "not-a-profile"),
        (gzip.compress(gzip.compress(b"x", mtime=0), mtime=0), "nested-compression"),
    ],
)
def test_a_bad_file_is_refused_by_name(helper: DecodeHelper, content: bytes, slug: str, tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_bytes(content)

    with pytest.raises(InvalidArtifact) as refused:
        helper.profile(path, "in", tmp_path / "out", AMPLE)

    assert refused.value.name == slug
    assert refused.value.detail
    assert not (tmp_path / "out").exists()


def test_a_helper_that_is_not_built_is_no_fault_of_the_file(settings: Settings) -> None:
    for missing in (None, Path("/nowhere/slowpath-decode")):
        with pytest.raises(Unavailable, match="not built"):
            DecodeHelper(settings.model_copy(update={"decode_bin": missing}), nothing)


@pytest.mark.parametrize(
    "expected",
    [
        "fatal error: runtime: out of memory",
        "runtime: mmap: cannot allocate memory",
        "runtime: failed to create new OS thread (have 5 already; errno=11)",
    ],
)
def test_an_exceeded_memory_limit_is_reported_as_such(settings: Settings, expected: str, tmp_path: Path) -> None:
    helper = helper_of(settings, f'echo "{expected}" >&2; exit 2', tmp_path)

    with pytest.raises(ArtifactLimitExceeded) as refused:
        helper.profile(GOOD, "in", tmp_path / "out", AMPLE)

    error = refused.value
    assert (error.name, error.limit, error.unit) == ("decode-out-of-memory", AMPLE.memory_bytes, "bytes")


def test_an_exceeded_cpu_limit_is_reported_as_such(settings: Settings, tmp_path: Path) -> None:
    helper = helper_of(settings, "while :; do :; done", tmp_path)

    with pytest.raises(ArtifactLimitExceeded) as refused:
        helper.profile(GOOD, "in", tmp_path / "out", DecodeLimits(AMPLE.memory_bytes, 1, 1))

    assert (refused.value.name, refused.value.limit, refused.value.unit) == ("decode-too-slow", 1, "seconds")


def test_a_go_program_over_its_cpu_limit_is_reported_as_such(settings: Settings, tmp_path: Path) -> None:
    """Go catches SIGXCPU and exits with 2, as for bad input, but prints the reason."""
    helper = helper_of(settings, 'echo "SIGXCPU: CPU time limit exceeded" >&2; exit 2', tmp_path)

    with pytest.raises(ArtifactLimitExceeded) as refused:
        helper.profile(GOOD, "in", tmp_path / "out", AMPLE)

    assert refused.value.name == "decode-too-slow"


def test_a_sleeping_process_is_ended_by_the_timeout(settings: Settings, tmp_path: Path) -> None:
    helper = helper_of(settings, "exec sleep 60", tmp_path)
    begun = time.monotonic()

    with pytest.raises(ArtifactLimitExceeded):
        helper.profile(GOOD, "in", tmp_path / "out", DecodeLimits(AMPLE.memory_bytes, 1, 1))

    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    "script", ["exit 70", "kill -SEGV $$", "echo nonsense >&2; exit 2", "echo '{\"error\":' >&2; exit 2", "exit 1"]
)
def test_anything_else_is_a_fault_of_ours(settings: Settings, script: str, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        helper_of(settings, script, tmp_path).profile(GOOD, "in", tmp_path / "out", AMPLE)


def test_a_helper_that_talks_without_end_does_not_fill_memory(settings: Settings, tmp_path: Path) -> None:
    helper = helper_of(settings, "head -c 3000000 /dev/zero >&2; exit 3", tmp_path)

    with pytest.raises(RuntimeError) as fault:
        helper.profile(GOOD, "in", tmp_path / "out", AMPLE)

    assert len(str(fault.value)) < 1000


def test_an_exception_of_the_check_ends_the_helper(settings: Settings, tmp_path: Path) -> None:
    class EndedError(Exception):
        pass

    def check() -> None:
        raise EndedError

    path = tmp_path / "helper"
    path.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    path.chmod(0o755)
    helper = DecodeHelper(settings.model_copy(update={"decode_bin": path}), check)

    with pytest.raises(EndedError):
        helper.profile(GOOD, "in", tmp_path / "out", AMPLE)

    if (tmp_path / "pid").exists():
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), signal.SIGTERM)


def test_a_name_is_no_option_of_the_helper(helper: DecodeHelper, tmp_path: Path) -> None:
    for name in ("--max-depth=1", "-h", "a\nb", "", "x" * 255):
        helper.profile(GOOD, name, tmp_path / "out", AMPLE)


def test_limits_follow_what_the_file_claims(settings: Settings, tmp_path: Path) -> None:
    plain, packed, huge = tmp_path / "plain", tmp_path / "packed", tmp_path / "huge"
    plain.write_bytes(bytes(1000))
    packed.write_bytes(gzip.compress(bytes(5000)))
    huge.write_bytes(gzip.compress(bytes(1000))[:-4] + (2**31).to_bytes(4, "little"))

    assert claimed_unpacked_bytes(plain, "plain", 77) == 1000
    assert claimed_unpacked_bytes(packed, "gzip", 10**9) == 5000
    assert claimed_unpacked_bytes(packed, "zstd", 77) == 77
    assert claimed_unpacked_bytes(packed, "gzip", 77) == 77
    assert claimed_unpacked_bytes(huge, "gzip", 10**9) == 10 * huge.stat().st_size, "no profile packs that well"
    limits = DecodeLimits.for_file(packed, "gzip", settings)
    assert limits == DecodeLimits(BASE_MEMORY_BYTES + 24 * 5000, BASE_CPU_SECONDS, settings.max_unpacked_bytes)
    assert DecodeLimits.for_file(packed, "zstd", settings).memory_bytes == MAX_MEMORY_BYTES


def test_cpu_time_follows_the_size(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "file"

    def seconds(size: int, encoding: str) -> int:
        with file.open("wb") as sparse:
            sparse.truncate(size)
        return cpu_seconds(file, encoding, settings)

    assert seconds(100, "plain") == BASE_CPU_SECONDS
    assert seconds(20 * MIB, "plain") == BASE_CPU_SECONDS + 10
    assert seconds(900 * MIB, "plain") == settings.decode_seconds
    assert seconds(MIB, "zstd") == BASE_CPU_SECONDS + 5, "ten times its size, as it does not say"
    assert trace_limits(file, "plain", settings).cpu_seconds == BASE_CPU_SECONDS


@hypothesis_settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400), st.integers(0, 2000))
def test_a_damaged_profile_is_decoded_or_refused(
    helper: DecodeHelper, tmp_path: Path, damage: bytes, place: int
) -> None:
    content = bytearray(gzip.decompress((PROFILES / "go-sample-cpu.pb.gz").read_bytes()))
    content[place : place + len(damage)] = damage
    path = tmp_path / "in"
    path.write_bytes(bytes(content))
    with suppress(InvalidArtifact, ArtifactLimitExceeded):
        helper.profile(path, "in", tmp_path / "out", AMPLE)
        read_profile_columns((tmp_path / "out").read_bytes())
