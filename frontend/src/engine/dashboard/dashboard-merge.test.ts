import { describe, expect, it } from 'vitest';
import {
  DASHBOARD_TO_MS,
  aDashboard,
  serviceId,
  type DrawnDashboard,
} from '../../testing/dashboard-fixtures';
import { readDashboard, type Dashboard } from './dashboard-file';
import { mergeNewCells, withRows } from './dashboard-merge';
import { serviceMapValues } from '../spans/service-map-values';

const STEP = 20_000;
const board = (drawn: DrawnDashboard = {}): Dashboard =>
  readDashboard(aDashboard({ points: 60, ...drawn }));
/** The last `points` cells of a dashboard that ends `later` steps after the usual end. */
const newest = (points: number, later: number, drawn: DrawnDashboard = {}) =>
  board({ points, toMs: DASHBOARD_TO_MS + later * STEP, ...drawn });
const p99 = (of: Dashboard, row = 0) => [...of.series[row]!.latency.p99!];
const changed = (
  of: Dashboard,
  row: number,
  fields: Partial<Dashboard['rows'][number]>,
): Dashboard => ({
  ...of,
  rows: of.rows.map((each, at) => (at === row ? { ...each, ...fields } : each)),
});

describe('withRows', () => {
  it('keeps unloaded rows in their places and fills them when they are loaded', () => {
    const top = board({ services: 30, shown: [0, 1] });
    expect(top.rows).toHaveLength(30);
    expect(top.rows.map(({ loaded }) => loaded).filter(Boolean)).toHaveLength(2);
    expect(top.series[2]?.latency.p99).toBeNull();
    const more = withRows(top, board({ services: 30, shown: [7, 2] }))!;
    expect(more.rows.flatMap(({ loaded }, at) => (loaded ? [at] : []))).toEqual([0, 1, 2, 7]);
    const whole = board({ services: 30 });
    for (const row of [0, 1, 2, 7]) expect(p99(more, row)).toEqual(p99(whole, row));
    expect(more.rows[7]?.service.id).toBe(serviceId(7));
  });

  it('rejects rows of another grid or environment', () => {
    const top = board({ shown: [0] });
    expect(withRows(top, newest(60, 1, { shown: [1] }))).toBeNull();
    const elsewhere = { ...board({ shown: [1] }), environment: { id: 'x', name: 'x' } };
    expect(withRows(top, elsewhere)).toBeNull();
  });
});

describe('serviceMapValues', () => {
  it('returns current requests and latency or mean, and nothing without recent values', () => {
    const shown = board({ services: 4 });
    const [first, second] = shown.series;
    const none = { p50: null, p90: null, p99: null };
    shown.series[1] = { ...second!, latency: { ...second!.latency, ...none } };
    shown.series[2] = { ...board({ shown: [] }).series[0]! };
    const quiet = first!.latency.p99!.map((value, at) => (at < 30 ? value : NaN));
    shown.series[3] = {
      ...shown.series[2],
      latency: { ...first!.latency, p50: null, mean: null, p99: quiet },
    };
    const values = serviceMapValues(shown, 20);
    expect(values.get(serviceId(0))).toMatch(/^\d+ \/s, p50 [\d.]+, p99 \d+ ms$/u);
    expect(values.get(serviceId(1))).toMatch(/^\d+ \/s, mean [\d.]+ ms$/u);
    expect(values.has(serviceId(2))).toBe(false);
    expect(values.has(serviceId(3))).toBe(false);
  });
});

