import { expect, test } from 'vitest';
import { ROW_PX } from '../../engine/flame/flame-viewport';
import { describeCut, pictureSize } from './flame-export';

test('pictureSize uses a higher resolution where it fits and keeps all rows while possible', () => {
  expect(pictureSize(100 * ROW_PX)).toMatchObject({ ratio: 2, heightPx: 100 * ROW_PX, cut: null });
  const tall = pictureSize(12_000);
  expect(tall.ratio).toBeCloseTo(4 / 3);
  expect(tall.ratio * tall.heightPx).toBeLessThanOrEqual(16_000);
  expect(tall.cut).toBeNull();
});

test('describeCut states how many rows fit into a truncated PNG', () => {
  const { ratio, heightPx, cut } = pictureSize(2_000 * ROW_PX);
  expect([ratio, heightPx % ROW_PX]).toEqual([1, 0]);
  expect(heightPx + 28).toBeLessThanOrEqual(16_000);
  expect(describeCut(cut!)).toBe(
    'Truncated: 887 of 2,000 rows fit into a PNG. The SVG has all of them.',
  );
});
