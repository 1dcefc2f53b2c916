"""What a variant may be: the words of a variant, the lines of a patch, and what a command prints."""

import pytest

from slowpath.analysis.experiments.output_measures import InvalidOutput, read_output_measures
from slowpath.analysis.experiments.patch_files import MAX_BYTES, validate_patch
from slowpath.analysis.experiments.variants import InvalidVariant, parse_variant, validate_names

PATCH = b"diff --git a/a.go b/a.go\nindex 1f0c..2a1d 100644\n--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


def test_a_variant_sets_variables_and_build_options() -> None:
    variant = parse_variant(" GOGC=200   GOMEMLIMIT=1GiB pgo=off ")
    assert variant.name == "GOGC=200 GOMEMLIMIT=1GiB pgo=off"
    assert variant.variables({"GOFLAGS": "-mod=mod"}) == {
        "GOGC": "200", "GOMEMLIMIT": "1GiB", "GOFLAGS": "-mod=mod -pgo=off"
    }  # fmt: skip
    assert parse_variant("revert").reverts
    assert parse_variant("patch=faster.patch").patch == "faster.patch"
    assert parse_variant("GODEBUG=cpu.avx2=off,madvdontneed=0").environment["GODEBUG"]


@pytest.mark.parametrize(
    "text",
    ["", "GOGC", "GOGC=", "GOGC=-1", "GOGC=200;id", "GOGC=1 GOGC=2", "GOMEMLIMIT=1GB", "GOMAXPROCS=0", "GODEBUG=x", "LD_PRELOAD=/x.so",
     "PATH=/tmp", "GOFLAGS=-toolexec=/tmp/x", "GODEBUG=a=b,", "GOGC=200\x00", "x" * 201, "GOGC=２"],
)  # fmt: skip
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(InvalidVariant):
        parse_variant(text)


def test_an_experiment_has_distinct_variants() -> None:
    validate_names(["GOGC=200", "pgo=off"])
    for names in ([], ["pgo=off", "pgo=off"], [str(one) for one in range(17)]):
        with pytest.raises(InvalidVariant):
            validate_names(names)


def test_a_patch_of_text_files_is_accepted() -> None:
    validate_patch(PATCH)
    validate_patch(PATCH.replace(b"-b\n", b"--- ../b\n"))  # a removed line, not a path


@pytest.mark.parametrize(
    "content",
    [b"", b"hello\n", PATCH.replace(b"b/a.go", b"b/../a.go"), PATCH.replace(b"--- a/a.go", b"--- /etc/passwd"), PATCH.replace(b"a/a.go", b"a/.git/config"),
     PATCH.replace(b"b/a.go", b"b/.GIT/hooks/x"), PATCH.replace(b"+++ b/a.go", b'+++ "b/..\\\\x"'), b"new file mode 120000\n" + PATCH, PATCH.replace(b"100644", b"160000"),
     b"GIT binary patch\nliteral 9\n" + PATCH, b"rename to ../x\n" + PATCH, PATCH + b"+" * MAX_BYTES, PATCH * 101],
)  # fmt: skip
def test_other_patches_are_refused(content: bytes) -> None:
    with pytest.raises(InvalidVariant):
        validate_patch(content)


def test_lines_of_the_benchmark_format_are_measures() -> None:
    found = read_output_measures("goos: linux\nBenchmarkServe-2 1 812 p99-ms 3 cpu-ms/req 90 MB/s\nBenchmarkServe-2 1 800 p99-ms\nok x 1.2s\n")  # fmt: skip
    assert found.values == {"p99-ms": 806, "cpu-ms/req": 3, "MB/s": 90}
    assert found.larger_is_better == {"MB/s"}
    found = read_output_measures(
        "Unit hits better=higher\nUnit n/s better=lower\nBenchmarkA 1 2 hits 3 n/s\nBenchmarkB 1 4 hits\n"
    )
    assert found.values == {"A hits": 2, "A n/s": 3, "B hits": 4}
    assert found.larger_is_better == {"A hits", "B hits"}


def test_without_them_the_last_number_is_the_measure() -> None:
    assert read_output_measures("took 3 s\n1.5e-3 s").values == {"value": 1.5e-3}
    assert read_output_measures("7", is_value_better_larger=True).larger_is_better == {"value"}
    for text in ("", "ok", "\n".join(f"BenchmarkA 1 1 u{one}" for one in range(25))):
        with pytest.raises(InvalidOutput):
            read_output_measures(text)
