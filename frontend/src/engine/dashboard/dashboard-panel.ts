/** Lines, areas and bands of a panel over the shared time axis, from the columns of its row. */
import type { PanelGap } from '../../api/api-types';
import type { QuantileId, RowSeries, StatusClass } from './dashboard-file';
import { heightOf, type HeightScale } from './dashboard-scale';
import { timeAt, type TimeGrid } from './time-grid';

/** The meaning of a line; the chart chooses its style. */
export type LineMeaning =
  | { of: 'status'; status: StatusClass }
  | { of: 'total' }
  | { of: 'latency'; quantile: QuantileId }
  | { of: 'instance' }
  /** A part of a split row, in descending order of time; `other` is the sum of the rest. */
  | { of: 'split'; place: number | 'other' }
  | { of: 'against'; quantile: QuantileId | null }
  | { of: 'gauge' };

/** Alternating x (milliseconds from the grid's first time) and height; NaN breaks the line. */
export type Points = Float64Array;
export type PanelLine = {
  meaning: LineMeaning;
  points: Points;
  /** Values at the grid times, for the cursor's dots; null = no dot. */
  dots: Float32Array | null;
};
type PanelBand = { quantile: QuantileId; low: Points; high: Points };
/** The label at the end of a line. */
type LineEnd = { text: string; height: number; place: number | 'other' };
export type PanelModel = {
  scale: HeightScale;
  areas: PanelLine[];
  bands: PanelBand[];
  lines: PanelLine[];
  ends: LineEnd[];
};

/** The stack from the bottom: failures are at the base line, where they are easy to see. */
const STACK: readonly StatusClass[] = ['5xx', '4xx', 'other', '2xx'];
const MAX_INSTANCES = 24;

function pointsOf(grid: TimeGrid, values: Float32Array | Float64Array, scale: HeightScale): Points {
  const points = new Float64Array(grid.points * 2);
  for (let index = 0; index < grid.points; index += 1) {
    points[index * 2] = index * grid.stepMs;
    points[index * 2 + 1] = heightOf(scale, values[index]!);
  }
  return points;
}

/** Returns for each status class the sum of it and the classes below it; NaN adds nothing. */
export function stackOf(qps: RowSeries['qps'], points: number): Map<StatusClass, Float32Array> {
  const sums = new Map<StatusClass, Float32Array>();
  let below = new Float32Array(points).fill(NaN);
  for (const status of STACK) {
    const column = qps[status];
    if (!column) continue;
    const sum = new Float32Array(points);
    for (let index = 0; index < points; index += 1) {
      const [here, under] = [column[index]!, below[index]!];
      sum[index] = Number.isNaN(here) ? under : Number.isNaN(under) ? here : here + under;
    }
    sums.set(status, sum);
    below = sum;
  }
  return sums;
}

/** Returns the rate of all requests of a row; null if it has no request series. */
export function totalOf(qps: RowSeries['qps'], points: number): Float32Array | null {
  return [...stackOf(qps, points).values()].at(-1) ?? null;
}

export function ratePanel(grid: TimeGrid, series: RowSeries, scale: HeightScale): PanelModel {
  const sums = [...stackOf(series.qps, grid.points)];
  const total = sums.at(-1)?.[1] ?? null;
  const lines: PanelLine[] = [];
  if (series.against?.qps)
    lines.push({
      meaning: { of: 'against', quantile: null },
      points: pointsOf(grid, series.against.qps, scale),
      dots: null,
    });
  if (total)
    lines.push({
      meaning: { of: 'total' },
      points: pointsOf(grid, total, scale),
      dots: null,
    });
  return {
    scale,
    // The highest sum is first, because the smaller ones are painted over it.
    areas: sums.reverse().map(([status, sum]) => ({
      meaning: { of: 'status', status },
      points: pointsOf(grid, sum, scale),
      dots: null,
    })),
    bands: [],
    lines,
    ends: [],
  };
}

type LatencyPanelOptions = { quantiles: readonly QuantileId[]; instances: boolean };

export function latencyPanel(
  grid: TimeGrid,
  series: RowSeries,
  scale: HeightScale,
  { quantiles, instances }: LatencyPanelOptions,
): PanelModel {
  const lines: PanelLine[] = [];
  const add = (meaning: LineMeaning, column: Float32Array | null | undefined, dotted: boolean) => {
    if (column)
      lines.push({
        meaning,
        points: pointsOf(grid, column, scale),
        dots: dotted ? column : null,
      });
  };
  if (instances)
    for (const column of series.instances.slice(0, MAX_INSTANCES))
      add({ of: 'instance' }, column, false);
  for (const quantile of quantiles)
    add({ of: 'against', quantile }, series.against?.latency[quantile], false);
  for (const quantile of quantiles)
    add({ of: 'latency', quantile }, series.latency[quantile], true);
  const top = quantiles.includes('p99') ? 'p99' : quantiles.includes('p90') ? 'p90' : 'p50';
  const band = quantiles.includes(top) ? series.bands[top] : null;
  return {
    scale,
    areas: [],
    bands: band
      ? [
          {
            quantile: top,
            low: pointsOf(grid, band.low, scale),
            high: pointsOf(grid, band.high, scale),
          },
        ]
      : [],
    lines,
    ends: [],
  };
}

/** Returns the latency panel of a split row: one line per part, labeled at its end. */
export function splitPanel(
  grid: TimeGrid,
  parts: readonly { name: string; place: number | 'other'; column: Float32Array | null }[],
  scale: HeightScale,
): PanelModel {
  const known = parts.flatMap(({ column, ...part }) => (column ? [{ ...part, column }] : []));
  return {
    scale,
    areas: [],
    bands: [],
    // The part that took most time is drawn over the others.
    lines: known.toReversed().map(({ place, column }) => ({
      meaning: { of: 'split', place },
      points: pointsOf(grid, column, scale),
      dots: column,
    })),
    ends: known.flatMap(({ name, place, column }) => {
      const last = lastWith(column, grid.points - 1);
      return last < 0 ? [] : [{ text: name, place, height: heightOf(scale, column[last]!) }];
    }),
  };
}

export function gaugePanel(
  grid: TimeGrid,
  column: Float32Array | null,
  scale: HeightScale,
): PanelModel {
  return {
    scale,
    areas: [],
    bands: [],
    lines: column
      ? [{ meaning: { of: 'gauge' }, points: pointsOf(grid, column, scale), dots: column }]
      : [],
    ends: [],
  };
}

/** Returns the last index with a value at or before `index`; -1 if there is none. */
export function lastWith(column: Float32Array | null, index: number): number {
  if (!column) return -1;
  for (let at = Math.min(index, column.length - 1); at >= 0; at -= 1)
    if (!Number.isNaN(column[at]!)) return at;
  return -1;
}

/** Returns the gap at a grid time, if the server reported one. */
export function gapAt(
  gaps: readonly PanelGap[],
  panel: 'qps' | 'latency',
  grid: TimeGrid,
  index: number,
): PanelGap | null {
  const at = timeAt(grid, index);
  return (
    gaps.find(
      (gap) => (gap.panel === 'both' || gap.panel === panel) && gap.from_ms <= at && at < gap.to_ms,
    ) ?? null
  );
}
