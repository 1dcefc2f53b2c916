"""Which build matches, and the content of a go.mod: pure decisions."""

from dataclasses import dataclass

import pytest

from slowpath.inventory.catalog.rules import match_build, read_go_mod


@dataclass
class Built:
    go_version: str = ""
    goos: str = ""
    goarch: str = ""
    flags: str = ""


@pytest.mark.parametrize(
    ("known", "metadata", "index"),
    [
        ([], {}, None),
        ([Built()], {}, 0),
        ([Built("a")], {}, 0),
        ([Built("a")], {"go_version": "a"}, 0),
        ([Built("a")], {"go_version": "b"}, None),
        ([Built()], {"go_version": "b"}, 0),
        ([Built(), Built("b")], {"go_version": "b"}, 1),
        ([Built("b"), Built("b", "linux")], {"goos": "linux", "go_version": "b"}, 1),
        ([Built("a"), Built("b")], {"goos": "linux"}, 0),
        ([Built("a", flags="-race")], {"go_version": "a", "flags": "-cover"}, None),
    ],
)
def test_the_best_matching_build_is_chosen_and_never_a_contradicting_one(
    known: list[Built], metadata: dict[str, str], index: int | None
) -> None:
    found = match_build(known, metadata)

    assert found is (None if index is None else known[index])


GO_MOD = """
// of a service
module example.com/service // indirect

go 1.26

toolchain go1.26.8
require one.example/a v1.0.0
require (
\ttwo.example/b v2.0.0+incompatible // indirect
\t"three.example/c" `v0.0.0-20260101000000-abcdefabcdef`

)
exclude two.example/b v1.9.0
replace one.example/a v1.0.0 => fork.example/a v1.0.1
replace (
\ttwo.example/b v1.0.0 => nowhere v1.0.0
\tthree.example/c => ../c
)
retract [v1.0.0, v1.9.9]
"""


def test_a_go_mod_is_read_with_its_replacements() -> None:
    read = read_go_mod(GO_MOD)

    assert (read.module, read.go_version) == ("example.com/service", "1.26")
    assert read.dependencies == {
        "one.example/a": "v1.0.0 => fork.example/a v1.0.1",
        "two.example/b": "v2.0.0+incompatible",
        "three.example/c": "v0.0.0-20260101000000-abcdefabcdef => ../c",
    }


@pytest.mark.parametrize(
    "text",
    ["", "require (", "require ((((", "replace =>", "=> => =>", ")" * 100, "require a", "\u2028module x y", '"' * 9],
)
def test_an_invalid_go_mod_has_no_requirements(text: str) -> None:
    assert read_go_mod(text).dependencies == {}


def test_a_huge_go_mod_is_cut() -> None:
    many = "require (\n" + "".join(f"m{n}.example/x v1\n" for n in range(6000)) + "x" * 300 + " v1\n)"

    assert len(read_go_mod(many).dependencies) == 5000
