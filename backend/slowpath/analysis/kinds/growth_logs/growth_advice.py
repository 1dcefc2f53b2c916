"""Texts on what happens when a stack grows and what usually helps.

The choice depends on the log: whether the goroutines are short-lived or grow repeatedly, whether the attributed caller is
new, and which sizes grew.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class GrowthAdvice:
    """What happens, and what usually helps."""

    mechanism: str
    advice: str


_DOUBLING = (
    "A goroutine starts on a small stack (2 KiB, or the adaptive average). When a call does not fit, the runtime allocates "
    "a stack twice as large and copies the old one, adjusting every pointer. "
)
_POOL = "Use a pool of long-lived goroutines instead of one goroutine per job: their stacks grow once. "

FRESH = GrowthAdvice(
    _DOUBLING + "Nearly every recorded growth is of another goroutine: short-lived goroutines repeat the cost.",
    _POOL + "Or send the deep part of the work over a channel to goroutines whose stacks have grown already.",
)
AGAIN = GrowthAdvice(
    _DOUBLING + "The recorded growths are of a few goroutines that grow repeatedly: the garbage collector halves a "
    "stack of which less than a quarter is in use, and the next deep call grows it again.",
    "Check with GODEBUG=gcshrinkstackoff=1 whether the growth stops; if so, reduce collections (allocate less, raise "
    "GOGC) or make the call path shallower.",
)
DEEPER = GrowthAdvice(
    "The call chain below this function now needs more stack than fits: a call that is no longer inlined, a larger "
    "frame (big values, arrays, more locals), or more nested calls. Each goroutine on this path grows its stack.",
    "Make the helper inlinable again (go build -gcflags=-m gives the reason), make its frame smaller, or do the deep work in "
    "long-lived goroutines whose stacks have grown already.",
)
LARGE = GrowthAdvice(
    _DOUBLING
    + "These stacks are large already, so each copy moves much: deep recursion, or large values on the stack.",
    "Limit the recursion or replace it by a loop with an explicit stack, and move large arrays to the heap and reuse them.",
)
LESS = GrowthAdvice("Fewer goroutines outgrow their stacks, so less is copied.", "")

LARGE_STACK = 64 << 10
FEW_GOROUTINES = 0.2


def text_for(
    *, grows_more: bool, only_candidate: bool, old_bytes: int, goroutines_per_growth: float | None
) -> GrowthAdvice:
    """Choose the text; `goroutines_per_growth` is near 1 if every recorded growth is of another goroutine."""
    if not grows_more:
        return LESS
    if goroutines_per_growth is not None and goroutines_per_growth < FEW_GOROUTINES:
        return AGAIN
    if old_bytes >= LARGE_STACK:
        return LARGE
    return DEEPER if only_candidate else FRESH
