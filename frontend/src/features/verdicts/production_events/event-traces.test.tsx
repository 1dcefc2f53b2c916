import { describe, expect, it } from 'vitest';
import { slowestOf, spansOf, type SlowTrace } from './event-traces';
import { aProductionEvent } from '../../../testing/event-fixtures';

const aTrace = (start_ms: number, duration_ns: number) =>
  ({ start_ns: start_ms * 1e6, duration_ns }) as SlowTrace;

describe('traces of a production event', () => {
  it('are compared with a time range of the same length before it began', () => {
    const { item, range } = aProductionEvent();
    const { before, after } = spansOf({ item, range });
    expect(before.toMs).toBe(Date.parse(item.since_at!));
    expect(after.fromMs).toBe(before.toMs);
    expect(after.toMs).toBe(Date.parse(range.to));
    expect(before.toMs - before.fromMs).toBe(after.toMs - after.fromMs);
  });

  it('are the five longest that began within the time range', () => {
    const traces = [1, 2, 3, 4, 5, 6, 7].map((ns) => aTrace(100, ns));
    const [start, end] = [aTrace(50, 90), aTrace(150, 80)];
    const found = slowestOf([...traces, start, end], { fromMs: 100, toMs: 150 });
    expect(found.map(({ duration_ns }) => duration_ns)).toEqual([7, 6, 5, 4, 3]);
    expect(slowestOf([start, aTrace(100, 1)], { fromMs: 0, toMs: 100 })).toEqual([start]);
  });
});
