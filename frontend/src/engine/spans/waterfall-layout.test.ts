import { describe, expect, it } from 'vitest';
import {
  criticalLines,
  criticalOwn,
  foundRows,
  innerGaps,
  criticalRuns,
  largestGap,
  shownRows,
  subtreeEnds,
  treeMove,
  unfoldedAbove,
  type TreeStep,
  type WaterfallSpan,
} from './waterfall-layout';

const span = (parent: number | null, changed: Partial<WaterfallSpan> = {}): WaterfallSpan => ({
  parent,
  depth: 0,
  service: 'gate',
  op: 'push',
  kind: 'server',
  start_ns: 0,
  duration_ns: 100,
  status: 'unset',
  flags: [],
  skew_ns: 0,
  self_ns: 0,
  gaps: [],
  ...changed,
});

// 0 has the children 1 and 3, 1 has the child 2; 4 is a separate root.
const SPANS = [span(null), span(0), span(1), span(0), span(null)];
const ENDS = subtreeEnds(SPANS);

describe('waterfall rows', () => {
  it('end after their last descendant', () => expect([...ENDS]).toEqual([4, 3, 3, 4, 5]));
  it('hide the descendants of a folded row and map them to its place', () => {
    const shown = shownRows(ENDS, new Set([1]));
    expect(shown.rows).toEqual([0, 1, 3, 4]);
    expect([...shown.places]).toEqual([0, 1, 1, 2, 3]);
    expect(shownRows(ENDS, new Set([0, 1])).rows).toEqual([0, 4]);
    expect(shownRows(ENDS, new Set([2])).rows).toHaveLength(5);
  });
  it('are computed for a chain of 10,000 spans', () => {
    const chain = Array.from({ length: 10_000 }, (_, row) => span(row === 0 ? null : row - 1));
    const ends = subtreeEnds(chain);
    expect(ends[0]).toBe(10_000);
    expect(shownRows(ends, new Set([5])).rows).toHaveLength(6);
  });
  it('are navigated by keys like a tree', () => {
    const folded = new Set([1]);
    const tree = { spans: SPANS, ends: ENDS, folded, shown: shownRows(ENDS, folded) };
    const go = (step: TreeStep, row: number) => treeMove(step, row, tree);
    expect(go('down', 1)).toEqual({ row: 3 });
    expect(go('up', 0)).toEqual({ row: 0 });
    expect(go('last', 0)).toEqual({ row: 4 });
    expect(go('in', 1)).toEqual({ row: 1, fold: false });
    expect(go('in', 0)).toEqual({ row: 1 });
    expect(go('in', 3)).toEqual({ row: 3 });
    expect(go('out', 0)).toEqual({ row: 0, fold: true });
    expect(go('out', 1)).toEqual({ row: 0 });
    expect(go('out', 3)).toEqual({ row: 0 });
  });
  it('are unfolded above a row that must be visible', () =>
    expect([...unfoldedAbove(2, SPANS, new Set([0, 1, 3]))]).toEqual([3]));
  it('are found by service or operation, ignoring case', () => {
    const spans = [span(null, { op: 'Push' }), span(0, { service: 'ingester', op: 'append' })];
    expect(foundRows(spans, ' PUSH ')).toEqual([0]);
    expect(foundRows(spans, 'gest')).toEqual([1]);
    expect(foundRows(spans, ' ')).toEqual([]);
  });
});

describe('critical path', () => {
  const pieces = [
    { row: 4, start_ns: 0, end_ns: 50 },
    { row: 0, start_ns: 0, end_ns: 10 },
    { row: 1, start_ns: 10, end_ns: 20 },
    { row: 2, start_ns: 20, end_ns: 60 },
    { row: 0, start_ns: 60, end_ns: 100 },
  ];
  it('has one line per root span', () => {
    const lines = criticalLines(pieces, SPANS, shownRows(ENDS, new Set()).places);
    expect(lines.map((line) => line.map(({ place }) => place))).toEqual([[4], [0, 1, 2, 0]]);
  });
  it('runs through the visible ancestor of folded spans', () => {
    const lines = criticalLines(pieces, SPANS, shownRows(ENDS, new Set([1])).places);
    expect(lines[1]).toEqual([
      { place: 0, from: 0, to: 10 },
      { place: 1, from: 10, to: 60 },
      { place: 0, from: 60, to: 100 },
    ]);
  });
  it('assigns its time to the spans that it runs through', () =>
    expect([...criticalOwn(pieces, 5)]).toEqual([50, 10, 40, 0, 50]));
  it('omits pieces of spans that were not sent', () => {
    expect(criticalLines([{ row: 9, start_ns: 0, end_ns: 1 }], SPANS, new Int32Array(5))).toEqual(
      [],
    );
  });
});

describe('innerGaps and largestGap', () => {
  const gap = (previous: string, next: string, end_ns: number, suspect = false) => ({
    start_ns: 0,
    end_ns,
    previous,
    next,
    suspect,
  });
  it('ignore the whole duration of a span without children and suspect gaps', () => {
    const spans = [
      span(null, { gaps: [gap('START', 'a', 10), gap('a', 'END', 30)] }),
      span(0, { gaps: [gap('START', 'END', 90)] }),
      span(0, { gaps: [gap('a', 'b', 80, true)] }),
    ];
    expect(innerGaps(spans[1]!)).toEqual([]);
    expect(largestGap(spans)).toMatchObject({ row: 0, gap: { end_ns: 30 } });
    expect(largestGap([])).toBeNull();
  });
});

describe('criticalRuns', () => {
  it('returns no more runs than its lanes have room for', () => {
    const many = Array.from({ length: 10_000 }, (_, row) => ({ start_ns: row, duration_ns: 5000 }));
    const runs = criticalRuns(many, 15_000, 48, 400);
    expect(runs.length).toBeLessThanOrEqual(48 * 200);
    expect(runs).toHaveLength(48);
    expect(runs[0]).toEqual({ lane: 0, from: 0, to: 139 });
  });
  it('returns one column inside the picture for a span of zero duration', () => {
    expect(criticalRuns([{ start_ns: 100, duration_ns: 0 }], 100, 4, 10)).toEqual([
      { lane: 0, from: 9, to: 10 },
    ]);
  });
});
