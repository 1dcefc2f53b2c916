import { describe, expect, it, vi } from 'vitest';
import { aDashboard, DASHBOARD_TO_MS, serviceId } from '../../testing/dashboard-fixtures';
import { writeColumns } from '../../testing/column-writer';
import type { DashboardDeployment } from '../../api/api-types';
import { readDashboard, type RowSeries } from './dashboard-file';
import { placeLabels } from './dashboard-labels';
import { latencyPanel, lastWith, ratePanel, splitPanel, stackOf } from './dashboard-panel';
import {
  autoLatencyScales,
  heightOf,
  linearLatencyScale,
  logLatencyScale,
  rateScale,
  roundTop,
  shortNumber,
  type HeightScale,
} from './dashboard-scale';
import {
  behindText,
  gapText,
  lastText,
  momentText,
  selectionText,
  rangeText,
  shareOf,
  sinceText,
  timeTicks,
} from './dashboard-time';
import { indexAt, spanOf } from './time-grid';
import {
  changePointLabel,
  deploymentLabel,
  latencyCaption,
  rateReader,
  rateText,
  makeRowDescriber,
} from './dashboard-wording';
import { CursorBus, selectedTimeOf, type CursorState } from './cursor-bus';

const NONE = { p50: null, p90: null, p99: null, mean: null };

function aSeries(changed: Partial<RowSeries>): RowSeries {
  return {
    qps: { '2xx': null, '4xx': null, '5xx': null, other: null },
    latency: NONE,
    bands: NONE,
    gauges: [],
    instances: [],
    split: [],
    against: null,
    ...changed,
  };
}

describe('readDashboard', () => {
  it('reads the grid, rows in order, and columns as views of the buffer', () => {
    const buffer = aDashboard({ services: 12, against: true, instances: true, gauges: true });
    const board = readDashboard(buffer);
    expect(board.rows.map(({ service }) => service.name).slice(0, 3)).toEqual([
      'gateway',
      'distributor',
      'ingester',
    ]);
    expect(board.grid).toEqual({
      fromMs: DASHBOARD_TO_MS - 719 * 20_000,
      stepMs: 20_000,
      points: 720,
    });
    const [gateway] = board.series;
    expect(gateway?.latency.p99?.buffer).toBe(buffer);
    expect(gateway?.bands.p99?.high).toHaveLength(720);
    expect(gateway?.bands.mean).toBeNull();
    expect(gateway?.instances).toHaveLength(4);
    expect(gateway?.gauges).toHaveLength(2);
    expect(gateway?.against?.latency.p99).toHaveLength(720);
    expect(board.series[4]?.latency.p99?.[160]).toBeNaN();
    expect(board.edges[1]).toEqual({ caller: serviceId(1), callee: serviceId(2), ratio: 3 });
  });

  it('rejects other formats, too many points, and columns of another length', () => {
    expect(() => readDashboard(new ArrayBuffer(0))).toThrow('shorter than its prefix');
    expect(() => readDashboard(aDashboard({ header: { format: 'slowpath.diff' } }))).toThrow(
      'not slowpath.board',
    );
    expect(() => readDashboard(aDashboard({ header: { points: 1_000_000 } }))).toThrow(
      'too many points',
    );
    expect(() => readDashboard(aDashboard({ header: { points: 100 } }))).toThrow('another length');
    expect(() => readDashboard(aDashboard({ header: { step_ms: 0 } }))).toThrow('zero');
    expect(() => readDashboard(aDashboard({ header: { rows: 'all' } }))).toThrow(
      'rows is not a list',
    );
  });

  it('reads an empty dashboard with its reason', () => {
    const board = readDashboard(aDashboard({ empty: 'no metrics yet' }));
    expect(board.empty).toEqual({ code: 'no-metrics', reason: 'no metrics yet' });
    expect(board.rows).toEqual([]);
    expect(board.newestMs).toBeNull();
  });

  it('accepts rows whose lists are missing', () => {
    const row = { service: { id: 'a', slug: 'a', name: 'a' }, latency: {}, requests: {} };
    const header = {
      format: 'slowpath.board',
      format_version: 1,
      from_ms: 0,
      step_ms: 1000,
      points: 2,
      rows: [row],
    };
    const lists = { environments: [], edges: [], deployments: [], annotations: [], changes: [] };
    const board = readDashboard(writeColumns({ ...header, ...lists }, {}));
    expect(board.rows[0]?.gaps).toEqual([]);
    expect(board.series[0]?.against).toBeNull();
  });
});

