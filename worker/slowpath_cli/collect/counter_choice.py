"""Choose among several request counters: prompt at a terminal; in a script, fail with the possible values."""

import time
from collections.abc import Callable

from slowpath_cli.collect.metrics_text import Scrape
from slowpath_cli.collect.pprof_client import printable
from slowpath_cli.collect.request_counters import RequestCounter, counter_named, request_series
from slowpath_cli.collect.run_observer import RunObserver
from slowpath_cli.core.collect_errors import InvalidArgument

RATE_SECONDS = 1.0
MAX_LISTED = 20
NONE = "none"
"""Value of `--requests-metric` that disables counting."""


def choose_counter(observer: RunObserver, ask: Callable[[str], str] | None) -> RequestCounter | None:
    """Prompt for one of `observer.candidates`; None for no counter. Raises `InvalidArgument` without `ask`."""
    before, began = observer.scrape(), time.monotonic()
    time.sleep(RATE_SECONDS)
    after, took = observer.scrape(), time.monotonic() - began
    names = observer.candidates[:MAX_LISTED]
    rates = [_rate(name, before, after, took) for name in names]
    listed = [
        f"  {number:>2}  {rate:>9,.1f}/s  {printable(name)}{_labels(name, after)}"
        for number, (name, rate) in enumerate(zip(names, rates, strict=True), start=1)
    ]
    heading = f"Several counters of {observer.address.authority} may count its requests:"
    if ask is None:
        remedy = "Choose with --requests-metric 'NAME' or 'NAME{label=value}', or 'none' to count no requests."
        raise InvalidArgument("\n".join([heading, *listed, remedy]))
    answer = ask("\n".join([heading, *listed, f"which one (1-{len(names)}, Enter for none)? "])).strip()
    if not answer:
        return None
    if not answer.isdigit() or not 1 <= int(answer) <= len(names):
        raise InvalidArgument(f"{printable(answer)!r} is not a number from 1 to {len(names)}.")
    return counter_named(names[int(answer) - 1], "chosen by the user")


def _rate(name: str, before: Scrape, after: Scrape, seconds: float) -> float:
    counter = counter_named(name, "")
    return ((counter.total(after) or 0.0) - (counter.total(before) or 0.0)) / seconds


def _labels(name: str, scrape: Scrape) -> str:
    """Return the number of series and an example, if there are several."""
    series = request_series(counter_named(name, ""), scrape)
    return f"  ({len(series)} series, such as {printable(series[0].text, 100)})" if len(series) > 1 else ""
