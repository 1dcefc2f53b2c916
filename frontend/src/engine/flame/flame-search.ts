/** The result of a search: matching names, their cost on each side, and matches within rests. */
import type { FrameTable } from './frame-table';

export type SearchHits = {
  /** 1 for each matching name. */
  names: Uint8Array<ArrayBuffer>;
  /** Matches in the subtrees of all previous frames, modulo 2^32; a difference is exact. */
  prefix: Uint32Array<ArrayBuffer>;
  frames: number;
  /** Raw totals of the topmost matches: a match below another one is not counted twice. */
  base: number;
  candidate: number;
};

/** The drawn frames, if fewer than those of the tree; `shownAs` maps frames of the tree to them. */
export type Picture = { shownAs: Uint32Array; parent: Uint32Array };

/** @param tree a frame table without other columns; the name of the root is not searched */
export function searchFrames(
  tree: Pick<FrameTable, 'count' | 'name' | 'parent' | 'baseTotal' | 'candidateTotal'>,
  names: Uint8Array<ArrayBuffer>,
  picture: Picture | null = null,
): SearchHits {
  const { count, name, parent } = tree;
  const covered = new Uint8Array(count);
  let found = 0;
  let base = 0;
  let candidate = 0;
  for (let frame = 1; frame < count; frame++) {
    const match = names[name[frame]!] === 1;
    const above = covered[parent[frame]!]!;
    covered[frame] = match || above === 1 ? 1 : 0;
    if (!match) continue;
    found++;
    if (above === 1) continue;
    base += tree.baseTotal[frame]!;
    candidate += tree.candidateTotal[frame]!;
  }
  return { names, prefix: hitPrefix(tree, names, picture), frames: found, base, candidate };
}

function hitPrefix(
  tree: Pick<FrameTable, 'count' | 'name' | 'parent'>,
  names: Uint8Array,
  picture: Picture | null,
): Uint32Array<ArrayBuffer> {
  const parent = picture?.parent ?? tree.parent;
  const inside = new Uint32Array(parent.length);
  for (let frame = 1; frame < tree.count; frame++)
    if (names[tree.name[frame]!] === 1) inside[picture?.shownAs[frame] ?? frame]! += 1;
  for (let frame = parent.length - 1; frame > 0; frame--) inside[parent[frame]!]! += inside[frame]!;
  const prefix = new Uint32Array(parent.length + 1);
  for (let frame = 0; frame < parent.length; frame++)
    prefix[frame + 1] = prefix[frame]! + inside[frame]!;
  return prefix;
}

/** Returns the number of matching frames in the subtrees of the siblings [from, to). */
export function hitsWithin(hits: SearchHits, from: number, to: number): number {
  return (hits.prefix[to]! - hits.prefix[from]!) >>> 0;
}
