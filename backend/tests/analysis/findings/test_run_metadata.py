"""Run metadata from the JSON of users and programs."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.findings.run_metadata import RunMetadata


def test_facts_survive_a_round_trip() -> None:
    fields: dict[str, object] = {
        "run": "a/1",
        "requests": 10,
        "wall_ns": 5,
        "go_version": "go1.26.8",
        "cpu_flags": ["aes", "avx"],
    }
    fields["process_age_ms"] = 61_000
    fields["requests_by_route"] = [{"route": "/a", "method": "GET", "status_class": "2xx", "requests": 7}]
    assert RunMetadata.from_json(fields).to_json() == fields


def test_unknown_fields_are_ignored_and_null_is_absent() -> None:
    assert RunMetadata.from_json({"weather": "fine", "requests": None}) == RunMetadata()


def test_cpu_flags_may_be_one_line() -> None:
    assert RunMetadata.from_json({"cpu_flags": "sse2 aes sse2"}).cpu_flags == ("aes", "sse2")


def test_numbers_are_rounded() -> None:
    assert RunMetadata.from_json({"requests": 10.0}).requests == 10


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ([], "facts must be a JSON object, not a list"),
        ({"requests": "many"}, "facts.requests must be a number, not a string"),
        ({"requests": True}, "facts.requests must be a number, not a boolean"),
        ({"requests": -1}, "between 0 and 2\\^53"),
        ({"requests": float("nan")}, "facts.requests must be a number"),
        ({"wall_ns": float("inf")}, "facts.wall_ns must be a number"),
        ({"run": 1}, "facts.run must be a string, not 1"),
        ({"commit": "x" * 5000}, "has 5000 characters, the limit is 4096"),
        ({"cpu_flags": {}}, "must be a list of strings"),
        ({"cpu_flags": [1]}, "must be a list of strings"),
        ({"cpu_flags": ["x" * 20000]}, "longer than 16384"),
        ({"process_age_ms": -1}, "facts.process_age_ms must be between 0 and 2\\^53"),
        ({"requests_by_route": "many"}, "facts.requests_by_route must be a list"),
        ({"requests_by_route": ["/a"]}, "facts.requests_by_route must hold objects"),
        ({"requests_by_route": [{"requests": 1}] * 52}, "has 52 entries, the limit is 50"),
        ({"requests_by_route": [{"route": "x" * 201, "requests": 1}]}, "has 201 characters, the limit is 200"),
        ({"requests_by_route": [{"method": 1, "requests": 1}]}, "requests_by_route.method must be a string"),
        ({"requests_by_route": [{"route": "/a"}]}, "requests_by_route.requests must be a number"),
        ({"requests_by_route": [{"requests": -1}]}, "requests_by_route.requests must be between 0 and 2\\^53"),
    ],
)
def test_wrong_facts_are_refused_by_name(metadata: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RunMetadata.from_json(metadata)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
names = st.sampled_from(
    ["run", "requests", "wall_ns", "cpu_ns", "gomaxprocs", "cpu_flags", "commit", "requests_by_route"]
)


@given(st.dictionaries(names, json_values))
def test_any_json_is_facts_or_a_clear_error(metadata: dict[str, object]) -> None:
    with suppress(ValueError):
        facts = RunMetadata.from_json(metadata)
        assert RunMetadata.from_json(facts.to_json()) == facts
