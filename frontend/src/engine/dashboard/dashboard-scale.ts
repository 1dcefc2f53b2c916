/**
 * Heights on the dashboard: 0 is the base line, 1 the top. Latency is logarithmic by default. Automatic scales begin at each
 * row's own values and span the same ratio on every row, so that equal heights are equal ratios; `log` is one scale for all
 * rows. Rates and linear latency have separate round tops.
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
  /** Of a row that needs more than the shared ratio: a ratio is drawn this many times lower than in the others. */
  lower?: number;
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

/** A row with the quantiles that are drawn of it. */
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

/** Whole decades around all rows' values; at most four hairlines, with the unit where it changes. */
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

/** Part of the values that an automatic scale leaves out at each end: single outliers do not flatten all rows. */
const OUTLIERS = 0.005;
/** Ratio of the top to the base of automatic scales. A row whose values span more has a whole multiple of it. */
const LEAST_RATIO = 2;
const MOST_SHARED_RATIO = 8;
/** Of the span of the values, at each end. */
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

/** Round values (1, 2, 5 times a power of ten) within a range, as many as fit: at most `AUTO_TICKS_MOST`. */
function roundValues(least: number, most: number): number[] {
  const all: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power += 1)
    for (const factor of [1, 1.5, 2, 3, 4, 5, 6, 8]) all.push(Number(`${factor}e${power}`));
  const inside = all.filter((value) => value >= least && value <= most);
  const stride = Math.ceil(inside.length / AUTO_TICKS_MOST);
  return inside.filter((_, at) => at % stride === 0);
}

/** A scale for each row: in the middle its own values, from base to top the same ratio or a multiple of it. */
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
