/** Finds frames by the key of their path, or by the names that a finding has. */
import type { PathHash } from './flame-view';
import { ROOT_HASH, hashKey, nameHash, pathHash } from './flame-view';
import type { FrameTable } from './frame-table';
import { levelCount, pathTo } from './frame-table';
import type { NameTable } from './name-table';

type Tree = Pick<
  FrameTable,
  'count' | 'name' | 'parent' | 'levelStart' | 'childStart' | 'baseTotal' | 'candidateTotal'
>;

/** Returns the key of a frame, which links contain for a zoom; `''` for the root. */
export function keyOfFrame(frames: FrameTable, names: NameTable, frame: number): string {
  if (frames.runs !== null && frame > 0)
    return hashKey({ low: frames.runs.pathLow[frame]!, high: frames.runs.pathHigh[frame]! });
  const path = pathTo(frames, frame);
  if (path.length === 0) return '';
  let hash: PathHash = ROOT_HASH;
  for (const step of path) hash = pathHash(hash, nameHash(names.text(frames.name[step]!)));
  return hashKey(hash);
}

/** Returns the frame with a key: 0 (the root) for `''`, -1 if there is none. Reads all frames. */
export function frameOfKey(tree: Tree, names: NameTable, key: string): number {
  if (key === '') return 0;
  const wantedHigh = Number.parseInt(key.slice(0, 8), 16) >>> 0;
  const wantedLow = Number.parseInt(key.slice(8), 16) >>> 0;
  const { low, high } = pathHashes(tree, names);
  for (let frame = 1; frame < tree.count; frame++)
    if (low[frame] === wantedLow && high[frame] === wantedHigh) return frame;
  return -1;
}

/** Returns the hash of each frame's path. */
function pathHashes(
  tree: Pick<Tree, 'count' | 'name' | 'parent'>,
  names: NameTable,
): { low: Uint32Array<ArrayBuffer>; high: Uint32Array<ArrayBuffer> } {
  const low = new Uint32Array(tree.count);
  const high = new Uint32Array(tree.count);
  const known = new Map<number, PathHash>();
  low[0] = ROOT_HASH.low;
  high[0] = ROOT_HASH.high;
  for (let frame = 1; frame < tree.count; frame++) {
    const name = tree.name[frame]!;
    let named = known.get(name);
    if (named === undefined) known.set(name, (named = nameHash(names.text(name))));
    const above = tree.parent[frame]!;
    const hash = pathHash({ low: low[above]!, high: high[above]! }, named);
    low[frame] = hash.low;
    high[frame] = hash.high;
  }
  return { low, high };
}

/**
 * Adds the path hashes of the whole tree to a table with collapsed callers, because its own tree
 * lacks some names. The key of collapsed callers is that of the first.
 * @param shownAs the drawn frame of each frame of the tree
 */
export function withPathHashes(
  picture: FrameTable,
  shownAs: Uint32Array,
  tree: FrameTable,
  names: NameTable,
): FrameTable {
  if (picture.runs === null) return picture;
  const { low, high } = pathHashes(tree, names);
  const pathLow = new Uint32Array(picture.count);
  const pathHigh = new Uint32Array(picture.count);
  for (let frame = tree.count - 1; frame >= 0; frame--) {
    pathLow[shownAs[frame]!] = low[frame]!;
    pathHigh[shownAs[frame]!] = high[frame]!;
  }
  return { ...picture, runs: { ...picture.runs, pathLow, pathHigh } };
}

/** Returns the deepest existing frame along these names from the root; 0 if there is none. */
export function deepestAlong(tree: Tree, names: NameTable, path: readonly string[]): number {
  let frame = 0;
  for (const name of path) {
    let next = -1;
    for (let child = tree.childStart[frame]!; child < tree.childStart[frame + 1]!; child++) {
      if (names.text(tree.name[child]!) === name) {
        next = child;
        break;
      }
    }
    if (next < 0) return frame;
    frame = next;
  }
  return frame;
}

/** Returns the heaviest frame whose path ends with these names (outermost first), or -1. */
export function heaviestEnding(tree: Tree, names: NameTable, path: readonly string[]): number {
  const ids = path.map((name) => names.find(name));
  const last = ids.at(-1);
  if (last === undefined || ids.includes(-1)) return -1;
  let best = -1;
  for (let frame = 1; frame < tree.count; frame++) {
    if (tree.name[frame] !== last || !endsWith(tree, frame, ids)) continue;
    if (best < 0 || weight(tree, frame) > weight(tree, best)) best = frame;
  }
  return best;
}

/** Returns the sum of the raw totals of both sides. */
export function weight(tree: Pick<Tree, 'baseTotal' | 'candidateTotal'>, frame: number): number {
  return tree.baseTotal[frame]! + tree.candidateTotal[frame]!;
}

function endsWith(tree: Tree, frame: number, ids: readonly number[]): boolean {
  let at = frame;
  for (let step = ids.length - 1; step >= 0; step--) {
    if (at <= 0 || tree.name[at] !== ids[step]) return false;
    at = tree.parent[at]!;
  }
  return true;
}

/** Returns the deepest level of a subtree. Levels are contiguous: each level is one range. */
export function deepestLevel(frames: FrameTable, frame: number, level: number): number {
  let from = frame;
  let to = frame + 1;
  let deepest = level;
  while (deepest + 1 < levelCount(frames)) {
    from = frames.childStart[from]!;
    to = frames.childStart[to]!;
    if (from === to) return deepest;
    deepest++;
  }
  return deepest;
}
