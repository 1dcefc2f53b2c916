"""Diff by label: locate a change of the CPU time in one value of a label (an endpoint, a tenant), or in two together.

Each value is tested like a runtime category: relative to the common factor, with the variation between profiles. The false
discovery rate is controlled in steps: over the keys (by the smallest adjusted p-value of their values), then over the values
of the keys that are left, at a level that falls with the share of those keys (Benjamini and Bogomolov 2014); then within one
such value over the values of the other keys in the same way. A value is reported if it changed otherwise than the rest of
the program: a change that all values share is not located by a label. The cost of a route is divided by its own requests
where they are known (`label_requests`), that of any other value by those of the whole service.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import Caveat, Finding
from slowpath.analysis.findings.wording import format_number
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison, SubjectEstimates
from slowpath.analysis.kinds.profiles.comparison.significance import (
    LIKELY,
    WEIGHT_POWER,
    change_of,
    compare_rows,
    profiles_needed,
)
from slowpath.analysis.kinds.profiles.decoded.label_values import MOST_VALUES, LabelMatcher
from slowpath.analysis.kinds.profiles.findings.label_requests import LabelRequests, RequestsOfPart, estimate_parts
from slowpath.analysis.kinds.profiles.findings.label_sentences import (
    LabelWording,
    label_advice,
    label_mechanism,
    label_sentence,
)
from slowpath.analysis.kinds.profiles.sets.label_totals import KeyTotals, LabelTotals, label_totals
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.t_distribution import t_two_sided

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

FEWEST_COUNTS = 10
# A key whose values are not the same on both sides (process numbers, span ids) locates nothing: the values on both sides must
# have at least this share of its cost on each.
SHARED_VALUES = 0.5
# Of the changed values of one key, those named after the largest one.
MOST_OTHERS = 20


@dataclass(frozen=True)
class LabelFindings:
    """At most one finding per key, and caveats."""

    findings: tuple[Finding, ...]
    caveats: tuple[Caveat, ...]


NOTHING_FOUND = LabelFindings((), ())


@dataclass(frozen=True)
class _Value:
    """One changed value of a key: its row of `subjects`, the sets of samples that have it, and its q-value.

    `requests` are its own; None if it is divided by those of the whole service.
    """

    key: KeyTotals
    subjects: SubjectEstimates
    row: int
    sets: Mask
    q: float
    requests: RequestsOfPart | None

    @property
    def statistic(self) -> float:
        return abs(float(self.subjects.tested.statistic[self.row]))

    @property
    def matcher(self) -> LabelMatcher:
        return LabelMatcher(self.key.key, self.key.values[self.row])


def label_findings(comparison: ProfileKindComparison) -> LabelFindings:
    """Return the located changes, the most certain first.

    Only CPU time has labels in Go. A value of another key is reported only if it also changed without the samples of the
    values already reported.
    """
    totals = label_totals(comparison.sets) if comparison.kind == "cpu" and not comparison.sets.differenced else None
    if totals is None:
        return NOTHING_FOUND
    search = _Search(comparison, totals)
    alpha = comparison.thresholds.alpha_labels
    by_key, level = search.changed(search.comparable, None, comparison.categories.rows[-1], alpha)
    findings: list[Finding] = []
    explained = np.zeros(len(totals.cost), dtype=np.bool_)
    for values in sorted(by_key, key=lambda each: -each[0].statistic):
        if findings and not search.still_changed(values[0], explained):
            continue
        inner = search.inside(values[0], level) if len(values) == 1 else None
        findings.append(search.finding([inner] if inner else values, values[0] if inner else None))
        for each in [inner] if inner else values:
            explained |= each.sets
    return LabelFindings(tuple(findings), tuple(_cut_caveats(totals)))


def _cut_caveats(totals: LabelTotals) -> list[Caveat]:
    cut = [each for each in totals.keys if each.cut_values]
    return [
        Caveat(
            "labels-cut",
            f"Label {each.key} has {format_number(len(each.values) + each.cut_values)} values: only the {MOST_VALUES:,} with "
            "the most CPU time were compared.",
        )
        for each in cut[:1]
    ]


@dataclass(frozen=True)
class _Search:
    """The search for changed values in one comparison."""

    comparison: ProfileKindComparison
    totals: LabelTotals

    @cached_property
    def requests(self) -> LabelRequests:
        """Return the requests of routes."""
        return LabelRequests.of(self.comparison)

    @cached_property
    def comparable(self) -> tuple[KeyTotals, ...]:
        """Return the keys with several values, most of whose cost is in values that both sides have."""
        base = self.comparison.sets.is_base
        found = []
        for key in self.totals.keys:
            rows = self.totals.rows(key)
            sides = np.stack([rows[:, base].sum(axis=1), rows[:, ~base].sum(axis=1)])
            shared = sides[:, (sides > 0).all(axis=0)].sum(axis=1)
            if np.all(shared > 0) and np.all(shared >= SHARED_VALUES * sides.sum(axis=1)):
                found.append(key)
        return tuple(found)

    def changed(
        self, keys: Sequence[KeyTotals], within: _Value | None, whole: F64, alpha: float
    ) -> tuple[list[list[_Value]], float]:
        """Return per key its changed values, largest change first, and the level that values were tested at.

        Only of the samples of the value `within`, whose row is `whole`; keys without any are left out.
        """
        tested = [(key, *self._test(key, within, alpha)) for key in keys]
        smallest = np.array([np.nanmin(q) if np.isfinite(q).any() else np.nan for _, _, q, _, _ in tested])
        families = np.flatnonzero(np.isfinite(smallest))
        if not len(families):
            return [], alpha
        selected = families[q_values(smallest[families], np.ones(len(families))) <= alpha]
        level = alpha * len(selected) / len(families)
        by_key = []
        for at in selected.tolist():
            key, subjects, q, changed, own = tested[at]
            found = [
                _Value(key, subjects, row, self._sets_of(key, row, within), float(q[row]), own.get(row))
                for row in np.flatnonzero(changed & (q <= level)).tolist()
            ]
            values = [each for each in found if self._differs_from_rest(each, within, whole)]
            if values:
                by_key.append(sorted(values, key=lambda each: -abs(_difference(each))))
        return by_key, level

    def _test(
        self, key: KeyTotals, within: _Value | None, alpha: float
    ) -> tuple[SubjectEstimates, F64, Mask, dict[int, RequestsOfPart]]:
        """Return the estimates of the values of a key, their q-values, which changed, and the requests of each row that are known."""
        rows = self.totals.rows(key, None if within is None else within.sets)
        counts = np.abs(rows).sum(axis=1) / self.comparison.quantum
        enough = counts >= FEWEST_COUNTS
        own = self._requests_of(key, within, np.flatnonzero(enough).tolist())
        subjects = estimate_parts(self.comparison.estimator, key.values, rows, own)
        if not enough.any():
            return subjects, np.full(len(rows), np.nan), enough, own
        weights = np.power(counts + 1, WEIGHT_POWER)
        significance = compare_rows(self.comparison, subjects, enough, weights, alpha)
        return subjects, significance.q, significance.changed, own

    def _requests_of(self, key: KeyTotals, within: _Value | None, rows: Sequence[int]) -> dict[int, RequestsOfPart]:
        """Return the requests of the route that a row names, else of the one that the value `within` names."""
        outer = within.requests if within is not None else None
        found = {row: self.requests.of_value(key.key, key.values[row]) or outer for row in rows}
        return {row: requests for row, requests in found.items() if requests is not None}

    def _sets_of(self, key: KeyTotals, row: int, within: _Value | None) -> Mask:
        sets: Mask = key.of_set == row
        return sets if within is None else sets & within.sets

    def _differs_from_rest(self, value: _Value, within: _Value | None, whole: F64) -> bool:
        """Return whether a value changed by another ratio than the rest of `whole`, which is that of `within`."""
        requests = within.requests if within is not None else self._requests_of_rest([value])
        rest = self._rest(whole - self.totals.row(value.sets), requests)
        mine = value.subjects.tested.only(value.row)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_ratio = np.log(mine.ratio) - np.log(rest.tested.ratio)
            error = np.hypot(mine.log_error, rest.tested.log_error)
            statistic = log_ratio / error
        if not np.isfinite(statistic[0]):  # one side has nothing of the value, or of the rest
            return True
        return float(t_two_sided(statistic, np.minimum(mine.df, rest.tested.df))[0]) <= LIKELY

    def _requests_of_rest(self, values: Sequence[_Value]) -> RequestsOfPart | None:
        """Return the requests of all others than these values, if each is divided by its own."""
        if any(each.requests is None for each in values):
            return None
        return self.requests.of_rest([(each.key.key, each.key.values[each.row]) for each in values])

    def _rest(self, row: F64, requests: RequestsOfPart | None) -> SubjectEstimates:
        own = {} if requests is None else {0: requests}
        return estimate_parts(self.comparison.estimator, ("elsewhere",), row[np.newaxis], own)

    def still_changed(self, value: _Value, explained: Mask) -> bool:
        """Return whether a value also changed without the samples that are explained already."""
        row = self.totals.row(value.sets & ~explained)
        if np.abs(row).sum() / self.comparison.quantum < FEWEST_COUNTS:
            return False
        tested = self._rest(row, value.requests).tested
        return float(tested.p_value[0]) <= LIKELY and np.sign(tested.difference[0]) == np.sign(_difference(value))

    def inside(self, value: _Value, level: float) -> _Value | None:
        """Return the value of another key that the change within `value` is in, if it is in one alone."""
        whole = self.totals.row(value.sets)
        others = [key for key in self.comparable if key is not value.key]
        by_key, _ = self.changed(others, value, whole, level)
        alone = [values[0] for values in by_key if len(values) == 1]
        alone = [each for each in alone if np.sign(_difference(each)) == np.sign(_difference(value))]
        return max(alone, key=lambda each: each.statistic, default=None)

    def finding(self, values: Sequence[_Value], outer: _Value | None) -> Finding:
        """Return the finding on the first of the changed values, which is part of `outer` if that is given."""
        comparison, leading = self.comparison, values[0]
        subjects, row, basis = leading.subjects, leading.row, self.comparison.basis
        covered = np.any([each.sets for each in values], axis=0)
        rest = self._rest(
            comparison.categories.rows[-1] - self.totals.row(covered),
            self._requests_of_rest([outer] if outer is not None else values),
        )
        of_whole = change_of(comparison, subjects, row)
        change = of_whole if leading.requests is None else of_whole.over(leading.requests.share)
        factor = basis.factor / (1 if leading.requests is None else leading.requests.share)
        base, candidate = (
            float(each[row]) * factor for each in (subjects.estimates.base, subjects.estimates.candidate)
        )
        matchers = [*([outer.matcher] if outer else []), leading.matcher]
        others = [each.matcher for each in values[1 : MOST_OTHERS + 1]]
        has_own = leading.requests is not None
        finding = Finding(
            kind="profile.label",
            profile_kind=comparison.kind,
            subject=", ".join(map(str, matchers)),
            direction="worse" if change.difference > 0 else "better",
            base=base,
            candidate=candidate,
            unit=basis.unit,
            change=change,
            normalization=basis.id,
            q_value=leading.q,
            attributed_callers=(),
            contributions=(),
            is_significant=comparison.significant,
            profiles_needed=profiles_needed(comparison, subjects, row),
            mechanism=label_mechanism(has_own_requests=has_own),
            advice=label_advice(has_own_requests=has_own) if change.difference > 0 else "",
            sentence="",
            whole_difference=of_whole.difference if has_own else None,
        )
        elsewhere = change_of(comparison, rest, 0)
        is_elsewhere = max(float(each.p_value[0]) for each in (rest.estimates, rest.tested)) <= LIKELY
        wording = LabelWording(
            matchers, others, elsewhere, is_elsewhere, leading.requests.route if leading.requests else None
        )
        return replace(finding, sentence=label_sentence(finding, wording))


def _difference(value: _Value) -> float:
    return float(value.subjects.estimates.difference[value.row])
