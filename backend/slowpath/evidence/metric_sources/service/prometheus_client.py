"""A Prometheus-compatible API as it is asked here. Whatever it answers is somebody else's text."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from slowpath.analysis.kinds.metrics.column_codec import Floats, Ints
from slowpath.analysis.kinds.metrics.ingest_batch import NAME, IncomingHistogram, Labels
from slowpath.analysis.kinds.metrics.native_histogram_json import parse_histograms
from slowpath.analysis.kinds.metrics.series_data import SeriesKind
from slowpath.core.errors import TooLarge
from slowpath.core.ports import EgressConnection, HttpResponse
from slowpath.evidence.metric_sources.errors import PageTooLarge, RangeSelectorNotSupported, SourceRejectedQuery
from slowpath.evidence.metric_sources.rules import CHECK_SECONDS, MAX_NAMES_BYTES, MAX_PAGE_BYTES, PAGE_SECONDS
from slowpath.evidence.metrics.service.series_reader import SeriesSelector

KINDS: Final[Mapping[str, SeriesKind]] = {
    "counter": "counter",
    "gauge": "gauge",
    "histogram": "histogram",
    "gaugehistogram": "gauge-histogram",
}
ORDINARY_NAN: Final = 0x7FF8000000000001
"""The bits that Prometheus stores for a NaN that is no stale marker."""
FAR_MS: Final = 1e14
MOST_TOLD: Final = 200
LABEL: Final = re.compile("[a-zA-Z_][a-zA-Z0-9_]*")
NAMES_AT_ONCE: Final = 50
REFUSALS: Final = frozenset((400, 404, 405, 422, 501))
"""By these an API says that it does not do what it is asked for; 429 and 5xx speak of the moment."""


@dataclass(frozen=True)
class SeriesSamples:
    """Samples of one series."""

    labels: Labels
    times_ms: Ints
    values: Floats
    natives: Sequence[tuple[int, IncomingHistogram]] = ()
    """Times and native histograms."""
    untold: int = 0
    """Native histograms with bounds of their own, of which this API tells the filled buckets only: they are left out."""


@dataclass(frozen=True)
class SamplePage:
    """Samples of one selector in an interval."""

    series: Sequence[SeriesSamples]
    size_bytes: int


@dataclass(frozen=True)
class PrometheusClient:
    """The API of one source."""

    peer: EgressConnection
    headers: Mapping[str, str]
    left: Callable[[], float] = lambda: math.inf
    """How many seconds there are for all that is asked. Raises when none are."""

    def version(self) -> str | None:
        """Return what the source calls its version; nothing where it does not say."""
        answer = self._get("/api/v1/status/buildinfo", (), MAX_NAMES_BYTES)
        try:
            told = _data(answer)
        except SourceRejectedQuery:
            if answer.status in {401, 403}:
                raise
            return None
        version = told.get("version") if isinstance(told, dict) else None
        return _text(version)[:MOST_TOLD] if isinstance(version, str) else None

    def names(self, from_ms: int, to_ms: int, equal: Mapping[str, str] | None = None) -> list[str]:
        """Return the names of series there are between two times, of those with these labels if any are said."""
        query = [("start", _seconds(from_ms)), ("end", _seconds(to_ms))]
        if equal:
            query.append(("match[]", _spelled(_equals(equal))))
        told = _data(self._get(f"/api/v1/label/{NAME}/values", query, MAX_NAMES_BYTES))
        if not isinstance(told, list) or not all(isinstance(name, str) for name in told):
            raise _strange()
        return sorted({_text(name) for name in told})

    def series(
        self, names: Sequence[str], equal: Mapping[str, str], from_ms: int, to_ms: int
    ) -> list[Mapping[str, str]]:
        """Return the labels of the series of some names between two times. Raises `TooLarge`."""
        found: list[Mapping[str, str]] = []
        for at in range(0, len(names), NAMES_AT_ONCE):
            any_of = json.dumps("|".join(map(re.escape, names[at : at + NAMES_AT_ONCE])), ensure_ascii=False)
            match = _spelled([f"{NAME}=~{any_of}", *_equals(equal)])
            query = (("match[]", match), ("start", _seconds(from_ms)), ("end", _seconds(to_ms)))
            told = _data(self._get("/api/v1/series", query, MAX_NAMES_BYTES))
            if not isinstance(told, list) or not all(isinstance(one, dict) for one in told):
                raise _strange()
            found += [{_text(label): _text(str(value)) for label, value in one.items()} for one in told]
        return found

    def kinds(self, names: Sequence[str]) -> dict[str, tuple[SeriesKind, str]]:
        """Return kind and unit of families, where the source says them."""
        try:
            told = _data(self._get("/api/v1/metadata", (), MAX_NAMES_BYTES))
        except (SourceRejectedQuery, TooLarge):
            return {}
        families = {name: told[name] for name in names if isinstance(told, dict) and name in told}
        kinds = {}
        for family, entries in families.items():
            entry = entries[0] if isinstance(entries, list) and entries else None
            if isinstance(entry, dict) and str(entry.get("type")) in KINDS:
                unit = _text(str(entry.get("unit", "")))[:MOST_TOLD]
                kinds[family] = (KINDS[str(entry["type"])], unit)
        return kinds

    def page(self, selector: SeriesSelector, after_ms: int, to_ms: int) -> SamplePage:
        """Return the very samples of a selector in (after_ms, to_ms]. Raises `PageTooLarge`, `RangeSelectorNotSupported`.

        An instant query for a range selector gives samples as they are; `query_range` gives what they look like at steps.
        """
        # Prometheus 2 counts the beginning of a range in and 3 does not: what is before it is dropped below.
        query = (("query", f"{format_promql_selector(selector)}[{to_ms - after_ms}ms]"), ("time", _seconds(to_ms)))
        answer = self._samples("/api/v1/query", query, selector.name)
        if answer.status in REFUSALS:
            try:
                _data(answer)
            except SourceRejectedQuery as error:
                raise RangeSelectorNotSupported(error.detail) from error
        return _page(answer, after_ms, to_ms)

    def steps(self, selector: SeriesSelector, after_ms: int, to_ms: int, step_ms: int) -> SamplePage:
        """Return what samples of a selector look like at the multiples of a step in (after_ms, to_ms]. Raises `PageTooLarge`."""
        first_ms = (after_ms // step_ms + 1) * step_ms
        if first_ms > to_ms:
            return SamplePage((), 0)
        query = (
            ("query", format_promql_selector(selector)),
            ("start", _seconds(first_ms)),
            ("end", _seconds(to_ms)),
            ("step", _seconds(step_ms)),
        )
        return _page(self._samples("/api/v1/query_range", query, selector.name), after_ms, to_ms)

    def _samples(self, path: str, query: Sequence[tuple[str, str]], name: str) -> HttpResponse:
        try:
            answer = self._get(path, query, MAX_PAGE_BYTES, PAGE_SECONDS)
        except TooLarge as error:
            raise _page_too_large(name) from error
        if answer.status in REFUSALS and b"too many samples" in answer.content:
            raise _page_too_large(name)
        return answer

    def _get(
        self, path: str, query: Sequence[tuple[str, str]], max_bytes: int, seconds: float = CHECK_SECONDS
    ) -> HttpResponse:
        seconds = min(seconds, self.left())
        return self.peer.get(path, query, self.headers, max_bytes=max_bytes, seconds=seconds)


def _data(answer: HttpResponse) -> Any:  # noqa: ANN401 - JSON of others
    """Return what an answer holds. Raises `SourceRejectedQuery`; of what the source says, only a line is told."""
    try:
        told = json.loads(answer.content)
    except (ValueError, RecursionError) as error:
        raise _refused(answer.status, None) if answer.status != 200 else _strange() from error
    said = told.get("error") if isinstance(told, dict) else None
    if answer.status != 200:
        raise _refused(answer.status, said)
    if not isinstance(told, dict) or told.get("status") != "success":
        raise _strange()
    return told.get("data")


def _refused(status: int, said: object) -> SourceRejectedQuery:
    if status in {401, 403}:
        return SourceRejectedQuery(
            f"The source does not let us in ({status}).", slug="source-not-signed-in", remedy="Give other credentials."
        )
    reason = f": {_text(said)[:MOST_TOLD]}" if isinstance(said, str) else ""
    return SourceRejectedQuery(f"The source answered with {status}{reason}.")


def _strange() -> SourceRejectedQuery:
    return SourceRejectedQuery(
        "The address answers, but not as Prometheus's API does.",
        slug="source-strange",
        remedy="Give what stands before /api/v1, such as https://host/prometheus.",
    )


def _page_too_large(name: str) -> PageTooLarge:
    return PageTooLarge(f"There is too much of {name[:MOST_TOLD]} at once.", limit=MAX_PAGE_BYTES, unit="bytes")


def format_promql_selector(selector: SeriesSelector) -> str:
    """Return a selector as PromQL spells it; a value of "" means that the label is absent there, too."""
    return _spelled(_equals({NAME: selector.name, **selector.equal}))


def _equals(equal: Mapping[str, str]) -> list[str]:
    """Spell what labels must be. Names that only Prometheus 3 knows are quoted, and older ones have no such label."""
    told = []
    for label, value in equal.items():
        plain = LABEL.fullmatch(label) is not None
        if plain or value:
            name = label if plain else json.dumps(label, ensure_ascii=False)
            told.append(f"{name}={json.dumps(value, ensure_ascii=False)}")
    return told


def _spelled(matchers: Sequence[str]) -> str:
    return "{" + ",".join(matchers) + "}"


def _page(answer: HttpResponse, after_ms: int, to_ms: int) -> SamplePage:
    told = _data(answer)
    if not isinstance(told, dict) or told.get("resultType") != "matrix" or not isinstance(told.get("result"), list):
        raise _strange()
    return SamplePage([_found(one, after_ms, to_ms) for one in told["result"]], len(answer.content))


def _found(one: Any, after_ms: int, to_ms: int) -> SeriesSamples:  # noqa: ANN401 - JSON of others
    try:
        labels = tuple(sorted((_text(name), _text(value)) for name, value in one["metric"].items()))
        pairs = one.get("values", [])
        times = np.array([float(at) for at, _ in pairs], np.float64) * 1000
        values = np.array([float(value) for _, value in pairs], np.float64)
        native_pairs = one.get("histograms", [])
        native_times = np.array([float(at) for at, _ in native_pairs], np.float64) * 1000
        natives = parse_histograms([histogram for _, histogram in native_pairs])
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        raise _strange() from error
    if not (np.abs(times) < FAR_MS).all() or not (np.abs(native_times) < FAR_MS).all():
        raise _strange()
    whole = np.rint(times).astype(np.int64)
    kept = (whole > after_ms) & (whole <= to_ms)
    values = values[kept]
    values.view(np.uint64)[np.isnan(values)] = ORDINARY_NAN
    told = [
        (at, native)
        for at, native in zip(np.rint(native_times).astype(np.int64).tolist(), natives, strict=True)
        if after_ms < at <= to_ms
    ]
    known = [(at, native) for at, native in told if native is not None]
    return SeriesSamples(labels, whole[kept], values, known, len(told) - len(known))


def _text(told: str) -> str:
    """Return a text without halves of characters, which JSON may hold and nothing else."""
    return told.encode("utf-8", "replace").decode()


def _seconds(at_ms: int) -> str:
    whole, rest = divmod(at_ms, 1000)
    return f"{whole}.{math.floor(rest):03d}"
