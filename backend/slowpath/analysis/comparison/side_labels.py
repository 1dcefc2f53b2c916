"""Limit a side of a comparison to the samples with given labels."""

from collections.abc import Sequence
from dataclasses import replace

from slowpath.analysis.findings.wording import join_list
from slowpath.analysis.kinds.comparison_sides import ComparisonSide
from slowpath.analysis.kinds.profiles.decoded.label_values import (
    LabelKey,
    LabelMatcher,
    list_label_values,
    select_samples,
)
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact

NAMED_VALUES = 2
"""Values that the error names; the others are counted."""


class NoMatchingSample(ValueError):
    """No sample of a side has the labels; the message states which values there are."""


def select_side(side: ComparisonSide, name: str, matchers: Sequence[LabelMatcher]) -> ComparisonSide:
    """Return the side with only the samples that match `matchers`; `name` is base or candidate.

    Only profiles have labels, so other artifacts are left out, and so are kinds of profiles without any such sample. The
    process's CPU time is that of all samples, so it is left out, too. Raises `NoMatchingSample`.
    """
    if not matchers:
        return side
    selected = [_select(each, tuple(matchers)) for each in side.own_profiles()]
    kinds = {each.table.kind for each in selected if len(each.table.sample_line_node)}
    profiles = tuple(each for each in selected if each.table.kind in kinds)
    if not profiles:
        raise NoMatchingSample(_reason(side, name, matchers))
    return replace(side, profiles=profiles, others={})


def _select(profile: ProfileArtifact, matchers: tuple[LabelMatcher, ...]) -> ProfileArtifact:
    return replace(
        profile,
        table=select_samples(profile.table, matchers),
        facts=replace(profile.facts, cpu_ns=None),
        labels=matchers,
    )


def _reason(side: ComparisonSide, name: str, matchers: Sequence[LabelMatcher]) -> str:
    """Return which matcher no sample has, and what there is instead."""
    keys = _keys(side)
    for matcher in matchers:
        key = keys.get(matcher.key)
        if key is None and matcher.value is not None:
            there = f"it has {join_list(sorted(keys))}" if keys else "no sample there has labels"
            return f"No label {matcher.key} in {name}: {there}."
        if matcher.value is None and key is not None and not key.without_share:
            return f"Every sample in {name} has the label {matcher.key}."
        if key is not None and matcher.value not in {None, *(each.value for each in key.values)}:
            return f"Label {matcher.key} has no value {matcher.value} in {name}: it has {_values(key)}."
    return f"No sample in {name} has {join_list([str(each) for each in matchers])}."


def _keys(side: ComparisonSide) -> dict[str, LabelKey]:
    """Return the labels of the side by key, those of the kinds that come first if several have one."""
    keys: dict[str, LabelKey] = {}
    for profile in side.own_profiles():
        tables = [each.table for each in side.of_kind(profile.table.kind)]
        if profile.table is tables[0]:
            for key in list_label_values(tables, profile.table.sample_types[profile.table.default_sample_type]):
                keys.setdefault(key.key, key)
    return keys


def _values(key: LabelKey) -> str:
    named = [each.value for each in key.values[:NAMED_VALUES]]
    others = len(key.values) - len(named) + key.other_values
    return join_list([*named, f"{others} more"] if others else named)
