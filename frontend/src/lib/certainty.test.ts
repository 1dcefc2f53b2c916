import { describe, expect, it } from 'vitest';
import { likelihoodWords } from './certainty';

describe('likelihoodWords', () => {
  it.each([
    [1, 'virtually certain'],
    [0.98, 'very likely'],
    [0.66, 'likely'],
    [0.5, 'about as likely as not'],
    [0.1, 'unlikely'],
    [0.05, 'very unlikely'],
    [0.001, 'exceptionally unlikely'],
    [0, 'excluded'],
  ])('names %d', (probability, words) => {
    expect(likelihoodWords(probability)).toBe(words);
  });
});
