/**
 * The own cost of each frame: its self value plus the attributed cost. The cost of a runtime frame
 * is attributed to its nearest caller that is not a runtime frame; the own cost of a runtime frame
 * is its self value. Values are raw. Unsent frames below a runtime frame count as runtime frames.
 */
import { NO_NODE } from './diff-part';
import type { Draft, OwnCost } from './tree-draft';

type CostTree = Pick<
  Draft,
  'count' | 'parent' | 'runtime' | 'baseSelf' | 'candidateSelf' | 'hiddenBase' | 'hiddenCandidate'
>;

/** Returns for each frame itself, or the attributed caller of a runtime frame; NO_NODE if none. */
export function attributedFrames({ count, parent, runtime }: CostTree): Uint32Array<ArrayBuffer> {
  const attributed = new Uint32Array(count).fill(NO_NODE);
  for (let row = 0; row < count; row++) {
    const above = parent[row]!;
    if (above === NO_NODE) continue;
    attributed[row] = runtime[row] === 1 ? attributed[above]! : row;
  }
  return attributed;
}

/** @param tree every parent is before its children */
export function ownCosts(tree: CostTree): OwnCost {
  const attributed = attributedFrames(tree);
  const base = tree.baseSelf.slice(0, tree.count);
  const candidate = tree.candidateSelf.slice(0, tree.count);
  for (let row = 0; row < tree.count; row++) {
    const at = attributed[row]!;
    if (at === NO_NODE || at === row) continue;
    base[at]! += tree.baseSelf[row]! + tree.hiddenBase[row]!;
    candidate[at]! += tree.candidateSelf[row]! + tree.hiddenCandidate[row]!;
  }
  return { base, candidate };
}

/** A change that is at least this share of another one counts as the same change. */
const SAME_CHANGE_SHARE = 0.9;

/** Returns whether one difference is (nearly) all of another. */
export function isSameChange(part: number, whole: number): boolean {
  return whole > 0 ? part >= SAME_CHANGE_SHARE * whole : part <= SAME_CHANGE_SHARE * whole;
}

/** Returns whether the change of a frame is the same without its own cost. */
export function isFromCallees(own: number, total: number): boolean {
  return isSameChange(total - own, total);
}
