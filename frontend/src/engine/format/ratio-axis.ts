/** The shared log axis of effect intervals: one for a whole list, so that lengths compare from row to row. */

export type RatioAxis = {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
};

/** What one row has to show. Ratios are candidate / base; NaN or null where there is none. */
type RatioRange = { ratio: number | null; low: number | null; high: number | null };

const TICKS_MAX = 7;
const POWER_MAX = 20;

function power(value: number | null, round: (exponent: number) => number): number | null {
  if (value === null || !Number.isFinite(value) || value <= 0) return null;
  return Math.max(-POWER_MAX, Math.min(POWER_MAX, round(Math.log2(value))));
}

/**
 * Ends at powers of two that hold every ratio and interval, at least x0.5 to x2; the ends are the outermost ticks and x1
 * is always among them. At most seven ticks: beyond that every second, third, ... power.
 */
export function ratioAxis(ranges: Iterable<RatioRange>): RatioAxis {
  let from = -1;
  let to = 1;
  for (const range of ranges) {
    for (const value of [range.ratio, range.low, range.high]) {
      const below = power(value, Math.floor);
      const above = power(value, Math.ceil);
      if (below !== null) from = Math.min(from, below);
      if (above !== null) to = Math.max(to, above);
    }
  }
  const step = Math.ceil((to - from) / (TICKS_MAX - 1));
  const first = -Math.ceil(-from / step);
  const last = Math.ceil(to / step);
  const ticks = Array.from(
    { length: last - first + 1 },
    (_, index) => 2 ** ((first + index) * step),
  );
  return { low: 2 ** (first * step), high: 2 ** (last * step), ticks };
}

/** The position of a ratio on the axis, 0 = its low end, 1 = its high end; beyond the ends it is held there. */
export function alongAxis(axis: RatioAxis, ratio: number): number {
  const along = Math.log(ratio / axis.low) / Math.log(axis.high / axis.low);
  return Math.max(0, Math.min(1, along));
}
