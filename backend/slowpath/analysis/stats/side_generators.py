"""Random generators for the two sides of a comparison, so that swapped sides give exactly the opposite result.

Each side has a separate generator. Its seed follows from the side's content, not from whether it is the base, so that a side is
resampled in the same way in both orders.
"""

from collections.abc import Iterable

from numpy.random import Generator

SideGenerators = tuple[Generator, Generator]
"""The generators of base and candidate."""


def side_generators(
    rng: Generator, base: Iterable[tuple[float, ...]], candidate: Iterable[tuple[float, ...]]
) -> SideGenerators:
    """Return a generator for each side.

    `base` and `candidate` contain numbers that identify each artifact.
    """
    first, second = rng.spawn(2)
    return (first, second) if sorted(base) <= sorted(candidate) else (second, first)
