/** The log axis of effect intervals. All rows of a list share it, so lengths are comparable. */

export type RatioAxis = {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
};

/** The ratio of one row, candidate / base, and its interval; NaN or null if there is none. */
type RatioRange = { ratio: number | null; low: number | null; high: number | null };

const TICKS_MAX = 7;
const POWER_MAX = 20;

function power(value: number | null, round: (exponent: number) => number): number | null {
  if (value === null || !Number.isFinite(value) || value <= 0) return null;
  return Math.max(-POWER_MAX, Math.min(POWER_MAX, round(Math.log2(value))));
}

/**
 * Returns an axis that includes every ratio and interval, and at least x0.5 to x2. Its ends are
 * powers of two and the outermost ticks; x1 is always a tick. A wide axis has a tick at every
 * second, third, ... power only, about seven in all.
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

/** Returns the position of a ratio on the axis, clamped to 0 (low end) to 1 (high end). */
export function alongAxis(axis: RatioAxis, ratio: number): number {
  const along = Math.log(ratio / axis.low) / Math.log(axis.high / axis.low);
  return Math.max(0, Math.min(1, along));
}
