/**
 * The own cost of each frame: its self value, and what the runtime spent on its behalf. A stack of the runtime is paid for
 * by the first frame above it that is not the runtime's, its attributed caller; a frame of the runtime pays for nothing
 * but itself. Raw values. What was never sent below a runtime frame counts as the runtime's.
 */
import { NO_NODE } from './diff-part';
import type { Draft, OwnCost } from './tree-draft';

type CostTree = Pick<
  Draft,
  'count' | 'parent' | 'runtime' | 'baseSelf' | 'candidateSelf' | 'hiddenBase' | 'hiddenCandidate'
>;

/** For each frame the frame that pays for it: itself, or the attributed caller of a runtime frame; NO_NODE without one. */
export function attributedFrames({ count, parent, runtime }: CostTree): Uint32Array<ArrayBuffer> {
  const payer = new Uint32Array(count).fill(NO_NODE);
  for (let row = 0; row < count; row++) {
    const above = parent[row]!;
    if (above === NO_NODE) continue;
    payer[row] = runtime[row] === 1 ? payer[above]! : row;
  }
  return payer;
}

/** @param tree every parent before its children. */
export function ownCosts(tree: CostTree): OwnCost {
  const payer = attributedFrames(tree);
  const base = tree.baseSelf.slice(0, tree.count);
  const candidate = tree.candidateSelf.slice(0, tree.count);
  for (let row = 0; row < tree.count; row++) {
    const at = payer[row]!;
    if (at === NO_NODE || at === row) continue;
    base[at]! += tree.baseSelf[row]! + tree.hiddenBase[row]!;
    candidate[at]! += tree.candidateSelf[row]! + tree.hiddenCandidate[row]!;
  }
  return { base, candidate };
}

/** Frames whose change is at least this share of another's have the same change; what is left over is not a cause. */
const SAME_CHANGE_SHARE = 0.9;

/** Whether one difference is (nearly) all of another. */
export function isSameChange(part: number, whole: number): boolean {
  return whole > 0 ? part >= SAME_CHANGE_SHARE * whole : part <= SAME_CHANGE_SHARE * whole;
}

/** Whether the change of a frame comes from its callees only: without its own cost it would be the same. */
export function isFromCallees(own: number, total: number): boolean {
  return isSameChange(total - own, total);
}
