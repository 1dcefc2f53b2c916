"""What happens when a stack grows, and what usually helps: texts, to be read and corrected as prose.

Which text fits follows from what the log tells: whether the growths are of goroutines that live once or again and
again, whether the payer is new, and which sizes grew.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class GrowthAdvice:
    """What happens, and what usually helps."""

    mechanism: str
    advice: str


_DOUBLING = (
    "A goroutine starts on a small stack (2 KiB, or the adaptive average). When a call does not fit, the runtime takes "
    "one twice as large and copies everything, adjusting every pointer. "
)
_POOL = "Let a pool of long-lived goroutines take the jobs instead of starting one per job: their stacks grow once and stay. "

FRESH = GrowthAdvice(
    _DOUBLING + "Nearly every recorded growth is of another goroutine: short-lived ones pay again each time.",
    _POOL + "Or move the deep part of the work behind a channel, to goroutines whose stacks have grown already.",
)
AGAIN = GrowthAdvice(
    _DOUBLING
    + "The recorded growths are of few goroutines, which grow again and again: the garbage collector halves a "
    "stack of which less than a quarter is in use, and the next deep call pays.",
    "Check with GODEBUG=gcshrinkstackoff=1 whether the growths go away; if so, fewer collections (allocate less, raise "
    "GOGC) or a shallower call path help.",
)
DEEPER = GrowthAdvice(
    "The call chain below this function now needs more stack than fits: a call that was inlined before, a larger "
    "frame (big values, arrays, more locals), or more calls on top of each other. Each goroutine that comes by pays.",
    "Keep the helper inlined (go build -gcflags=-m says why it is not), make its frame smaller, or do the deep work in "
    "long-lived goroutines whose stacks have grown already.",
)
LARGE = GrowthAdvice(
    _DOUBLING
    + "These stacks are large already, so each copy moves much: deep recursion, or large values on the stack.",
    "Bound the recursion or make it a loop with its own stack, and move large arrays to the heap, reused.",
)
LESS = GrowthAdvice("Fewer goroutines outgrow their stacks: less is copied.", "")

LARGE_STACK = 64 << 10
FEW_GOROUTINES = 0.2


def text_for(
    *, grows_more: bool, only_candidate: bool, old_bytes: int, goroutines_per_growth: float | None
) -> GrowthAdvice:
    """The text that fits; `goroutines_per_growth` is near 1 when every recorded growth is of another goroutine."""
    if not grows_more:
        return LESS
    if goroutines_per_growth is not None and goroutines_per_growth < FEW_GOROUTINES:
        return AGAIN
    if old_bytes >= LARGE_STACK:
        return LARGE
    return DEEPER if only_candidate else FRESH
