"""Stacks that were cut off at the root side, put back where they belong.

A Go CPU profile keeps 64 frames, so a deep stack loses its root, and one more frame at the leaf changes which
middle frame looks like the root. Left alone, the same code would show up as new work. The decoder hangs such stacks
beneath `[root cut off]`; here the first frames of each are looked for in complete stacks (of either side), and if
they stand in one place only, what lies above that place is put back. Else the same is tried among the cut stacks
themselves, so that those cut at different frames share a root at least. What fits nowhere, or in several places
(recursion), stays as it is, and is compared by function only.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.function_keys import Labels
from slowpath.analysis.kinds.profiles.profile_table import ROOT_CUT_OFF
from slowpath.analysis.kinds.profiles.stack_frames import StackFrames, merged, mixed, prefix_hashes

Index = NDArray[np.int64]
U64 = NDArray[np.uint64]
Mask = NDArray[np.bool_]

# Three frames may be a common idiom; four in a row that occur in one place only have been found to be that place.
GRAM = 4
# A stack cut by more than one capture length hangs on others that were cut less.
MOST_ROUNDS = 8


def restore_truncated_stacks(frames: StackFrames, labels: Labels) -> tuple[Index, StackFrames]:
    """(new number of each stack, the stacks), unchanged when nothing was cut off."""
    mark = labels.number_of.get(ROOT_CUT_OFF)
    same = np.arange(frames.count)
    if mark is None:
        return same, frames
    for _ in range(MOST_ROUNDS):
        cut = _is_cut(frames, mark)
        found, where = _places(frames, cut, among=~cut)
        if len(found) == 0:
            found, where = _places(frames, cut, among=cut)
        if len(found) == 0:
            break
        frames = _grafted(frames, found, where)
    ids, kept = merged(frames)
    return ids, kept


def _is_cut(frames: StackFrames, mark: int) -> Mask:
    first = np.minimum(frames.start[:-1], max(len(frames.label) - 1, 0))
    is_cut: Mask = (frames.depth > 0) & (frames.label[first] == mark) if len(frames.label) else frames.depth > 0
    return is_cut


def _places(frames: StackFrames, cut: Mask, among: Mask) -> tuple[Index, Index]:
    """(stacks that can be put back, for each a frame at which its first frames stand elsewhere, in one place only)."""
    candidates = np.flatnonzero(cut & (frames.depth > GRAM))
    if len(candidates) == 0:
        return candidates, candidates
    gram, whole = _grams(frames)
    wanted = gram[frames.start[candidates] + 1]
    owner = frames.owner()
    within = np.arange(len(gram)) - frames.start[owner]
    # In a cut stack the mark is frame 0 and its own first frames begin at 1: only later places can tell more.
    eligible = np.flatnonzero(whole & among[owner] & ((within > 1) | ~cut[owner]))
    eligible = eligible[_occurs(gram[eligible], wanted)]
    if len(eligible) == 0:
        return candidates[:0], candidates[:0]
    above = prefix_hashes(frames)[eligible]
    by = np.lexsort((above, gram[eligible]))
    grams, above, eligible = gram[eligible][by], above[by], eligible[by]
    first = np.concatenate([[True], grams[1:] != grams[:-1]])
    last = np.concatenate([first[1:], [True]])
    single = above[first] == above[last]
    known, place = grams[first][single], eligible[first][single]
    at = np.searchsorted(known, wanted)
    hit = (
        np.flatnonzero((at < len(known)) & (known[np.minimum(at, max(len(known) - 1, 0))] == wanted))
        if len(known)
        else at[:0]
    )
    hit = hit[owner[place[at[hit]]] != candidates[hit]]
    return candidates[hit], place[at[hit]]


def _occurs(hashes: U64, wanted: U64) -> Mask:
    """Which hashes are among the `wanted`: by their lower bits first, so that few have to be sorted."""
    size = 1 << max(16, (8 * len(wanted)).bit_length())
    lower = np.uint64(size - 1)
    table = np.zeros(size, dtype=np.bool_)
    table[(wanted & lower).astype(np.int64)] = True
    found = table[(hashes & lower).astype(np.int64)]
    found[found] = np.isin(hashes[found], wanted)
    return found


def _grams(frames: StackFrames) -> tuple[U64, Mask]:
    """Of each frame, a hash of it and the next three; and whether the stack still has as many."""
    count = len(frames.label)
    key = mixed(frames.label.astype(np.uint64) + np.uint64(1))
    gram = np.zeros(count, dtype=np.uint64)
    for offset in range(GRAM):
        shifted = np.concatenate([key[offset:], np.zeros(offset, dtype=np.uint64)])
        gram = gram * np.uint64(0x9E3779B97F4A7C15) + shifted
    whole = np.arange(count) + GRAM <= np.repeat(frames.start[1:], frames.depth)
    return gram, whole


def _grafted(frames: StackFrames, stacks: Index, place: Index) -> StackFrames:
    """The stacks with the mark replaced by what lies above `place` in the stack that it belongs to."""
    owner = frames.owner()
    host_start = frames.start[owner[place]]
    above = place - host_start
    depth = frames.depth.copy()
    depth[stacks] += above - 1
    start = np.concatenate([[0], np.cumsum(depth)])
    source = np.empty(int(start[-1]), dtype=np.int64)
    # All frames keep their distance from the leaf; the frames put back are then written before them.
    from_leaf = np.repeat(frames.start[1:], frames.depth) - np.arange(len(frames.label))
    source[start[owner + 1] - from_leaf] = np.arange(len(frames.label))
    reach = np.repeat(host_start - (np.cumsum(above) - above), above) + np.arange(int(above.sum()))
    target = np.repeat(start[stacks] - (np.cumsum(above) - above), above) + np.arange(int(above.sum()))
    source[target] = reach
    return replace(
        frames,
        start=start,
        label=frames.label[source],
        line=None if frames.line is None else frames.line[source],
    )
