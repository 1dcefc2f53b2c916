"""Why time passes between spans and why calls multiply, and what usually helps: texts, to be read as prose."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SpanAdvice:
    """What happens, and what usually helps."""

    mechanism: str
    advice: str


BETWEEN = SpanAdvice(
    "Between the end of one recorded step and the beginning of the next, the service works or waits where no span looks: "
    "encoding and decoding, locks, a queue, a pool of connections, waiting for a processor, or the garbage collector. "
    "Whoever waits for the next step waits for this first.",
    "Compare CPU and allocation profiles of this service of the same two builds: copying and encoding show there. Record "
    "an execution trace of the same window: it tells running from waiting for a processor, for a lock, or for the collector. "
    "A span around the suspected step settles it.",
)
BEFORE_FIRST = SpanAdvice(
    "The request has come in, and the first recorded step has not begun: reading and decoding of the request, "
    "authentication, waiting for a worker or for a processor.",
    "Look at profiles of this service for decoding and allocation, and at an execution trace for waiting. If requests "
    "queue before they are served, the queue deserves a span of its own.",
)
AFTER_LAST = SpanAdvice(
    "All recorded steps have ended, and the answer is not out yet: encoding, compression, writing to a slow reader, or "
    "work that was put at the end, such as logging and metrics.",
    "Look at profiles for encoding and writing. What the caller need not wait for can be done after the answer.",
)
LEAF = SpanAdvice(
    "The operation calls nobody that was recorded; all of its time is its own work, or waiting that no span shows.",
    "Compare CPU profiles of this service of the same two builds; for waiting, an execution trace of the same window, or "
    "mutex and block profiles.",
)
LESS = SpanAdvice("Less time passes here where no span looks.", "")

MULTIPLIED = SpanAdvice(
    "Each request that comes in makes more calls. All of them load the callee, and who waits for the slowest of n waits "
    "longer the larger n is: the callee's rare slowness becomes the caller's usual one.",
    "See what decides the number: a replication factor, a batch that became smaller, a loop that calls once per item, "
    "retries. Send the items together, call in parallel, or wait for enough of the answers instead of all.",
)
NEW_CALL = SpanAdvice(
    "Requests now make a call that they did not make before. Its time is on the way of each of them unless nobody waits "
    "for it.",
    "See whether the call is needed for every request: it may be remembered, moved behind the answer, or joined with "
    "another.",
)
RETRIED = SpanAdvice(
    "Some of the calls fail and are made again: the caller pays for the failed ones, and the callee gets more load when "
    "it has trouble already.",
    "Find the errors first. Bound retries by a budget, pause between them, and give up at the caller's deadline.",
)
FEWER = SpanAdvice("Each request makes fewer calls.", "")


def gap_text(*, worse: bool, leaf: bool, first: bool, last: bool) -> SpanAdvice:
    """The text of a gap by where it lies; `first` is before all children, `last` behind them."""
    if not worse:
        return LESS
    if leaf:
        return LEAF
    return BEFORE_FIRST if first else AFTER_LAST if last else BETWEEN


def calls_text(*, more: bool, new: bool, errors: bool) -> SpanAdvice:
    """The text of more or fewer calls; `errors` tells that failed ones make the difference."""
    if not more:
        return FEWER
    return NEW_CALL if new else RETRIED if errors else MULTIPLIED
