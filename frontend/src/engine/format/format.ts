/**
 * Formats numbers for display: with a unit of a fitting scale ("4.37 ms", "32%", "×1.32"), a true
 * minus sign and commas between thousands. All results are text, not for further computation.
 */

const MINUS = '−';
const THIN: Intl.NumberFormatOptions = { useGrouping: true };

const WHOLE = new Intl.NumberFormat('en', { ...THIN, maximumFractionDigits: 0 });
const FIXED = [0, 1, 2, 3].map(
  (digits) =>
    new Intl.NumberFormat('en', {
      ...THIN,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }),
);

function signed(value: number, text: string): string {
  return value < 0 ? MINUS + text : text;
}

/** Formats a whole number with commas: "412,339". */
export function formatCount(value: number): string {
  const text = WHOLE.format(Math.abs(value));
  return text === '0' ? text : signed(value, text);
}

/** Returns whether a number is whole, except for errors of floating-point scaling. */
function isWhole(size: number): boolean {
  return Math.abs(size - Math.round(size)) < 1e-9 * size;
}

/**
 * Formats a number with three significant digits, commas from 1,000 on and no exponent: "0.042",
 * "4.37", "43.7", "437", "4,371".
 */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return '–';
  if (size === 0) return '0';
  if (size < 0.001) return value < 0 ? `> ${MINUS}0.001` : '< 0.001';
  // The limits are where rounding adds a digit: 9.996 is "10.0", not "10.00".
  const digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 : 3;
  const text = FIXED[digits]?.format(size) ?? String(size);
  // Whole numbers are exact without zeros: "62 µs", but "2.20 ms".
  return signed(value, isWhole(size) ? WHOLE.format(size) : text);
}

/** What a unit measures; determines the scales in which values are shown. */
type Quantity = 'time' | 'bytes' | 'count' | 'share';

/** A parsed unit: "nanoseconds/request" is time, with the factor 1e-9 to seconds, per request. */
export type UnitOf = { quantity: Quantity; factor: number; noun: string; per: string };

type UnitStep = { from: number; factor: number; name: string };

const TIME_STEPS: readonly UnitStep[] = [
  { from: 7200, factor: 1 / 3600, name: 'h' },
  { from: 300, factor: 1 / 60, name: 'min' },
  { from: 0.9995, factor: 1, name: 's' },
  { from: 0.9995e-3, factor: 1e3, name: 'ms' },
  { from: 0.9995e-6, factor: 1e6, name: 'µs' },
  { from: 0, factor: 1e9, name: 'ns' },
];
const BYTE_STEPS: readonly UnitStep[] = [
  { from: 1023.5 * 2 ** 30, factor: 2 ** -40, name: 'TiB' },
  { from: 1023.5 * 2 ** 20, factor: 2 ** -30, name: 'GiB' },
  { from: 1023.5 * 2 ** 10, factor: 2 ** -20, name: 'MiB' },
  { from: 1023.5, factor: 2 ** -10, name: 'KiB' },
  { from: 0, factor: 1, name: 'B' },
];
const SHARE_STEPS: readonly UnitStep[] = [{ from: 0, factor: 100, name: '%' }];

const UNIT_LABELS: Record<string, { quantity: Quantity; factor: number; noun?: string }> = {
  nanoseconds: { quantity: 'time', factor: 1e-9 },
  nanosecond: { quantity: 'time', factor: 1e-9 },
  ns: { quantity: 'time', factor: 1e-9 },
  microseconds: { quantity: 'time', factor: 1e-6 },
  us: { quantity: 'time', factor: 1e-6 },
  µs: { quantity: 'time', factor: 1e-6 },
  milliseconds: { quantity: 'time', factor: 1e-3 },
  ms: { quantity: 'time', factor: 1e-3 },
  seconds: { quantity: 'time', factor: 1 },
  sec: { quantity: 'time', factor: 1 },
  s: { quantity: 'time', factor: 1 },
  bytes: { quantity: 'bytes', factor: 1 },
  byte: { quantity: 'bytes', factor: 1 },
  b: { quantity: 'bytes', factor: 1 },
  kilobytes: { quantity: 'bytes', factor: 1024 },
  megabytes: { quantity: 'bytes', factor: 1024 ** 2 },
  share: { quantity: 'share', factor: 1 },
  fraction: { quantity: 'share', factor: 1 },
  percent: { quantity: 'share', factor: 0.01 },
  '%': { quantity: 'share', factor: 0.01 },
};

