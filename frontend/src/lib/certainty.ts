/**
 * Words for certainty. The server uses the same limits and words in its sentences
 * (`analysis/findings/certainty.py`); a test compares both.
 */

/** The lowest probability of each word, from the IPCC's guidance on uncertainty. */
const LIKELIHOODS = [
  [0.99, 'virtually certain'],
  [0.9, 'very likely'],
  [0.66, 'likely'],
  [0.33, 'about as likely as not'],
  [0.1, 'unlikely'],
  [0.01, 'very unlikely'],
  [0, 'exceptionally unlikely'],
] as const;
const IMPOSSIBLE = 'excluded';
export const SIGNIFICANT = 'significant';
const INCONCLUSIVE = 'inconclusive';

type CertaintyWord = typeof SIGNIFICANT | typeof INCONCLUSIVE;

/** Returns the word for a probability. */
export function likelihoodWords(probability: number): string {
  if (probability <= 0) return IMPOSSIBLE;
  return LIKELIHOODS.find(([least]) => probability >= least)?.[1] ?? IMPOSSIBLE;
}

/**
 * Returns the word for an interval: whether it excludes the value of no change.
 * @param unchanged 1 of a ratio, 0 of a difference
 */
export const certaintyWord = (low: number, high: number, unchanged = 1): CertaintyWord =>
  low > unchanged || high < unchanged ? SIGNIFICANT : INCONCLUSIVE;
