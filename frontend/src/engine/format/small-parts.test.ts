/** Levels of change, the shared axis, the summary of a view, and words for changes. */
import { describe, expect, test } from 'vitest';
import { FILL, STATE, changeFill, changeLevel } from './change-class';
import { unitOf } from './format';
import { alongAxis, ratioAxis } from './ratio-axis';
import { summarizeView } from '../flame/view-summary';
import { changeLabel, describeChange } from './change-wording';

test.each([
  [100, 100, 1],
  [100, 141, 1],
  [100, 142, 2],
  [100, 214, 2],
  [100, 215, 3],
  [100, 459, 3],
  [100, 460, 4],
  [100, 50, 2],
  [0, 5, 4],
  [5, 0, 4],
])('changeLevel from %d to %d is level %d', (base, candidate, level) =>
  expect(changeLevel(base, candidate)).toBe(level),
);

test('changeFill colors only significant changes, however large the others are', () => {
  expect(changeFill(STATE.noise, 1, 1000)).toBe(FILL.noise);
  expect(changeFill(STATE.more, 1, 1000)).toBe(FILL.more + 3);
  expect(changeFill(STATE.less, 100, 95)).toBe(FILL.less);
  expect(changeFill(STATE.onlyCandidate, 0, 1)).toBe(FILL.onlyCandidate);
  expect(changeFill(STATE.onlyBase, 1, 0)).toBe(FILL.onlyBase);
  expect(changeFill(77, 1, 2)).toBe(FILL.noise);
});

describe('ratioAxis', () => {
  const of = (...ratios: number[]) =>
    ratioAxis(ratios.map((ratio) => ({ ratio, low: null, high: null })));
  test.each([
    [[], [0.5, 1, 2]],
    [
      [11.7, 0.88],
      [0.5, 1, 2, 4, 8, 16],
    ],
    [
      [3, 60],
      [1 / 4, 1, 4, 16, 64],
    ],
    [
      [0.001, 1000],
      [1 / 4096, 1 / 256, 1 / 16, 1, 16, 256, 4096],
    ],
    [
      [Number.NaN, -1, Number.POSITIVE_INFINITY],
      [0.5, 1, 2],
    ],
  ])('covers all valid ratios of %j with the ticks %j', (ratios, expected) => {
    const { low, high, ticks } = of(...ratios);
    expect(ticks).toEqual(expected);
    expect([ticks[0], ticks.at(-1)]).toEqual([low, high]);
    for (const ratio of ratios) {
      if (ratio > 0 && Number.isFinite(ratio)) expect(low <= ratio && ratio <= high).toBe(true);
    }
  });
  test('is logarithmic and clamps values beyond its ends', () => {
    const axis = ratioAxis([{ ratio: 16, low: null, high: null }]);
    expect(
      [0.5, 1, 16, 99, 0.01].map((ratio) => Math.round(alongAxis(axis, ratio) * 1000) / 1000),
    ).toEqual([0, 0.2, 1, 1, 0]);
  });
});

test.each([
  [{ drawn: 74, narrow: 0, whole: true }, ['all 74 frames drawn']],
  [{ drawn: 1, narrow: 0, whole: true }, ['all 1 frame drawn']],
  [{ drawn: 60, narrow: 812, whole: true }, ['60 frames drawn, 812 too narrow, combined']],
  [{ drawn: 9, narrow: 0, whole: false }, ['9 frames drawn here']],
  [
    {
      drawn: 900,
      narrow: 7292,
      whole: true,
      nodesSent: 8192,
      nodesTotal: 412339,
      restState: 'loading' as const,
    },
    [
      '900 frames drawn, 7,292 too narrow, combined',
      'showing the 8,192 largest of 412,339, rest is loading',
    ],
  ],
  [
    { drawn: 5, narrow: 0, whole: true, unfiltered: 3 },
    ['all 5 frames drawn', '3 frames not loaded and not filtered'],
  ],
])('summarizeView counts drawn, narrow, unloaded and unfiltered frames (%#)', (counts, line) => {
  expect(
    summarizeView({ nodesSent: 1, nodesTotal: 1, restState: 'none', unfiltered: 0, ...counts }),
  ).toEqual(line);
});

const KNOWN = { q: 0.0001, stacks: 1200, joined: false };

describe('describeChange', () => {
  test('describes an increase with its difference, ratio, interval and q-value', () => {
    const described = describeChange(
      'more',
      { ...KNOWN, base: 62_000, candidate: 726_000, low: 10.1, high: 13.6 },
      unitOf('nanoseconds/request'),
      'cpu',
    );
    expect(described).toEqual({
      words: 'takes more time',
      delta: '+664 µs',
      per: 'per request',
      ratio: '×11.7, 95% interval 10.1 to 13.6',
      sure: 'q < .001 · on 1,200 stacks',
    });
  });
  test('shows no ratio when one side is zero', () => {
    const described = describeChange(
      'only-candidate',
      { ...KNOWN, base: 0, candidate: 5, low: Number.NaN, high: Number.NaN },
      unitOf('bytes'),
      'alloc_space',
    );
    expect(described).toMatchObject({
      words: 'only in candidate',
      ratio: 'no ratio: one side is zero',
    });
  });
  test('describes a merged frame as not evaluated, not as not significant', () => {
    const joined = { ...KNOWN, base: 10, candidate: 20, q: NaN, low: NaN, high: NaN, joined: true };
    expect(describeChange('noise', joined, unitOf('nanoseconds/request'), 'cpu')).toMatchObject({
      words: 'not evaluated',
      ratio: '×2.00, no interval for merged frames',
      sure: 'on 1,200 stacks',
    });
  });
  test('states too few samples for a test, except in views without a number of stacks', () => {
    const thin = { ...KNOWN, base: 10, candidate: 20, q: NaN, low: 0.5, high: 8, stacks: 1 };
    const sure = (stacks: number) =>
      describeChange('noise', { ...thin, stacks }, unitOf('count'), 'samples').sure;
    expect([sure(1), sure(0)]).toEqual(['too few samples for a test · on 1 stack', '']);
  });
  test('names an increase by its sample type, never as "slower"', () => {
    const types = ['cpu', 'alloc_space', 'inuse_objects', 'delay', 'goroutine', 'constructor'];
    expect(types.map((type) => changeLabel('more', type))).toEqual([
      'takes more time',
      'allocates more',
      'holds more objects',
      'waits longer',
      'has more goroutines',
      'takes more time',
    ]);
  });
});
