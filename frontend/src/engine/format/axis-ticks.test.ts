import { expect, it } from 'vitest';
import { roundTicks } from './axis-ticks';

it('roundTicks steps by 1, 2 or 5 times a power of ten', () => {
  expect(roundTicks(0, 1000, 5)).toEqual([0, 200, 400, 600, 800, 1000]);
  expect(roundTicks(130, 260, 4)).toEqual([150, 200, 250]);
  expect(roundTicks(-700, 5100, 7)).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
  expect(roundTicks(0, 7.93, 5)).toEqual([0, 2, 4, 6]);
});

it('roundTicks counts from the given start', () =>
  expect(roundTicks(0, 100, 5, 30)).toEqual([10, 30, 50, 70, 90]));

it('roundTicks returns no ticks for zero length', () => expect(roundTicks(5, 5, 4)).toEqual([]));
