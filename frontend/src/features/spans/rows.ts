/** Rows of the tables about spans: their order, and what changed of them. Pure. */
import type { Sort } from '../../ui';
import type { Gap, SideName, SpanSets } from './types';
import type { GapQuantile } from './url';

export const isSingle = (told: SpanSets): boolean => told.sides.candidate === null;

const QUANTILE_KEYS = { p50: 'p50_ns', p90: 'p90_ns', p99: 'p99_ns' } as const;

export const gapNs = (gap: Gap, side: SideName, quantile: GapQuantile): number | null =>
  gap[side]?.[QUANTILE_KEYS[quantile]] ?? null;

/** The part of request time that a gap holds: on the side where it is most. */
export const gapShare = (gap: Gap): number =>
  Math.max(gap.base?.share ?? 0, gap.candidate?.share ?? 0);

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
      // What changed first, by what it costs each request.
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

/** A change is a ratio where both sides have the gap; else what low and high bound is a difference. */
export function ratioOf({ change }: Gap): {
  ratio: number | null;
  low: number | null;
  high: number | null;
} {
  const ratio = change?.ratio ?? null;
  return ratio === null
    ? { ratio: null, low: null, high: null }
    : { ratio, low: change?.low ?? null, high: change?.high ?? null };
}
