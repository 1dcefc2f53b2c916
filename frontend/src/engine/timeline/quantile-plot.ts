/** Positions of the quantile plot: labeled quantiles at equal distances, delays on a log axis. */
import { decades } from './timeline-layout';

export type QuantilePoint = {
  q: number;
  base_ns: number | null;
  candidate_ns: number | null;
  /** The interval of candidate - base; null if it was not computed. */
  low_ns: number | null;
  high_ns: number | null;
};

/** 0.5 -> "p50", 0.999 -> "p99.9". */
export function quantileName(q: number): string {
  return `p${Number((q * 100).toFixed(4))}`;
}

const LABELLED = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999];

const rareness = (q: number): number => -Math.log10(Math.max(1e-9, 1 - q));

/**
 * Returns the position of a quantile. Labeled quantiles are at 0, 1, 2, ...; others are between
 * them, by the logarithm of 1 - q.
 */
export function placeOf(q: number): number {
  const after = LABELLED.findIndex((labelled) => labelled > q + 1e-12);
  if (after === 0) return 0;
  if (after < 0) return LABELLED.length - 1;
  const [low, high] = [rareness(LABELLED[after - 1]!), rareness(LABELLED[after]!)];
  return after - 1 + (rareness(q) - low) / (high - low);
}

type QuantileAxis = {
  x: (q: number) => number;
  y: (ns: number) => number;
  labels: number[];
  lines: number[];
};

/** Smaller values are drawn here, because a log axis has no zero. */
const FLOOR_NS = 1;

export function quantileAxis(
  points: readonly QuantilePoint[],
  box: { x0: number; x1: number; y0: number; y1: number },
): QuantileAxis {
  const values = points.flatMap(({ base_ns, candidate_ns }) =>
    [base_ns, candidate_ns].filter((value): value is number => value !== null),
  );
  const lines = decades(
    Math.max(FLOOR_NS, Math.min(...values, 1e9)),
    Math.max(FLOOR_NS * 10, ...values),
  );
  const [bottom, top] = [Math.log10(lines[0]!), Math.log10(lines[lines.length - 1]!)];
  const first = placeOf(points[0]?.q ?? 0.5);
  const last = Math.max(first + 0.1, placeOf(points[points.length - 1]?.q ?? 0.9999));
  return {
    x: (q) => box.x0 + ((placeOf(q) - first) / (last - first)) * (box.x1 - box.x0),
    y: (ns) => {
      const along = (Math.log10(Math.max(FLOOR_NS, ns)) - bottom) / (top - bottom);
      return box.y1 - Math.max(0, Math.min(1, along)) * (box.y1 - box.y0);
    },
    labels: LABELLED.filter((q) => placeOf(q) >= first - 1e-9 && placeOf(q) <= last + 1e-9),
    lines,
  };
}

/** Returns the interval of candidate at each quantile: base + low to base + high. */
export function bandOf(
  points: readonly QuantilePoint[],
): { q: number; low: number; high: number }[] {
  return points.flatMap(({ q, base_ns, low_ns, high_ns }) =>
    base_ns !== null && low_ns !== null && high_ns !== null
      ? [
          {
            q,
            low: Math.max(FLOOR_NS, base_ns + low_ns),
            high: Math.max(FLOOR_NS, base_ns + high_ns),
          },
        ]
      : [],
  );
}
