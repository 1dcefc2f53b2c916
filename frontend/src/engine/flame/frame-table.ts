/**
 * The drawn frames, by level: the children of a frame are adjacent, and sums over siblings are
 * differences of prefix sums. Therefore the time of drawing depends on pixels, not on frames.
 */
import { ownCosts } from './own-cost';
import type { Draft, Scales } from './tree-draft';
import { shownWeight } from './tree-draft';

/**
 * Drawn frames of collapsed callers. The names of `frame[at]` are those in
 * [starts[at], starts[at + 1]), outermost first.
 */
export type CollapsedRuns = {
  /** The drawn frames, in ascending order. */
  frame: Uint32Array<ArrayBuffer>;
  starts: Uint32Array<ArrayBuffer>;
  names: Uint32Array<ArrayBuffer>;
  /** For each drawn frame the hash of its path in the whole tree. */
  pathLow: Uint32Array<ArrayBuffer>;
  pathHigh: Uint32Array<ArrayBuffer>;
};

export type FrameTable = {
  count: number;
  /** The first frame of each level; one more entry than levels. */
  levelStart: Uint32Array<ArrayBuffer>;
  /** The first child of each frame; the children of frame i end at childStart[i + 1]. */
  childStart: Uint32Array<ArrayBuffer>;
  parent: Uint32Array<ArrayBuffer>;
  name: Uint32Array<ArrayBuffer>;
  category: Uint8Array<ArrayBuffer>;
  runtime: Uint8Array<ArrayBuffer>;
  /** The id of the node, or NO_NODE for a frame that was merged from several. */
  source: Uint32Array<ArrayBuffer>;
  baseSelf: Float64Array<ArrayBuffer>;
  baseTotal: Float64Array<ArrayBuffer>;
  candidateSelf: Float64Array<ArrayBuffer>;
  candidateTotal: Float64Array<ArrayBuffer>;
  /** Own costs: self values plus attributed costs of the runtime. */
  baseOwn: Float64Array<ArrayBuffer>;
  candidateOwn: Float64Array<ArrayBuffer>;
  /** Sums of the totals of all previous frames: integers are exact up to 2^53. */
  basePrefix: Float64Array<ArrayBuffer>;
  candidatePrefix: Float64Array<ArrayBuffer>;
  hiddenNodes: Uint32Array<ArrayBuffer>;
  hiddenBase: Float64Array<ArrayBuffer>;
  hiddenCandidate: Float64Array<ArrayBuffer>;
  state: Uint8Array<ArrayBuffer>;
  low: Float32Array<ArrayBuffer>;
  high: Float32Array<ArrayBuffer>;
  q: Float32Array<ArrayBuffer>;
  stacks: Uint32Array<ArrayBuffer>;
  /** Collapsed callers; null if there are none. */
  runs: CollapsedRuns | null;
};

export type Column =
  | Uint32Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>;

/** Returns the elements of a column in the given order. */
export function picked<Kind extends Column>(column: Kind, order: Uint32Array): Kind {
  const make = column.constructor as new (length: number) => Kind;
  const result = new make(order.length);
  for (let frame = 0; frame < order.length; frame++) result[frame] = column[order[frame]!]!;
  return result;
}

/** Returns the children of each row of a draft, as one list with start indexes, in row order. */
function childLists(draft: Draft): { starts: Uint32Array; list: Uint32Array } {
  const { count, parent } = draft;
  const starts = new Uint32Array(count + 1);
  for (let row = 1; row < count; row++) starts[parent[row]! + 1]! += 1;
  for (let row = 0; row < count; row++) starts[row + 1]! += starts[row]!;
  const next = starts.slice(0, count);
  const list = new Uint32Array(Math.max(0, count - 1));
  for (let row = 1; row < count; row++) {
    const above = parent[row]!;
    list[next[above]!] = row;
    next[above]! += 1;
  }
  return { starts, list };
}

function prefixOf(column: Float64Array): Float64Array<ArrayBuffer> {
  const prefix = new Float64Array(column.length + 1);
  for (let frame = 0; frame < column.length; frame++)
    prefix[frame + 1] = prefix[frame]! + column[frame]!;
  return prefix;
}

/**
 * Lays out a draft by levels.
 * @param scales if given, siblings are sorted by their sum of both sides, largest first; otherwise
 *   they have the order of their rows, which the data has already sorted
 */
export function framesOf(draft: Draft, scales: Scales | null): FrameTable {
  return layOut(draft, scales).frames;
}

