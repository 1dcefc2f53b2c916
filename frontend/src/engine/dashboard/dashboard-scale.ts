/**
 * Heights on the board: 0 is the base line, 1 the top. Latency is logarithmic by default, on one scale for all rows,
 * so that
 * heights compare from row to row; rates and linear latency have separate round tops.
 */
import type { RowSeries, QuantileId } from './dashboard-file';
import { formatNumber, formatValue } from '../format/format';

export type ScaleKind = 'log' | 'linear';
type AxisTick = { height: number; text: string };
export type HeightScale = {
  kind: ScaleKind;
  /** Values at heights 0 and 1. */
  least: number;
  most: number;
  ticks: AxisTick[];
};

const DECADES_MOST = 4;
const TOPS = [1, 2, 3, 4, 5, 6, 8, 10];
/** Above this part of the panel is text. */
const HEADROOM = 1.12;

/** 0..1, NaN where there is nothing. Values below a logarithmic scale (0, too) are drawn on its base line. */
export function heightOf(scale: HeightScale, value: number): number {
  if (Number.isNaN(value)) return NaN;
  const { kind, least, most } = scale;
  const share =
    kind === 'log'
      ? value <= least
        ? 0
        : Math.log(value / least) / Math.log(most / least)
      : (value - least) / (most - least);
  return Math.max(0, Math.min(1, share));
}

/** The least round number that is not below: 1, 2, 3, 4, 5, 6, 8 or 10 times a power of ten. */
export function roundTop(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const top = TOPS.find((each) => each * power >= value * (1 - 1e-9)) ?? 10;
  return top * power;
}

function extent(columns: readonly (Float32Array | null)[]): { least: number; most: number } | null {
  let least = Infinity;
  let most = -Infinity;
  for (const column of columns) {
    if (!column) continue;
    for (const value of column) {
      if (value > most) most = value;
      if (value > 0 && value < least) least = value;
    }
  }
  return most > 0 && Number.isFinite(most) ? { least: Math.min(least, most), most } : null;
}

const latencyColumns = (series: RowSeries, ids: readonly QuantileId[], instances: boolean) => [
  ...ids.flatMap((id) => [series.latency[id], series.against?.latency[id] ?? null]),
  ...(instances ? series.instances : []),
];

const latencyTick = (seconds: number, height: number, withUnit: boolean): AxisTick => {
  const text = formatValue(seconds, 's');
  return { height, text: withUnit ? text : text.replace(/ .*$/u, '') };
};

/** Whole decades around all rows' values; at most four hairlines, with the unit where it changes. */
export function logLatencyScale(
  all: readonly RowSeries[],
  ids: readonly QuantileId[],
  instances = false,
): HeightScale {
  const found = extent(all.flatMap((series) => latencyColumns(series, ids, instances)));
  const low = Math.floor(Math.log10(found?.least ?? 1e-3) + 1e-6);
  const high = Math.max(low + 2, Math.ceil(Math.log10(found?.most ?? 1) - 1e-6));
  const stride = Math.ceil((high - low) / DECADES_MOST);
  const top = low + Math.ceil((high - low) / stride) * stride;
  const ticks: AxisTick[] = [];
  let unit = '';
  for (let decade = low; decade <= top; decade += stride) {
    const value = Number(`1e${decade}`);
    const own = formatValue(value, 's').replace(/^.* /u, '');
    ticks.push(latencyTick(value, (decade - low) / (top - low), own !== unit));
    unit = own;
  }
  return { kind: 'log', least: 10 ** low, most: 10 ** top, ticks };
}

/** From 0 to a round top of this row's own values. */
export function linearLatencyScale(
  series: RowSeries,
  ids: readonly QuantileId[],
  instances = false,
): HeightScale {
  const found = extent(latencyColumns(series, ids, instances));
  const most = roundTop((found?.most ?? 1) * HEADROOM);
  return {
    kind: 'linear',
    least: 0,
    most,
    ticks: [{ height: 0, text: '0' }, latencyTick(most / 2, 0.5, true), latencyTick(most, 1, true)],
  };
}

/** Requests a second, 0 to a round top. */
export function rateScale(columns: readonly (Float32Array | null)[]): HeightScale {
  const most = roundTop((extent(columns)?.most ?? 1) * HEADROOM);
  return {
    kind: 'linear',
    least: 0,
    most,
    ticks: [0, 0.5, 1].map((height) => ({ height, text: shortNumber(most * height) })),
  };
}

/** A gauge's thin strip: only its top is labeled. */
export function gaugeScale(column: Float32Array | null, max: number | null): HeightScale {
  const most = roundTop(Math.max(max ?? 0, extent([column])?.most ?? 0));
  return { kind: 'linear', least: 0, most, ticks: [{ height: 1, text: shortNumber(most) }] };
}

/** "200", "2.5 k", "1.2 M": what fits beside an axis. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${trimmed(value / 1e9)} G`;
  if (size >= 1e6) return `${trimmed(value / 1e6)} M`;
  if (size >= 1e4) return `${trimmed(value / 1e3)} k`;
  return trimmed(value);
}

const trimmed = (value: number): string =>
  formatNumber(value)
    .replace(/(\.\d*?)0+$/u, '$1')
    .replace(/\.$/u, '');
