/**
 * Scales of the dashboard: height 0 is the base line, 1 the top. Latency is logarithmic by default.
 * Automatic scales are centered on the values of each row and span the same ratio on every row, so
 * equal heights are equal ratios; `log` is one scale for all rows. Scales of rates and of linear
 * latency end at a round number per row.
 */
import type { RowSeries, QuantileId } from './dashboard-file';
import { formatNumber, formatValue } from '../format/format';

export type ScaleKind = 'auto' | 'log' | 'linear';
type AxisTick = { height: number; text: string };
export type HeightScale = {
  kind: Exclude<ScaleKind, 'auto'>;
  /** Values at heights 0 and 1. */
  least: number;
  most: number;
  ticks: AxisTick[];
  /** If a row exceeds the shared ratio: how many times lower it shows a ratio than other rows. */
  lower?: number;
};

const DECADES_MOST = 4;
const TOPS = [1, 2, 3, 4, 5, 6, 8, 10];
/** Factor of the free space above the largest value, for text. */
const HEADROOM = 1.12;

/** Returns the height of a value, 0 to 1, or NaN for NaN. Values outside the scale are clamped. */
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

/** Returns the least of 1, 2, 3, 4, 5, 6, 8, 10 times a power of ten that is not below a value. */
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

/** A row with its drawn quantiles. */
type DrawnRow = { series: RowSeries; quantiles: readonly QuantileId[] };

const latencyColumns = (series: RowSeries, ids: readonly QuantileId[], instances: boolean) =>
  series.split.length > 0
    ? series.split
    : [
        ...ids.flatMap((id) => [series.latency[id], series.against?.latency[id] ?? null]),
        ...(instances ? series.instances : []),
      ];

const latencyTick = (seconds: number, height: number, withUnit: boolean): AxisTick => {
  const text = formatValue(seconds, 's')
    .replace(/(\.\d*?)0+ /u, '$1 ')
    .replace('. ', ' ');
  return { height, text: withUnit ? text : text.replace(/ .*$/u, '') };
};

/**
 * Returns a scale of whole decades around the values of all rows, in at most four steps. A tick has
 * its unit only if it differs from that of the tick below.
 */
export function logLatencyScale(all: readonly DrawnRow[], instances = false): HeightScale {
  const found = extent(
    all.flatMap(({ series, quantiles }) => latencyColumns(series, quantiles, instances)),
  );
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

/** The share of values that automatic scales ignore at each end: outliers must not flatten rows. */
const OUTLIERS = 0.005;
/** Limits of the shared ratio of top to base. A row whose values span more has a power of it. */
const LEAST_RATIO = 2;
const MOST_SHARED_RATIO = 8;
/** Free space at each end, as a share of the span of the values. */
const MARGIN = 0.08;
const AUTO_TICKS_MOST = 4;

function usualExtent(
  columns: readonly (Float32Array | null)[],
): { least: number; most: number } | null {
  const values = columns
    .flatMap((column) => (column ? [...column] : []))
    .filter((value) => value > 0 && Number.isFinite(value))
    .sort((a, b) => a - b);
  if (values.length === 0) return null;
  const skipped = Math.floor(values.length * OUTLIERS);
  return { least: values[skipped]!, most: values[values.length - 1 - skipped]! };
}

/** Returns at most `AUTO_TICKS_MOST` round values within a range. */
function roundValues(least: number, most: number): number[] {
  const all: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power += 1)
    for (const factor of [1, 1.5, 2, 3, 4, 5, 6, 8]) all.push(Number(`${factor}e${power}`));
  const inside = all.filter((value) => value >= least && value <= most);
  const stride = Math.ceil(inside.length / AUTO_TICKS_MOST);
  return inside.filter((_, at) => at % stride === 0);
}

/** Returns a scale per row, centered on its values; all span the same ratio or a power of it. */
export function autoLatencyScales(all: readonly DrawnRow[], instances = false): HeightScale[] {
  const extents = all.map(({ series, quantiles }) =>
    usualExtent(latencyColumns(series, quantiles, instances)),
  );
  const spanOfRow = (found: { least: number; most: number } | null) =>
    found ? Math.log(found.most / found.least) * (1 + 2 * MARGIN) : 0;
  const spans = extents.map(spanOfRow);
  const shareable = spans.filter((span) => span <= Math.log(MOST_SHARED_RATIO));
  const shared = Math.max(Math.log(LEAST_RATIO), ...shareable);
  return extents.map((found, row) => {
    const lower = Math.max(1, Math.ceil(spans[row]! / shared - 1e-9));
    const span = shared * lower;
    const middle = found ? (Math.log(found.least) + Math.log(found.most)) / 2 : Math.log(0.1);
    const [least, most] = [Math.exp(middle - span / 2), Math.exp(middle + span / 2)];
    const ticks = roundValues(least, most).map((value) =>
      latencyTick(value, Math.log(value / least) / span, true),
    );
    return { kind: 'log', least, most, ticks, ...(lower > 1 && { lower }) };
  });
}

/** Returns a scale from 0 to a round number above the values of one row. */
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

/** Returns a scale of requests per second from 0 to a round number. */
export function rateScale(columns: readonly (Float32Array | null)[]): HeightScale {
  const most = roundTop((extent(columns)?.most ?? 1) * HEADROOM);
  return {
    kind: 'linear',
    least: 0,
    most,
    ticks: [0, 0.5, 1].map((height) => ({ height, text: shortNumber(most * height) })),
  };
}

/** Returns the scale of a gauge; only its top is labeled. */
export function gaugeScale(column: Float32Array | null, max: number | null): HeightScale {
  const most = roundTop(Math.max(max ?? 0, extent([column])?.most ?? 0));
  return { kind: 'linear', least: 0, most, ticks: [{ height: 1, text: shortNumber(most) }] };
}

/** Formats a number for an axis: "200", "25 k", "1.2 M". */
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
