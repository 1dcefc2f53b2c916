import { expect, test } from 'vitest';
import { rateText } from './growth-rows';

test.each([
  [1, 'every growth event was printed'],
  [2, 'every 2nd growth'],
  [11, 'every 11th growth'],
  [23, 'every 23rd growth'],
  [1000, 'every 1,000th growth'],
])('rateText describes a sampling rate of one in %i', (rate, words) =>
  expect(rateText(rate)).toMatch(new RegExp(`^${words}`, 'u')),
);
