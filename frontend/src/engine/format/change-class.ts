/**
 * What happened to a frame, as one small number that everything that draws agrees on. The judgement itself (is it outside
 * the noise?) was made by the analysis with all profiles at hand; here it is only joined with the size of the change.
 */

/** As the data says: `state_B` of a diff or function table. */
export const STATE = { noise: 0, more: 1, less: 2, onlyCandidate: 3, onlyBase: 4 } as const;

const CHANGE_STATE_LABELS = ['noise', 'more', 'less', 'only-candidate', 'only-base'] as const;
export type Change = (typeof CHANGE_STATE_LABELS)[number];

/** How a frame is drawn. 1..4 and 5..8 are the levels of more and less. */
export const FILL = {
  noise: 0,
  more: 1,
  less: 5,
  onlyCandidate: 9,
  onlyBase: 10,
  /** One side alone: the program's frames, and the runtime's. */
  plain: 11,
  plainRuntime: 12,
  /** One side alone: the frames of the selected category. */
  plainSelected: 13,
  /** More or less in callees only. */
  moreInCallees: 14,
  lessInCallees: 15,
} as const;
export const FILL_COUNT = 16;

/** Fills of frames that take more, and of those that take less, on both sides. */
export const MORE_FILLS: readonly number[] = [1, 2, 3, 4, FILL.moreInCallees];
export const LESS_FILLS: readonly number[] = [5, 6, 7, 8, FILL.lessInCallees];

/** |log2 of the ratio| at which the next stronger colour begins. */
const LEVEL_STEPS = [0.5, 1.1, 2.2] as const;

/** 1 to 4: how strong a change from `base` to `candidate` is. Nothing on one side is the strongest. */
export function changeLevel(base: number, candidate: number): 1 | 2 | 3 | 4 {
  if (base <= 0 || candidate <= 0) return 4;
  const strength = Math.abs(Math.log2(candidate / base));
  if (strength < LEVEL_STEPS[0]) return 1;
  if (strength < LEVEL_STEPS[1]) return 2;
  return strength < LEVEL_STEPS[2] ? 3 : 4;
}

/** The fill of a frame whose change is drawn. @param state one of {@link STATE}; anything else counts as noise. */
export function changeFill(state: number, base: number, candidate: number): number {
  if (state === STATE.more) return FILL.more + changeLevel(base, candidate) - 1;
  if (state === STATE.less) return FILL.less + changeLevel(base, candidate) - 1;
  if (state === STATE.onlyCandidate) return FILL.onlyCandidate;
  return state === STATE.onlyBase ? FILL.onlyBase : FILL.noise;
}

export function changeOf(state: number): Change {
  return CHANGE_STATE_LABELS[state] ?? 'noise';
}
