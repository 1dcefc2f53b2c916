"""Order the runs of an experiment: complete blocks, each in a random order that the seed determines."""

from collections.abc import Sequence

import numpy as np


def make_block_order(builds: Sequence[str], block: int, seed: int) -> list[str]:
    """Return the builds in the order of a block; the same for the same seed, so that an experiment can continue."""
    order = np.random.default_rng([seed, block]).permutation(len(builds))
    return [builds[at] for at in order]
