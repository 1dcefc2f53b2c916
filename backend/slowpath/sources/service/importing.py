"""History of a source is brought page by page, and written as if it had been pushed."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
from slowpath.metrics.service.reading import Selector
from slowpath.sources.errors import PageTooLarge, RangeRefused, SourceRefused
from slowpath.sources.rules import COARSE_MS, FIRST_PAGE_MS, MOST_COARSE_NAMES, MOST_NAMES, narrower, wider
from slowpath.sources.service.asking import Found, Page, PrometheusApi

MOST_RULES: Final = 1_000
ANY_SERVICE: Final = {"job": "any"}
"""Whether the labels say a service is looked at series by series, as with what is pushed."""
Families = Mapping[str, tuple[SeriesKind, str]]


@dataclass(frozen=True)
class Wanted:
    """What of a source is brought."""

    names: Sequence[str]
    more: int
    """Usual names beyond the limit, which are left out."""
    families: Families


@dataclass
class Coarser:
    """Names of which samples as they are could not be had: they are brought as they look at the multiples of a step."""

    refused: RangeRefused | None = None
    """What the source says to range selectors, if it answers none: then it is not asked for any again."""
    names: list[str] = field(default_factory=list)
    why: str | None = None

    def note(self, name: str, error: RangeRefused | PageTooLarge) -> None:
        """Note a name that is brought at steps from here on."""
        if isinstance(error, RangeRefused):
            self.refused = error
        self.names.append(name)
        self.why = self.why or error.detail

    def said(self) -> dict[str, Any] | None:
        """Return it as it is kept with the source."""
        if not self.names:
            return None
        shown = self.names[:MOST_COARSE_NAMES]
        return {"count": len(self.names), "names": shown, "step_s": COARSE_MS // 1000, "why": self.why}


@dataclass
class Brought:
    """What was brought so far."""

    samples: int = 0
    series: set[Labels] = field(default_factory=set)
    faults: Faults = field(default_factory=Faults)
    coarser: Coarser = field(default_factory=Coarser)

    def said(self) -> dict[str, Any]:
        """Return it as it is kept with the source."""
        return {
            "samples": self.samples,
            "series": len(self.series),
            "left_out": [
                {"what": slug, "count": count, "detail": self.faults.details[slug][0]}
                for slug, count in self.faults.counts.items()
            ],
            "coarser": self.coarser.said(),
        }


def rules_of(session: ReadSession) -> list[Rule]:
    """Return what the team says of its metrics."""
    return [rule_of(row) for row in ruling.rules(session, None, MOST_RULES)]


def usual(names: Sequence[str], rules: Sequence[Rule]) -> list[str]:
    """Return the names that the board can use: by their spelling, or because a rule speaks of them."""
    there = set(names)
    return [name for name in names if _usual(name, rules, kind_by_name(name, there))]


def kind_by_name(name: str, there: Collection[str]) -> SeriesKind:
    """Return what a name, among those that are there, says of its kind.

    A native histogram has no name but its family's: what is spelled like a latency, without a count beside it, is taken for one.
    """
    alone = f"{family_of(name)}_count" not in there
    if alone and recognise(name, ANY_SERVICE, "histogram", ()).role == "latency":
        return "histogram"
    return kind_of(((NAME_LABEL, name),))


def _usual(name: str, rules: Sequence[Rule], kind: SeriesKind) -> bool:
    family = family_of(name)
    spoken_of = [rule for rule in rules if rule.metric in (name, family)]
    if any(rule.role != "ignore" for rule in spoken_of):
        return True
    ignored = rule_for(name, ANY_SERVICE, spoken_of) is not None
    return not ignored and recognise(name, ANY_SERVICE, kind, ()).role is not None


def wanted(api: PrometheusApi, rules: Sequence[Rule], from_ms: int, to_ms: int) -> Wanted:
    """Ask which of the usual names there are. Raises `SourceRefused`, `DidNotAnswer`."""
    names = usual(api.names(from_ms, to_ms), rules)
    kept = names[:MOST_NAMES]
    families = api.kinds(sorted({*kept, *(family_of(name) for name in kept)}))
    return Wanted(kept, len(names) - len(kept), families)


def pages(
    api: PrometheusApi, name: str, between: tuple[int, int], going: Callable[[float], None], coarser: Coarser
) -> Iterator[Page]:
    """Yield the samples of a name between two times, both included, page by page. `going` hears how far it is (0 to 1).

    Where the source refuses range selectors, or has too much of the name in a minute, the rest is what `query_range` tells.
    Raises `PageTooLarge` if that is too much in a minute, too, `SourceRefused`, `DidNotAnswer`.
    """
    from_ms, to_ms = between
    selector, at_steps = Selector(name), coarser.refused is not None
    if coarser.refused is not None:
        coarser.note(name, coarser.refused)
    width, after = FIRST_PAGE_MS, from_ms - 1
    while after < to_ms:
        going((after - from_ms) / (to_ms - from_ms + 1))
        until = min(after + width, to_ms)
        try:
            page = api.steps(selector, after, until, COARSE_MS) if at_steps else api.page(selector, after, until)
        except (RangeRefused, PageTooLarge) as error:
            less = narrower(until - after) if isinstance(error, PageTooLarge) else None
            if less is not None:
                width = less
                continue
            if at_steps:
                raise
            page = _steps_instead(api, selector, (after, until), error)
            at_steps = True
            coarser.note(name, error)
        yield page
        after, width = until, wider(width, page.size_bytes)


def _steps_instead(
    api: PrometheusApi, selector: Selector, between: tuple[int, int], error: RangeRefused | PageTooLarge
) -> Page:
    """Ask by `query_range` once. Where that is refused, too, what was wrong before is what is told."""
    try:
        return api.steps(selector, *between, COARSE_MS)
    except SourceRefused as refused:
        raise error from refused


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
    if not any(len(one.times_ms) or one.natives or one.untold for one in page.series):
        return
    taken = receiving.take(
        session,
        team,
        "import",
        lambda known, _deliver: incoming_of(page.series, families, known),
        now_ms=now_ms,
        most_series=most_series,
    )
    brought.samples += taken.samples + taken.histograms
    brought.series.update(one.labels for one in page.series if len(one.times_ms) or one.natives)
    for slug, count in taken.faults.counts.items():
        brought.faults.add(slug, taken.faults.details[slug][0], count)


def incoming_of(series: Sequence[Found], families: Families, known: Mapping[bytes, int]) -> Incoming:
    """Return a page as a request's samples."""
    incoming = Incoming(families=dict(families))
    for one in series:
        if one.untold:
            detail = "Native histograms with bounds of their own are left out: this API tells the filled buckets only. Push them instead."
            incoming.faults.add("native-histogram", detail, one.untold)
        if not len(one.times_ms) and not one.natives:
            continue
        key = b"\xff".join(part.encode() for pair in one.labels for part in pair)
        kind: SeriesKind = "histogram" if one.natives else "unknown"
        try:
            slot = incoming.slot(key, known, lambda labels=one.labels: labels, kind)  # type: ignore[misc]  # mypy infers no lambda with a default
        except BadSeries as bad:
            incoming.faults.add(bad.slug, str(bad), len(one.times_ms) + len(one.natives))
            continue
        incoming.whole.append((np.full(len(one.times_ms), slot, np.int64), one.times_ms, one.values))
        incoming.natives += [(slot, at_ms, native) for at_ms, native in one.natives]
    return incoming
