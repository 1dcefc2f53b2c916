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
])('what was chosen is a step: %o', (change) =>
  expect(isFlameStep(EMPTY_VIEW, { ...EMPTY_VIEW, ...change })).toBe(true),
);

test('a drag is none', () =>
  expect(isFlameStep(EMPTY_VIEW, { ...EMPTY_VIEW, span: { from: 0.1, to: 0.2 } })).toBe(false));

test('a search is one step, however many keys it took', () => {
  const typed = ['', 'n', 'ne', 'new', ''].map(searching);
  expect(typed.slice(1).map((after, at) => isFlameStep(typed[at]!, after))).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(isFlameStep(searching('^a$'), searching('^b$'))).toBe(true);
});
