"""Decisions of previews (pure). Summaries hold labels of uploaded profiles: untrusted texts."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LabelShare:
    """A value of a label and its share of the samples."""

    value: str
    share: float


@dataclass(frozen=True)
class LabelPair:
    """The two largest values of a label, the largest first."""

    key: str
    first: LabelShare
    second: LabelShare


def find_label_pair(summaries: Sequence[Mapping[str, Any]]) -> LabelPair | None:
    """Return the two largest label values of CPU profiles, of the label whose second value is largest; None without two.

    Profiles that were decoded by earlier versions have no labels, and do not count.
    """
    known = [each["labels"] for each in summaries if each.get("labels")]
    total = sum(labels["total"] for labels in known)
    sums: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for labels in known:
        for label in labels["keys"]:
            for each in label["values"]:
                sums[label["key"]][each["value"]] += each["raw"]
    pairs = []
    for key, values in sums.items():
        ranked = sorted(values, key=lambda value: (-values[value], value))[:2]
        if len(ranked) == 2 and total > 0:
            first, second = (LabelShare(value, min(1.0, values[value] / total)) for value in ranked)
            pairs.append(LabelPair(key, first, second))
    return min(pairs, key=lambda pair: (-pair.second.share, pair.key), default=None)
