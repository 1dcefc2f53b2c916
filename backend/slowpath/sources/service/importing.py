"""History of a source is brought page by page, and written as if it had been pushed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from slowpath.analysis.metrics.detection import Rule, family_of, recognise, rule_for
from slowpath.analysis.metrics.incoming import NAME as NAME_LABEL
from slowpath.analysis.metrics.incoming import BadSeries, Faults, Incoming, Labels, kind_of
from slowpath.analysis.metrics.series import SeriesKind
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.metrics.service import receiving, ruling
from slowpath.metrics.service.memory import TeamSeries
from slowpath.metrics.service.naming import rule_of
from slowpath.sources.errors import PageTooLarge
from slowpath.sources.rules import FIRST_PAGE_MS, MOST_NAMES, narrower, wider
from slowpath.sources.service.asking import Found, Page, PrometheusApi

MOST_RULES: Final = 1_000
Families = Mapping[str, tuple[SeriesKind, str]]


@dataclass(frozen=True)
class Wanted:
    """What of a source is brought."""

    names: Sequence[str]
    more: int
    """Usual names beyond the limit, which are left out."""
    families: Families


@dataclass
class Brought:
    """What was brought so far."""

    samples: int = 0
    series: set[Labels] = field(default_factory=set)
    faults: Faults = field(default_factory=Faults)

    def said(self) -> dict[str, Any]:
        """Return it as it is kept with the source."""
        return {
            "samples": self.samples,
            "series": len(self.series),
            "left_out": [
                {"what": slug, "count": count, "detail": self.faults.details[slug][0]}
                for slug, count in self.faults.counts.items()
            ],
        }


def rules_of(session: ReadSession) -> list[Rule]:
    """Return what the team says of its metrics."""
    return [rule_of(row) for row in ruling.rules(session, None, MOST_RULES)]


def usual(names: Sequence[str], rules: Sequence[Rule]) -> list[str]:
    """Return the names that the board can use: by their spelling, or because a rule speaks of them."""
    return [name for name in names if _usual(name, rules)]


def _usual(name: str, rules: Sequence[Rule]) -> bool:
    family = family_of(name)
    spoken_of = [rule for rule in rules if rule.metric in (name, family)]
    if any(rule.role != "ignore" for rule in spoken_of):
        return True
    labels = {"job": "any"}  # whether the labels say a service is looked at series by series, as with what is pushed
    ignored = rule_for(name, labels, spoken_of) is not None
    return not ignored and recognise(name, labels, kind_of(((NAME_LABEL, name),)), ()).role is not None


def wanted(api: PrometheusApi, rules: Sequence[Rule], from_ms: int, to_ms: int) -> Wanted:
    """Ask which of the usual names there are. Raises `SourceRefused`, `DidNotAnswer`."""
    names = usual(api.names(from_ms, to_ms), rules)
    kept = names[:MOST_NAMES]
    families = api.kinds(sorted({*kept, *(family_of(name) for name in kept)}))
    return Wanted(kept, len(names) - len(kept), families)


def pages(api: PrometheusApi, name: str, from_ms: int, to_ms: int, going: Callable[[float], None]) -> Iterator[Page]:
    """Yield the samples of a name in from_ms..to_ms, both included, page by page. `going` hears how far it is (0 to 1).

    Raises `PageTooLarge` if there is too much of it in a minute, `SourceRefused`, `DidNotAnswer`.
    """
    width, after = FIRST_PAGE_MS, from_ms - 1
    while after < to_ms:
        going((after - from_ms) / (to_ms - from_ms + 1))
        until = min(after + width, to_ms)
        try:
            page = api.page(name, after, until)
        except PageTooLarge:
            less = narrower(until - after)
            if less is None:
                raise
            width = less
            continue
        yield page
        after, width = until, wider(width, page.size_bytes)


def write(
    session: WriteSession,
    team: TeamSeries,
    page: Page,
    families: Families,
    brought: Brought,
    *,
    now_ms: int,
    most_series: int,
) -> None:
    """Write a page; what is there already counts as written."""
    if not any(len(one.times_ms) or one.natives for one in page.series):
        return
    taken = receiving.take(
        session,
        team,
        "import",
        lambda known: incoming_of(page.series, families, known),
        now_ms=now_ms,
        most_series=most_series,
    )
    brought.samples += taken.samples
    brought.series.update(one.labels for one in page.series if len(one.times_ms))
    for slug, count in taken.faults.counts.items():
        brought.faults.add(slug, taken.faults.details[slug][0], count)


def incoming_of(series: Sequence[Found], families: Families, known: Mapping[bytes, int]) -> Incoming:
    """Return a page as a request's samples."""
    incoming = Incoming(families=dict(families))
    for one in series:
        if one.natives:
            detail = "Native histograms are left out: this API does not tell their resolution. Push them instead."
            incoming.faults.add("native-histogram", detail, one.natives)
        if not len(one.times_ms):
            continue
        key = b"\xff".join(part.encode() for pair in one.labels for part in pair)
        try:
            slot = incoming.slot(key, known, lambda labels=one.labels: labels, "unknown")  # type: ignore[misc]  # mypy infers no lambda with a default
        except BadSeries as bad:
            incoming.faults.add(bad.slug, str(bad), len(one.times_ms))
            continue
        incoming.whole.append((np.full(len(one.times_ms), slot, np.int64), one.times_ms, one.values))
    return incoming
