import { describe, expect, it } from 'vitest';
import { certaintyWord, likelihoodWords } from './certainty';

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
  ])('describes the probability %d as %s', (probability, words) => {
    expect(likelihoodWords(probability)).toBe(words);
  });
});

describe('certaintyWord', () => {
  it.each([
    [1.01, 1.2, 1, 'significant'],
    [0.8, 0.99, 1, 'significant'],
    [1, 1.2, 1, 'inconclusive'],
    [-0.1, 0.1, 0, 'inconclusive'],
  ])('describes the interval %d to %d against %d as %s', (low, high, unchanged, word) => {
    expect(certaintyWord(low, high, unchanged)).toBe(word);
  });
});
