"""Restore stacks that were truncated at the root.

A Go CPU profile records 64 frames, so a deep stack loses its root, and one more frame at the leaf changes which middle frame
looks like the root. Unchanged, the same code would show up as new work. The decoder puts such stacks below
`[root cut off]`; here the first frames of each are searched in complete stacks (of either side), and if they occur in one
place only, the frames above that place are restored. Otherwise the same is tried among the truncated stacks themselves, so
that those truncated at different frames at least share a root. Stacks without a place, or with several (recursion), stay as
they are and are compared by function only.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.function_keys import Labels
from slowpath.analysis.kinds.profiles.decoded.profile_table import ROOT_CUT_OFF
from slowpath.analysis.kinds.profiles.stacks.stack_frames import StackFrames, merged, mixed, prefix_hashes

Index = NDArray[np.int64]
U64 = NDArray[np.uint64]
Mask = NDArray[np.bool_]

# Three frames may be a common idiom; four in a row that occur in one place only have proven to be that place.
GRAM = 4
# A stack truncated by more than one capture length is restored from others that were truncated less.
MOST_ROUNDS = 8


def restore_truncated_stacks(frames: StackFrames, labels: Labels) -> tuple[Index, StackFrames]:
    """Return (new number of each stack, the stacks), unchanged if nothing was truncated."""
    mark = labels.numbers.find(ROOT_CUT_OFF)
    same = np.arange(frames.count)
    if mark is None:
        return same, frames
    for _ in range(MOST_ROUNDS):
        cut = _is_cut(frames, mark)
        restorable, where = _find_places(frames, cut, among=~cut)
        if len(restorable) == 0:
            restorable, where = _find_places(frames, cut, among=cut)
        if len(restorable) == 0:
            break
        frames = _graft(frames, restorable, where)
    ids, distinct_frames = merged(frames)
    return ids, distinct_frames


def _is_cut(frames: StackFrames, mark: int) -> Mask:
    first = np.minimum(frames.start[:-1], max(len(frames.label) - 1, 0))
    is_cut: Mask = (frames.depth > 0) & (frames.label[first] == mark) if len(frames.label) else frames.depth > 0
    return is_cut


def _find_places(frames: StackFrames, cut: Mask, among: Mask) -> tuple[Index, Index]:
    """Return (stacks to restore, for each a frame at which its first frames occur elsewhere, in one place only)."""
    candidates = np.flatnonzero(cut & (frames.depth > GRAM))
    if len(candidates) == 0:
        return candidates, candidates
    gram, is_complete = _grams(frames)
    first_grams = gram[frames.start[candidates] + 1]
    owner = frames.owner()
    within = np.arange(len(gram)) - frames.start[owner]
    # In a truncated stack the mark is frame 0 and its first frames begin at 1: only later places are evidence.
    eligible = np.flatnonzero(is_complete & among[owner] & ((within > 1) | ~cut[owner]))
    eligible = eligible[_occurs(gram[eligible], first_grams)]
    if len(eligible) == 0:
        return candidates[:0], candidates[:0]
    above = prefix_hashes(frames)[eligible]
    by = np.lexsort((above, gram[eligible]))
    grams, above, eligible = gram[eligible][by], above[by], eligible[by]
    first = np.concatenate([[True], grams[1:] != grams[:-1]])
    last = np.concatenate([first[1:], [True]])
    single = above[first] == above[last]
    known, place = grams[first][single], eligible[first][single]
    at = np.searchsorted(known, first_grams)
    hit = (
        np.flatnonzero((at < len(known)) & (known[np.minimum(at, max(len(known) - 1, 0))] == first_grams))
        if len(known)
        else at[:0]
    )
    hit = hit[owner[place[at[hit]]] != candidates[hit]]
    return candidates[hit], place[at[hit]]


def _occurs(hashes: U64, searched: U64) -> Mask:
    """Return which hashes are among those searched for.

    By their lower bits first, so that few have to be sorted.
    """
    size = 1 << max(16, (8 * len(searched)).bit_length())
    lower = np.uint64(size - 1)
    table = np.zeros(size, dtype=np.bool_)
    table[(searched & lower).astype(np.int64)] = True
    is_candidate = table[(hashes & lower).astype(np.int64)]
    ordered, found = np.sort(searched), hashes[is_candidate]
    at = np.minimum(np.searchsorted(ordered, found), len(ordered) - 1)
    is_candidate[is_candidate] = ordered[at] == found
    return is_candidate


def _grams(frames: StackFrames) -> tuple[U64, Mask]:
    """Return for each frame a hash of it and the next three, and whether the stack has that many."""
    count = len(frames.label)
    key = mixed(frames.label.astype(np.uint64) + np.uint64(1))
    gram = np.zeros(count, dtype=np.uint64)
    for offset in range(GRAM):
        shifted = np.concatenate([key[offset:], np.zeros(offset, dtype=np.uint64)])
        gram = gram * np.uint64(0x9E3779B97F4A7C15) + shifted
    is_complete = np.arange(count) + GRAM <= np.repeat(frames.start[1:], frames.depth)
    return gram, is_complete


def _graft(frames: StackFrames, stacks: Index, place: Index) -> StackFrames:
    """Return the stacks with the mark replaced by the frames above `place` in the stack that it belongs to."""
    owner = frames.owner()
    host_start = frames.start[owner[place]]
    above = place - host_start
    depth = frames.depth.copy()
    depth[stacks] += above - 1
    start = np.concatenate([[0], np.cumsum(depth)])
    source = np.empty(int(start[-1]), dtype=np.int64)
    # All frames stay at their distance from the leaf; the restored frames are then written before them.
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
