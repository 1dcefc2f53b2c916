import { describe, expect, it } from 'vitest';
import { separatedTops } from './line-ends';

const place = { widthPx: 400, heightPx: 120, span: { fromMs: 0, toMs: 1 } };

describe('separatedTops', () => {
  it('keeps names in place that do not overlap', () => {
    expect(separatedTops([30, 80], place)).toEqual([30, 80]);
  });

  it.each([[[50, 50, 50, 50]], [[5, 6, 7]], [[118, 117, 119]]])(
    'places names a line of text apart and inside the plot: %j',
    (wanted) => {
      const tops = separatedTops(wanted, place);
      const sorted = tops.toSorted((a, b) => a - b);
      sorted.slice(1).forEach((top, at) => expect(top - sorted[at]!).toBeGreaterThanOrEqual(12));
      expect(sorted[0]).toBeGreaterThanOrEqual(10);
      expect(sorted.at(-1)).toBeLessThanOrEqual(120);
    },
  );
});