/** A row that shows its p99, with these values. */
const p99Row = (...values: number[]) => ({
  series: aSeries({ latency: { ...NONE, p99: Float32Array.of(...values) } }),
  quantiles: ['p99'] as const,
});

describe('autoLatencyScales', () => {
  const heightsOf = (scale: HeightScale | undefined, values: number[]) =>
    values.map((value) => heightOf(scale!, value));

  it('covers the same ratio on every row, around the values of the row', () => {
    const [fast, slow] = autoLatencyScales([p99Row(0.01, 0.02), p99Row(1, 1.1)]);
    const [low, high] = heightsOf(fast, [0.01, 0.013]);
    const [slowLow, slowHigh] = heightsOf(slow, [1, 1.3]);
    expect(high! - low!).toBeCloseTo(slowHigh! - slowLow!);
    expect(fast!.most / fast!.least).toBeCloseTo(slow!.most / slow!.least);
  });

  it.each([1, 6, 50])('shows an 80% increase as at least 25 px among %i services', (services) => {
    const rows = Array.from({ length: services }, (_, at) =>
      p99Row(
        ...Array.from({ length: 240 }, (__, point) => 0.001 * (at + 1) * (1 + (point % 7) / 9)),
      ),
    );
    const [scale] = autoLatencyScales([p99Row(0.044, 0.079), ...rows, p99Row(1e-5, 30)]);
    const [before, after] = heightsOf(scale, [0.044, 0.079]);
    const plotPx = 111 - 14;
    expect((after! - before!) * plotPx).toBeGreaterThanOrEqual(25);
  });

  it('states the whole factor by which a row with a wide range is drawn lower', () => {
    const [usual, wide] = autoLatencyScales([p99Row(0.01, 0.02), p99Row(0.001, 0.1)]);
    const [low, high] = heightsOf(usual, [0.01, 0.013]);
    const [wideLow, wideHigh] = heightsOf(wide, [0.01, 0.013]);
    expect(usual!.lower).toBeUndefined();
    expect(wide!.lower).toBeGreaterThan(1);
    expect(wide!.lower! % 1).toBe(0);
    expect((high! - low!) / (wideHigh! - wideLow!)).toBeCloseTo(wide!.lower!);
    expect(heightsOf(wide, [0.001, 0.1])[0]).toBeGreaterThan(0);
  });

  it('ignores a single outlier and labels round values', () => {
    const values = Array.from({ length: 400 }, (_, at) => 0.05 + (at % 10) / 1000);
    const [scale] = autoLatencyScales([p99Row(...values, 60)]);
    expect(scale!.most / scale!.least).toBeLessThan(3);
    expect(scale!.ticks.map(({ text }) => text)).toEqual(['40 ms', '50 ms', '60 ms']);
  });

  it('returns a scale for a row without values', () => {
    const [scale] = autoLatencyScales([p99Row(NaN)]);
    expect(scale!.most).toBeGreaterThan(scale!.least);
    expect(scale!.ticks.length).toBeGreaterThan(0);
  });
});

describe('splitPanel', () => {
  it('draws a line per part, the first on top, with its name at the height of its end', () => {
    const grid = { fromMs: 0, stepMs: 1000, points: 3 };
    const scale = linearLatencyScale(aSeries({ split: [Float32Array.of(1, 2, 4)] }), ['p99']);
    const parts = [
      { name: '/push', place: 0, column: Float32Array.of(1, 2, 4) },
      { name: '/query', place: 1, column: null },
      { name: '2 others', place: 'other' as const, column: Float32Array.of(1, 1, NaN) },
    ];
    const model = splitPanel(grid, parts, scale);
    expect(model.lines.map(({ meaning }) => meaning)).toEqual([
      { of: 'split', place: 'other' },
      { of: 'split', place: 0 },
    ]);
    expect(model.ends).toEqual([
      { text: '/push', place: 0, height: heightOf(scale, 4) },
      { text: '2 others', place: 'other', height: heightOf(scale, 1) },
    ]);
  });
});

describe('selectionText', () => {
  it('describes a selection with its duration', () => {
    const at = (minutes: number) => Date.UTC(2026, 10, 18, 15, minutes);
    const span = { fromMs: at(0), toMs: at(60) };
    expect(selectionText({ fromMs: at(48), toMs: at(81) }, span, 60_000)).toBe(
      '15:48 to 16:21 · 33 min',
    );
  });
});