/** Short forms of the part of a unit after "/". */
const PER_LABELS: Record<string, string> = { s: 's', second: 's', request: 'request', op: 'op' };

/** Parses a unit of the data. An unknown unit is a count of things with that name. */
export function unitOf(unit: string): UnitOf {
  const [name = '', per = ''] = unit.split(/\s*\/\s*|\s+per\s+|_per_/u, 2);
  const word = name.trim().toLowerCase();
  const known = Object.hasOwn(UNIT_LABELS, word) ? UNIT_LABELS[word] : undefined;
  const perWord = per.trim();
  return {
    quantity: known?.quantity ?? 'count',
    factor: known?.factor ?? 1,
    noun: known === undefined && word !== 'count' ? name.trim() : '',
    per: Object.hasOwn(PER_LABELS, perWord) ? (PER_LABELS[perWord] ?? perWord) : perWord,
  };
}

function stepsOf(quantity: Quantity): readonly UnitStep[] {
  if (quantity === 'time') return TIME_STEPS;
  if (quantity === 'bytes') return BYTE_STEPS;
  return quantity === 'share' ? SHARE_STEPS : [];
}

function stepFor(quantity: Quantity, size: number): UnitStep {
  const steps = stepsOf(quantity);
  return steps.find((step) => size >= step.from) ?? { from: 0, factor: 1, name: '' };
}

/**
 * Formats a value with its unit, in the scale that fits it: 4370000 of "nanoseconds" is "4.37 ms".
 * @param value in the given unit
 */
export function formatValue(value: number, unit: UnitOf | string): string {
  const of = typeof unit === 'string' ? unitOf(unit) : unit;
  if (!Number.isFinite(value)) return '–';
  if (of.quantity === 'share') return formatShare(value * of.factor);
  const plain = value * of.factor;
  if (plain === 0) return of.quantity === 'count' ? '0' : `0 ${stepFor(of.quantity, 0).name}`;
  const step = stepFor(of.quantity, Math.abs(plain));
  if (of.quantity === 'count')
    return Number.isInteger(plain) ? formatCount(plain) : formatNumber(plain);
  return `${formatNumber(plain * step.factor)} ${step.name}`;
}

/** Enough digits for one nanosecond in hours; more would exceed the precision of a number. */
const MOST_DIGITS = 12;

/** Formats the ticks of an axis, in ascending order, with as many digits as they need to differ. */
export function formatTicks(ticks: readonly number[], unit: UnitOf | string): string[] {
  const plain = ticks.map((tick) => formatValue(tick, unit));
  if (new Set(plain).size === plain.length) return plain;
  const of = typeof unit === 'string' ? unitOf(unit) : unit;
  const largest = Math.max(...ticks.map((tick) => Math.abs(tick)));
  const step = stepFor(of.quantity, largest * of.factor);
  const factor = of.factor * step.factor;
  const apart = Math.min(...ticks.slice(1).map((tick, at) => tick - ticks[at]!)) * factor;
  const digits = Math.min(MOST_DIGITS, Math.max(0, Math.ceil(-Math.log10(apart) - 1e-9)));
  return ticks.map((tick) => {
    const scaled = tick * factor;
    return `${signed(scaled, Math.abs(scaled).toFixed(digits))} ${step.name}`;
  });
}

/** Formats a change with its sign: "+664 µs", "−91 µs", "±0 ns". */
export function formatDelta(value: number, unit: UnitOf | string): string {
  if (value === 0) return `±${formatValue(0, unit)}`;
  return value > 0 ? `+${formatValue(value, unit)}` : formatValue(value, unit);
}

