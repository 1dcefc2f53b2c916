import { describe, expect, it } from 'vitest';
import { layOutPosterior, type PosteriorLevel } from './posterior-layout';
import { layOutProbeTimeline, type ProbeTimelineProbe } from './probe-timeline';

const level = (key: string, belief: number[], opened: number | null = null): PosteriorLevel => ({
  key,
  belief,
  before: belief.map(() => 1 / belief.length),
  opened,
});

describe('layOutPosterior', () => {
  it('places levels side by side, with bars in commit order inside each level', () => {
    const { levels, stacked } = layOutPosterior(
      [
        level(
          '',
          Array.from({ length: 200 }, (_, at) => (at === 90 ? 0.9 : 0.0005)),
        ),
        level('a', [0.1, 0.8]),
      ],
      1000,
      200,
    );
    expect(stacked).toBe(false);
    const [first, second] = levels;
    expect(first?.best).toBe(90);
    expect(second?.best).toBe(1);
    expect(first && second && second.x > first.x + first.width).toBe(true);
    for (const laid of levels)
      for (const bar of laid.bars) {
        expect(bar.x).toBeGreaterThanOrEqual(laid.x);
        expect(bar.x + bar.width).toBeLessThanOrEqual(laid.x + laid.width + 1.5);
        expect(bar.y + bar.height).toBeCloseTo(200);
      }
    expect(first?.bars).toHaveLength(1);
    const [left, right] = second!.bars;
    expect([left?.index, right?.index]).toEqual([0, 1]);
    expect(right!.x).toBeGreaterThan(left!.x);
  });
  it('stacks the levels where space is narrow', () => {
    const { levels, stacked } = layOutPosterior(
      [level('', [1]), level('a', [1]), level('b', [1])],
      340,
      200,
    );
    expect(stacked).toBe(true);
    expect(levels.map(({ x, width }) => [x, width])).toEqual([
      [0, 340],
      [0, 340],
      [0, 340],
    ]);
  });
  it('returns the candidate at a horizontal position, also outside the level', () => {
    const [laid] = layOutPosterior([level('', [0.2, 0.3, 0.5])], 300, 100).levels;
    expect([-5, 10, 150, 299, 900].map((x) => laid?.indexAt(x))).toEqual([0, 0, 1, 2, 2]);
    expect(laid?.indexAt(laid.xOf(1))).toBe(1);
  });
  it('returns the top of what is drawn in a range: bars, or the prior above low bars', () => {
    const posterior = { ...level('', [0.01, 0.97, 0.02]), before: [0.1, 0.1, 0.8] };
    const [laid] = layOutPosterior([posterior], 300, 100).levels;
    expect(laid?.topBetween(0, 90)).toBeCloseTo(100 - (70 / 3) * (0.1 / 0.8));
    expect(laid?.topBetween(110, 290)).toBeCloseTo(100 - 0.97 * 70);
    expect(laid?.topBetween(210, 290)).toBeCloseTo(100 - 70 / 3);
  });
});

const probe = (number: number, changed: Partial<ProbeTimelineProbe>): ProbeTimelineProbe => ({
  number,
  slot: 0,
  isControl: false,
  began: 0,
  ready: null,
  ended: null,
  ...changed,
});

describe('layOutProbeTimeline', () => {
  it('gives each slot a lane, the control the last one, and omits probes without a slot', () => {
    const laid = layOutProbeTimeline(
      [
        probe(1, { began: 0, ready: 10_000, ended: 40_000 }),
        probe(2, { slot: 2, began: 0, ended: 30_000 }),
        probe(3, { slot: 1, isControl: true, began: 0 }),
        probe(4, { slot: null }),
      ],
      500,
      50_000,
    );
    expect(laid.lanes).toEqual(['slot 1', 'slot 3', 'control']);
    expect(laid.boxes.map(({ number, lane, running }) => [number, lane, running])).toEqual([
      [1, 0, false],
      [2, 1, false],
      [3, 2, true],
    ]);
    const first = laid.boxes[0];
    expect(first?.readyWidth).toBeCloseTo(100);
    expect(laid.nowX).toBe(500);
    expect(laid.ticks.length).toBeGreaterThan(2);
  });
  it('draws even very short probes at least 5 px wide', () => {
    const { boxes } = layOutProbeTimeline(
      [probe(1, { began: 0, ended: 1 }), probe(2, { began: 86_400_000, ended: 86_400_001 })],
      400,
      86_400_001,
    );
    for (const box of boxes) {
      expect(box.width).toBeGreaterThanOrEqual(5);
      expect(box.x + box.width).toBeLessThanOrEqual(400);
    }
  });
  it('is empty before the first probe', () =>
    expect(layOutProbeTimeline([], 400, 1000)).toMatchObject({ lanes: [], boxes: [] }));
});