describe('latency and rate scales', () => {
  it('are logarithmic over whole decades that all rows share', () => {
    const scale = logLatencyScale([p99Row(0.0016, NaN, 0.3), p99Row(0.011)]);
    expect([scale.least, scale.most]).toEqual([1e-3, 1]);
    expect(scale.ticks.map(({ text }) => text)).toEqual(['1 ms', '10', '100', '1 s']);
    expect(heightOf(scale, 0.01)).toBeCloseTo(1 / 3);
    expect(heightOf(scale, 0)).toBe(0);
    expect(heightOf(scale, 5)).toBe(1);
    expect(heightOf(scale, NaN)).toBeNaN();
  });

  it('have at most five ticks over many decades, and ticks without any value', () => {
    const wide = logLatencyScale([p99Row(2e-6, 40)]);
    expect(wide.ticks.length).toBeLessThanOrEqual(5);
    expect(wide.most).toBeGreaterThanOrEqual(40);
    expect(logLatencyScale([]).ticks.length).toBeGreaterThan(1);
  });

  it('start at zero and end at a round value when linear', () => {
    const scale = linearLatencyScale(
      aSeries({ latency: { ...NONE, p99: Float32Array.of(0.08) } }),
      ['p99'],
    );
    expect(scale.ticks.map(({ text }) => text)).toEqual(['0', '50 ms', '100 ms']);
    expect(rateScale([Float32Array.of(118)]).ticks.map(({ text }) => text)).toEqual([
      '0',
      '100',
      '200',
    ]);
    expect(rateScale([null]).most).toBeGreaterThan(0);
  });

  it.each([
    [0, 1],
    [0.07, 0.08],
    [1, 1],
    [118, 200],
    [354, 400],
    [7.1, 8],
    [9.9, 10],
  ])('round %d up to %d', (value, top) => expect(roundTop(value)).toBeCloseTo(top));

  it('have short numbers as labels', () => {
    expect([0.5, 200, 2500, 12_500, 3e6].map(shortNumber)).toEqual([
      '0.5',
      '200',
      '2,500',
      '12.5 k',
      '3 M',
    ]);
  });
});

describe('dashboard panels', () => {
  const grid = { fromMs: 0, stepMs: 1000, points: 3 };

  it('stack failures from the baseline up and break where there is no value', () => {
    const series = aSeries({
      qps: {
        '2xx': Float32Array.of(100, NaN, 90),
        '4xx': Float32Array.of(5, NaN, NaN),
        '5xx': Float32Array.of(1, NaN, 2),
        other: null,
      },
    });
    const stack = stackOf(series.qps, 3);
    expect([...stack.keys()]).toEqual(['5xx', '4xx', '2xx']);
    expect([...stack.get('2xx')!]).toEqual([106, NaN, 92]);
    const model = ratePanel(grid, series, rateScale([stack.get('2xx')!]));
    expect(
      model.areas.map(({ meaning }) => (meaning.of === 'status' ? meaning.status : '')),
    ).toEqual(['2xx', '4xx', '5xx']);
    expect(model.lines[0]?.points[3]).toBeNaN();
  });

  it('draw the requested quantiles, the band of the highest, instances, and the comparison time', () => {
    const column = Float32Array.of(0.01, 0.02, 0.03);
    const series = aSeries({
      latency: { p50: column, p90: column, p99: column, mean: column },
      bands: { ...NONE, p99: { low: column, high: column } },
      instances: [column, column],
      against: { qps: null, latency: { ...NONE, p99: column } },
    });
    const scale = logLatencyScale([{ series, quantiles: ['p50', 'p99'] }]);
    const request = { quantiles: ['p50', 'p99'] as const, instances: true };
    const model = latencyPanel(grid, series, scale, request);
    expect(model.lines.map(({ meaning }) => meaning.of)).toEqual([
      'instance',
      'instance',
      'against',
      'latency',
      'latency',
    ]);
    expect(model.bands).toHaveLength(1);
    expect(
      latencyPanel(grid, series, scale, { quantiles: ['mean'], instances: false }).bands,
    ).toEqual([]);
  });

  it('find the last point with a value', () => {
    expect(lastWith(Float32Array.of(1, 2, NaN), 2)).toBe(1);
    expect(lastWith(null, 2)).toBe(-1);
  });
});