/** The scale of one table column: all values have the same unit, which its header shows. */
export type ColumnScale = {
  name: string;
  format: (value: number) => string;
  /** Formats a change with its sign, also if it is positive. */
  delta: (value: number) => string;
};

/** @param largest the largest absolute value of the column, in the given unit */
export function columnScale(largest: number, unit: UnitOf | string): ColumnScale {
  const of = typeof unit === 'string' ? unitOf(unit) : unit;
  const step = stepFor(of.quantity, Math.abs(largest * of.factor));
  const factor = of.factor * step.factor;
  const shown = Math.abs(largest) * factor;
  const digits = shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : shown >= 0.9995 ? 2 : 3;
  const smallest = 0.5 * 10 ** -digits;
  const format = (value: number): string => {
    const scaled = value * factor;
    if (scaled === 0) return '0';
    if (Math.abs(scaled) < smallest)
      return scaled < 0 ? `> ${MINUS}${10 ** -digits}` : `< ${10 ** -digits}`;
    return signed(scaled, FIXED[digits]?.format(Math.abs(scaled)) ?? '');
  };
  return {
    name: step.name || of.noun,
    format,
    // A value too small to show is "< 0.1" without a plus sign.
    delta: (value) => (value * factor >= smallest ? `+${format(value)}` : format(value)),
  };
}

/** Formats a share: 0.252 is "25.2%". Below 10%, two significant digits; only zero is "0%". */
export function formatShare(share: number): string {
  const percent = share * 100;
  const size = Math.abs(percent);
  if (!Number.isFinite(share)) return '–';
  if (size === 0) return '0%';
  if (size < 0.01) return value0(percent);
  const digits = size >= 99.95 ? 0 : size >= 0.995 ? 1 : 2;
  return `${signed(percent, isWhole(size) ? WHOLE.format(size) : (FIXED[digits]?.format(size) ?? ''))}%`;
}

function value0(percent: number): string {
  return percent < 0 ? `> ${MINUS}0.01%` : '< 0.01%';
}

/** Formats a ratio without "×": "1.32". */
export function formatFactor(ratio: number): string {
  if (ratio > 0 && ratio < 0.0005) return '< 0.001';
  const digits = ratio >= 99.95 ? 0 : ratio >= 9.995 ? 1 : ratio >= 0.0995 ? 2 : 3;
  return FIXED[digits]?.format(ratio) ?? String(ratio);
}

/** Formats a ratio: "×1.32", "×11.7", "×0.042", or "–" if there is none. */
export function formatRatio(ratio: number | null): string {
  if (ratio === null || !Number.isFinite(ratio)) return '–';
  return `×${formatFactor(ratio)}`;
}

/**
 * A bound of a ratio's interval beyond this factor counts as unbounded, as in
 * `analysis/findings/wording.py`.
 */
const UNBOUNDED = 1000;

/**
 * Formats the interval of a ratio: "1.28 – 1.36" for tables, "1.28 to 1.36" for sentences. An
 * unbounded side is omitted: "≥ ×1.28".
 */
export function formatRatioRange(
  low: number,
  high: number,
  style: 'table' | 'sentence' = 'table',
): string {
  const table = style === 'table';
  const hasLow = low > 1 / UNBOUNDED;
  const hasHigh = high < UNBOUNDED;
  if (!hasLow && !hasHigh) return 'unbounded';
  if (!hasHigh) return `${table ? '≥' : 'at least'} ${formatRatio(low)}`;
  if (!hasLow) return `${table ? '≤' : 'at most'} ${formatRatio(high)}`;
  return `${formatFactor(low)} ${style === 'table' ? '–' : 'to'} ${formatFactor(high)}`;
}

/** Formats a q or p value: "< .001", ".021". */
export function formatProbability(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value < 0.001) return '< .001';
  return value >= 0.9995 ? '1' : value.toFixed(3).replace(/^0/u, '');
}
