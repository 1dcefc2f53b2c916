import { describe, expect, test } from 'vitest';
import {
  columnScale,
  formatCount,
  formatDelta,
  formatNumber,
  formatProbability,
  formatFactor,
  formatRatio,
  formatRatioRange,
  formatShare,
  formatTicks,
  formatValue,
  unitOf,
} from './format';

test.each([
  [0, '0'],
  [0.0004, '< 0.001'],
  [-0.0004, '> −0.001'],
  [0.042, '0.042'],
  [4.372, '4.37'],
  [9.996, '10.0'],
  [43.71, '43.7'],
  [437.2, '437'],
  [412339, '412,339'],
  [-12.34, '−12.3'],
  [4, '4'],
  [62, '62'],
  [Number.NaN, '–'],
])('formatNumber formats %d as %s', (value, text) => expect(formatNumber(value)).toBe(text));

test.each([
  [4.37e6, 'nanoseconds', '4.37 ms'],
  [62000, 'ns', '62 µs'],
  [999.6, 'nanoseconds', '1.00 µs'],
  [0, 'nanoseconds', '0 ns'],
  [2.5, 'seconds', '2.50 s'],
  [1.2e-6, 'sec/op', '1.20 µs'],
  [1000, 'seconds', '16.7 min'],
  [8192, 'bytes', '8 KiB'],
  [1023, 'bytes', '1,023 B'],
  [1536 * 1024, 'bytes/request', '1.50 MiB'],
  [15685, 'count', '15,685'],
  [3465.5, 'samples', '3,466'],
  [0.252, 'share', '25.2%'],
  [-664000, 'nanoseconds/request', '−664 µs'],
])('formats %d %s as %s', (value, unit, text) => expect(formatValue(value, unit)).toBe(text));

test.each([
  ['nanoseconds/request', 'time', 'request'],
  ['seconds/s', 'time', 's'],
  ['bytes/second', 'bytes', 's'],
  ['share', 'share', ''],
  ['goroutine', 'count', ''],
  ['constructor', 'count', ''],
  ['', 'count', ''],
])('unitOf parses the unit %s as %s per %s', (unit, quantity, per) =>
  expect(unitOf(unit)).toMatchObject({ quantity, per }),
);

test.each([
  [0, '0%'],
  [0.32, '32%'],
  [0.0055, '0.55%'],
  [0.00001, '< 0.01%'],
  [1, '100%'],
  [0.9996, '100%'],
  [-0.5, '−50%'],
  [0.042, '4.2%'],
])('formatShare formats %d as %s', (share, text) => expect(formatShare(share)).toBe(text));

test('formats ratios, ranges, differences, counts and probabilities', () => {
  expect([11.7, 1.32, 0.042, 156.2, null, Number.POSITIVE_INFINITY].map(formatRatio)).toEqual([
    '×11.7',
    '×1.32',
    '×0.042',
    '×156',
    '–',
    '–',
  ]);
  expect(formatRatioRange(1.281, 1.36)).toBe('1.28 – 1.36');
  expect(formatRatioRange(10.12, 13.6, 'sentence')).toBe('10.1 to 13.6');
  expect(formatRatioRange(1.2, 1e206)).toBe('≥ ×1.20');
  expect(formatRatioRange(1.2, 1e206, 'sentence')).toBe('at least ×1.20');
  expect(formatRatioRange(0, 0.8, 'sentence')).toBe('at most ×0.80');
  expect(formatRatioRange(0, 1e206)).toBe('unbounded');
  expect([664, -91, 0].map((value) => formatDelta(value, 'us'))).toEqual([
    '+664 µs',
    '−91 µs',
    '±0 ns',
  ]);
  expect([formatCount(412339), formatCount(-3), formatCount(0)]).toEqual(['412,339', '−3', '0']);
  expect([0.0001, 0.021, 1].map(formatProbability)).toEqual(['< .001', '.021', '1']);
});

describe('columnScale', () => {
  test('uses one scale so that the numbers of a column align', () => {
    const { name, format } = columnScale(726_000, 'nanoseconds');
    expect(name).toBe('µs');
    expect([726_000, 62_000, 0, 300, -4000].map(format)).toEqual(['726', '62', '0', '< 1', '−4']);
  });
});

describe('formatTicks', () => {
  test('uses few digits while the ticks differ', () =>
    expect(formatTicks([0, 1e6, 2e6], 'ns')).toEqual(['0 ns', '1 ms', '2 ms']));
  test('adds digits until the ticks differ at high zoom', () => {
    expect(formatTicks([32_614_500, 32_615_000, 32_615_500], 'ns')).toEqual([
      '32.6145 ms',
      '32.6150 ms',
      '32.6155 ms',
    ]);
    expect(new Set(formatTicks([-3e12, -3e12 + 1], 'ns')).size).toBe(2);
  });
});

// The same values as in backend/tests/analysis/findings/test_wording.py, because sentences of the
// server and numbers on pages must have the same digits.
test.each([
  [19.25, '19.3'],
  [19.246, '19.2'],
  [9.994, '9.99'],
  [9.996, '10.0'],
  [99.94, '99.9'],
  [99.96, '100'],
  [1.005, '1.01'],
  [1.845, '1.85'],
  [0.0994, '0.099'],
  [0.125, '0.13'],
  [0.0004, '< 0.001'],
])('formatFactor formats the ratio %d as %s', (ratio, text) => {
  expect(formatFactor(ratio)).toBe(text);
});