describe('dashboard time', () => {
  const span = { fromMs: Date.UTC(2026, 10, 18, 12), toMs: Date.UTC(2026, 10, 18, 16) };

  it('has ticks at round times', () => {
    expect(timeTicks(span, 540).map(({ text }) => text)).toEqual([
      '12:00',
      '12:30',
      '13:00',
      '13:30',
      '14:00',
      '14:30',
      '15:00',
      '15:30',
      '16:00',
    ]);
    const week = { fromMs: span.fromMs - 6 * 86_400_000, toMs: span.toMs };
    expect(timeTicks(week, 540)[0]?.text).toBe('Fri 13 Nov');
    expect(timeTicks({ fromMs: 5, toMs: 5 }, 540)).toEqual([]);
  });

  it('is formatted as ranges, moments, gaps and delays', () => {
    expect(rangeText(span)).toBe('Wed 18 Nov, 12:00 to 16:00 UTC');
    expect(rangeText({ ...span, toMs: Date.UTC(2026, 10, 19) })).toBe(
      'Wed 18 Nov, 12:00 to 24:00 UTC',
    );
    expect(rangeText({ fromMs: span.fromMs, toMs: span.toMs + 86_400_000 })).toBe(
      'Wed 18 Nov 12:00 to Thu 19 Nov 16:00 UTC',
    );
    expect(momentText(span.fromMs + 15_000, span, 15_000)).toBe('12:00:15');
    const minutes = { fromMs: span.fromMs, stepMs: 60_000, points: 61 };
    expect(lastText(minutes, 50)).toBe('last at 12:50');
    expect(lastText(minutes, 55)).toBe('');
    const gap = { from_ms: span.fromMs, to_ms: span.toMs, panel: 'both' } as const;
    expect(gapText({ ...gap, reason: 'no samples since' }, span)).toBe('no samples since 12:00');
    expect(gapText({ ...gap, reason: 'no requests' }, span)).toBe('no requests');
    expect(sinceText(span.fromMs, span.toMs)).toBe('12:00');
    expect(sinceText(span.fromMs - 2 * 86_400_000, span.toMs)).toBe('Mon');
    expect(sinceText(span.fromMs - 16 * 86_400_000, span.toMs)).toBe('2 Nov');
    expect(behindText(15_200)).toBe('15 s behind');
    expect(behindText(600_000)).toBe('10 min behind');
  });

  it('is mapped to the nearest grid point', () => {
    const grid = { fromMs: 1000, stepMs: 1000, points: 5 };
    expect([-5000, 2400, 2600, 9e9].map((at) => indexAt(grid, at))).toEqual([0, 1, 2, 4]);
    expect(shareOf(spanOf(grid), 3000)).toBe(0.5);
  });
});

describe('dashboard wording', () => {
  it('shows values in one unit and missing values as a dash', () => {
    const series = aSeries({
      latency: {
        ...NONE,
        p50: Float32Array.of(0.003, NaN),
        p90: Float32Array.of(0.016, NaN),
        p99: Float32Array.of(0.0744, NaN),
      },
      qps: {
        '2xx': Float32Array.of(119, NaN),
        '4xx': Float32Array.of(1, NaN),
        '5xx': Float32Array.of(0, 0),
        other: null,
      },
    });
    const at = (index: number) => latencyCaption(series, ['p50', 'p90', 'p99'], index);
    expect(at(0).map(({ name, value, unit }) => `${name} ${value}${unit}`)).toEqual([
      'p50 3.0',
      'p90 16',
      'p99 74 ms',
    ]);
    expect(at(1)[2]?.value).toBe('–');
    expect(
      rateReader(series, 2)
        .at(0)
        .map(({ name, value }) => `${name} ${value}`),
    ).toEqual([' 120', '4xx 1.0']);
    expect([NaN, 0, 0.01, 1.04, 122.4, 12_345].map(rateText)).toEqual([
      '–',
      '0',
      '< 0.1',
      '1.0',
      '122',
      '12,345',
    ]);
  });

  it('describes a row for screen readers', () => {
    const board = readDashboard(aDashboard());
    expect(makeRowDescriber(board.rows[2]!, board.series[2]!, ['p50', 'p99'], 720)(400)).toMatch(
      /^ingester: \d+ requests per second, 4xx [\d.]+, 5xx [\d.]+; p50 [\d.]+, p99 [\d.]+ ms$/u,
    );
  });

  it('labels change points and deployments', () => {
    const board = readDashboard(aDashboard());
    const [own, follows] = board.changes;
    expect(changePointLabel(own!, board)).toEqual({
      strong: 'p99 ×3.10',
      plain: ' (2.79 to 3.41)',
      tail: ', deployment 5f3c1e8d00',
    });
    expect(changePointLabel(follows!, board).plain).toBe('follows distributor');
    expect(changePointLabel({ ...own!, cause: 'load' }, board).tail).toBe(', explained by load');
    expect(board.deploys.map(deploymentLabel)).toEqual([
      { lead: 'deployment ', name: '5f3c1e8d00', tail: ' 14:02' },
      { lead: '', name: 'a9e11b4c00', tail: ' 12:41, not slower' },
    ]);
    const unnamed = {
      ...board.deploys[0]!,
      commit: '',
      label: 'v1.4.0',
    } satisfies DashboardDeployment;
    expect(deploymentLabel(unnamed).name).toBe('v1.4.0');
  });
});

