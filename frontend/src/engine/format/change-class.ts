/**
 * Classes of changes, as numbers that all charts share. The analysis has already tested, with all
 * profiles, whether a change is significant; this module only adds the size of the change.
 */

/** Values of the column `state_B` of a diff or function table. */
export const STATE = { noise: 0, more: 1, less: 2, onlyCandidate: 3, onlyBase: 4 } as const;

const CHANGE_STATE_LABELS = ['noise', 'more', 'less', 'only-candidate', 'only-base'] as const;
export type Change = (typeof CHANGE_STATE_LABELS)[number];

/** Fills of frames. 1 to 4 are the levels of `more`, 5 to 8 those of `less`. */
export const FILL = {
  noise: 0,
  more: 1,
  less: 5,
  onlyCandidate: 9,
  onlyBase: 10,
  /** Without a comparison: frames of the program, and frames of the runtime. */
  plain: 11,
  plainRuntime: 12,
  /** Without a comparison: frames of the selected category. */
  plainSelected: 13,
  /** The frame takes more or less only in its callees. */
  moreInCallees: 14,
  lessInCallees: 15,
} as const;
export const FILL_COUNT = 16;

/** Fills of frames that take more, and of those that take less, on both sides. */
export const MORE_FILLS: readonly number[] = [1, 2, 3, 4, FILL.moreInCallees];
export const LESS_FILLS: readonly number[] = [5, 6, 7, 8, FILL.lessInCallees];

/** Values of |log2 of the ratio| at which the next stronger color begins. */
const LEVEL_STEPS = [0.5, 1.1, 2.2] as const;

/** Returns the strength of a change, 1 to 4. It is 4 if one side is zero. */
export function changeLevel(base: number, candidate: number): 1 | 2 | 3 | 4 {
  if (base <= 0 || candidate <= 0) return 4;
  const strength = Math.abs(Math.log2(candidate / base));
  if (strength < LEVEL_STEPS[0]) return 1;
  if (strength < LEVEL_STEPS[1]) return 2;
  return strength < LEVEL_STEPS[2] ? 3 : 4;
}

/**
 * Returns the fill of a frame by its change.
 * @param state one of {@link STATE}; any other value counts as noise
 */
export function changeFill(state: number, base: number, candidate: number): number {
  if (state === STATE.more) return FILL.more + changeLevel(base, candidate) - 1;
  if (state === STATE.less) return FILL.less + changeLevel(base, candidate) - 1;
  if (state === STATE.onlyCandidate) return FILL.onlyCandidate;
  return state === STATE.onlyBase ? FILL.onlyBase : FILL.noise;
}

export function changeOf(state: number): Change {
  return CHANGE_STATE_LABELS[state] ?? 'noise';
}
