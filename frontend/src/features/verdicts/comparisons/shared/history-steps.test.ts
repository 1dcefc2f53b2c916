import { expect, test } from 'vitest';
import { EMPTY_VIEW, type FlameView } from '../../../../engine/flame/flame-view';
import { isFlameStep } from './history-steps';

const searching = (pattern: string): FlameView => ({
  ...EMPTY_VIEW,
  search: { ...EMPTY_VIEW.search, pattern },
});

test.each([
  [{ zoom: 'k' }],
  [{ focus: 'a' }],
  [{ ignore: 'a' }],
  [{ hide: 'a' }],
  [{ sandwich: 'a' }],
  [{ mode: 'base' as const }],
  [{ basis: 'share' }],
  [{ collapseRecursion: true }],
])('isFlameStep returns true for a choice: %o', (change) =>
  expect(isFlameStep(EMPTY_VIEW, { ...EMPTY_VIEW, ...change })).toBe(true),
);

test('isFlameStep returns false for a dragged range', () =>
  expect(isFlameStep(EMPTY_VIEW, { ...EMPTY_VIEW, span: { from: 0.1, to: 0.2 } })).toBe(false));

test('isFlameStep returns true for the start and end of a search, and for an exact search', () => {
  const typed = ['', 'n', 'ne', 'new', ''].map(searching);
  expect(typed.slice(1).map((after, at) => isFlameStep(typed[at]!, after))).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(isFlameStep(searching('^a$'), searching('^b$'))).toBe(true);
});
