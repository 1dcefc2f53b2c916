"""The largest values of the labels of one profile: few and short, so that they are stored with its summary.

A hostile profile may have a million labels and values: sums are arrays, and only the texts of the largest are read.
"""

from typing import Any, Final

import numpy as np

from slowpath.analysis.kinds.profiles.decoded.label_values import sum_by_label
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable

MOST_KEYS: Final = 5
MOST_VALUES: Final = 6
"""Values of a key: more than two, because the largest ones of several profiles may differ."""
LONGEST_TEXT: Final = 200
"""Characters of a key or value; longer ones are omitted."""


def sum_largest_labels(table: ProfileTable) -> dict[str, Any]:
    """Return the largest values of the largest labels as JSON, `{"total", "keys": [{"key", "values": [{"value", "raw"}]}]}`.

    The total is that of all samples, by the default sample type. Labels with a single value are omitted.
    """
    return {"total": float(table.total(table.default_sample_type)), "keys": _list_keys(table)}


def _list_keys(table: ProfileTable) -> list[dict[str, Any]]:
    labels = table.sample_labels
    if labels is None:
        return []
    raw, _ = sum_by_label(table, labels, table.default_sample_type)
    keys, of_key = np.unique(labels.key, return_inverse=True)
    largest = np.argsort(-np.bincount(of_key, weights=raw, minlength=len(keys)), kind="stable")[:MOST_KEYS]
    found = []
    for number in largest.tolist():
        rows = np.flatnonzero((of_key == number) & (raw > 0))
        rows = rows[np.argsort(-raw[rows], kind="stable")[:MOST_VALUES]]
        texts = [table.strings[value] for value in labels.value[rows].tolist()]
        values = [
            {"value": text, "raw": one} for text, one in zip(texts, raw[rows].tolist(), strict=True) if _is_listed(text)
        ]
        key = table.strings[int(keys[number])]
        if len(values) > 1 and key and _is_listed(key):
            found.append({"key": key, "values": values})
    return found


def _is_listed(text: str) -> bool:
    return len(text) <= LONGEST_TEXT and "\x00" not in text
