import { describe, expect, it } from 'vitest';
import { aTraceDocument, aWaiter, aWait, noChange } from '../../../testing/trace-fixtures';
import { largestOf, linesOf } from './trace-series';
import { readTrace, readTraces, type TraceDocument } from './trace-types';
import { readTraceSearch, traceSearchOf, traceViewOf } from './trace-url';
import { largestOccupant } from './WaiterPanels';
import {
  changeAt,
  changedView,
  selectedWaiter,
  selectedWait,
  pointsOf,
  isCuttable,
  secondAround,
  seriesDrawn,
  sortedWaiters,
  waitsListed,
} from './waiter-rows';
import {
  bracketText,
  conditions,
  unreadableRangeText,
  verdictText,
  waiterParts,
  wakeText,
} from './trace-wording';

const dataOf = (changed = {}): TraceDocument => readTraces(aTraceDocument(changed));

describe('readTraces and readTrace', () => {
  it('reject documents of another format, which the error names', () => {
    expect(() => readTraces({ format: 'slowpath.diff' })).toThrow(/format slowpath\.diff/);
    expect(() => readTraces(null)).toThrow(/unknown/);
  });
  it('assign the requested id to a single trace and its waits', () => {
    const alone = readTrace(
      aTraceDocument({ worst: [aWait({ artifact: null })], series: [] }),
      'the-id',
    );
    expect(alone.worst[0]?.artifact).toBe('the-id');
    expect(alone.sides.base.traces[0]?.artifact).toBe('the-id');
    expect(alone.sides.candidate).toBeNull();
  });
});

describe('table of waiters', () => {
  const rows = dataOf().groups;
  it('marks a quantile only if its group changed and the interval excludes a ratio of 1', () => {
    const [server, batcher, late] = rows;
    expect(changeAt(server!, 'p99')).toBe('noise');
    expect(changeAt(batcher!, 'p99')).toBe('more');
    expect(changeAt(late!, 'p99')).toBe('only-candidate');
    const untested = { p50: null, p90: null, p99: null, p999: null };
    expect(changeAt({ ...batcher!, change: untested }, 'p99')).toBe('noise');
  });
  it('does not mark a group that is on one side only and hardly waits', () => {
    const rare = { ...rows[2]!, share_of_wait_candidate: 0.0001, share_of_wait_base: 0 };
    expect(changeAt(rare, 'p99')).toBe('noise');
  });
  it('sorts by change, name and p99, with changes that are not significant last', () => {
    const names = (column: string, descending = true) =>
      sortedWaiters(rows, { column, descending }, 'p99').map(({ group }) => group);
    expect(names('change')).toEqual(['main.late', 'main.batcher', 'main.server']);
    expect(names('group', false)).toEqual(['main.batcher', 'main.late', 'main.server']);
    expect(names('p99')[0]).toBe('main.batcher');
  });
  it('selects the waiter of the URL, else of the first finding, else one that waits longer', () => {
    expect(selectedWaiter(dataOf(), 'main.server|network', 'x')?.group).toBe('main.server');
    expect(selectedWaiter(dataOf(), 'gone|network', 'main.server|network')?.group).toBe(
      'main.server',
    );
    expect(selectedWaiter(dataOf(), '')?.group).toBe('main.batcher');
    expect(selectedWaiter(dataOf({ groups: [] }), '')).toBeNull();
    const quiet = dataOf({ groups: [aWaiter('a', 'b', noChange)] });
    expect(selectedWaiter(quiet, '')?.group).toBe('a');
  });
  it('falls back to the quantiles of the row when the document has no full distribution', () => {
    expect(pointsOf(rows[2]!).map(({ q, base_ns }) => [q, base_ns])).toEqual([
      [0.5, null],
      [0.9, null],
      [0.99, null],
      [0.999, null],
      [0.9999, null],
    ]);
  });
});

