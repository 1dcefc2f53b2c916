/** Rows of the tables of spans: their order and their changes. */
import type { Sort } from '../../../ui';
import type { Gap, SideName, SpanSets } from './span-types';
import type { GapQuantile } from './span-url';

export const isSingle = (sets: SpanSets): boolean => sets.sides.candidate === null;

const QUANTILE_KEYS = { p50: 'p50_ns', p90: 'p90_ns', p99: 'p99_ns' } as const;

export const gapNs = (gap: Gap, side: SideName, quantile: GapQuantile): number | null =>
  gap[side]?.[QUANTILE_KEYS[quantile]] ?? null;

/** Returns the share of request time in a gap, on the side where it is larger. */
const gapShare = (gap: Gap): number => Math.max(gap.base?.share ?? 0, gap.candidate?.share ?? 0);

export const isChanged = ({ state }: { state: string }): boolean => state !== 'noise';

function valueFor(gap: Gap, column: string, quantile: GapQuantile): number {
  switch (column) {
    case 'base':
      return gapNs(gap, 'base', quantile) ?? 0;
    case 'candidate':
      return gapNs(gap, 'candidate', quantile) ?? 0;
    case 'n':
      return (gap.candidate ?? gap.base)?.n ?? 0;
    case 'change': {
      // Changed gaps are first, ordered by the change of their time per request.
      const cost = (gap.candidate?.per_request_ns ?? 0) - (gap.base?.per_request_ns ?? 0);
      return (isChanged(gap) ? 1e15 : 0) + Math.abs(cost);
    }
    default:
      return gapShare(gap);
  }
}

export function sortedGaps(
  gaps: readonly Gap[],
  { column, descending }: Sort,
  quantile: GapQuantile,
): Gap[] {
  const way = descending ? -1 : 1;
  if (column === 'edge') return gaps.toSorted((a, b) => way * a.edge.localeCompare(b.edge));
  return gaps.toSorted(
    (a, b) => way * (valueFor(a, column, quantile) - valueFor(b, column, quantile)),
  );
}

const QUANTILE_VALUES = { p50: 0.5, p90: 0.9, p99: 0.99 } as const;

type GapChange = {
  ratio: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
};

/** Returns the change of the selected quantile; null rather than that of another quantile. */
export function changeAt({ change, changes }: Gap, quantile: GapQuantile): GapChange | null {
  if (changes) return changes[quantile];
  if (!change) return null;
  // A gap on one side only has no quantile to compare: its change is that of its total time.
  return change.quantile === null || change.quantile === QUANTILE_VALUES[quantile] ? change : null;
}

/**
 * Returns the state of a gap for one quantile: "noise" unless the gap changed significantly and
 * this quantile shows it.
 */
export function stateAt(gap: Gap, quantile: GapQuantile): Gap['state'] {
  if (gap.state !== 'more' && gap.state !== 'less') return gap.state;
  const change = changeAt(gap, quantile);
  if (!change) return 'noise';
  if (change.low !== null && change.low > 1) return 'more';
  return change.high !== null && change.high < 1 ? 'less' : 'noise';
}

/** Returns the ratio and its interval; null for a gap of one side, whose change is a difference. */
export function ratioOf(
  gap: Gap,
  quantile: GapQuantile,
): {
  ratio: number | null;
  low: number | null;
  high: number | null;
} {
  const change = changeAt(gap, quantile);
  const ratio = change?.ratio ?? null;
  return ratio === null
    ? { ratio: null, low: null, high: null }
    : { ratio, low: change?.low ?? null, high: change?.high ?? null };
}
