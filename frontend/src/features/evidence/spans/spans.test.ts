import { describe, expect, it } from 'vitest';
import { aGap, aSpan, aTraceOfSpans, spansOfOne, spansOfTwo } from '../../../testing/span-fixtures';
import { gapNs, ratioOf, sortedGaps, stateAt } from './span-rows';
import { readSet, readSets, readTrace } from './span-types';
import {
  readSpansSearch,
  readWaterfallSearch,
  spansSearchOf,
  spansViewOf,
  waterfallSearchOf,
  waterfallViewOf,
} from './span-url';
import { setAnswer, skewText, traceAnswer } from './span-wording';

const text = (words: { text: string }[]) => words.map((each) => each.text).join('');

describe('readSets, readSet and readTrace', () => {
  it('reject documents of another format, which the error names', () => {
    expect(() => readSets({ format: 'slowpath.diff' })).toThrow(/format slowpath\.diff/);
    expect(() => readTrace(null)).toThrow(/unknown/);
  });
  it('assign the requested id to the traces of one span set', () =>
    expect(readSet(spansOfOne(), 'the-id').traces[0]?.artifact).toBe('the-id'));
  it('treat a span as a root unless its parent is in a row above', () => {
    const trace = readTrace(aTraceOfSpans({ spans: [aSpan({ parent: 1 }), aSpan({ parent: 0 })] }));
    expect(trace.spans.map(({ parent }) => parent)).toEqual([null, 0]);
  });
});

describe('span wording', () => {
  it('traceAnswer names the gap that takes most of a trace', () => {
    expect(text(traceAnswer(readTrace(aTraceOfSpans())))).toBe(
      '/api/v1/push took 10 ms; 7 ms is a gap in distributor /api/v1/push between validate and Push',
    );
  });
  it('traceAnswer names the span with the most self time if there is no gap, or no spans', () => {
    const spans = aTraceOfSpans().spans.map((span) => ({ ...span, gaps: [] }));
    expect(text(traceAnswer(readTrace(aTraceOfSpans({ spans }))))).toContain(
      '70% is the self time of distributor /api/v1/push',
    );
    expect(text(traceAnswer(readTrace(aTraceOfSpans({ spans: [] }))))).toMatch(/no spans/);
  });
  it('setAnswer names median and p99 of the requests, and the gap with the largest share', () => {
    expect(text(setAnswer(readSet(spansOfOne(), 'x')))).toBe(
      '/api/v1/push takes 3.90 ms at the median and 20.8 ms at p99; 31.7% of request time is a gap in distributor /api/v1/push between validate and Push',
    );
  });
  it('skewText describes clock skew and its direction', () => {
    expect(skewText(0)).toBeNull();
    expect(skewText(-2_000_000)).toMatch(/2 ms earlier/);
  });
});

describe('gap rows', () => {
  const { gaps } = readSets(spansOfTwo());
  it('start with the changed gap when they are sorted by change', () => {
    const edges = (column: string) =>
      sortedGaps(gaps, { column, descending: true }, 'p90').map(({ edge }) => edge);
    expect(edges('change')[0]).toBe('distributor//api/v1/push|validate|Push');
    expect(gapNs(gaps[0]!, 'candidate', 'p99')).toBe(13_240_000);
  });
  it('have no ratio if the interval is that of a difference', () => {
    const only = readSets(
      spansOfTwo({
        gaps: [aGap({ base: null, change: { ratio: null, difference: 5, low: 3, high: 7 } })],
      }),
    ).gaps[0]!;
    expect(ratioOf(only, 'p90')).toEqual({ ratio: null, low: null, high: null });
  });
  it('have the change and the state of the selected quantile', () => {
    const at = (ratio: number, low: number, high: number) => ({
      ratio,
      difference: 1,
      low,
      high,
      q_value: 0.001,
    });
    const [row] = readSets(
      spansOfTwo({
        gaps: [aGap({ changes: { p50: at(1.1, 0.9, 1.3), p90: at(8, 6, 11), p99: null } })],
      }),
    ).gaps;
    expect(ratioOf(row!, 'p50')).toEqual({ ratio: 1.1, low: 0.9, high: 1.3 });
    expect(ratioOf(row!, 'p90')).toEqual({ ratio: 8, low: 6, high: 11 });
    expect(ratioOf(row!, 'p99')).toEqual({ ratio: null, low: null, high: null });
    expect([stateAt(row!, 'p50'), stateAt(row!, 'p90'), stateAt(row!, 'p99')]).toEqual([
      'noise',
      'more',
      'noise',
    ]);
  });
  it('have a change at one quantile only in documents of older versions', () => {
    const { gaps: older } = readSets(spansOfTwo());
    const row = older.find(({ change }) => change?.quantile === 0.9)!;
    expect(ratioOf(row, 'p90').ratio).toBe(row.change?.ratio);
    expect(ratioOf(row, 'p50').ratio).toBeNull();
  });
});

describe('URLs of spans', () => {
  it('restore selected span, folded rows, viewport and search of a trace', () => {
    const view = waterfallViewOf(
      readWaterfallSearch({ span: 4, fold: 'r1r7', wfrom: 0.2, wto: 0.5, q: 'push', plain: true }),
    );
    expect([view.span, [...view.folded], view.window, view.words, view.critical]).toEqual([
      4,
      [1, 7],
      { from: 0.2, to: 0.5 },
      'push',
      false,
    ]);
    expect(waterfallSearchOf(view)).toEqual({
      span: 4,
      fold: 'r1r7',
      wfrom: 0.2,
      wto: 0.5,
      q: 'push',
      plain: true,
    });
  });
  it('replace only invalid parameters by their defaults', () => {
    const view = waterfallViewOf(
      readWaterfallSearch({ span: -1, fold: 'r1rxr3', wfrom: 0.9, wto: 0.1, q: 7 }),
    );
    expect([view.span, [...view.folded], view.window, view.words]).toEqual([
      null,
      [1, 3],
      { from: 0, to: 1 },
      '7',
    ]);
    expect(spansSearchOf(spansViewOf(readSpansSearch({ ssort: 'nothing', edge: 3 })))).toEqual({});
  });
});