describe('mergeNewCells', () => {
  it('appends new cells and drops as many old ones', () => {
    const shown = board();
    const part = newest(12, 2);
    const grown = mergeNewCells(shown, part)!;
    expect(grown.grid).toEqual({ ...shown.grid, fromMs: shown.grid.fromMs + 2 * STEP });
    expect(p99(grown)).toEqual([...p99(shown).slice(2, 50), ...p99(part)]);
    expect(grown.series[0]?.qps['2xx']).toHaveLength(60);
    expect([...grown.series[1]!.bands.p99!.high.subarray(48)]).toEqual([
      ...part.series[1]!.bands.p99!.high,
    ]);
    expect(grown.parts).toBe(1);
    expect(mergeNewCells(grown, newest(12, 3))?.parts).toBe(2);
  });

  it('uses the headline, times and deployments of the newer response', () => {
    const part = { ...newest(12, 2), headline: null, nowMs: 7, newestMs: 6 };
    const grown = mergeNewCells(board(), part)!;
    expect([grown.headline, grown.nowMs, grown.newestMs]).toEqual([null, 7, 6]);
    expect(grown.deploys).toBe(part.deploys);
  });

  it('leaves cells of a quiet service empty and adds a gap with a reason', () => {
    const part = newest(12, 2);
    const quiet = changed(part, 0, {
      requests: { found: false, reason: 'x' },
      latency: { histogram: 'none', reason: 'x' },
    });
    quiet.series[0] = { ...board({ shown: [] }).series[0]! };
    const shown = board();
    const grown = mergeNewCells(shown, quiet)!;
    expect(p99(grown).slice(48)).toEqual(Array.from({ length: 12 }, () => NaN));
    expect(p99(grown).slice(0, 48)).toEqual(p99(shown).slice(2, 50));
    expect(grown.rows[0]?.latency.histogram).toBe('classic');
    expect(grown.rows[0]?.gaps).toEqual([
      {
        from_ms: part.grid.fromMs,
        to_ms: part.grid.fromMs + 11 * STEP,
        reason: 'no samples',
        panel: 'both',
      },
    ]);
  });

  it('keeps gaps, restarts and late ranges of both and joins those at the boundary', () => {
    const part = newest(12, 2);
    const at = (index: number) => part.grid.fromMs + index * STEP;
    const gap = (from: number, to: number, reason: string) => ({
      from_ms: at(from),
      to_ms: at(to),
      reason,
      panel: 'both' as const,
    });
    const late = { from_ms: at(-9), to_ms: at(-7), received_ms: 5 };
    const shown = changed(board(), 0, {
      gaps: [gap(-40, -30, 'scrape failed'), gap(-3, 6, 'restart')],
      resets: [at(-20), at(2)],
      late: [late],
      gauges: [{ key: 'q', name: 'q', unit: '', max: 9 }],
    });
    const came = changed(part, 0, {
      gaps: [gap(0, 4, 'before the first sample'), gap(8, 9, 'no samples')],
      resets: [at(2), at(5)],
      late: [late],
      gauges: [{ key: 'q', name: 'q', unit: '', max: 4 }],
    });
    const row = mergeNewCells(shown, came)!.rows[0]!;
    expect(row.gaps).toEqual([
      gap(-40, -30, 'scrape failed'),
      gap(-3, 4, 'restart'),
      gap(8, 9, 'no samples'),
    ]);
    expect(row.resets).toEqual([at(-20), at(2), at(5)]);
    expect(row.late).toEqual([late]);
    expect(row.gauges[0]?.max).toBe(9);
  });

  it('rejects another step, order or comparison, and a gap between old and new cells', () => {
    const shown = board();
    expect(mergeNewCells(shown, newest(12, 2, { stepMs: 2 * STEP }))).toBeNull();
    expect(mergeNewCells(shown, newest(12, 2, { services: 6 }))).toBeNull();
    expect(mergeNewCells(shown, newest(12, 2, { against: true }))).toBeNull();
    expect(mergeNewCells(shown, newest(12, 13))).toBeNull();
    expect(mergeNewCells(shown, newest(60, 2))).toBeNull();
    expect(mergeNewCells(shown, newest(12, 2, { shown: [0] }))).toBeNull();
    const two = board({ shown: [0, 1] });
    expect(mergeNewCells(two, newest(12, 2, { shown: [0, 1] }))?.rows).toHaveLength(5);
  });
});
