"""Random numbers for the two sides of a comparison, so that swapped sides give exactly the opposite answer.

Each side draws from a generator of its own. Which of the two it gets follows from what it holds, not from whether it is the
base, so that a side is resampled in the same way in both orders.
"""

from collections.abc import Iterable

from numpy.random import Generator

SideGenerators = tuple[Generator, Generator]
"""That of the base and that of the candidate."""


def side_generators(
    rng: Generator, base: Iterable[tuple[float, ...]], candidate: Iterable[tuple[float, ...]]
) -> SideGenerators:
    """Return a generator for each side; `base` and `candidate` hold some numbers of each artifact that tell it apart."""
    first, second = rng.spawn(2)
    return (first, second) if sorted(base) <= sorted(candidate) else (second, first)
