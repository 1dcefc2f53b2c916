"""Names are numbered as a dictionary would, however few or many they are, and in whatever order they arrive."""

from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.formats.go_function_names import is_standard
from slowpath.analysis.kinds.profiles.categories.runtime_category_rules import runtime_rules
from slowpath.analysis.kinds.profiles.decoded.key_numbers import KeyNumbers

NAMES = st.one_of(
    st.text(max_size=4),
    st.sampled_from(["", "[", "[root cut off]", "runtime.mallocgc", "sync/atomic.Add", "time.Now", "internal/abi.F"]),
    st.builds(
        lambda head, rest: f"{head}/{rest}",
        st.sampled_from(["a.b", "a.b/c", "a.bc", "net", "internal", "a[b", "", "\ud7ff"]),
        st.text(alphabet="ab./[]\u00e9", max_size=4),
    ),
)


@given(st.lists(st.lists(NAMES, max_size=30), max_size=6))
def test_numbers_are_those_of_first_appearance(batches: list[list[str]]) -> None:
    expected = {"": 0}
    numbers = KeyNumbers([""])
    for names in batches:
        wanted = [expected.setdefault(name, len(expected)) for name in names]
        assert numbers.number(names).tolist() == wanted
    assert numbers.keys == list(expected)
    assert [numbers.find(name) for name in expected] == list(expected.values())
    assert numbers.find("absent, and longer than any") is None


def test_few_of_many_names_are_found_without_a_merge() -> None:
    numbers = KeyNumbers([f"m.{i}" for i in range(100)])
    assert numbers.number(["m.7", "m.99"]).tolist() == [7, 99]
    assert numbers.number(["new", "m.7", "new"]).tolist() == [100, 7, 100]


@given(st.lists(NAMES, max_size=40, unique=True))
def test_a_name_of_a_module_is_neither_standard_nor_of_the_runtime(names: list[str]) -> None:
    for name, of_module in zip(names, KeyNumbers(names).of_modules().tolist(), strict=True):
        head, slash, _ = name.partition("/")
        assert of_module == (slash == "/" and "[" not in head and not is_standard(name))
        assert not (of_module and runtime_rules().runtime_prefix.match(name))
