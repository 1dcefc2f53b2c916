"""Texts on why time passes between spans and why calls multiply, and what usually helps."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SpanAdvice:
    """What happens, and what usually helps."""

    mechanism: str
    advice: str


BETWEEN = SpanAdvice(
    "Between the end of one recorded step and the start of the next, the service works or waits without a span: "
    "encoding and decoding, locks, a queue, a connection pool, scheduler latency, or the garbage collector. "
    "The next step waits for this first.",
    "Compare CPU and allocation profiles of this service for the same two builds: they show copying and encoding. Record "
    "an execution trace of the same time: it distinguishes running from waiting for a P, for a lock, or for the collector. "
    "Add a span around the suspected step.",
)
BEFORE_FIRST = SpanAdvice(
    "The request has arrived and the first recorded step has not begun: reading and decoding of the request, "
    "authentication, waiting for a worker or for a P.",
    "Check profiles of this service for decoding and allocation, and an execution trace for waiting. If requests "
    "queue before they are served, add a span for the queue.",
)
AFTER_LAST = SpanAdvice(
    "All recorded steps have ended and the response is not sent yet: encoding, compression, writing to a slow reader, or "
    "deferred work such as logging and metrics.",
    "Check profiles for encoding and writing. Do work that the caller does not need after the response.",
)
LEAF = SpanAdvice(
    "The operation makes no recorded call; all of its time is its own work, or waiting without a span.",
    "Compare CPU profiles of this service for the same two builds; for waiting, an execution trace of the same time, or "
    "mutex and block profiles.",
)
LESS = SpanAdvice("Less time passes here outside of spans.", "")

MULTIPLIED = SpanAdvice(
    "Each incoming request makes more calls. All of them load the callee, and waiting for the slowest of n calls takes "
    "longer the larger n is: the callee's rare latency becomes common for the caller.",
    "Find what determines the number: a replication factor, a smaller batch, a loop that calls once per item, "
    "retries. Send the items together, call in parallel, or wait for enough of the responses instead of all.",
)
NEW_CALL = SpanAdvice(
    "Requests now make a call that they did not make before. Its time adds to each of them unless it is asynchronous.",
    "Check whether every request needs the call: its result may be cached, it may run after the response, or be merged with "
    "another call.",
)
RETRIED = SpanAdvice(
    "Some of the calls fail and are retried: the caller pays for the failed ones, and the callee gets more load when "
    "it is failing already.",
    "Find the errors first. Limit retries by a budget, back off between them, and stop at the caller's deadline.",
)
FEWER = SpanAdvice("Each request makes fewer calls.", "")


def gap_text(*, worse: bool, leaf: bool, first: bool, last: bool) -> SpanAdvice:
    """Choose the text of a gap by its position; `first` is before all children, `last` after them."""
    if not worse:
        return LESS
    if leaf:
        return LEAF
    return BEFORE_FIRST if first else AFTER_LAST if last else BETWEEN


def calls_text(*, more: bool, new: bool, errors: bool) -> SpanAdvice:
    """Choose the text for more or fewer calls; `errors`: failed calls make up the difference."""
    if not more:
        return FEWER
    return NEW_CALL if new else RETRIED if errors else MULTIPLIED
