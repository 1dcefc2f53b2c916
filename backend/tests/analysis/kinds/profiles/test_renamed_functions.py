"""Functions whose package has another path on either side are compared as one."""

import numpy as np
import pytest

from slowpath.analysis.formats.go_function_names import short
from slowpath.analysis.kinds.profiles.stacks.granularities import Granularity
from slowpath.analysis.kinds.profiles.stacks.renamed_functions import find_renames
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import runs
from tests.analysis.kinds.profiles.test_diff_views import diff, names

HOST = "example.com/owner/cache"
BEFORE = """
    main.main                             main.main                       main.main                      main.main
    example.com/owner/cache.(*Cache).Get  example.com/owner/cache.(*Cache).Add  example.com/owner/cache.(*Cache).Len  main.idle
    example.com/owner/cache.hashed        example.com/owner/cache/list.(*List).push  .                       .
    300                                   280                             120                            400
"""


def renamed(drawing: str, old: str, new: str) -> str:
    return drawing.replace(old, new)


@pytest.mark.parametrize(
    ("path", "receiver"),
    [
        ("example.com/owner/cache/v2", "(*Cache)"),
        ("example.com/owner/cache/v2", "(*Cache[...])"),
        ("other.org/somebody/cache", "(*Cache)"),
        ("example.com/app/vendor/example.com/owner/cache", "(*Cache)"),
    ],
)
def test_another_path_of_the_package_changes_nothing(path: str, receiver: str) -> None:
    after = renamed(renamed(BEFORE, HOST, path), "(*Cache)", receiver)
    for sides in ((BEFORE, after), (after, BEFORE)):
        comparison = compared(runs(sides[0], 10, seed=1), runs(sides[1], 10, seed=2))
        assert comparison.verdict == "unchanged"
        assert not comparison.findings
        assert not comparison.cost_shifts
        (caveat,) = (each for each in comparison.caveats if each.id == "renamed-packages")
        assert "became" in caveat.sentence


def test_the_function_that_grew_is_named_and_not_another_of_similar_size() -> None:
    """By size alone, `Get` of the base would be the former `Add` of the candidate."""
    grown = renamed(BEFORE, HOST, f"{HOST}/v3").replace("300  ", "150  ").replace("280", "420")
    for sides, directions in (((BEFORE, grown), ("better", "worse")), ((grown, BEFORE), ("worse", "better"))):
        comparison = compared(runs(sides[0], 10, seed=1), runs(sides[1], 10, seed=2))
        found = {(short(each.subject).rpartition(".")[2], each.direction) for each in comparison.findings}
        assert ("hashed", directions[0]) in found
        assert ("push", directions[1]) in found
        assert not comparison.cost_shifts


@pytest.mark.parametrize("granularity", ["function", "line"])
def test_views_show_a_renamed_function_once_with_both_sides(granularity: Granularity) -> None:
    drawing = BEFORE.replace(".Get", ".Get:7").replace(".hashed", ".hashed:9")
    after = renamed(drawing, HOST, f"{HOST}/v2")
    columns = diff(granularity=granularity, base=drawing, candidate=after)
    shown = names(columns)
    assert not [each for each in shown if each.startswith((f"{HOST}.", f"{HOST}/list"))]
    row = next(number for number, each in enumerate(shown) if "hashed" in each)
    assert columns.arrays["base_total"][row] > 0
    assert columns.arrays["candidate_total"][row] > 0


def renames(base: list[str], candidate: list[str]) -> dict[str, str]:
    keys = sorted({*base, *candidate})
    found = find_renames(keys, *(np.array([key in side for key in keys]) for side in (base, candidate)))
    labels = range(len(keys)) if found is None else found.label_of.tolist()
    return {key: keys[label] for key, label in zip(keys, labels, strict=True) if keys[label] != key}


def test_only_names_that_one_side_lacks_are_paired() -> None:
    both = [f"{HOST}.Get", f"{HOST}/v2.Get"]
    assert renames(both, both) == {}
    assert renames([f"{HOST}.Get"], both) == {}
    assert renames([f"{HOST}.Get"], [f"{HOST}/v2.Get"]) == {f"{HOST}.Get": f"{HOST}/v2.Get"}
    assert renames(["gopkg.in/yaml%2ev3.Get"], ["gopkg.in/yaml%2ev4.Get"]) != {}


def test_pairs_that_are_not_unique_stay_apart() -> None:
    assert renames([f"{HOST}.Get", f"{HOST}/v3.Get"], [f"{HOST}/v2.Get"]) == {}


def test_other_packages_with_equal_function_names_stay_apart() -> None:
    assert renames(["example.com/svc/a.(*Handler).Serve"], ["example.com/svc/b.(*Handler).Serve"]) == {}
    assert renames(["sort.Sort"], ["slices.Sort"]) == {}
    lasting = ["example.com/x/cache.New", "other.org/y/cache.New"]
    assert renames([*lasting, "example.com/x/cache.Get"], [*lasting, "other.org/y/cache.Get"]) == {}


def test_code_moved_into_a_new_subpackage_is_followed_although_it_is_exported_there() -> None:
    lasting = f"{HOST}.Unmarshal"
    old, new = f"{HOST}.(*parser).next", f"{HOST}/unstable.(*Parser).next"
    assert renames([lasting, old], [lasting, new]) == {old: new}
    assert renames([lasting, new], [lasting, old]) == {new: old}
    older = [lasting, old, f"{HOST}/unstable.Kind"]
    assert renames(older, [lasting, new, f"{HOST}/unstable.Kind"]) == {}


def test_methods_of_a_renamed_type_are_paired_by_their_names() -> None:
    """As in fxamacker/cbor: `parseMap` of one type is not the former `parseArray` of the other."""
    old = [f"{HOST}.(*decodeState).{name}" for name in ("parseMap", "parseArray", "valid")]
    new = [f"{HOST}.(*decoder).{name}" for name in ("parseMap", "parseArray", "wellformed")]
    assert renames(old, new) == dict(zip(old[:2], new[:2], strict=True))
    assert renames(new, old) == dict(zip(new[:2], old[:2], strict=True))


def test_types_that_both_sides_have_or_that_fit_several_stay_apart() -> None:
    old = [f"{HOST}.(*one).Get", f"{HOST}.(*one).Put"]
    new = [f"{HOST}.(*two).Get", f"{HOST}.(*two).Put"]
    assert renames([*old, f"{HOST}.(*two).Len"], [*new, f"{HOST}.(*two).Len"]) == {}
    assert renames(old, [*new, f"{HOST}.(*three).Get", f"{HOST}.(*three).Put"]) == {}
    assert renames(old[:1], new[:1]) == {}, "one equal name is none"
    assert renames([f"{HOST}.one.func", f"{HOST}.one.func.x"], [f"{HOST}.two.func", f"{HOST}.two.func.x"]) == {}


def test_a_method_whose_receiver_is_no_pointer_any_more_is_the_same() -> None:
    """As in gorilla/mux."""
    old, new = f"{HOST}.(*group).setMatch", f"{HOST}.group.setMatch"
    assert renames([old], [new]) == {old: new}
    assert renames([new], [old]) == {new: old}
