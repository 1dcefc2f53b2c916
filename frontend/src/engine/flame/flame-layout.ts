/**
 * Positions of frames: left edge and width in shown units, for base, candidate or both. In the
 * overlay, a frame is as wide as base and candidate together, so its children always fit.
 */
import { FILL, STATE, changeFill } from '../format/change-class';
import { isFromCallees } from './own-cost';
import type { Scales } from './tree-draft';
import type { FrameTable } from './frame-table';

/** The side whose values determine the widths. */
export type Side = 'both' | 'base' | 'candidate';

export type Placement = {
  side: Side;
  left: Float64Array<ArrayBuffer>;
  width: Float64Array<ArrayBuffer>;
  /** The fill of each frame: one of `FILL`. */
  fill: Uint8Array<ArrayBuffer>;
  /**
   * The number of frames with a width in the subtrees of all previous frames, modulo 2^32;
   * differences are exact.
   */
  countPrefix: Uint32Array<ArrayBuffer>;
};

/** Returns the weights of raw values for a side: zero for a side that is not shown. */
export function weightsOf(side: Side, scales: Scales): Scales {
  return {
    base: side === 'candidate' ? 0 : scales.base,
    candidate: side === 'base' ? 0 : scales.candidate,
  };
}

/** Settings of fills: whether changes are colored, and the selected category (-1: none). */
type Fills = { colours: boolean; category: number };

function fillOf(frames: FrameTable, frame: number, scales: Scales, fills: Fills): number {
  if (!fills.colours) {
    if (frame > 0 && frames.category[frame] === fills.category) return FILL.plainSelected;
    return frames.runtime[frame] === 1 ? FILL.plainRuntime : FILL.plain;
  }
  const state = frames.state[frame]!;
  const base = frames.baseOwn[frame]! * scales.base;
  const candidate = frames.candidateOwn[frame]! * scales.candidate;
  const total =
    frames.candidateTotal[frame]! * scales.candidate - frames.baseTotal[frame]! * scales.base;
  // The level is that of the frame's own change, so that a cause is darker than its callers.
  if (isFromCallees(candidate - base, total)) {
    if (state === STATE.more) return FILL.moreInCallees;
    if (state === STATE.less) return FILL.lessInCallees;
  }
  return changeFill(state, base, candidate);
}

/**
 * Places all frames.
 * @param fills without colors, all frames but those of the selected category are gray
 */
export function placeFrames(
  frames: FrameTable,
  side: Side,
  scales: Scales,
  fills: Fills,
): Placement {
  const { count, childStart } = frames;
  const weights = weightsOf(side, scales);
  const left = new Float64Array(count);
  const width = new Float64Array(count);
  const fill = new Uint8Array(count);
  for (let frame = 0; frame < count; frame++) {
    width[frame] = Math.max(
      0,
      frames.baseTotal[frame]! * weights.base + frames.candidateTotal[frame]! * weights.candidate,
    );
    fill[frame] = fillOf(frames, frame, scales, fills);
  }
  for (let frame = 0; frame < count; frame++) {
    let edge = left[frame]!;
    for (let child = childStart[frame]!; child < childStart[frame + 1]!; child++) {
      left[child] = edge;
      edge += width[child]!;
    }
  }
  return { side, left, width, fill, countPrefix: countPresent(frames, width) };
}

function countPresent(frames: FrameTable, width: Float64Array): Uint32Array<ArrayBuffer> {
  const { count, parent } = frames;
  const inside = new Uint32Array(count);
  for (let frame = count - 1; frame > 0; frame--) {
    if (width[frame]! > 0) inside[frame]! += 1;
    inside[parent[frame]!]! += inside[frame]!;
  }
  inside[0]! += 1;
  const prefix = new Uint32Array(count + 1);
  for (let frame = 0; frame < count; frame++) prefix[frame + 1] = prefix[frame]! + inside[frame]!;
  return prefix;
}

/** Returns the number of frames with a width in the subtrees of the siblings [from, to). */
export function framesWithin(placement: Placement, from: number, to: number): number {
  return (placement.countPrefix[to]! - placement.countPrefix[from]!) >>> 0;
}

/** Returns left edge and width of the unsent frames below a frame; they follow its last child. */
export function hiddenExtent(
  frames: FrameTable,
  placement: Placement,
  weights: Scales,
  frame: number,
): { left: number; width: number } {
  const last = frames.childStart[frame + 1]! - 1;
  const left =
    last >= frames.childStart[frame]!
      ? placement.left[last]! + placement.width[last]!
      : placement.left[frame]!;
  return {
    left,
    width:
      frames.hiddenBase[frame]! * weights.base + frames.hiddenCandidate[frame]! * weights.candidate,
  };
}
