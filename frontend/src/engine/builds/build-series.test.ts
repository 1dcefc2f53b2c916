import { describe, expect, it } from 'vitest';
import {
  axisTicks,
  labelledPositions,
  layOutBuildSeries,
  sparklineLevels,
  withoutOutliers,
} from './build-series';

describe('layOutBuildSeries', () => {
  const line = layOutBuildSeries(
    { values: [1, null, 1, 3], levels: [1, 1, 1, 3], low: [0, null, 1, 3], high: [1, null, 1, 4] },
    84,
    44,
    2,
  );
  it('places a dot for each value and none for a gap', () => {
    expect(line.dots.map(({ index, x }) => [index, x])).toEqual([
      [0, 12],
      [2, 52],
      [3, 72],
    ]);
  });
  it('scales the y axis to the largest value, with all intervals inside', () => {
    expect(line.yOf(4)).toBe(2);
    expect(line.yOf(0)).toBe(42);
    expect(line.dots[0]).toMatchObject({ low: 42, y: 32 });
  });
  it('draws one segment per level', () => {
    expect(line.levels).toEqual([
      { from: 0, fromX: 2, toX: 62, y: 32 },
      { from: 3, fromX: 62, toX: 82, y: 12 },
    ]);
  });
  it('returns the range of all intervals', () => expect(line.range).toEqual([0, 4]));
  it('starts a new trend line after a gap', () => {
    const { trend } = layOutBuildSeries(
      { values: [0, 4], levels: [], trend: [0, 2, null, 4] },
      84,
      44,
      2,
    );
    expect(trend).toEqual([
      { x: 22, y: 42, begins: true },
      { x: 62, y: 22, begins: false },
      { x: 142, y: 2, begins: true },
    ]);
  });
  it('returns the nearest build for a pointer position, also beyond the ends', () =>
    expect([-5, 13, 61, 63, 500].map(line.indexAt)).toEqual([0, 0, 2, 3, 3]));
  it('centers equal values vertically and accepts an empty series', () => {
    expect(layOutBuildSeries({ values: [5, 5], levels: [5, 5] }, 40, 20).dots[0]?.y).toBe(10);
    expect(layOutBuildSeries({ values: [], levels: [] }, 40, 20).dots).toEqual([]);
  });
});

it.each([
  {
    range: [991, 53_200],
    spacing: 9_000,
    isBinary: false,
    ticks: [10_000, 20_000, 30_000, 40_000, 50_000],
  },
  { range: [0.012, 0.017], spacing: 0.0018, isBinary: false, ticks: [0.012, 0.014, 0.016] },
  { range: [900, 5_000], spacing: 1_100, isBinary: true, ticks: [2_048, 4_096] },
  { range: [-3, 4], spacing: 3, isBinary: false, ticks: [-2.5, 0, 2.5] },
  { range: [60, 140], spacing: 40, isBinary: false, ticks: [75, 100, 125] },
  { range: [1_100, 1_900], spacing: 700, isBinary: true, ticks: [1_280, 1_536, 1_792] },
  { range: [5, 5], spacing: 0, isBinary: false, ticks: [] },
] as const)('axisTicks returns round values for $range', ({ range, spacing, isBinary, ticks }) => {
  const found = axisTicks(range, spacing, isBinary);
  expect(found).toHaveLength(ticks.length);
  found.forEach((value, index) => expect(value).toBeCloseTo(ticks[index]!, 9));
});

it('labelledPositions keeps the last position and earlier ones with enough room', () => {
  expect(labelledPositions([0, 20, 40, 60, 80], 35)).toEqual([0, 2, 4]);
  expect(labelledPositions([0, 20, 40, 60], 35)).toEqual([1, 3]);
  expect(labelledPositions([0, 100], 35)).toEqual([0, 1]);
  expect(labelledPositions([], 35)).toEqual([]);
});

it('sparklineLevels returns one level before the change point and one from there on', () => {
  expect(sparklineLevels(4, 2, [1, 3])).toEqual([1, 1, 3, 3]);
  expect(sparklineLevels(2, null, [1])).toEqual([1, 1]);
  expect(sparklineLevels(1, null, [])).toEqual([null]);
});

describe('withoutOutliers', () => {
  it('limits outliers so that a level shift of 1.8 times stays visible', () => {
    const before = Array.from({ length: 20 }, (_, index) => 2.4 + 0.01 * (index % 3));
    const after = Array.from({ length: 20 }, (_, index) => 4.5 + 0.01 * (index % 3));
    const values = [...before, 240, ...after];
    const drawn = withoutOutliers(values, [2.4, 4.5]);
    const { dots } = layOutBuildSeries({ values: drawn, levels: [] }, 142, 26, 3);
    expect(dots[0]!.y - dots[40]!.y).toBeGreaterThan(26 / 5);
    expect(drawn.filter((value, index) => value !== values[index])).toHaveLength(1);
  });

  it('keeps values at a level unchanged', () => {
    const values = [...Array.from({ length: 20 }, () => 1), 5];
    expect(withoutOutliers(values, [1, 5])).toEqual(values);
  });
});