describe('longest waits', () => {
  const waits = dataOf();
  const { worst } = waits;
  it('start with those of the selected waiter', () => {
    expect(selectedWait(waits, '', 'main.batcher|network')?.index).toBe(0);
    expect(selectedWait(waits, 'c1.1', 'main.batcher|network')?.index).toBe(1);
    expect(selectedWait(waits, 'c9.9', 'unknown')?.index).toBe(1);
    expect(waitsListed(worst, 'main.batcher|network').map(({ index }) => index)).toEqual([0, 1]);
    expect(waitsListed(worst, '').map(({ index }) => index)).toEqual([1, 0]);
  });
  it('are selected from the base if it waits longer or alone, else from the candidate', () => {
    const own = { ...worst[0]!, waiter: 'main.batcher|network' };
    const sides = [
      { ...own, side: 'candidate' as const, index: 5, duration_ns: 9e5 },
      { ...own, side: 'base' as const, index: 6, duration_ns: 8e7 },
    ];
    const opened = (state: 'less' | 'more' | 'noise' | 'only-base') =>
      selectedWait(
        { worst: sides, groups: waits.groups.map((row) => ({ ...row, state })) },
        '',
        own.waiter,
      )?.index;
    expect([opened('less'), opened('only-base')]).toEqual([6, 6]);
    expect([opened('more'), opened('noise')]).toEqual([5, 5]);
  });
  it('are described with duration, queue position and waker', () => {
    expect(bracketText(worst[0]!)).toBe(
      '4.37 ms runnable · 214 others started first · queue position 231',
    );
    expect(wakeText(worst[0]!)).toBe('woken by netpoll');
    expect(wakeText({ ...worst[0]!, waker: 'example.com/x.(*T).run' })).toBe('woken by x.(*T).run');
  });
  it('allow excerpts of traces since Go 1.22 or of an unknown version', () => {
    expect(['1.11', '1.19', '1.21', '1.22', '1.26', null].map(isCuttable)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
  });
  it('have an excerpt of one second, or 1.2 times their duration, within the trace', () => {
    const wait = worst[0]!;
    const { from_ns, to_ns } = secondAround(wait, 10e9);
    expect(to_ns - from_ns).toBe(1e9);
    expect(from_ns).toBeLessThan(wait.start_ns);
    expect(secondAround({ ...wait, start_ns: 0 }, 10e9).from_ns).toBe(0);
    expect(secondAround({ ...wait, start_ns: 9.9e9 }, 10e9).to_ns).toBe(10e9);
    const long = secondAround({ ...wait, start_ns: 1e9, duration_ns: 3e9 }, 10e9);
    expect(long.to_ns - long.from_ns).toBe(3.6e9);
  });
});

describe('linesOf', () => {
  const [series] = dataOf().series;
  it('returns levels with their maximum, counts as rates, and nothing for unknown levels', () => {
    expect(linesOf(series!, 'runnable')).toEqual([
      { name: 'runnable', unit: 'count', mean: [1, 2, 3], min: null, max: [4, 5, 60] },
    ]);
    expect(linesOf(series!, 'events')[0]?.mean).toEqual([1, 2, 4]);
    expect(linesOf(series!, 'heap')).toEqual([]);
    expect(largestOf(linesOf(series!, 'runnable'))).toBeCloseTo(63);
  });
});

describe('trace wording', () => {
  it('describes the recording conditions and the unreadable range of a trace', () => {
    expect(conditions(dataOf().sides.base)).toEqual([
      '1 trace of 10 s',
      '4 Ps',
      '340,110 events',
      '1,200 wakes/s',
      '0.10 runnable on average',
    ]);
    const lost = { bytes: 10, share: 0.03, after_ns: 8.8e9, message: 'the last 1.2 s are lost' };
    expect(unreadableRangeText({ name: 'x.trace', lost })).toBe(
      'x.trace: the last 1.2 s are lost (3% of the file)',
    );
    expect(unreadableRangeText({ name: 'x.trace', lost: null })).toBeNull();
  });
  it('splits a waiter at its last vertical bar', () => {
    expect(waiterParts('a|b|network')).toEqual({ group: 'a|b', reason: 'network' });
    expect(waiterParts('plain')).toEqual({ group: 'plain', reason: '' });
  });
  it('has words for known verdicts, and shows an unknown one without its hyphen', () => {
    const words = [null, 'cpu-hog', 'hog', 'new-kind'].map(verdictText);
    expect(words).toEqual(['–', 'CPU hog', 'CPU hog', 'new kind']);
  });
});

describe('largestOccupant', () => {
  const part = (kind: string, group: string | null, candidate_share: number) => ({
    ...dataOf().occupancy[0]!.parts[0]!,
    class: kind,
    kind,
    group,
    candidate_share,
  });
  const occupancy = {
    ...dataOf().occupancy[0]!,
    parts: [
      part('user', 'main.caller', 0.37),
      part('gc-fractional', null, 0.2),
      part('user-assist', 'main.caller', 0.15),
      part('stw', null, 0.05),
    ],
  };
  it('returns the largest part, or all parts of the GC together for the verdict "gc"', () => {
    expect(largestOccupant(occupancy, 'candidate_share', 'mixed')).toEqual({
      lead: 'behind',
      name: 'main.caller',
      share: 0.37,
      code: true,
    });
    expect(largestOccupant(occupancy, 'candidate_share', 'gc')).toEqual({
      lead: 'behind',
      name: 'the GC',
      share: expect.closeTo(0.4) as number,
      code: false,
    });
    expect(largestOccupant({ ...occupancy, parts: [] }, 'candidate_share', 'mixed')).toBeNull();
  });
});

describe('selected wait and trace', () => {
  const waits = dataOf();
  const usual = traceViewOf({});
  const picked = { ...usual, drawn: { base: 'b9', candidate: 'c9' } };
  it('changedView clears the picked trace only on the side of a newly selected wait', () => {
    const next = changedView(picked, { wait: 'c1.1' }, waits);
    expect(next.drawn).toEqual({ base: 'b9', candidate: '' });
    expect(changedView(picked, { quantile: 'p50' }, waits).drawn).toBe(picked.drawn);
    expect(
      changedView(picked, { waiter: 'main.batcher|network' }, { worst: [], groups: [] }).drawn,
    ).toBe(picked.drawn);
  });
  it('seriesDrawn returns the picked trace, else the trace of the wait, else the first', () => {
    const [one] = dataOf().series;
    const own = [one!, { ...one!, artifact: 'c2' }, { ...one!, artifact: 'c3' }];
    expect(seriesDrawn(own, 'c3', 'c2')?.artifact).toBe('c3');
    expect(seriesDrawn(own, 'gone', 'c2')?.artifact).toBe('c2');
    expect(seriesDrawn(own, '', '')?.artifact).toBe('c1');
    expect(seriesDrawn([], 'c3', 'c2')).toBeUndefined();
  });
});

describe('trace URL', () => {
  it('omits default values, and loses only invalid parameters', () => {
    const usual = traceViewOf(readTraceSearch({}));
    expect(JSON.stringify(traceSearchOf(usual))).toBe('{}');
    const view = traceViewOf(
      readTraceSearch({ waiter: 'a|b', wait: { x: 1 }, wfrom: 0.4, wto: 0.2, quantile: 'p42' }),
    );
    expect(view).toEqual({ ...usual, waiter: 'a|b' });
  });
});