describe('CursorBus', () => {
  function aBus(points = 100) {
    const frames: (() => void)[] = [];
    const bus = new CursorBus(points, (run) => frames.push(run));
    const frame = () => frames.splice(0).forEach((run) => run());
    return { bus, frame };
  }

  it('sends the same time to every panel, once per frame', () => {
    const { bus, frame } = aBus();
    const heard = Array.from({ length: 24 }, () => vi.fn<(state: CursorState) => void>());
    heard.forEach((each) => bus.listen(each));
    bus.move(3);
    bus.move(7);
    expect(heard[0]).toHaveBeenCalledTimes(1);
    frame();
    for (const each of heard) {
      expect(each).toHaveBeenCalledTimes(2);
      expect(each.mock.lastCall?.[0].index).toBe(7);
    }
    bus.move(7);
    frame();
    expect(heard[0]).toHaveBeenCalledTimes(2);
  });

  it('stays within the grid and keeps a position set by keys', () => {
    const { bus } = aBus();
    bus.step(-1);
    expect(bus.state).toMatchObject({ index: 99, pinned: true });
    bus.step(50);
    expect(bus.state.index).toBe(99);
    bus.leave();
    expect(bus.state.index).toBe(99);
    bus.resize(10);
    expect(bus.state.index).toBe(9);
    bus.move(-4);
    bus.leave();
    expect(bus.state.index).toBeNull();
  });

  it('selects a time range in either direction but ignores very short drags', () => {
    const { bus } = aBus();
    bus.brush({ from: 40, to: 500 });
    expect(bus.state.brush).toEqual({ from: 40, to: 99 });
    expect(selectedTimeOf({ from: 30, to: 10 })).toEqual({ from: 10, to: 30 });
    expect(selectedTimeOf({ from: 30, to: 31 })).toBeNull();
    expect(selectedTimeOf(null)).toBeNull();
  });

  it('stops notifying removed listeners', () => {
    const { bus, frame } = aBus();
    const heard = vi.fn();
    bus.listen(heard)();
    bus.move(3);
    frame();
    expect(heard).toHaveBeenCalledTimes(1);
  });
});

describe('placeLabels', () => {
  const bounds = { left: 44, right: 586, rows: 2 };
  it('uses the preferred side and avoids earlier labels', () => {
    const text = 'deploy 5f3c1e8 14:02';
    const [first, second, third] = placeLabels(
      [
        { id: 'a', x: 300, text, prefer: 'left' },
        { id: 'b', x: 310, text, prefer: 'left' },
        { id: 'c', x: 305, text, prefer: 'left' },
      ],
      bounds,
    );
    expect(first).toMatchObject({ id: 'a', anchor: 'end', row: 0, x: 293 });
    expect(second).toMatchObject({ id: 'b', anchor: 'start', row: 0 });
    expect(third).toMatchObject({ id: 'c', row: 1 });
  });
  it('shortens or omits labels where space is short', () => {
    const request = { id: 'a', x: 100, text: 'x'.repeat(100), prefer: 'left' as const };
    expect(placeLabels([{ ...request, short: 'p99' }], bounds)[0]).toMatchObject({ short: true });
    expect(placeLabels([request], bounds)).toEqual([]);
  });
});
