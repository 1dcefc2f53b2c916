"""The largest label values of a profile, which are stored with its summary."""

import time
from dataclasses import replace

import numpy as np

from slowpath.analysis.formats.column_file import pack_strings
from slowpath.analysis.kinds.profiles.decoded.largest_labels import MOST_KEYS, MOST_VALUES, sum_largest_labels
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable, StringTable
from slowpath.analysis.kinds.profiles.decoded.sample_labels import SampleLabels
from tests.analysis.kinds.profiles.generated_profiles import TICK, labelled_stacks, table

DRAWING = """
    main          main                     main                     main
    serve         serve                    serve                    idle
    endpoint=/a   endpoint=/b,tenant=acme  endpoint=/a,tenant=acme  .
    4             3                        2                        1
"""


def drawn() -> ProfileTable:
    samples, labels = labelled_stacks(DRAWING)
    return table(samples, labels=labels)


def with_labels(keys: list[str], values: list[str], costs: list[int]) -> ProfileTable:
    """Return a profile with one sample for each label."""
    count, strings = len(keys), [*dict.fromkeys([*keys, *values])]
    number = {text: at for at, text in enumerate(strings)}
    offsets, data = pack_strings(strings).values()
    one = np.arange(count + 1, dtype=np.uint32)
    labels = SampleLabels(
        one,
        one[:-1],
        np.array([number[each] for each in keys], dtype=np.uint32),
        np.array([number[each] for each in values], dtype=np.uint32),
        one[:-1],
    )
    return replace(
        drawn(),
        strings=StringTable(offsets.astype(np.uint32), data.tobytes()),
        sample_node=np.zeros(count, dtype=np.uint32),
        sample_line_node=np.zeros(count, dtype=np.uint32),
        sample_labels=labels,
        values=(np.array(costs, dtype=np.int64),),
        default_sample_type=0,
        summary=None,
    )


def test_values_are_summed_and_labels_with_a_single_one_are_omitted() -> None:
    values = [{"value": "/a", "raw": 6 * TICK}, {"value": "/b", "raw": 3 * TICK}]
    assert sum_largest_labels(drawn()) == {"total": 10 * TICK, "keys": [{"key": "endpoint", "values": values}]}
    assert sum_largest_labels(replace(drawn(), sample_labels=None)) == {"total": 10 * TICK, "keys": []}


def test_texts_that_cannot_be_stored_or_shown_are_omitted() -> None:
    values = ["/a", "/b", "x\x00y", 300 * "z", "/none"]
    [found] = sum_largest_labels(with_labels(5 * ["endpoint"], values, [1, 2, 3, 4, 0]))["keys"]
    assert [each["value"] for each in found["values"]] == ["/b", "/a"]
    assert sum_largest_labels(with_labels(2 * ["k\x00"], ["a", "b"], [1, 1]))["keys"] == []
    assert sum_largest_labels(with_labels(2 * [""], ["a", "b"], [1, 1]))["keys"] == []


def test_a_million_values_take_little_time_and_few_are_listed() -> None:
    values = [f"/order/{n}" for n in range(1_000_000)]
    hostile = with_labels(1_000_000 * ["endpoint"], values, [*range(1_000_000)])
    began = time.process_time()
    [found] = sum_largest_labels(hostile)["keys"]
    assert time.process_time() - began < 5
    assert [each["value"] for each in found["values"]] == values[: -MOST_VALUES - 1 : -1]
    keys = [f"k{n // 2}" for n in range(200_000)]
    assert (
        len(sum_largest_labels(with_labels(keys, [str(n) for n in range(200_000)], 200_000 * [1]))["keys"]) == MOST_KEYS
    )