/** Returns the result of {@link framesOf} and the frame of each row of the draft. */
export function layOut(
  draft: Draft,
  scales: Scales | null,
): { frames: FrameTable; frameOf: Uint32Array<ArrayBuffer> } {
  const { order, parent, childStart, levels } = levelOrder(draft, scales);
  const frameOf = new Uint32Array(draft.count);
  for (let frame = 0; frame < draft.count; frame++) frameOf[order[frame]!] = frame;
  const frames = {
    levelStart: Uint32Array.from(levels),
    childStart,
    parent,
    ...columnsInOrder(draft, order),
  };
  return { frames, frameOf };
}

/** Returns the rows by level, with adjacent siblings. */
function levelOrder(draft: Draft, scales: Scales | null) {
  const { count } = draft;
  const { starts, list } = childLists(draft);
  if (scales !== null) sortSiblings(draft, starts, list, scales);
  const order = new Uint32Array(count);
  const parent = new Uint32Array(count);
  const childStart = new Uint32Array(count + 1);
  const levels: number[] = [0];
  parent[0] = draft.parent[0]!;
  let placed = 1;
  let levelEnd = 1;
  for (let frame = 0; frame < count; frame++) {
    if (frame === levelEnd) {
      levels.push(frame);
      levelEnd = placed;
    }
    childStart[frame] = placed;
    const row = order[frame]!;
    for (let at = starts[row]!; at < starts[row + 1]!; at++) {
      parent[placed] = frame;
      order[placed++] = list[at]!;
    }
  }
  childStart[count] = count;
  levels.push(count);
  return { order, parent, childStart, levels };
}

function columnsInOrder(
  draft: Draft,
  order: Uint32Array,
): Omit<FrameTable, 'levelStart' | 'childStart' | 'parent'> {
  const own = draft.own ?? ownCosts(draft);
  const baseTotal = picked(draft.baseTotal, order);
  const candidateTotal = picked(draft.candidateTotal, order);
  return {
    count: draft.count,
    name: picked(draft.name, order),
    category: picked(draft.category, order),
    runtime: picked(draft.runtime, order),
    source: picked(draft.source, order),
    baseSelf: picked(draft.baseSelf, order),
    baseTotal,
    candidateSelf: picked(draft.candidateSelf, order),
    candidateTotal,
    baseOwn: picked(own.base, order),
    candidateOwn: picked(own.candidate, order),
    basePrefix: prefixOf(baseTotal),
    candidatePrefix: prefixOf(candidateTotal),
    hiddenNodes: picked(draft.hiddenNodes, order),
    hiddenBase: picked(draft.hiddenBase, order),
    hiddenCandidate: picked(draft.hiddenCandidate, order),
    state: picked(draft.state, order),
    low: picked(draft.low, order),
    high: picked(draft.high, order),
    q: picked(draft.q, order),
    stacks: picked(draft.stacks, order),
    runs: null,
  };
}

function sortSiblings(draft: Draft, starts: Uint32Array, list: Uint32Array, scales: Scales): void {
  const weight = new Float64Array(draft.count);
  for (let row = 0; row < draft.count; row++) weight[row] = shownWeight(draft, row, scales);
  for (let row = 0; row < draft.count; row++) {
    const from = starts[row]!;
    const to = starts[row + 1]!;
    if (to - from > 1)
      list
        .subarray(from, to)
        .sort((a, b) => weight[b]! - weight[a]! || draft.name[a]! - draft.name[b]!);
  }
}

export function levelCount(frames: FrameTable): number {
  return frames.levelStart.length - 1;
}

/** Returns the number of levels, with one more for unsent frames below the deepest level. */
export function levelsDrawn(frames: FrameTable): number {
  const levels = levelCount(frames);
  for (let frame = frames.levelStart[levels - 1]!; frame < frames.count; frame++)
    if (frames.hiddenNodes[frame]! > 0) return levels + 1;
  return levels;
}

/** Returns the level of a frame, 0 = root, by binary search instead of a column. */
export function levelOf(frames: FrameTable, frame: number): number {
  let low = 0;
  let high = frames.levelStart.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (frames.levelStart[middle]! <= frame) low = middle;
    else high = middle;
  }
  return low;
}

/** Returns the frames from the root's child down to this one; empty for the root. */
export function pathTo(frames: FrameTable, frame: number): number[] {
  const path: number[] = [];
  for (let at = frame; at > 0; at = frames.parent[at]!) path.push(at);
  return path.reverse();
}
