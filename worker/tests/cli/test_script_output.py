"""The number of a script: the output of `go test -bench`, a last line, and what is no measurement."""

import pytest

from slowpath_cli.local_bisect.script_output import list_benchmarks, read_number

GO_TEST = """goos: linux
goarch: amd64
pkg: example.com/json/v2
cpu: Example CPU i7-9750H @ 2.60GHz
BenchmarkDecode-2   \t  145167\t      1724 ns/op\t     64 B/op\t       2 allocs/op
BenchmarkDecode-2   \t  145167\t      1776 ns/op\t     64 B/op\t       2 allocs/op
PASS
ok  \texample.com/json/v2\t0.298s
"""


@pytest.mark.parametrize(
    ("output", "number"),
    [
        (GO_TEST, 1750.0),  # not 0.298, the seconds of the test
        (f"{GO_TEST}2\n", 2.0),
        ("PASS\nok  \texample.com/json/v2\t0.004s\n", None),  # the benchmark does not exist in this build
        ("ok  \texample.com/json/v2\t0.004s [no tests to run]\n", None),
        ("?   \texample.com/json/v2\t[no test files]\n", None),
        ("took 12 ms\n", 12.0),
        ("p50 3\np99 11.5\n\n", 11.5),
        ("BenchmarkServe 1 812 p99-ms 3.1 cpu-ms/req\n", 3.1),  # of a load script: the last number
        ("", None),
    ],
)
def test_the_number_of_an_output(output: str, number: float | None) -> None:
    assert read_number(output) == number


def test_several_benchmarks_are_listed_unless_the_last_line_is_a_number() -> None:
    several = "BenchmarkA-2 10 5 ns/op\nBenchmarkB-2 10 7 ns/op\nBenchmarkA-2 10 6 ns/op\nPASS\n"
    assert list_benchmarks(several) == ["BenchmarkA-2", "BenchmarkB-2"]
    assert list_benchmarks(f"{several}7\n") == []
    assert list_benchmarks("BenchmarkA\n") == []
    assert list_benchmarks("BenchmarkA 1 3 p99-ms\nBenchmarkB 1 4 p99-ms\n") == []
