/** Probabilities in words, with the limits and words that the IPCC's guidance on uncertainty gives. */
const WORDS = [
  [0.99, 'virtually certain'],
  [0.9, 'very likely'],
  [0.66, 'likely'],
  [0.33, 'about as likely as not'],
  [0.1, 'unlikely'],
  [0.01, 'very unlikely'],
] as const;

export function likelihoodWords(probability: number): string {
  const word = WORDS.find(([least]) => probability >= least);
  return word ? word[1] : probability > 0 ? 'exceptionally unlikely' : 'excluded';
}
