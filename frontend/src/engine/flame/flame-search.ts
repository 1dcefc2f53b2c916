/** What a search finds among the frames: which names, how much of each side, and where matches hide in rests. */
import type { FrameTable } from './frame-table';

export type SearchHits = {
  /** 1 for each name that matches. */
  names: Uint8Array<ArrayBuffer>;
  /** Matching frames in the subtrees of all frames before, modulo 2^32: a rest's matches are a difference. */
  prefix: Uint32Array<ArrayBuffer>;
  frames: number;
  /** Raw totals of topmost matches: a match below a match is not counted twice. */
  base: number;
  candidate: number;
};

/** The frames that are drawn, where they are fewer than those of the tree: `shownAs` has the drawn frame of each. */
export type Picture = { shownAs: Uint32Array; parent: Uint32Array };

/** @param tree `name`, `parent` and totals of a frame table. The root's own name is never searched. */
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

/** Matching frames in the subtrees of siblings `from` to before `to`. */
export function hitsWithin(hits: SearchHits, from: number, to: number): number {
  return (hits.prefix[to]! - hits.prefix[from]!) >>> 0;
}
