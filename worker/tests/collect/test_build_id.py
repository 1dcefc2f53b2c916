"""The build id in a profile: of a real one, and of any other input."""

import gzip
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from slowpath_cli.collect.build_id import read_build_id

REAL = Path(__file__).resolve().parents[3] / "e2e" / "bench" / "testdata" / "aa" / "nats" / "000.pb.gz"


def test_a_real_profile_names_its_binary() -> None:
    assert read_build_id(REAL.read_bytes()) == "2d3077872e5fdcab7ecff8cb220da4c1934f030e"


def test_a_truncated_profile_has_no_process_total() -> None:
    whole = gzip.decompress(REAL.read_bytes())
    assert read_build_id(gzip.compress(whole[: len(whole) // 2])) is None
    assert read_build_id(gzip.compress(b"\x1a\x04\x30\xff\xff\x03")) is None, "an index beyond all texts"


@given(st.binary(max_size=200))
def test_no_bytes_break_it(body: bytes) -> None:
    assert read_build_id(body) is None
    read_build_id(gzip.compress(body))
